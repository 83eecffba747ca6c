package inspect

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/pixels"
	"veracity/engine/render"
	"veracity/engine/serve"
	"veracity/engine/watermark"
)

// inspectVideo reads frames spread over a video, and its sound beside them.
func (i *inspector) inspectVideo(ctx context.Context, job serve.Job, c ffmpeg.Clip, report *engine.Report, done *progress) error {
	if err := render.CheckVideo(c, job.MaxSeconds); err != nil {
		return err
	}
	var seen *seeing
	var heard *hearing
	frames, lanes, sound := done.part(frameShare), done.part(laneShare), done.part(soundShare)
	turns := newTurns()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer recovered("reading frames", &err)
		seen, err = i.look(ctx, c, turns.of(i.pixels), frames, lanes)
		return err
	})
	group.Go(func() (err error) {
		defer recovered("hearing the sound", &err)
		heard, err = i.listenToVideo(ctx, c, turns.of(i.voice), job.MaxSeconds, sound)
		return err
	})
	if err := group.Wait(); err != nil {
		return unreadable(engine.Video, err)
	}
	seen.into(report)
	if heard != nil && !heard.broken {
		heard.into(report)
	}
	v := c.Video
	report.Video = &engine.VideoInfo{
		Seconds: max(milli(c.Seconds), 0.001), FPS: milli(v.FPS.Float()), Frames: v.Frames,
		Width: v.Width, Height: v.Height, Audio: heard.word(), Readings: seen.readings,
	}
	report.Detail.File.Width, report.Detail.File.Height = v.Width, v.Height
	detail := describe(c)
	detail.Frames, report.Detail.Clip = seen.frames, detail
	report.Verdict, report.Score, report.DecidedBy = engine.DecideVideo(report.Lanes, heard.lane())
	return nil
}

// seeing is what was made of a video's frames, in the order of the readings.
type seeing struct {
	readings []engine.Reading
	frames   []frameDetail
	timings  map[string]float64
	marks    *watermark.Clip
	seen     *pixels.Clip
}

// look has the frames decoded and reads each with the frame lanes, the pixels lane with a model.
func (i *inspector) look(ctx context.Context, c ffmpeg.Clip, m pixels.Network, decoded, read func(done float64)) (*seeing, error) {
	start := time.Now()
	at := engine.ReadingTimes(c.Seconds)
	frames, err := i.tool.Frames(ctx, c, at, engine.MaxFrameSide)
	if err != nil {
		return nil, fmt.Errorf("decode frames: %w", err)
	}
	decoded(1)
	s := &seeing{timings: map[string]float64{"decode": since(start)}, marks: &watermark.Clip{}, seen: &pixels.Clip{Model: m}}
	details := make([]frameDetail, len(frames))
	for k, frame := range frames {
		if details[k], err = s.readFrame(ctx, i.frameLanes, frame); err != nil {
			return nil, err
		}
		frames[k].Image = nil
		read(float64(k+1) / float64(len(frames)))
	}
	for k, asked := range at {
		d := details[shownAt(details, k, asked)]
		d.Asked = milli(asked)
		s.frames = append(s.frames, d)
		verdict, score := engine.DecideFrame(engine.Lanes{Pixels: d.Pixels, Watermark: d.Watermark})
		s.readings = append(s.readings, engine.Reading{T: d.T, Verdict: verdict, Score: score})
	}
	return s, nil
}

// shownAt is which of the frames, in the order of time, the k-th reading is of: its own where each has one. A clip with
// fewer frames shows one at several times: it is read once and reported each time.
func shownAt(frames []frameDetail, k int, asked float64) int {
	if len(frames) == engine.FrameReadings {
		return k
	}
	shown := 0
	for n, f := range frames {
		if f.T <= asked {
			shown = n
		}
	}
	return shown
}

func (s *seeing) readFrame(ctx context.Context, lanes []lane, frame ffmpeg.Frame) (frameDetail, error) {
	one := engine.Report{Detail: engine.Detail{TimingsMS: map[string]float64{}}}
	if err := readAll(ctx, lanes, &one, file{image: frame.Image, marks: s.marks, seen: s.seen}); err != nil {
		return frameDetail{}, fmt.Errorf("read the frame at %.3f s: %w", frame.T, err)
	}
	for name, took := range one.Detail.TimingsMS {
		s.timings[name] += took
	}
	d := frameDetail{
		T: milli(frame.T), Width: frame.Image.Width, Height: frame.Image.Height,
		Pixels: one.Lanes.Pixels, Watermark: one.Lanes.Watermark,
	}
	if said, ok := one.Detail.Pixels.(pixels.Report); ok && len(said.Patches) > 0 {
		d.Raw = &said.Model.Raw
	}
	return d, nil
}

// into sums the frames up and writes what they say and the timings into the report. The pixels lane judges the patches of
// all frames together; each frame counts once, however often it is shown.
func (s *seeing) into(report *engine.Report) {
	var watermarks []engine.Lane
	for _, f := range s.frames {
		watermarks = append(watermarks, f.Watermark)
	}
	together, seen := s.marks.Report(), s.seen.Report()
	report.Lanes.Watermark, report.Detail.Watermark = engine.PoolMarks(together.Lane(), watermarks), together
	report.Lanes.Pixels, report.Detail.Pixels = seen.Lane(), seen
	for name, took := range s.timings {
		report.Detail.TimingsMS[name] = took
	}
}
