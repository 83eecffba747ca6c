package raster

import "fmt"

// Config holds the limits of one picture and how libvips works on it.
type Config struct {
	// MaxBytes is the largest file, in bytes.
	MaxBytes int64
	// MaxPixels is the largest picture: width times height.
	MaxPixels int64
	// Threads is how many threads one decode may use, from 1 to 64. A second one takes a tenth off a plain JPEG's time,
	// because codecs work in sequence, so cores are better spent on pictures side by side.
	Threads int
}

// DefaultConfig is the product's: 25 MB and 25 megapixels, one thread a picture.
func DefaultConfig() Config {
	return Config{MaxBytes: 26_214_400, MaxPixels: 25_000_000, Threads: 1}
}

// Validate names the first field that has a value it may not have.
func (c Config) Validate() error {
	const most = 1 << 31
	switch {
	case c.MaxBytes < 1 || c.MaxBytes > most:
		return fmt.Errorf("setting MaxBytes is %d; it must be from 1 to %d", c.MaxBytes, most)
	case c.MaxPixels < 1 || c.MaxPixels > most:
		return fmt.Errorf("setting MaxPixels is %d; it must be from 1 to %d", c.MaxPixels, most)
	case c.Threads < 1 || c.Threads > 64:
		return fmt.Errorf("setting Threads is %d; it must be from 1 to 64", c.Threads)
	}
	return nil
}
