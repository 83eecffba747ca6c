package render_test

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/png"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
	"veracity/engine/provenance"
	"veracity/engine/raster"
	"veracity/engine/render"
	"veracity/platform/fault"
)

const infotext = "a duck\nSteps: 15, Sampler: UniPC, CFG scale: 5, Seed: 235284042, Size: 512x400"

// decoder is the process's one libvips.
var decoder *raster.Decoder

func TestMain(m *testing.M) {
	d, err := raster.Startup(raster.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	decoder = d
	code := m.Run()
	d.Shutdown()
	os.Exit(code)
}

// steps gathers progress and demands that it rises from within 0 and 1 to 1.
type steps []float64

func (s *steps) tell(done float64) { *s = append(*s, done) }

func (s *steps) requireWhole(t *testing.T) {
	t.Helper()
	require.NotEmpty(t, *s)
	for i, done := range *s {
		require.GreaterOrEqual(t, done, 0.0)
		require.LessOrEqual(t, done, 1.0)
		if i > 0 {
			require.GreaterOrEqual(t, done, (*s)[i-1])
		}
	}
	require.InDelta(t, 1, (*s)[len(*s)-1], 0)
}

func TestAnImageOfAnyFormatBecomesAPNGThatSaysTheSame(t *testing.T) {
	t.Parallel()
	picture := mediatest.Photo(64, 48)
	for name, source := range map[string][]byte{
		"JPEG": mediatest.JPEG(t, 64, 48),
		"PNG":  mediatest.PNG(t, 64, 48, mediatest.PNGText("parameters", infotext)),
		"WebP": coded.WebP(t, picture, 80),
		"AVIF": coded.AVIF(t, picture, 60),
		"GIF":  mediatest.GIF(t, 64, 48),
		"BMP":  mediatest.BMP(t, 64, 48),
		"TIFF": mediatest.TIFF(t, 64, 48),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told steps
			file, out, err := render.Image(t.Context(), decoder, nil, source, render.Provenance{}, told.tell)
			require.NoError(t, err)
			told.requireWhole(t)
			decoded, err := png.DecodeConfig(bytes.NewReader(file))
			require.NoError(t, err)
			require.Equal(t, []int{64, 48, 64, 48}, []int{decoded.Width, decoded.Height, out.Width, out.Height})
			require.Equal(t, "image/png", out.ContentType)
			require.EqualValues(t, len(file), out.Bytes)
			require.Nil(t, out.Video)
			require.GreaterOrEqual(t, out.Score.Score, 60)
			require.Equal(t, engine.ZoneOf(out.Score.Score), out.Score.Zone)
			detail := out.Detail.(render.Detail)
			require.EqualValues(t, len(source), detail.SourceBytes)
			require.Positive(t, detail.PlainBytes)
			require.Equal(t, provenance.Read(source).Lane(), provenance.Read(file).Lane())
		})
	}
}

func TestAnImageStandsUprightInItsPNG(t *testing.T) {
	t.Parallel()
	file, out, err := render.Image(t.Context(), decoder, nil, mediatest.JPEG(t, 64, 32, mediatest.WithOrientation(6)), render.Provenance{}, nil)
	require.NoError(t, err)
	require.Equal(t, []int{32, 64}, []int{out.Width, out.Height})
	require.NotContains(t, string(file), "eXIf")
}

func TestWhatASourceSaysCostsNoPoints(t *testing.T) {
	t.Parallel()
	flat := mediatest.WithPicture(mediatest.Flat(32, 32, color.NRGBA{R: 200, A: 255}))
	_, silent, err := render.Image(t.Context(), decoder, nil, mediatest.PNG(t, 32, 32, flat), render.Provenance{}, nil)
	require.NoError(t, err)
	long := mediatest.PNGText("parameters", strings.Repeat("a duck, ", 500)+infotext)
	_, telling, err := render.Image(t.Context(), decoder, nil, mediatest.PNG(t, 32, 32, flat, long), render.Provenance{}, nil)
	require.NoError(t, err)
	require.Equal(t, silent.Score, telling.Score)
	require.Greater(t, telling.Bytes, silent.Bytes+4000)
	require.Equal(t, []string{"parameters"}, telling.Detail.(render.Detail).Carried)
}

func TestAnImageThatCannotBeDecodedFailsInStageOne(t *testing.T) {
	t.Parallel()
	whole := mediatest.JPEG(t, 64, 48)
	for name, tt := range map[string]struct {
		file []byte
		want fault.Code
	}{
		"cut short": {whole[:len(whole)/2], fault.Stage1Failed},
		"animated":  {mediatest.GIF(t, 8, 8, mediatest.WithFrames(3)), fault.Stage1Failed},
		"no image":  {[]byte("no image"), fault.UnsupportedMedia},
		"a voice":   {mediatest.WAV(0.1), fault.UnsupportedMedia},
		"nothing":   {nil, fault.InvalidImage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := render.Image(t.Context(), decoder, nil, tt.file, render.Provenance{}, nil)
			require.Equal(t, tt.want, fault.CodeOf(err), "%v", err)
		})
	}
}

func TestAnImageEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := render.Image(ctx, decoder, nil, mediatest.JPEG(t, 64, 48), render.Provenance{}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, fault.Stage1Failed, fault.CodeOf(err))
}
