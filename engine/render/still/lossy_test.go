package still_test

import (
	"context"
	"image"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/raster"
	"veracity/engine/render/still"
)

// drawing is a chart-like picture: soft-edged discs of a few colours on a white page, with a gradient.
func drawing(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := [3]float64{255, 255, 255}
			for i := range 6 {
				dx, dy := float64(x)-float64(w)*(0.15+0.14*float64(i)), float64(y)-float64(h)*(0.3+0.1*float64(i%3))
				cover := min(max(float64(h)/7-math.Hypot(dx, dy)+0.5, 0), 1)
				for k, v := range [3]float64{float64(40 * i), float64(230 - 30*i), float64((i * 90) % 256)} {
					c[k] += (v - c[k]) * cover
				}
			}
			if y > h*4/5 {
				c = [3]float64{float64(x) * 255 / float64(w), 120, 200}
			}
			i := p.PixOffset(x, y)
			p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3] = byte(c[0]), byte(c[1]), byte(c[2]), 255
		}
	}
	return p
}

// requireLike wants a file to be as like its source as it says and as its fidelity asks.
func requireLike(t *testing.T, m *raster.Image, r still.Result, f still.Fidelity) {
	t.Helper()
	require.False(t, r.Lossless)
	require.GreaterOrEqual(t, r.Similarity, f.Target())
	require.GreaterOrEqual(t, r.Worst, f.Target()-5)
	require.InDelta(t, r.Similarity, similarity(t, m, r.PNG), 0.1)
}

func TestPhotographsHalveAtTheirFidelity(t *testing.T) {
	t.Parallel()
	m := rgb(mediatest.Photo(360, 270))
	exact := encode(t, m, still.Lossless)
	last := len(exact.PNG)
	for _, f := range []still.Fidelity{still.VisuallyLossless, still.High} {
		r := encode(t, m, f)
		requireLike(t, m, r, f)
		require.Less(t, len(r.PNG), last*7/10, f)
		require.Equal(t, exact.PlainBytes, r.PlainBytes)
		last = len(r.PNG) * 14 / 10
	}
}

func TestEveryKindOfPhotographShrinks(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*raster.Image{
		"grey":       grey(rgb(mediatest.Photo(256, 192))),
		"faded":      rgba(faded(256, 192)),
		"faded grey": grey(rgba(faded(256, 192))),
		"tall":       rgb(mediatest.Photo(64, 900)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := encode(t, m, still.VisuallyLossless)
			requireLike(t, m, r, still.VisuallyLossless)
			require.Less(t, len(r.PNG), len(encode(t, m, still.Lossless).PNG)*8/10)
		})
	}
}

func TestDrawingsGetPalettes(t *testing.T) {
	t.Parallel()
	m := rgb(drawing(360, 270))
	r := encode(t, m, still.VisuallyLossless)
	require.Equal(t, still.Palette, r.Mode)
	require.Positive(t, r.Colours)
	requireLike(t, m, r, still.VisuallyLossless)
	require.Less(t, len(r.PNG), len(encode(t, m, still.Lossless).PNG))
	got := pixels(t, r.PNG)
	require.Equal(t, []byte{255, 255, 255, 255}, got[:4], "the page is no longer white")
}

func TestIconsAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {7, 9}, {31, 400}, {48, 48}} {
		m := rgb(mediatest.Photo(size[0], size[1]))
		r := encode(t, m, still.High)
		require.True(t, r.Lossless)
		requireSame(t, m, r.PNG)
	}
}

func TestEqualPixelsGiveEqualBytes(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*image.NRGBA{"photograph": mediatest.Photo(72, 1400), "drawing": drawing(240, 160)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first []byte
			for _, workers := range []int{1, 2, 5} {
				cfg := with(still.High)
				cfg.Workers = workers
				m := rgb(p)
				r, err := still.Encode(t.Context(), m, cfg, nil)
				require.NoError(t, err)
				require.Equal(t, rgb(p).Pix, m.Pix, "the source was changed")
				if first == nil {
					first = r.PNG
				}
				require.Equal(t, first, r.PNG)
			}
		})
	}
}

func TestProgressGrowsToOne(t *testing.T) {
	t.Parallel()
	var seen []float64
	_, err := still.Encode(t.Context(), rgb(mediatest.Photo(200, 150)), with(still.High), func(done float64) { seen = append(seen, done) })
	require.NoError(t, err)
	require.IsIncreasing(t, seen)
	require.InDelta(t, 1, seen[len(seen)-1], 0)
}

func TestCancellationEndsTheWork(t *testing.T) {
	t.Parallel()
	m := rgb(mediatest.Photo(1200, 900))
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan struct{})
	var once bool
	go func() {
		<-begun
		cancel()
	}()
	start := time.Now()
	_, err := still.Encode(ctx, m, still.DefaultConfig(), func(float64) {
		if !once {
			once = true
			close(begun)
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(start), 10*time.Second)
}

func TestBadCallsAreRefused(t *testing.T) {
	t.Parallel()
	good := rgb(mediatest.Photo(8, 8))
	for name, change := range map[string]func(m *raster.Image, cfg *still.Config){
		"no fidelity": func(_ *raster.Image, cfg *still.Config) { cfg.Fidelity = "" },
		"no workers":  func(_ *raster.Image, cfg *still.Config) { cfg.Workers = 0 },
		"no width":    func(m *raster.Image, _ *still.Config) { m.Width = 0 },
		"few bytes":   func(m *raster.Image, _ *still.Config) { m.Pix = m.Pix[1:] },
		"channels":    func(m *raster.Image, _ *still.Config) { m.Channels = 2 },
	} {
		m, cfg := *good, still.DefaultConfig()
		change(&m, &cfg)
		_, err := still.Encode(t.Context(), &m, cfg, nil)
		require.Error(t, err, name)
	}
}
