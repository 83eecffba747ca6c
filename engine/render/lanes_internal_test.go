package render

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/pixels/pixelstest"
	"veracity/engine/probe"
	"veracity/engine/render/film"
	"veracity/engine/watermark/marktest"
	"veracity/platform/fault"
)

func TestWhatPassesForAnOutput(t *testing.T) {
	t.Parallel()
	const ai, real, uncertain, none, unavailable = engine.AI, engine.Real, engine.Uncertain, engine.None, engine.Unavailable
	for _, c := range []struct {
		source, out  said
		kept, passes bool
	}{
		{said{marks: none, pixels: ai}, said{marks: none, pixels: ai}, true, true},
		{said{marks: none, pixels: ai}, said{marks: none, pixels: uncertain}, false, true},
		{said{marks: none, pixels: ai}, said{marks: none, pixels: none}, false, true},
		{said{marks: none, pixels: ai}, said{marks: none, pixels: real}, false, false},
		{said{marks: none, pixels: uncertain}, said{marks: none, pixels: real}, false, false},
		{said{marks: none, pixels: none}, said{marks: none, pixels: real}, false, false},
		{said{marks: none, pixels: real}, said{marks: none, pixels: uncertain}, false, true},
		{said{marks: none, pixels: real}, said{marks: none, pixels: real}, true, true},
		{said{marks: none, pixels: unavailable}, said{marks: uncertain, pixels: unavailable}, true, true},
		{said{marks: ai, pixels: real}, said{marks: none, pixels: real}, false, false},
		{said{marks: uncertain, pixels: uncertain}, said{marks: ai, pixels: uncertain}, true, true},
		{said{marks: uncertain, pixels: uncertain}, said{marks: none, pixels: uncertain}, false, false},
	} {
		require.Equal(t, c.kept, c.source.keptIn(c.out), "%+v", c)
		require.Equal(t, c.passes, c.source.passesFor(c.out), "%+v", c)
	}
	require.False(t, said{marks: none, pixels: unavailable}.anything())
	require.True(t, said{marks: none, pixels: none}.anything())
	require.True(t, said{marks: uncertain, pixels: unavailable}.anything())
}

func TestACamerasSignatureDoesNotVouchForWhatItsPixelsContradicted(t *testing.T) {
	t.Parallel()
	strong, weak := said{marks: engine.None, pixels: engine.AI, strong: true}, said{marks: engine.None, pixels: engine.AI}
	require.False(t, strong.restsOn(engine.Real, weak))
	require.True(t, strong.restsOn(engine.Real, strong))
	require.True(t, weak.restsOn(engine.Real, weak))
	require.True(t, strong.restsOn(engine.None, weak))
}

// readings says one thing of each reading of a video, in their order.
func readings(said ...float64) *pixelstest.Network {
	n := 0
	return pixelstest.Patches(64, 1, func([]float32) model.Row {
		at := n / engine.FrameReadings
		n++
		return model.Row{Raw: said[at]}
	})
}

func TestAVideoIsEncodedByTheFirstSettingThatReadsAsItsSource(t *testing.T) {
	t.Parallel()
	const width, height, frames, crf = 128, 112, 16, 38
	const made, doubtful, captured = 6.0, 0.0, -6.0
	picture := mediatest.Photo(width, height+frames)
	pan := make([]*image.NRGBA, frames)
	for k := range pan {
		pan[k] = marktest.Crop(picture, image.Rect(0, k, width, k+height))
	}
	path := marktest.Film(t, pan, 6)
	tool, err := ffmpeg.New(ffmpeg.DefaultConfig())
	require.NoError(t, err)
	clip, err := tool.Probe(t.Context(), path, probe.MP4)
	require.NoError(t, err)
	var settings []film.Config
	for _, finer := range []int{0, 6, 12} {
		cfg := film.DefaultConfig()
		cfg.BestCRF, cfg.LowestCRF, cfg.FinerChroma = crf, crf, finer
		settings = append(settings, cfg)
	}
	for name, c := range map[string]struct {
		says  []float64
		finer int
		out   engine.Verdict
	}{
		"by the usual one":              {[]float64{made, made}, 0, engine.AI},
		"by a milder one":               {[]float64{made, doubtful, made}, 6, engine.AI},
		"by the mildest":                {[]float64{doubtful, captured, captured, doubtful}, 12, engine.Uncertain},
		"by none, and goes into doubt":  {[]float64{made, doubtful, doubtful, doubtful}, 12, engine.Uncertain},
		"by none, and one of them goes": {[]float64{made, doubtful, captured, captured, doubtful}, 0, engine.Uncertain},
		"by none, but was captured":     {[]float64{captured, doubtful, doubtful, doubtful}, 12, engine.Uncertain},
		"by none, and would pass":       {[]float64{doubtful, captured, captured, captured}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := readings(c.says...)
			job := Job{Path: path, Dir: dir, Out: dir + "/out.mp4", Pixels: m}
			out, err := encodeFilm(t.Context(), tool, clip, job, settings, nil)
			require.EqualValues(t, len(c.says)*engine.FrameReadings, m.Runs.Load())
			if c.out == "" {
				require.Equal(t, fault.Stage1Failed, fault.CodeOf(err), "%v", err)
				require.Contains(t, fault.From(err).Message, "captured")
				return
			}
			require.NoError(t, err)
			require.Equal(t, film.Encoded, out.Mode)
			require.Equal(t, c.finer, out.cfg.FinerChroma)
			require.Equal(t, c.out, keptPixels(out.source, out.out).Output)
			require.FileExists(t, job.Out)
		})
	}
}
