package probe_test

import (
	"errors"
	"testing"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func FuzzHeader(f *testing.F) {
	seeds := [][]byte{
		mediatest.JPEG(f, 16, 16, mediatest.WithEXIF(mediatest.EXIF(6))),
		mediatest.PNG(f, 16, 16, mediatest.PNGText("k", "v")), mediatest.PNG(f, 8, 8, mediatest.WithFrames(2)),
		mediatest.GIF(f, 16, 16), mediatest.GIF(f, 8, 8, mediatest.WithFrames(2)), mediatest.BMP(f, 8, 8),
		mediatest.TIFF(f, 8, 8), mediatest.TIFF(f, 8, 8, mediatest.WithPages(2), mediatest.WithDeflate()),
		mediatest.TinyAVIF(), mediatest.TinyHEIC(), lossyWebP(8, 8), animatedWebP(),
		riffFile(riffChunk("VP8X", canvas(0x10, 300, 200)), losslessPicture(300, 200)),
		mediatest.Grid{
			Tile: mediatest.TileOf(f, mediatest.TinyAVIF()), TileWidth: 64, TileHeight: 48, Columns: 2, Rows: 2, Width: 128, Height: 96,
		}.HEIF(),
		mediatest.MP4Head(), mediatest.MOVHead(), mediatest.M4AHead(), mediatest.WebMHead(), mediatest.WAV(0.001), mediatest.MP3(2),
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format := probe.Sniff(data[:min(len(data), probe.HeadBytes)])
		info, err := probe.Header(data, format)
		if err != nil {
			if !errors.Is(err, probe.ErrMalformed) && !errors.Is(err, probe.ErrUnsupported) && !errors.Is(err, probe.ErrExcessive) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		switch {
		case format.Media() != engine.Image:
			t.Fatalf("%s taken for an image", format.Name())
		case info.Pages < 1 || info.Animated && info.Pages < 1:
			t.Fatalf("no pages: %+v", info)
		case !info.Animated && (info.Width < 1 || info.Height < 1 || info.Scans < 1):
			t.Fatalf("no size: %+v", info)
		case !info.Animated && info.Work < int64(info.Width)*int64(info.Height):
			t.Fatalf("less work than pixels: %+v", info)
		}
	})
}
