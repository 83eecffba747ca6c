package raster

// #cgo pkg-config: vips
// #include "vips.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"veracity/engine/probe"
)

var loaders = map[probe.Format]C.RasterLoader{
	probe.JPEG: C.RASTER_JPEG,
	probe.PNG:  C.RASTER_PNG,
	probe.WebP: C.RASTER_WEBP,
	probe.GIF:  C.RASTER_GIF,
	probe.TIFF: C.RASTER_TIFF,
	probe.AVIF: C.RASTER_HEIF,
	probe.HEIC: C.RASTER_HEIF,
	probe.HEIF: C.RASTER_HEIF,
}

func lockDown(threads int) { C.raster_lock_down(C.int(threads)) }

// source is a picture that libvips has opened: its header is read, its pixels are not.
type source struct {
	image *C.VipsImage
	pin   runtime.Pinner
}

// open reads the header. data stays pinned until close, because libvips reads it again when it decodes.
func open(data []byte, format probe.Format) (*source, error) {
	loader, ok := loaders[format]
	if !ok {
		return nil, fmt.Errorf("open %s: no loader", format.Name())
	}
	s := &source{}
	s.pin.Pin(&data[0])
	if code := C.raster_open(loader, unsafe.Pointer(&data[0]), C.size_t(len(data)), &s.image); code != 0 { //nolint:gocritic // the linter reads the code that cgo generates
		s.pin.Unpin()
		return nil, fmt.Errorf("open %s: %w", format.Name(), vipsError())
	}
	return s, nil
}

// close also drops what libvips noted of this picture, so that it does not appear in the next one's error.
func (s *source) close() {
	C.vips_error_clear()
	C.g_object_unref(C.gpointer(unsafe.Pointer(s.image)))
	s.pin.Unpin()
}

func (s *source) width() int  { return int(s.image.Xsize) }
func (s *source) height() int { return int(s.image.Ysize) }

// profile gives a copy of the embedded ICC profile, nil when there is none or it is longer than maxProfile.
func (s *source) profile() []byte {
	var data unsafe.Pointer
	var length C.size_t
	if code := C.raster_profile(s.image, &data, &length); code != 0 { //nolint:gocritic // the linter reads the code that cgo generates
		C.vips_error_clear()
		return nil
	}
	if data == nil || length > maxProfile {
		return nil
	}
	return C.GoBytes(data, C.int(length))
}

// toSRGB sets up the conversion to 8-bit sRGB; pixels flow through it when they are decoded.
func (s *source) toSRGB(useProfile bool) error {
	var out *C.VipsImage
	var flag C.gboolean
	if useProfile {
		flag = 1
	}
	if code := C.raster_srgb(s.image, flag, &out); code != 0 { //nolint:gocritic // the linter reads the code that cgo generates
		return fmt.Errorf("convert to sRGB: %w", vipsError())
	}
	C.g_object_unref(C.gpointer(unsafe.Pointer(s.image)))
	s.image = out
	return nil
}

// decode produces the pixels, upright. It ends early when ctx does, as far as the codec allows.
func (s *source) decode(ctx context.Context) (*Image, error) {
	orientation := int(C.vips_image_get_orientation(s.image))
	m := &Image{Width: s.width(), Height: s.height(), Channels: int(s.image.Bands)}
	if orientation >= 5 {
		m.Width, m.Height = m.Height, m.Width
	}
	m.Pix = make([]byte, m.Width*m.Height*m.Channels)

	var cancelled atomic.Int32
	stop := context.AfterFunc(ctx, func() { cancelled.Store(1) })
	defer stop()
	code := C.raster_write(s.image, C.int(orientation), unsafe.Pointer(&m.Pix[0]), (*C.gint)(unsafe.Pointer(&cancelled)))
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if code != 0 {
		return nil, fmt.Errorf("decode: %w", vipsError())
	}
	return m, nil
}

// vipsError takes libvips's error text. The text is one per process, so it may hold a line of another decode: it is for
// the log alone.
func vipsError() error {
	text := C.raster_error()
	defer C.g_free(C.gpointer(unsafe.Pointer(text)))
	lines := strings.TrimSpace(C.GoString(text))
	if lines == "" {
		return errors.New("libvips gave no reason")
	}
	return errors.New(strings.ReplaceAll(lines, "\n", "; "))
}
