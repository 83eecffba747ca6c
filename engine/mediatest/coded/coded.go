// Package coded makes test media whose codecs Go does not have, through libvips. Tests that link it need libvips with
// the encoders of libjpeg, libwebp, aom and x265.
package coded

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/davidbyttow/govips/v2/vips"
)

// load hands a picture to libvips as an uncompressed PNG.
func load(tb testing.TB, p image.Image) *vips.ImageRef {
	tb.Helper()
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	if err := encoder.Encode(&b, p); err != nil {
		tb.Fatalf("encode PNG: %v", err)
	}
	return open(tb, b.Bytes(), vips.NewImportParams())
}

func open(tb testing.TB, file []byte, params *vips.ImportParams) *vips.ImageRef {
	tb.Helper()
	ref, err := vips.LoadImageFromBuffer(file, params)
	if err != nil {
		tb.Fatalf("load picture: %v", err)
	}
	tb.Cleanup(ref.Close)
	return ref
}

func must(tb testing.TB, file []byte, _ *vips.ImageMetadata, err error) []byte {
	tb.Helper()
	if err != nil {
		tb.Fatalf("encode picture: %v", err)
	}
	return file
}

// ProgressiveJPEG makes a progressive JPEG with libjpeg's usual ten scans.
func ProgressiveJPEG(tb testing.TB, p image.Image, quality int) []byte {
	tb.Helper()
	params := vips.NewJpegExportParams()
	params.Quality, params.Interlace = quality, true
	file, meta, err := load(tb, p).ExportJpeg(params)
	return must(tb, file, meta, err)
}

// CMYKJPEG makes a JPEG of four inks with a press profile.
func CMYKJPEG(tb testing.TB, p image.Image) []byte {
	tb.Helper()
	ref := load(tb, p)
	if err := ref.RemoveICCProfile(); err != nil {
		tb.Fatalf("remove profile: %v", err)
	}
	if err := ref.ToColorSpace(vips.InterpretationCMYK); err != nil {
		tb.Fatalf("convert to CMYK: %v", err)
	}
	params := vips.NewJpegExportParams()
	params.Quality = 95
	file, meta, err := ref.ExportJpeg(params)
	return must(tb, file, meta, err)
}

// InterlacedPNG makes a PNG in Adam7 order.
func InterlacedPNG(tb testing.TB, p image.Image) []byte {
	tb.Helper()
	params := vips.NewPngExportParams()
	params.Interlace, params.Compression = true, 1
	file, meta, err := load(tb, p).ExportPng(params)
	return must(tb, file, meta, err)
}

// WebP makes a lossy WebP.
func WebP(tb testing.TB, p image.Image, quality int) []byte {
	tb.Helper()
	params := vips.NewWebpExportParams()
	params.Quality, params.ReductionEffort = quality, 0
	file, meta, err := load(tb, p).ExportWebp(params)
	return must(tb, file, meta, err)
}

// LosslessWebP makes a lossless WebP.
func LosslessWebP(tb testing.TB, p image.Image) []byte {
	tb.Helper()
	params := vips.NewWebpExportParams()
	params.Lossless, params.ReductionEffort = true, 0
	file, meta, err := load(tb, p).ExportWebp(params)
	return must(tb, file, meta, err)
}

// WebPOf turns a JPEG, PNG or GIF file into a WebP with the same frames and metadata.
func WebPOf(tb testing.TB, file []byte) []byte {
	tb.Helper()
	params := vips.NewImportParams()
	params.NumPages.Set(-1)
	out, meta, err := open(tb, file, params).ExportWebp(vips.NewWebpExportParams())
	return must(tb, out, meta, err)
}

// AVIF makes an AVIF of 8 bits a channel.
func AVIF(tb testing.TB, p image.Image, quality int) []byte {
	tb.Helper()
	params := vips.NewAvifExportParams()
	params.Quality, params.Effort = quality, 1
	file, meta, err := load(tb, p).ExportAvif(params)
	return must(tb, file, meta, err)
}

// HEIC makes a HEIC of 8, 10 or 12 bits a channel.
func HEIC(tb testing.TB, p image.Image, quality, bits int) []byte {
	tb.Helper()
	params := vips.NewHeifExportParams()
	params.Quality, params.Effort, params.Bitdepth = quality, 1, bits
	file, meta, err := load(tb, p).ExportHeif(params)
	return must(tb, file, meta, err)
}

// GreyAlphaPNG makes a PNG of one grey channel and alpha.
func GreyAlphaPNG(tb testing.TB, p image.Image) []byte {
	tb.Helper()
	ref := load(tb, p)
	if err := ref.ToColorSpace(vips.InterpretationBW); err != nil {
		tb.Fatalf("convert to grey: %v", err)
	}
	file, meta, err := ref.ExportPng(vips.NewPngExportParams())
	return must(tb, file, meta, err)
}
