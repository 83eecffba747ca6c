package raster_test

import (
	"image"
	"image/color"
	"image/draw"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
	"veracity/engine/raster"
)

var (
	red   = [3]byte{255, 0, 0}
	green = [3]byte{0, 255, 0}
	blue  = [3]byte{0, 0, 255}
	white = [3]byte{255, 255, 255}
)

// corners gives the colours in the middle of the four quarters, in reading order.
func corners(m *raster.Image) [4][3]byte {
	var out [4][3]byte
	for i := range out {
		x, y := m.Width/4+i%2*m.Width/2, m.Height/4+i/2*m.Height/2
		out[i] = [3]byte(m.Row(y)[x*m.Channels:])
	}
	return out
}

func requireColours(t *testing.T, want, got [4][3]byte, tolerance float64) {
	t.Helper()
	for i := range want {
		for c := range 3 {
			require.InDelta(t, want[i][c], got[i][c], tolerance, "quarter %d is %v, not %v", i, got[i], want[i])
		}
	}
}

func convert(p image.Image, to draw.Image) image.Image {
	draw.Draw(to, to.Bounds(), p, image.Point{}, draw.Src)
	return to
}

func TestEveryFormatDecodes(t *testing.T) {
	t.Parallel()
	p := mediatest.Quadrants(64, 48)
	with := mediatest.WithPicture(p)
	box := p.Bounds()
	tests := map[string]struct {
		data      []byte
		tolerance float64
	}{
		"JPEG":              {mediatest.JPEG(t, 64, 48, with), 6},
		"progressive JPEG":  {coded.ProgressiveJPEG(t, p, 95), 6},
		"PNG":               {mediatest.PNG(t, 64, 48, with), 0},
		"interlaced PNG":    {coded.InterlacedPNG(t, p), 0},
		"PNG with text":     {mediatest.PNG(t, 64, 48, with, mediatest.PNGText("k", "v"), mediatest.PNGTextAfterPixels("k", "v")), 0},
		"palette PNG":       {mediatest.PNG(t, 64, 48, mediatest.WithPicture(mediatest.Paletted(p))), 0},
		"16-bit PNG":        {mediatest.PNG(t, 64, 48, mediatest.WithPicture(convert(p, image.NewRGBA64(box)))), 0},
		"GIF":               {mediatest.GIF(t, 64, 48, with), 0},
		"BMP":               {mediatest.BMP(t, 64, 48, with), 0},
		"TIFF":              {mediatest.TIFF(t, 64, 48, with), 0},
		"deflated TIFF":     {mediatest.TIFF(t, 64, 48, with, mediatest.WithDeflate()), 0},
		"WebP":              {coded.WebP(t, p, 95), 6},
		"lossless WebP":     {coded.LosslessWebP(t, p), 0},
		"AVIF":              {coded.AVIF(t, p, 85), 8},
		"HEIC":              {coded.HEIC(t, p, 85, 8), 8},
		"10-bit HEIC":       {coded.HEIC(t, p, 85, 10), 8},
		"lossy, other size": {mediatest.JPEG(t, 64, 48, with, mediatest.WithQuality(50)), 12},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mustDecode(t, tt.data)
			require.Equal(t, []int{64, 48, 3}, []int{m.Width, m.Height, m.Channels})
			requireColours(t, [4][3]byte{red, green, blue, white}, corners(m), tt.tolerance)
		})
	}
}

func TestOrientationIsApplied(t *testing.T) {
	t.Parallel()
	want := map[int][4][3]byte{
		1: {red, green, blue, white},
		2: {green, red, white, blue},
		3: {white, blue, green, red},
		4: {blue, white, red, green},
		5: {red, blue, green, white},
		6: {blue, red, white, green},
		7: {white, green, blue, red},
		8: {green, white, red, blue},
	}
	with := mediatest.WithPicture(mediatest.Quadrants(64, 48))
	for orientation, colours := range want {
		turned := mediatest.WithOrientation(orientation)
		jpeg := mediatest.JPEG(t, 64, 48, with, turned)
		for name, data := range map[string][]byte{
			"JPEG": jpeg, "PNG": mediatest.PNG(t, 64, 48, with, turned), "TIFF": mediatest.TIFF(t, 64, 48, with, turned),
			"WebP": coded.WebPOf(t, jpeg),
		} {
			m := mustDecode(t, data)
			width, height := 64, 48
			if orientation >= 5 {
				width, height = height, width
			}
			require.Equal(t, [2]int{width, height}, [2]int{m.Width, m.Height}, "%s of orientation %d", name, orientation)
			requireColours(t, colours, corners(m), 12)
		}
	}
}

// HEIF says itself how it is turned; EXIF in it does not count.
func TestHEIFTurnsAreApplied(t *testing.T) {
	t.Parallel()
	tile := mediatest.TileOf(t, coded.AVIF(t, mediatest.Quadrants(64, 64), 85))
	g := mediatest.Grid{Tile: tile, TileWidth: 64, TileHeight: 64, Columns: 2, Rows: 1, Width: 128, Height: 64, Turns: 1}
	m := mustDecode(t, g.HEIF())
	require.Equal(t, [2]int{64, 128}, [2]int{m.Width, m.Height})
	require.InDelta(t, 255, m.Row(16)[16*3+1], 8, "green comes to the top left")
}

func TestDeepAVIFDecodes(t *testing.T) {
	t.Parallel()
	m, shallow := mustDecode(t, mediatest.TinyAVIF10()), mustDecode(t, mediatest.TinyAVIF())
	requireColours(t, corners(shallow), corners(m), 24)
}

func TestColourModelsBecomeSRGB(t *testing.T) {
	t.Parallel()
	half := color.NRGBA{128, 128, 128, 255}
	clear := color.NRGBA{200, 100, 50, 128}
	box := image.Rect(0, 0, 64, 48)
	grey := convert(mediatest.Flat(64, 48, half), image.NewGray(box))
	grey16 := convert(mediatest.Flat(64, 48, half), image.NewGray16(box))
	clear16 := convert(mediatest.Flat(64, 48, clear), image.NewNRGBA64(box))
	png := func(p image.Image) []byte { return mediatest.PNG(t, 64, 48, mediatest.WithPicture(p)) }
	greyAlpha := coded.GreyAlphaPNG(t, mediatest.Flat(64, 48, color.NRGBA{90, 90, 90, 60}))
	tests := map[string]struct {
		data      []byte
		want      []byte
		tolerance float64
	}{
		"grey":             {png(grey), []byte{128, 128, 128}, 0},
		"16-bit grey":      {png(grey16), []byte{128, 128, 128}, 1},
		"grey with alpha":  {greyAlpha, []byte{90, 90, 90, 60}, 1},
		"alpha":            {png(mediatest.Flat(64, 48, clear)), []byte{200, 100, 50, 128}, 0},
		"16-bit alpha":     {png(clear16), []byte{200, 100, 50, 128}, 1},
		"grey JPEG":        {mediatest.JPEG(t, 64, 48, mediatest.WithPicture(grey)), []byte{128, 128, 128}, 2},
		"CMYK JPEG":        {coded.CMYKJPEG(t, mediatest.Flat(64, 48, color.NRGBA{180, 120, 60, 255})), []byte{180, 120, 60}, 12},
		"transparent WebP": {coded.LosslessWebP(t, mediatest.Flat(64, 48, clear)), []byte{200, 100, 50, 128}, 0},
		"transparent AVIF": {coded.AVIF(t, mediatest.Flat(64, 48, clear), 85), []byte{200, 100, 50, 128}, 8},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mustDecode(t, tt.data)
			require.Equal(t, len(tt.want), m.Channels)
			pixel := m.Row(m.Height / 2)[m.Width/2*m.Channels:]
			for c, want := range tt.want {
				require.InDelta(t, want, pixel[c], tt.tolerance, "channel %d of %v", c, pixel[:m.Channels])
			}
		})
	}
}

func TestManyDecodesAtOnce(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(320, 240)
	files := [][]byte{
		mediatest.JPEG(t, 320, 240), mediatest.PNG(t, 320, 240), mediatest.GIF(t, 320, 240), mediatest.TIFF(t, 320, 240),
		mediatest.BMP(t, 320, 240), coded.WebP(t, p, 80), mediatest.TinyAVIF(), mediatest.TinyHEIC(),
	}
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			data := files[i%len(files)]
			m, err := decode(t.Context(), data)
			if err != nil || m.Width < 64 || m.Height < 48 {
				t.Errorf("file %d: %v", i%len(files), err)
			}
		})
	}
	group.Wait()
}
