package raster_test

import (
	"bytes"
	"compress/zlib"
	"image/color"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
)

func TestProfilesAreApplied(t *testing.T) {
	t.Parallel()
	flat := mediatest.WithPicture(mediatest.Flat(64, 48, color.NRGBA{200, 100, 50, 255}))
	plain := [3]byte{200, 100, 50}
	wide := [3]byte{215, 93, 31}
	process := mediatest.DisplayP3()
	process.Tags = map[string][]byte{"D2B0": []byte("mpet\x00\x00\x00\x00\x00\x03\x00\x03\x00\x00\x00\x00")}
	linear := mediatest.SRGB()
	linear.Gamma = 1
	tests := map[string]struct {
		profile []byte
		want    [3]byte
	}{
		"sRGB":             {mediatest.SRGB().ICC(), plain},
		"Display P3":       {mediatest.DisplayP3().ICC(), wide},
		"linear":           {linear.ICC(), [3]byte{229, 168, 123}},
		"damaged":          {bytes.Repeat([]byte("junk"), 100), plain},
		"cut short":        {mediatest.DisplayP3().ICC()[:200], plain},
		"process elements": {process.ICC(), plain},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := corners(mustDecode(t, mediatest.PNG(t, 64, 48, flat, mediatest.WithICC(tt.profile))))
			requireColours(t, [4][3]byte{tt.want, tt.want, tt.want, tt.want}, got, 2)
			got = corners(mustDecode(t, mediatest.JPEG(t, 64, 48, flat, mediatest.WithICC(tt.profile))))
			requireColours(t, [4][3]byte{tt.want, tt.want, tt.want, tt.want}, got, 4)
		})
	}
}

// libpng would inflate every one of these before anyone asked for it.
func TestPNGTextBombCostsNothing(t *testing.T) {
	t.Parallel()
	var zeros bytes.Buffer
	z := zlib.NewWriter(&zeros)
	_, err := z.Write(make([]byte, 48<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	opts := []mediatest.Option{
		mediatest.PNGChunk("iCCP", append([]byte("bomb\x00\x00"), zeros.Bytes()...)),
		mediatest.PNGChunk("eXIf", make([]byte, 1<<20)),
	}
	for range 90 {
		opts = append(opts, mediatest.PNGChunk("zTXt", append([]byte("Comment\x00\x00"), zeros.Bytes()...)))
	}
	data := mediatest.PNG(t, 64, 48, opts...)
	start := time.Now()
	m := mustDecode(t, data)
	require.Equal(t, 64, m.Width)
	require.Less(t, time.Since(start), 3*time.Second)
}
