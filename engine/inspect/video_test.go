package inspect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/model"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
	"veracity/engine/probe"
	"veracity/engine/voice"
	"veracity/engine/watermark"
	"veracity/engine/watermark/marktest"
)

func inspectVideo(t *testing.T, spec clips.Spec) engine.Report {
	t.Helper()
	report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Video, clips.File(t, spec)))
	require.NoError(t, err)
	require.NotNil(t, report.Video)
	require.Nil(t, report.Audio)
	require.Len(t, report.Video.Readings, engine.FrameReadings)
	return report
}

func TestAVideoHasEightReadingsSpreadOverIt(t *testing.T) {
	t.Parallel()
	report := inspectVideo(t, clips.Spec{Format: probe.MP4, Frames: 240, KeyEvery: 15, Sound: clips.Speech})
	require.Equal(t, engine.Video, report.Media)
	require.InDelta(t, 8, report.Video.Seconds, 0.05)
	require.Equal(t, 240, report.Video.Frames)
	require.InDelta(t, 30, report.Video.FPS, 0.001)
	for k, r := range report.Video.Readings {
		require.InDelta(t, float64(k)+0.5, r.T, 0.51, "each eighth of the clip is read")
		require.Equal(t, engine.Unavailable, r.Verdict)
		require.Equal(t, 50, r.Score)
	}
}

func TestAPlainVideoHasNoVerdictUntilALaneReadsIt(t *testing.T) {
	t.Parallel()
	report := inspectVideo(t, clips.Spec{Format: probe.MP4, Sound: clips.Speech})
	require.Equal(t, engine.Unavailable, report.Verdict)
	require.Nil(t, report.Score)
	require.Equal(t, engine.ByWeighed, report.DecidedBy)
	require.Equal(t, engine.Lane{Verdict: engine.Unavailable, Score: 50}, report.Lanes.Pixels)
	require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, report.Lanes.Watermark)
	require.Equal(t, engine.None, report.Lanes.Provenance.Verdict)
}

func TestVideosOfEveryKindAreDescribed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec          clips.Spec
		width, height int
		frames        int
		fps           float64
		audio         string
	}{
		"MP4":            {clips.Spec{Format: probe.MP4}, 160, 120, 30, 30, "none"},
		"with speech":    {clips.Spec{Format: probe.MP4, Sound: clips.Speech}, 160, 120, 30, 30, "unavailable"},
		"with silence":   {clips.Spec{Format: probe.MP4, Sound: clips.Silence}, 160, 120, 30, 30, "silent"},
		"fragmented":     {clips.Spec{Format: probe.MP4, Fragmented: true, KeyEvery: 10}, 160, 120, 30, 30, "none"},
		"turned MOV":     {clips.Spec{Format: probe.MOV, Rotation: 90, Sound: clips.Tone}, 120, 160, 30, 30, "unavailable"},
		"WebM":           {clips.Spec{Format: probe.WebM, Sound: clips.Noise, FPS: "25"}, 160, 120, 30, 25, "unavailable"},
		"HDR":            {clips.Spec{Format: probe.MP4, Video: clips.HEVC, HDR: clips.PQ}, 160, 120, 30, 30, "none"},
		"film's rate":    {clips.Spec{Format: probe.MP4, FPS: "24000/1001", Frames: 48}, 160, 120, 48, 23.976, "none"},
		"one frame":      {clips.Spec{Format: probe.MP4, Frames: 1}, 160, 120, 1, 30, "none"},
		"several tracks": {clips.Spec{Format: probe.MP4, DecoyVideo: true, DecoySound: true, Sound: clips.Speech}, 160, 120, 30, 30, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := inspectVideo(t, c.spec)
			v := report.Video
			require.Equal(t, []int{c.width, c.height, c.frames}, []int{v.Width, v.Height, v.Frames})
			require.InDelta(t, c.fps, v.FPS, 0.001)
			require.InDelta(t, float64(c.frames)/c.fps, v.Seconds, 0.05)
			require.Equal(t, c.audio, v.Audio)
			require.Equal(t, c.spec.Format.Name(), report.Detail.File.Format)
			require.Equal(t, c.width, report.Detail.File.Width)
		})
	}
}

func TestTheDetailTellsContainerCodecsFramesAndTimes(t *testing.T) {
	t.Parallel()
	report := inspectVideo(t, clips.Spec{Format: probe.MOV, Rotation: 270, Sound: clips.Speech, Frames: 90})
	detail, ok := report.Detail.Clip.(*clipDetail)
	require.True(t, ok)
	require.Equal(t, "MOV", detail.Container)
	require.Equal(t, "h264", detail.Video.Codec)
	require.Equal(t, "30/1", detail.Video.Rate)
	require.Equal(t, "aac", detail.Sound.Codec)
	require.Len(t, detail.Frames, engine.FrameReadings)
	for k, f := range detail.Frames {
		require.InDelta(t, (float64(k)+0.5)*3/8, f.Asked, 0.05)
		require.InDelta(t, report.Video.Readings[k].T, f.T, 0)
		require.Equal(t, []int{120, 160}, []int{f.Width, f.Height})
	}
	heard, ok := report.Detail.Voice.(voice.Report)
	require.True(t, ok)
	require.Greater(t, heard.SpeechSeconds, 1.5)
	for _, name := range []string{"provenance", "probe", "decode", "watermark", "pixels", "sound", "total"} {
		require.Contains(t, report.Detail.TimingsMS, name)
	}
}

// withModels is an inspector that reads with models of a test's own, nil for none.
func withModels(sight, ear pixels.Network) *inspector {
	copied := *shared.(*inspector)
	copied.readWith(sight, ear)
	return &copied
}

// sees is a pixels model that is shown two patches of a frame and says of each patch what a test says of its number.
func sees(says func(n int) float64) *pixelstest.Network {
	const side, patches = 64, 2
	n := 0
	return pixelstest.Patches(side, patches, func([]float32) model.Row {
		n++
		return model.Row{Raw: says(n)}
	})
}

func TestFewFramesAreReadOnceAndReportedEightTimes(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 3} {
		m := sees(func(int) float64 { return -3 })
		spec := clips.Spec{Format: probe.MP4, Frames: count, FPS: "3"}
		report, err := withModels(m, nil).InspectClip(t.Context(), jobOn(t, engine.Video, clips.File(t, spec)))
		require.NoError(t, err)
		require.EqualValues(t, 2*count, m.Runs.Load())
		require.Len(t, report.Video.Readings, engine.FrameReadings)
		times := map[float64]bool{}
		for k, r := range report.Video.Readings {
			times[r.T] = true
			require.LessOrEqual(t, r.T, report.Detail.Clip.(*clipDetail).Frames[k].Asked+1e-9, "the frame that is shown then")
		}
		require.Len(t, times, count)
		require.Equal(t, engine.Real, report.Verdict)
		require.Equal(t, engine.ByPixels, report.DecidedBy)
		require.Equal(t, 5, *report.Score)
	}
}

func TestPatchesOfAllFramesAreJudgedTogether(t *testing.T) {
	t.Parallel()
	// The first frame looks made, the others captured: -1.5 on average, which is in doubt.
	m := sees(func(n int) float64 {
		if n <= 2 {
			return 9
		}
		return -3
	})
	report, err := withModels(m, nil).InspectClip(t.Context(), jobOn(t, engine.Video, clips.File(t, clips.Spec{Format: probe.MP4, Frames: 64, KeyEvery: 8})))
	require.NoError(t, err)
	require.EqualValues(t, 2*engine.FrameReadings, m.Runs.Load())
	require.Equal(t, engine.Lane{Verdict: engine.Uncertain, Score: 18}, report.Lanes.Pixels)
	require.Equal(t, engine.Uncertain, report.Verdict)
	require.Equal(t, engine.ByWeighed, report.DecidedBy)
	require.Equal(t, engine.AI, report.Video.Readings[0].Verdict)
	require.Equal(t, 100, report.Video.Readings[0].Score)
	require.Equal(t, engine.Real, report.Video.Readings[1].Verdict)
	said := report.Detail.Pixels.(pixels.Report)
	require.Equal(t, pixelstest.Name, said.Model.Model)
	require.Equal(t, 2*engine.FrameReadings, said.Model.Rows)
	require.InDelta(t, -1.5, said.Model.Raw, 1e-9)
	frames := report.Detail.Clip.(*clipDetail).Frames
	require.InDelta(t, 9, *frames[0].Raw, 0)
	require.InDelta(t, -3, *frames[7].Raw, 0)
}

func TestALaneThatPanicsOverAFrameEndsItsJobAlone(t *testing.T) {
	t.Parallel()
	m := sees(func(int) float64 { panic("index out of range") })
	_, err := withModels(m, nil).InspectClip(t.Context(), jobOn(t, engine.Video, clips.File(t, clips.Spec{Format: probe.MP4})))
	require.ErrorContains(t, err, "pixels")
	require.ErrorContains(t, err, "panicked")
}

func TestMarksOfFramesAddUpToTheVideosVerdict(t *testing.T) {
	t.Parallel()
	const width, height, frames = 512, 288, 16
	mark := marktest.Generators()[4]
	film := marktest.Film(t, mark.Pan(mediatest.Photo(width, height+2*frames), width, height, frames), 18)
	report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Video, film))
	require.NoError(t, err)
	require.Equal(t, engine.AI, report.Verdict)
	require.Equal(t, engine.ByWatermark, report.DecidedBy)
	require.Equal(t, report.Lanes.Watermark.Score, *report.Score)
	said := report.Detail.Watermark.(watermark.Report)
	require.Equal(t, mark.Payload, said.Marks[0].DwtDct.Payload)
	require.Equal(t, engine.FrameReadings, said.Marks[0].DwtDct.Frames)
}
