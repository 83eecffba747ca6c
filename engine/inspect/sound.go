package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/serve"
	"veracity/engine/voice"
)

// inspectVoice reads a voice clip. Its length is that of its samples: what a container says of sound is often a guess.
func (i *inspector) inspectVoice(ctx context.Context, job serve.Job, c ffmpeg.Clip, report *engine.Report, done *progress) error {
	if err := checkVoice(c); err != nil {
		return err
	}
	heard, err := i.listen(ctx, c, i.voice, job.MaxSeconds, done.part(1-openShare))
	switch {
	case err != nil:
		return unreadable(engine.Audio, err)
	case heard.Seconds > job.MaxSeconds+lengthTolerance:
		return voiceTooLong(max(heard.Seconds, c.Seconds), job.MaxSeconds)
	case heard.Seconds == 0:
		return noSound(errors.New("the sound track has no samples to speak of"))
	}
	heard.into(report)
	report.Lanes.Pixels = engine.Lane{Verdict: engine.None, Score: undecided}
	report.Lanes.Watermark = unavailable
	report.Detail.Clip = describe(c)
	report.Audio = &engine.AudioInfo{
		Seconds: heard.Seconds, SampleRate: c.Sound.SampleRate, Channels: c.Sound.Channels, Codec: c.Sound.Codec,
		Readings: heard.Readings(),
	}
	report.Verdict, report.Score, report.DecidedBy = engine.DecideVoice(report.Lanes.Provenance, heard.Lane())
	return nil
}

// unavailable is a lane that did not read.
var unavailable = engine.Lane{Verdict: engine.Unavailable, Score: undecided}

// listenToVideo hears a video's sound track; none is no error. A track that cannot be decoded takes nothing from the
// pictures.
func (i *inspector) listenToVideo(ctx context.Context, c ffmpeg.Clip, m voice.Network, maxSeconds float64, tell func(done float64),
) (*hearing, error) {
	if c.Sound == nil {
		tell(1)
		return nil, nil
	}
	heard, err := i.listen(ctx, c, m, maxSeconds, tell)
	if errors.Is(err, ffmpeg.ErrUndecodable) || errors.Is(err, ffmpeg.ErrNoSound) {
		i.log.DebugContext(ctx, "the sound of a video cannot be decoded", "error", err)
		return &hearing{broken: true}, nil
	}
	return heard, err
}

// hearing is what was made of a sound track.
type hearing struct {
	voice.Report
	// took is in milliseconds.
	took float64
	// broken says that the track could not be decoded.
	broken bool
}

// into writes what was heard into the report's detail.
func (h *hearing) into(report *engine.Report) {
	report.Detail.Voice = h.Report
	report.Detail.TimingsMS["sound"] = h.took
}

// lane is what a video's sound says beside its pictures.
func (h *hearing) lane() engine.Lane {
	if h == nil || h.broken || h.Silent {
		return unavailable
	}
	return h.Lane()
}

// word is the contract's value for a video's sound.
func (h *hearing) word() string {
	switch {
	case h == nil, !h.broken && len(h.Windows) == 0:
		return engine.NoSound
	case h.broken:
		return string(engine.Unavailable)
	case h.Silent:
		return engine.SilentSound
	}
	// The voice lane's own `none` would read as a video without sound.
	verdict, _, _ := engine.DecideVoice(engine.ProvenanceLane{Verdict: engine.None}, h.lane())
	return string(verdict)
}

// listen has the sound track decoded and heard with a model, up to a little over the longest clip that is taken.
func (i *inspector) listen(ctx context.Context, c ffmpeg.Clip, m voice.Network, maxSeconds float64, tell func(done float64),
) (*hearing, error) {
	const sampleBytes, beyond = 2, 2 * lengthTolerance
	start := time.Now()
	sound, err := i.tool.Sound(ctx, c, voice.Rate)
	if err != nil {
		return nil, fmt.Errorf("decode the sound: %w", err)
	}
	limit := int64((maxSeconds+beyond)*voice.Rate) * sampleBytes
	expected := min(limit, int64(c.Sound.Seconds*voice.Rate)*sampleBytes)
	heard, err := voice.Reader{Model: m}.Read(ctx, &meter{Reader: io.LimitReader(sound, limit), expected: expected, tell: tell})
	_ = sound.Close() // What it could say, that the decoder was ended early, was meant.
	if err != nil {
		return nil, err
	}
	tell(1)
	return &hearing{Report: heard, took: since(start)}, nil
}
