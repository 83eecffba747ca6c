package pixels_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
	"veracity/engine/raster"
)

const side = 64

// decoded is a picture as the decoder gives it, with an alpha channel.
func decoded(p *image.NRGBA) *raster.Image {
	return &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 4, Pix: p.Pix}
}

// rgb is a picture in three channels.
func rgb(p *image.NRGBA) *raster.Image {
	m := &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 3}
	for i := 0; i < len(p.Pix); i += 4 {
		m.Pix = append(m.Pix, p.Pix[i:i+3]...)
	}
	return m
}

// screen is a page with a few lines of text on it.
func screen(w, h int) *image.NRGBA {
	p := mediatest.Flat(w, h, color.NRGBA{240, 240, 245, 255})
	for y := 20; y+12 < h; y += 40 {
		for x := 16; x+6 < w*2/3; x += 9 {
			draw.Draw(p, image.Rect(x, y, x+3+x%4, y+10), image.NewUniform(color.NRGBA{30, 30, 40, 255}), image.Point{}, draw.Src)
		}
	}
	return p
}

func TestAReportNamesTheModelAndWhatItSaidOfEachPatch(t *testing.T) {
	t.Parallel()
	n := 0.0
	m := pixelstest.Patches(side, 6, func([]float32) model.Row { n++; return model.Row{Raw: n, Other: 0.25} })
	r, err := pixels.Read(t.Context(), m, rgb(mediatest.Photo(640, 480)))
	require.NoError(t, err)
	require.Equal(t, engine.Lane{Verdict: engine.AI, Score: 97}, r.Lane())
	require.Empty(t, r.Reason)
	require.Equal(t, []any{pixelstest.Name, pixelstest.Version, 6}, []any{r.Model.Model, r.Model.Version, r.Model.Rows})
	require.InDelta(t, 3.5, r.Model.Raw, 1e-9)
	require.InDelta(t, 0.25, r.Model.Other, 1e-9)
	require.Len(t, r.Patches, 6)
	for k, p := range r.Patches {
		require.InDelta(t, float64(k+1), p.Raw, 0, "in the order in which they were shown")
		require.InDelta(t, 0.25, p.Other, 0)
	}
	require.Less(t, r.Surface.Flat, 0.1)
	rows := r.Rows()
	require.Equal(t, model.Row{Raw: 6, Other: 0.25}, rows[5])
}

func TestWithoutAModelNothingIsGuessed(t *testing.T) {
	t.Parallel()
	want := pixels.Report{Verdict: engine.Unavailable, Score: 50}
	r, err := pixels.Read(t.Context(), nil, rgb(mediatest.Photo(200, 200)))
	require.NoError(t, err)
	require.Equal(t, want, r)
	clip := pixels.Clip{}
	r, err = clip.Add(t.Context(), rgb(mediatest.Photo(200, 200)))
	require.NoError(t, err)
	require.Equal(t, want, r)
	require.Equal(t, want, clip.Report())
}

func TestWhatIsNoPhotographIsNotShownToTheModel(t *testing.T) {
	t.Parallel()
	dark := mediatest.Photo(256, 256)
	for i := range dark.Pix {
		if i%4 != 3 {
			dark.Pix[i] /= 100
		}
	}
	for name, c := range map[string]struct {
		picture *image.NRGBA
		want    pixels.Reason
	}{
		"63 pixels high": {mediatest.Photo(900, 63), pixels.Small},
		"one pixel":      {mediatest.Photo(1, 1), pixels.Small},
		"a screen":       {screen(800, 600), pixels.Drawn},
		"one colour":     {mediatest.Flat(300, 300, color.NRGBA{90, 120, 40, 255}), pixels.Drawn},
		"the dark":       {dark, pixels.Plain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := pixelstest.Patches(side, 8, pixelstest.Always(5))
			r, err := pixels.Read(t.Context(), m, rgb(c.picture))
			require.NoError(t, err)
			require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, r.Lane())
			require.Equal(t, c.want, r.Reason)
			require.Empty(t, r.Patches)
			require.Zero(t, m.Runs.Load())
		})
	}
}

func TestWhatTheModelTakesForAnotherThingHasItsReason(t *testing.T) {
	t.Parallel()
	m := pixelstest.Patches(side, 8, func([]float32) model.Row { return model.Row{Raw: 4, Other: 0.7} })
	r, err := pixels.Read(t.Context(), m, rgb(mediatest.Photo(300, 300)))
	require.NoError(t, err)
	require.Equal(t, engine.None, r.Verdict)
	require.Equal(t, pixels.Other, r.Reason)
}

func TestALoadedModelReadsPictures(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	for _, c := range []struct {
		lift int
		want engine.Verdict
	}{{-1, engine.Real}, {0, engine.Uncertain}, {1, engine.AI}} {
		p := mediatest.Photo(320, 240)
		for i := range p.Pix {
			if v := int(p.Pix[i]); i%4 != 3 {
				// 8 to 23, 0 to 255, or 232 to 247: the model goes by brightness.
				p.Pix[i] = uint8([]int{8 + v/16, v, 232 + v/16}[c.lift+1])
			}
		}
		r, err := pixels.Read(t.Context(), m, rgb(p))
		require.NoError(t, err)
		require.Equal(t, c.want, r.Verdict, "%+v", r.Model)
		require.Equal(t, "brightness", r.Model.Model)
		require.Equal(t, len(r.Patches), r.Model.Rows)
	}
}

func TestAClipJudgesTheRowsOfAllFramesTogether(t *testing.T) {
	t.Parallel()
	said := []float64{6, 6, 6, -2}
	frame := 0
	m := pixelstest.Patches(side, 4, func([]float32) model.Row { return model.Row{Raw: said[frame]} })
	clip := pixels.Clip{Model: m}
	var verdicts []engine.Verdict
	for frame = range said {
		r, err := clip.Add(t.Context(), rgb(mediatest.Photo(256, 256)))
		require.NoError(t, err)
		require.Len(t, r.Patches, 4)
		verdicts = append(verdicts, r.Verdict)
	}
	require.Equal(t, []engine.Verdict{engine.AI, engine.AI, engine.AI, engine.Uncertain}, verdicts)
	together := clip.Report()
	require.Equal(t, engine.Lane{Verdict: engine.AI, Score: 98}, together.Lane())
	require.Equal(t, 16, together.Model.Rows)
	require.InDelta(t, 4, together.Model.Raw, 1e-9)
}

func TestFramesWithNothingToGoByDoNotCount(t *testing.T) {
	t.Parallel()
	clip := pixels.Clip{Model: pixelstest.Patches(side, 4, pixelstest.Always(6))}
	_, err := clip.Add(t.Context(), rgb(screen(640, 480)))
	require.NoError(t, err)
	r := clip.Report()
	require.Equal(t, engine.None, r.Verdict)
	require.Equal(t, pixels.Drawn, r.Reason)
	_, err = clip.Add(t.Context(), rgb(mediatest.Photo(256, 256)))
	require.NoError(t, err)
	r = clip.Report()
	require.Equal(t, engine.AI, r.Verdict)
	require.Equal(t, 4, r.Model.Rows)
	require.Empty(t, r.Reason)
}

func TestReadingEndsWithItsContextAndItsModel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := pixelstest.Patches(side, 4, pixelstest.Always(6))
	_, err := pixels.Read(ctx, m, rgb(mediatest.Photo(256, 256)))
	require.ErrorIs(t, err, context.Canceled)
	m.Err = errors.New("the network gave NaN")
	_, err = pixels.Read(t.Context(), m, rgb(mediatest.Photo(256, 256)))
	require.ErrorIs(t, err, m.Err)
	clip := pixels.Clip{Model: m}
	_, err = clip.Add(t.Context(), rgb(mediatest.Photo(256, 256)))
	require.ErrorIs(t, err, m.Err)
}

func TestTransparentPartsAreReadAsOnWhite(t *testing.T) {
	t.Parallel()
	shown := func(p *image.NRGBA, m *raster.Image) (values [][]float32) {
		n := pixelstest.Patches(side, 8, func(patch []float32) model.Row {
			values = append(values, append([]float32{}, patch...))
			return model.Row{}
		})
		r, err := pixels.Read(t.Context(), n, m)
		require.NoError(t, err)
		for _, patch := range r.Patches {
			clear := 0
			for y := patch.Y; y < patch.Y+side; y++ {
				for x := patch.X; x < patch.X+side; x++ {
					if p.NRGBAAt(x, y).A == 0 {
						clear++
					}
				}
			}
			require.LessOrEqual(t, clear, side*side*3/10, "what cannot be seen is not looked at")
		}
		return values
	}
	p := mediatest.Photo(320, 240)
	require.Equal(t, shown(p, rgb(p)), shown(p, decoded(p)), "an opaque alpha channel changes nothing")
	for y := range 240 {
		for x := range 160 {
			p.Pix[p.PixOffset(x, y)+3] = 0
		}
	}
	before := shown(p, decoded(p))
	require.NotEmpty(t, before)
	for y := range 240 {
		for x := range 160 {
			p.SetNRGBA(x, y, color.NRGBA{uint8(x * y), uint8(x), uint8(y), 0})
		}
	}
	require.Equal(t, before, shown(p, decoded(p)), "hidden colours do not count")
}
