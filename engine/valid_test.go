package engine

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

func TestAnEngineThatBreaksTheProtocolOfJobsIsAnError(t *testing.T) {
	t.Parallel()
	swap := func(line, old, other string) string {
		require.Contains(t, line, old)
		return strings.Replace(line, old, other, 1)
	}
	cases := map[string]string{
		"no JSON":                  "pixels\n",
		"nothing":                  "{}\n",
		"two parts":                `{"progress":1,"refusal":{"code":"stage1_failed"}}` + "\n",
		"progress over the end":    `{"progress":1.5}` + "\n",
		"progress below nothing":   `{"progress":-0.5}` + "\n",
		"a line without end":       strings.Repeat("x", maxAnswerBytes+1) + "\n",
		"lines without end":        strings.Repeat(`{"progress":0.5}`+strings.Repeat(" ", 1<<20)+"\n", 17),
		"the other kind of job":    goodClip,
		"no bytes":                 swap(goodOutput, `"bytes":6`, `"bytes":0`),
		"bytes without end":        swap(goodOutput, `"bytes":6`, `"bytes":2147483649`),
		"no size":                  swap(goodOutput, `"height":4`, `"height":-4`),
		"a score over the scale":   swap(goodOutput, `"score":80`, `"score":101`),
		"another zone":             swap(goodOutput, "excellent", "good"),
		"a film":                   goodFilm,
		"a page":                   swap(goodOutput, "image/png", "text/html"),
		"a picture with a film":    swap(goodOutput, `"score":{`, `"video":{},"score":{`),
		"a refusal without a code": `{"refusal":{}}` + "\n",
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := play(t, jobEngine(nil, answer+"output"))
			var kept bytes.Buffer
			_, err := client.Render(t.Context(), rendering(readAll(&kept)))
			require.Equal(t, fault.EngineError, fault.CodeOf(err), "%v", err)
			require.Zero(t, kept.Len())
		})
	}
}

func TestReportsOfClipsAreHeldAgainstTheLimits(t *testing.T) {
	t.Parallel()
	whole := func() Report {
		return Report{Media: Video, Verdict: AI, Score: score(98), DecidedBy: ByPixels, Video: &VideoInfo{
			Seconds: 180.04, FPS: 30, Frames: MaxFrames, Width: 2, Height: 2, Audio: SilentSound,
			Readings: []Reading{{T: 0, Verdict: AI, Score: 100}, {T: 180, Verdict: Unavailable, Score: 0}},
		}}
	}
	require.True(t, whole().validClip(Video))
	require.False(t, whole().validClip(Audio))
	for name, spoil := range map[string]func(r *Report){
		"no verdict":    func(r *Report) { r.Verdict = None },
		"score":         func(r *Report) { r.Score = score(101) },
		"other media":   func(r *Report) { r.Media = Image },
		"no video":      func(r *Report) { r.Video = nil },
		"both":          func(r *Report) { r.Audio = &AudioInfo{} },
		"no length":     func(r *Report) { r.Video.Seconds = 0 },
		"length":        func(r *Report) { r.Video.Seconds = 182 },
		"no number":     func(r *Report) { r.Video.Seconds = math.NaN() },
		"rate":          func(r *Report) { r.Video.FPS = math.Inf(1) },
		"frames":        func(r *Report) { r.Video.Frames = MaxFrames + 1 },
		"width":         func(r *Report) { r.Video.Width = 0 },
		"sound":         func(r *Report) { r.Video.Audio = "loud" },
		"readings":      func(r *Report) { r.Video.Readings = make([]Reading, FrameReadings+1) },
		"reading":       func(r *Report) { r.Video.Readings[0].Verdict = "maybe" },
		"reading's at":  func(r *Report) { r.Video.Readings[0].T = -1 },
		"reading score": func(r *Report) { r.Video.Readings[0].Score = -1 },
	} {
		r := whole()
		spoil(&r)
		require.False(t, r.validClip(Video), name)
	}
}
