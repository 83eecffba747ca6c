package raster_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/platform/fault"
)

// Each file is small, keeps to the pixel limit by its header, and would cost minutes or gigabytes to decode.
func TestStructuresBuiltToCostAreRefused(t *testing.T) {
	t.Parallel()
	tiles := mediatest.Grid{
		Tile: mediatest.TileOf(t, mediatest.TinyAVIF()), TileWidth: 5000, TileHeight: 5000, Columns: 2, Rows: 2, Width: 64, Height: 48,
	}
	strip := append([]byte("II*\x00\x00\x00\x00\x00"), mediatest.Deflate(make([]byte, 1<<20))...)
	tiled := func(w, h, tileWidth, tileHeight uint32) []byte {
		file, _ := mediatest.AppendTIFFDirectory(bytes.Clone(strip), 4,
			tag(256, w), tag(257, h), tag(258, 8), tag(259, 8), tag(262, 1), tag(277, 1), tag(322, tileWidth), tag(323, tileHeight),
			tag(324, 8), tag(325, uint32(len(strip)-8)))
		return file
	}
	for name, data := range map[string][]byte{
		"JPEG of too many scans":         scanBomb(64, 64, 33),
		"tiles larger than the picture":  tiles.HEIF(),
		"TIFF tiles mostly outside":      tiled(20_000, 1, 16, 10_000),
		"TIFF tile of 400 MB":            planarTIFF(t, 5000, 5000),
		"a side of 100,000":              flatPNG(t, 100_000, 8),
		"TIFF tiles over libvips's size": tiled(64, 64, 16, 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			requireFault(t, data, fault.UnsupportedMedia)
			require.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

func TestManyScansWithinTheLimitDecode(t *testing.T) {
	t.Parallel()
	m := mustDecode(t, scanBomb(64, 64, 32))
	require.Equal(t, [2]int{64, 64}, [2]int{m.Width, m.Height})
}
