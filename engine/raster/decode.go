package raster

import (
	"context"
	"errors"
	"fmt"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

const (
	// maxSide is the longest side of a picture that is read: the limit of JPEG and of most viewers.
	maxSide = 65_535
	// maxScans bounds a JPEG's passes over its picture; each costs a whole pass of decoding. Encoders write 10 to 20.
	maxScans = 32
	// workFactor bounds the pixels decoded for one picture as a multiple of the pixel limit: the picture, its alpha
	// plane, and tiles that reach past its edges.
	workFactor = 3
	// blockFactor bounds a TIFF strip or tile that must be held whole, in bytes, as a multiple of the pixel limit: no
	// more than the decoded picture itself may take.
	blockFactor = 4
)

// TooManyPixels is the detail of a too_many_pixels fault: the picture's size as stored, and the most width times height
// that is taken.
type TooManyPixels struct {
	Width  int   `json:"width"`
	Height int   `json:"height"`
	Limit  int64 `json:"limit"`
}

// Decode turns data, which [probe.Sniff] found to be format, into pixels. The header is checked twice, by this code
// and by libvips, before pixels are decoded. The result owns its memory; data is not kept.
//
// Faults: invalid_image (no bytes), image_too_large, too_many_pixels with [TooManyPixels] as detail, and
// unsupported_media for what is no still image that this product reads, is damaged, or ends early. A file that a codec
// decodes to its end passes, even where the codec had to guess at a few damaged bytes, as it would in a browser.
// When ctx ends, the error wraps its cause; a codec that is inside one long call first finishes that call, so whoever
// needs a hard limit must be ready to kill the process.
func (d *Decoder) Decode(ctx context.Context, data []byte, format probe.Format) (*Image, error) {
	if err := d.check(data, format); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("decode %s: %w", format.Name(), err)
	}
	if format == probe.BMP {
		return undecodable(decodeBMP(data))
	}
	if format == probe.PNG {
		data = pixelChunks(data)
	}
	return d.decode(ctx, data, format)
}

func (d *Decoder) decode(ctx context.Context, data []byte, format probe.Format) (*Image, error) {
	src, err := open(data, format)
	if err != nil {
		return undecodable(nil, err)
	}
	defer src.close()
	if err := d.checkPixels(src.width(), src.height()); err != nil {
		return nil, err
	}
	if err := src.toSRGB(worthApplying(src.profile())); err != nil {
		return undecodable(nil, err)
	}
	m, err := src.decode(ctx)
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		return nil, err
	}
	return undecodable(m, err)
}

// undecodable makes a decoder's failure the caller's fault: the file is damaged.
func undecodable(m *Image, err error) (*Image, error) {
	if err != nil {
		return nil, fault.Wrap(err, fault.UnsupportedMedia,
			"The image cannot be decoded: the file is damaged or cut short. Open it in an image editor, save it again and send the new file.")
	}
	return m, nil
}

// check refuses by size, kind and header.
func (d *Decoder) check(data []byte, format probe.Format) error {
	if len(data) == 0 {
		return fault.New(fault.InvalidImage, "The image is empty. Send a file that has content.")
	}
	if int64(len(data)) > d.limits.MaxBytes {
		return fault.New(fault.ImageTooLarge, "The image has %d bytes; at most %d are taken. Send a smaller file.",
			len(data), d.limits.MaxBytes)
	}
	if err := checkMedia(format); err != nil {
		return err
	}
	info, err := probe.Header(data, format)
	if err != nil {
		return headerFault(err, format)
	}
	if info.Animated || info.Pages > 1 {
		return fault.New(fault.UnsupportedMedia,
			"The %s file holds several pictures (an animation or several pages). Send one still picture.", format.Name())
	}
	return d.checkHeader(info)
}

func checkMedia(format probe.Format) error {
	switch format.Media() {
	case engine.Image:
		return nil
	case engine.Video:
		return fault.New(fault.UnsupportedMedia, "This is a video (%s), not an image. Send it as video_url or video_upload_id.",
			format.Name())
	case engine.Audio:
		return fault.New(fault.UnsupportedMedia,
			"This is a voice clip (%s), not an image. Send it as audio_url or audio_upload_id.", format.Name())
	default:
		return fault.New(fault.UnsupportedMedia,
			"The file is no image that is read here. Send a JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF or BMP file.")
	}
}

// headerFault puts what [probe.Header] found into words for the caller.
func headerFault(err error, format probe.Format) error {
	advice := "is damaged or cut short. Open it in an image editor, save it again and send the new file"
	switch {
	case errors.Is(err, probe.ErrUnsupported):
		advice = "is of a variant that is not read here. Save it as JPEG or PNG and send that"
	case errors.Is(err, probe.ErrExcessive):
		advice = "is built in a way that takes too much to decode. Save it as JPEG or PNG and send that"
	}
	return fault.Wrap(err, fault.UnsupportedMedia, "The %s file %s.", format.Name(), advice)
}

func (d *Decoder) checkHeader(info probe.Info) error {
	if err := d.checkPixels(info.Width, info.Height); err != nil {
		return err
	}
	if info.Width > maxSide || info.Height > maxSide {
		return fault.New(fault.UnsupportedMedia, "The image has %d x %d pixels; no side may have more than %d. Send a smaller image.",
			info.Width, info.Height, maxSide)
	}
	if info.Scans > maxScans || info.Work > workFactor*d.limits.MaxPixels || info.Block > blockFactor*d.limits.MaxPixels {
		return fault.New(fault.UnsupportedMedia,
			"The image is built in a way that takes too much to decode. Save it as JPEG or PNG and send that.")
	}
	return nil
}

func (d *Decoder) checkPixels(width, height int) error {
	if int64(width)*int64(height) <= d.limits.MaxPixels {
		return nil
	}
	return fault.New(fault.TooManyPixels, "The image has %d x %d pixels; width times height may be at most %d. Scale it down and send it again.",
		width, height, d.limits.MaxPixels).WithDetail(TooManyPixels{Width: width, Height: height, Limit: d.limits.MaxPixels})
}
