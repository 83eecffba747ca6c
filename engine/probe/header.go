package probe

import (
	"errors"
	"fmt"
)

// Info is what a picture's header says, before any pixel is decoded. Decoders get the last word on pixels only after a
// caller has set these against its limits.
type Info struct {
	// Width and Height are in pixels as stored, before any orientation. Both are 0 for an image sequence that has no
	// still picture.
	Width, Height int
	// Pages counts the pictures in the file, thumbnails, masks and tiles left out. Counting stops early once it is
	// clear that there are several.
	Pages int
	// Animated says that the pages are meant to be shown in time.
	Animated bool
	// Work is how many pixels a decoder produces for one picture, tiles beyond its edges and alpha planes included:
	// at least Width times Height.
	Work int64
	// Scans is how many times a JPEG passes over its picture, and 1 for other formats.
	Scans int
	// Block is the decoded size in bytes of the largest part that must be held at once (a TIFF strip or tile), or 0
	// where the format has no such parts.
	Block int64
}

// Kinds of header that cannot be used. The errors of [Header] wrap exactly one of them.
var (
	// ErrMalformed: the file contradicts its format or ends early.
	ErrMalformed = errors.New("malformed file")
	// ErrUnsupported: a legal variant of the format that this product does not read.
	ErrUnsupported = errors.New("unsupported variant")
	// ErrExcessive: a structure that no honest file needs and that costs a decoder far more than its size suggests.
	ErrExcessive = errors.New("excessive structure")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnsupported}, args...)...)
}

func excessive(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrExcessive}, args...)...)
}

// Header reads the header of data, a whole image file that [Sniff] found to be f. Time and memory are linear in the
// length of data at most. The errors wrap [ErrMalformed], [ErrUnsupported] or [ErrExcessive].
func Header(data []byte, f Format) (Info, error) {
	read, ok := headerReaders[f]
	if !ok {
		return Info{}, unsupported("%s is not an image format", f.Name())
	}
	if Sniff(data[:min(len(data), HeadBytes)]) != f {
		return Info{}, malformed("not a %s file", f.Name())
	}
	info, err := read(data)
	if err != nil {
		return Info{}, fmt.Errorf("read %s header: %w", f.Name(), err)
	}
	if info.Animated {
		return info, nil
	}
	if info.Width < 1 || info.Height < 1 {
		return Info{}, fmt.Errorf("read %s header: %w", f.Name(), malformed("size %d x %d", info.Width, info.Height))
	}
	info.Work = max(info.Work, int64(info.Width)*int64(info.Height))
	info.Scans = max(info.Scans, 1)
	return info, nil
}

var headerReaders = map[Format]func([]byte) (Info, error){
	JPEG: jpegHeader,
	PNG:  pngHeader,
	WebP: webpHeader,
	GIF:  gifHeader,
	AVIF: heifHeader,
	HEIC: heifHeader,
	HEIF: heifHeader,
	TIFF: tiffHeader,
	BMP:  bmpHeader,
}
