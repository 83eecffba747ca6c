package raster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/platform/fault"
)

func requireFault(t *testing.T, data []byte, code fault.Code, words ...string) {
	t.Helper()
	f := faultOf(t, data)
	require.Equal(t, code, f.Code, "%v", f)
	for _, w := range words {
		require.Contains(t, f.Message, w)
	}
}

func faultOf(t *testing.T, data []byte) *fault.Fault {
	t.Helper()
	m, err := decode(t.Context(), data)
	require.Error(t, err)
	require.True(t, m == nil, "no picture beside a fault")
	return fault.From(err)
}

// flatPNG is a large picture in a small file.
func flatPNG(t *testing.T, w, h int) []byte {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	return mediatest.PNG(t, w, h, mediatest.WithPicture(p))
}

func TestPixelLimit(t *testing.T) {
	t.Parallel()
	m := mustDecode(t, flatPNG(t, 5000, 5000))
	require.Equal(t, [2]int{5000, 5000}, [2]int{m.Width, m.Height})

	above := flatPNG(t, 5001, 5000)
	requireFault(t, above, fault.TooManyPixels, "5001 x 5000", "25000000")
	detail, err := json.Marshal(faultOf(t, above).Detail)
	require.NoError(t, err)
	require.JSONEq(t, `{"width":5001,"height":5000,"limit":25000000}`, string(detail))
}

func TestPixelLimitHoldsBeforeAnyDecode(t *testing.T) {
	t.Parallel()
	bomb := mediatest.JPEG(t, 8, 8)
	at := bytes.Index(bomb, []byte{0xFF, 0xC0})
	copy(bomb[at+5:], []byte{0xFF, 0xDC, 0xFF, 0xDC})
	requireFault(t, bomb, fault.TooManyPixels, "65500 x 65500")
}

func TestByteLimit(t *testing.T) {
	t.Parallel()
	limit := raster.DefaultConfig().MaxBytes
	data := mediatest.JPEG(t, 64, 48)
	data = append(data, make([]byte, int(limit)-len(data))...)
	mustDecode(t, data)
	requireFault(t, append(data, 0), fault.ImageTooLarge, "26214401", "26214400")
}

func TestEmptyFileIsAnInvalidImage(t *testing.T) {
	t.Parallel()
	requireFault(t, nil, fault.InvalidImage, "empty")
}

func TestAnimationsAndPagesAreRefused(t *testing.T) {
	t.Parallel()
	animated := mediatest.GIF(t, 64, 48, mediatest.WithFrames(3))
	sequence := bytes.Replace(mediatest.TinyAVIF(), []byte("ftypavif"), []byte("ftypavis"), 1)
	for name, data := range map[string][]byte{
		"GIF": animated, "WebP": coded.WebPOf(t, animated), "APNG": mediatest.PNG(t, 64, 48, mediatest.WithFrames(3)),
		"AVIF": sequence, "TIFF": mediatest.TIFF(t, 64, 48, mediatest.WithPages(2)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireFault(t, data, fault.UnsupportedMedia, "several pictures", "one still picture")
		})
	}
}

func TestOtherMediaAreSentToTheirOwnField(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{mediatest.MP4Head(), mediatest.MOVHead(), mediatest.WebMHead()} {
		requireFault(t, data, fault.UnsupportedMedia, "video", "video_url", "video_upload_id")
	}
	for _, data := range [][]byte{mediatest.WAV(0.1), mediatest.MP3(4), mediatest.M4AHead()} {
		requireFault(t, data, fault.UnsupportedMedia, "voice clip", "audio_url", "audio_upload_id")
	}
	for _, text := range []string{"no image", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", strings.Repeat("\xFF", 500)} {
		requireFault(t, []byte(text), fault.UnsupportedMedia, "JPEG, PNG")
	}
}

func TestTruncatedFilesAreRefused(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(200, 150)
	for name, data := range map[string][]byte{
		"JPEG": mediatest.JPEG(t, 200, 150), "progressive JPEG": coded.ProgressiveJPEG(t, p, 90),
		"PNG": mediatest.PNG(t, 200, 150), "interlaced PNG": coded.InterlacedPNG(t, p), "GIF": mediatest.GIF(t, 200, 150),
		"BMP": mediatest.BMP(t, 200, 150), "TIFF": mediatest.TIFF(t, 200, 150), "WebP": coded.WebP(t, p, 80),
		"deflated TIFF": mediatest.TIFF(t, 200, 150, mediatest.WithDeflate()), "lossless WebP": coded.LosslessWebP(t, p),
		"AVIF": coded.AVIF(t, p, 60), "HEIC": coded.HEIC(t, p, 60, 8),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, percent := range []int{5, 20, 50, 80, 95} {
				requireFault(t, data[:len(data)*percent/100], fault.UnsupportedMedia)
			}
		})
	}
}

// A file whose container is whole but whose coded data is noise must end in a fault or in some picture, never worse.
func TestNoiseInsideAFileIsSurvived(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(200, 150)
	for name, data := range map[string][]byte{
		"JPEG": mediatest.JPEG(t, 200, 150), "PNG": mediatest.PNG(t, 200, 150), "GIF": mediatest.GIF(t, 200, 150),
		"TIFF": mediatest.TIFF(t, 200, 150, mediatest.WithDeflate()), "WebP": coded.WebP(t, p, 80),
		"AVIF": coded.AVIF(t, p, 60), "HEIC": coded.HEIC(t, p, 60, 8),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for start := range 20 {
				broken := bytes.Clone(data)
				for i := len(data) * (start + 4) / 25; i < len(data)-64; i += 97 {
					broken[i] ^= byte(start*37 + 1)
				}
				if _, err := decode(t.Context(), broken); err != nil {
					require.Contains(t, []fault.Code{fault.UnsupportedMedia, fault.TooManyPixels}, fault.CodeOf(err), "%v", err)
				}
			}
		})
	}
}

func TestUndecodablePixelsAreRefused(t *testing.T) {
	t.Parallel()
	good := mediatest.PNG(t, 64, 48)
	broken := bytes.Clone(good)
	at := bytes.Index(broken, []byte("IDAT"))
	copy(broken[at+4:], "not a zlib stream")
	requireFault(t, broken, fault.UnsupportedMedia, "damaged or cut short")
}

func TestNamesDoNotCount(t *testing.T) {
	t.Parallel()
	data := mediatest.PNG(t, 64, 48)
	_, err := decoder.Decode(t.Context(), data, probe.JPEG)
	require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err), "a format that the content does not have")
}

func TestCancelledDecodeEndsWithTheCause(t *testing.T) {
	t.Parallel()
	data := mediatest.PNG(t, 2000, 2000)
	before, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := decode(before, data)
	require.ErrorIs(t, err, context.Canceled)

	during, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	_, err = decode(during, data)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
