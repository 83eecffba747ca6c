package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLikenessSeesWhatShows(t *testing.T) {
	t.Parallel()
	source := paint(64, 64, 1, logo)
	same, err := likeness(t.Context(), source, source)
	require.NoError(t, err)
	require.InDelta(t, 100, same, 0)

	hidden := image.NewNRGBA(source.Rect)
	copy(hidden.Pix, source.Pix)
	require.Zero(t, hidden.NRGBAAt(0, 0).A)
	hidden.SetNRGBA(0, 0, color.NRGBA{R: 200})
	unseen, err := likeness(t.Context(), source, hidden)
	require.NoError(t, err)
	require.InDelta(t, 100, unseen, 0, "a colour behind full transparency does not show")

	// Dark things on a transparent ground cannot be seen on a dark page alone.
	for i := 0; i < len(hidden.Pix); i += 8 {
		copy(hidden.Pix[i:], []byte{25, 25, 25, 255})
	}
	worse, err := likeness(t.Context(), source, hidden)
	require.NoError(t, err)
	require.Less(t, worse, 50.0)

	_, err = likeness(t.Context(), source, paint(32, 64, 1, logo))
	require.Error(t, err)
}

func TestPicturesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	translucent := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.NRGBA{9, 200, 31, 7}, color.NRGBA{1, 2, 3, 255}})
	translucent.Pix[1] = 1
	path := filepath.Join(t.TempDir(), "p.png")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, translucent))
	require.NoError(t, f.Close())
	p, length, err := readPNG(path)
	require.NoError(t, err)
	require.Equal(t, []byte{9, 200, 31, 7, 1, 2, 3, 255}, p.Pix)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, info.Size(), length)
}

func TestDrawingsAreOfBothKinds(t *testing.T) {
	t.Parallel()
	photos, see := 0, 0
	all := drawings()
	for _, d := range all {
		require.Equal(t, image.Pt(drawnWidth, drawnHeight), d.image.Bounds().Size())
		if d.photo {
			photos++
		}
		if p, ok := d.image.(*image.NRGBA); ok && !p.Opaque() {
			see++
		}
	}
	require.Equal(t, 3, photos)
	require.Len(t, all, 6)
	require.Equal(t, 1, see, "one has transparent parts")
}
