package probe_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func grid(t *testing.T, tile []byte) mediatest.Grid {
	t.Helper()
	return mediatest.Grid{
		Tile: mediatest.TileOf(t, tile), TileWidth: 64, TileHeight: 48, Columns: 3, Rows: 2, Width: 190, Height: 96,
	}
}

func TestHEIFGridIsReadWithItsTiles(t *testing.T) {
	t.Parallel()
	avif := grid(t, mediatest.TinyAVIF())
	heic := grid(t, mediatest.TinyHEIC())
	heic.TileHeight = 64
	heic.Height = 128
	for _, g := range []mediatest.Grid{avif, heic} {
		info, err := header(g.HEIF())
		require.NoError(t, err)
		require.Equal(t, [2]int{g.Width, g.Height}, [2]int{info.Width, info.Height})
		require.Equal(t, int64(6*g.TileWidth*g.TileHeight), info.Work)
		require.Equal(t, 1, info.Pages, "tiles are no pages")
	}
}

func TestHEIFTileBombsAreCountedInWork(t *testing.T) {
	t.Parallel()
	g := grid(t, mediatest.TinyAVIF())
	g.TileWidth, g.TileHeight = 16_000, 16_000
	info, err := header(g.HEIF())
	require.NoError(t, err)
	require.Equal(t, int64(6*16_000*16_000), info.Work)
}

func TestHEIFBombs(t *testing.T) {
	t.Parallel()
	many := grid(t, mediatest.TinyAVIF())
	many.Columns, many.Rows = 60, 60

	frames := grid(t, mediatest.TinyAVIF())
	frames.Tile.Coded = bytes.Repeat(frames.Tile.Coded, 9)

	units := grid(t, mediatest.TinyAVIF())
	units.Tile.Coded = append(bytes.Repeat([]byte{0x12, 0x00}, 5000), units.Tile.Coded...)

	pictures := grid(t, mediatest.TinyHEIC())
	pictures.Tile.Coded = bytes.Repeat(pictures.Tile.Coded, 9)

	shared := grid(t, mediatest.TinyAVIF())
	shared.Columns, shared.Rows = 40, 40
	padding := append([]byte{0x7A, 0xFF, 0xFF, 0x0F}, make([]byte, 1<<18-1)...)
	shared.Tile.Coded = append(padding, shared.Tile.Coded...)

	for name, g := range map[string]mediatest.Grid{
		"too many tiles": many, "many frames in one picture": frames, "many units in one picture": units,
		"many HEVC pictures in one item": pictures, "tiles that share a large body": shared,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := header(g.HEIF())
			require.ErrorIs(t, err, probe.ErrExcessive)
		})
	}
}

// The codec's own size is what a decoder allocates, so a small size in the container must not hide a large one.
func TestHEIFCodecSizeMustFitTheItem(t *testing.T) {
	t.Parallel()
	av1 := grid(t, mediatest.TinyAVIF())
	av1.Tile.Coded = append(av1Sequence(t, 16_384, 16_384), av1.Tile.Coded...)

	config := grid(t, mediatest.TinyAVIF())
	config.Tile.Config = mediatest.Box("av1C", []byte{0x81, 0, 0x0C, 0}, av1Sequence(t, 16_384, 16_384))

	hevc := grid(t, mediatest.TinyHEIC())
	hevc.TileHeight = 64
	hevc.Tile.Coded = append(hevcSequence(16_384, 16_384), hevc.Tile.Coded...)

	for name, g := range map[string]mediatest.Grid{"AV1": av1, "AV1 configuration": config, "HEVC": hevc} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := header(g.HEIF())
			require.ErrorIs(t, err, probe.ErrMalformed)
			require.ErrorContains(t, err, "16384")
		})
	}
}

func TestHEIFDamage(t *testing.T) {
	t.Parallel()
	plain := grid(t, mediatest.TinyAVIF()).HEIF()
	change := func(from, to string) []byte {
		require.Contains(t, string(plain), from)
		return bytes.Replace(plain, []byte(from), []byte(to), 1)
	}
	infe := "\x00\x01\x00\x00grid\x00"
	tests := map[string]struct {
		data []byte
		want error
	}{
		"no meta":                    {change("meta", "free"), probe.ErrMalformed},
		"no primary item":            {change("pitm", "free"), probe.ErrMalformed},
		"no sizes":                   {change("ispe", "free"), probe.ErrMalformed},
		"two sizes":                  {change("av1C", "ispe"), probe.ErrMalformed},
		"no locations":               {change("iloc", "free"), probe.ErrUnsupported},
		"two location boxes":         {change("hdlr", "idat"), probe.ErrMalformed},
		"an overlay":                 {change(infe, "\x00\x01\x00\x00iovl\x00"), probe.ErrUnsupported},
		"an item described twice":    {change(infe, "\x00\x02\x00\x00grid\x00"), probe.ErrMalformed},
		"a box nobody needs is gone": {change("hdlr", "free"), nil},
		"one tile fewer than cells":  {change("\x00\x00\x01\x02\x00\xBE", "\x00\x00\x01\x03\x00\xBE"), probe.ErrMalformed},
		"a size of its own":          {change("\x00\x00\x01\x02\x00\xBE", "\x00\x00\x01\x02\xFF\xFF"), probe.ErrMalformed},
		"data past the end":          {plain[:len(plain)-100], probe.ErrMalformed},
		"a method not known":         {change("\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08", "\x00\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08"), probe.ErrUnsupported},
		"an item located twice":      {change("\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08", "\x00\x02\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08"), probe.ErrMalformed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := header(tt.data)
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tt.want)
		})
	}
}

func TestHEIFOtherPicturesArePages(t *testing.T) {
	t.Parallel()
	g := grid(t, mediatest.TinyAVIF())
	g.Others = 2
	info, err := header(g.HEIF())
	require.NoError(t, err)
	require.Equal(t, 3, info.Pages)
}

func TestHEIFDeflatedItemIsUnsupported(t *testing.T) {
	t.Parallel()
	info := mediatest.FullBox("infe", 2, []byte("\x00\x01\x00\x00mime\x00text/xml\x00deflate\x00"))
	file := append(mediatest.FileType("avif", "avif"),
		mediatest.FullBox("meta", 0, mediatest.FullBox("iinf", 0, []byte{0, 1}, info))...)
	_, err := header(file)
	require.ErrorIs(t, err, probe.ErrUnsupported)
}

func TestHEIFTrailingJunkIsPassedOver(t *testing.T) {
	t.Parallel()
	info, err := header(append(mediatest.TinyAVIF(), "a phone maker's trailer"...))
	require.NoError(t, err)
	require.Equal(t, 64, info.Width)
}

// bitWriter packs big-endian bit fields.
type bitWriter struct {
	bytes []byte
	free  uint
}

func (w *bitWriter) put(n uint, v uint32) {
	for i := range n {
		if w.free == 0 {
			w.bytes, w.free = append(w.bytes, 0), 8
		}
		w.free--
		w.bytes[len(w.bytes)-1] |= byte(v>>(n-1-i)&1) << w.free
	}
}

func (w *bitWriter) golomb(v uint32) {
	n := uint(0)
	for v+1 >= 1<<(n+1) {
		n++
	}
	w.put(n, 0)
	w.put(n+1, v+1)
}

// av1Sequence is a sequence header with all optional parts present, so that each is skipped rightly.
func av1Sequence(t *testing.T, width, height uint32) []byte {
	t.Helper()
	var w bitWriter
	w.put(3, 0)
	w.put(2, 0)
	w.put(1, 1)
	w.put(32, 1)
	w.put(32, 30)
	w.put(1, 1)
	w.golomb(5)
	w.put(1, 1)
	w.put(5, 9)
	w.put(32, 1)
	w.put(10, 0)
	w.put(1, 1)
	w.put(5, 0)
	w.put(12, 0)
	w.put(5, 8)
	w.put(1, 0)
	w.put(1, 1)
	w.put(21, 0)
	w.put(1, 1)
	w.put(4, 0)
	w.put(4, 15)
	w.put(4, 15)
	w.put(16, width-1)
	w.put(16, height-1)
	w.put(16, 0)
	require.Less(t, len(w.bytes), 128)
	return append([]byte{0x0A, byte(len(w.bytes))}, w.bytes...)
}

// hevcSequence is a length-prefixed sequence parameter set with two sub-layers and an escaped profile.
func hevcSequence(width, height uint32) []byte {
	var w bitWriter
	w.put(16, 33<<9|1)
	w.put(4, 0)
	w.put(3, 1)
	w.put(1, 1)
	for range 12 {
		w.put(8, 0xFF)
	}
	w.put(16, 0xC000)
	for range 12 {
		w.put(8, 0xFF)
	}
	w.golomb(0)
	w.golomb(3)
	w.put(1, 0)
	w.golomb(width)
	w.golomb(height)
	w.put(8, 0xFF)
	return append([]byte{0, 0, 0, byte(len(w.bytes))}, w.bytes...)
}
