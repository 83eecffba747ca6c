package still_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/raster"
	"veracity/engine/render/still"
)

// hideText writes text into the lowest bits of some channels, column by column, as generators do.
func hideText(m *raster.Image, text string, channels ...int) {
	for bit := range len(text) * 8 {
		pixel := bit / len(channels)
		i := (pixel%m.Height*m.Width+pixel/m.Height)*m.Channels + channels[bit%len(channels)]
		m.Pix[i] = m.Pix[i]&^1 | text[bit/8]>>(7-bit%8)&1
	}
}

func TestMessagesInTheLowestBitsSurvive(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text     string
		channels []int
	}{
		"alpha":           {"stealth_pnginfo\x00\x00\x00\x20{\"prompt\": \"a fox\"}", []int{3}},
		"gzipped, alpha":  {"stealth_pngcomp\x00\x00\x00\x20\x1f\x8b\x08", []int{3}},
		"colour":          {"stealth_rgbinfo\x00\x00\x00\x20{\"prompt\": \"a fox\"}", []int{0, 1, 2}},
		"gzipped, colour": {"stealth_rgbcomp\x00\x00\x00\x20\x1f\x8b\x08", []int{0, 1, 2}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := rgba(mediatest.Photo(160, 120))
			hideText(m, tt.text, tt.channels...)
			r := encode(t, m, still.High)
			require.True(t, r.Lossless)
			requireSame(t, m, r.PNG)
		})
	}
}

func TestOtherLowestBitsAreNoMessage(t *testing.T) {
	t.Parallel()
	m := rgba(mediatest.Photo(160, 120))
	hideText(m, "stealth_whatnot", 0, 1, 2)
	require.False(t, encode(t, m, still.High).Lossless)
}
