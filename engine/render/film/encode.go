package film

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// encode does the work, into out.
func (w *work) encode(ctx context.Context, out string) (Result, error) {
	if err := w.prepare(); err != nil {
		return Result{}, err
	}
	w.meter.part(inspected)
	source, err := w.inspect(ctx)
	if err != nil {
		return Result{}, err
	}
	w.sound = source.sound
	w.meter.part(sampled)
	at := spans(*w.clip.Video, w.stage, w.cfg)
	s, err := w.sample(ctx, at)
	if err != nil {
		return Result{}, err
	}
	w.meter.part(searched)
	c, err := w.choose(ctx, s)
	if err != nil {
		return Result{}, err
	}
	r := Result{Samples: len(s.pieces), SampleFrames: s.frames, Trials: c.trials, Reached: c.reached, PlainSSIM: c.plain.mean}
	w.meter.part(encoded)
	expected := c.sizes.expect(w.clip.Video.Frames, w.keyEvery())
	if source.picture != nil && float64(expected) > maxRest*float64(source.picture.bytes) {
		return w.keepInstead(ctx, r, out, c.plain.sizes.expect(w.clip.Video.Frames, w.keyEvery()))
	}
	r, picture, err := w.encodeWhole(ctx, r, c, at, out)
	if err != nil {
		return Result{}, err
	}
	plain := int64(math.Round(float64(picture) * float64(c.plain.sizes.bytes()) / float64(max(1, c.sizes.bytes()))))
	if source.picture != nil && picture >= source.picture.bytes {
		return w.keepInstead(ctx, r, out, plain)
	}
	r.PlainBytes = r.Bytes - picture + plain
	return r, nil
}

// prepare writes what filters read.
func (w *work) prepare() error {
	if w.stage.tone == nil {
		return nil
	}
	w.stage.cube = filepath.Join(w.dir, "tone.cube")
	return w.stage.tone.writeFile(w.stage.cube)
}

// choice is how the whole clip is to be coded.
type choice struct {
	outcome
	preset string
	plain  trial
}

// choose searches the quality, with the most thorough preset that the clip leaves time for, and tries the plain encoder.
func (w *work) choose(ctx context.Context, s samples) (choice, error) {
	var c choice
	done := w.meter.steps(w.cfg.Trials + 1)
	tried, preset := 0, 0
	try := func(crf float64) (trial, error) {
		t, took, err := w.try(ctx, s, w.x264(presets[preset].name, crf))
		if err != nil {
			return trial{}, err
		}
		if tried == 0 {
			whole := time.Duration(framesIn(w.clip.Video.Seconds, w.stage.rate)) * (took + s.took)
			preset = quickEnough(whole, w.cfg.EncodeTime)
			if preset > 0 {
				t, _, err = w.try(ctx, s, w.x264(presets[preset].name, crf))
			}
		}
		done(tried)
		tried++
		t.crf = crf
		return t, err
	}
	var err error
	if c.outcome, err = w.cfg.search(try); err != nil {
		return choice{}, err
	}
	c.preset = presets[preset].name
	if c.plain, _, err = w.try(ctx, s, w.plain()); err != nil {
		return choice{}, err
	}
	done(w.cfg.Trials)
	return c, nil
}

// encodeWhole codes the clip and measures the output. It answers the bytes of the coded picture too.
func (w *work) encodeWhole(ctx context.Context, r Result, c choice, at []span, out string) (Result, int64, error) {
	tap := filepath.Join(w.dir, "tap.mp4")
	graph := fmt.Sprintf("[0:%d]%s;[tap]select='%s',setpts=N*%d/%d/TB[reference]", w.clip.Video.Index,
		w.stage.filters("split=2[whole][tap]"), picks(at), w.stage.rate.Den, w.stage.rate.Num)
	args := append(w.source(), "-filter_complex", graph, "-map", "[whole]", "-r", w.stage.rateText(),
		"-frames:v", strconv.Itoa(w.cfg.MaxFrames), "-t", number(w.cfg.MaxSeconds))
	args = append(append(args, w.x264(c.preset, c.crf)...), w.sound.arguments()...)
	args = append(append(args, w.clean()...), out, "-map", "[reference]", "-r", w.stage.rateText())
	args = append(append(args, w.lossless()...), "-f", "mp4", tap)
	if err := w.tool.Run(ctx, args, w.meter.seconds(w.clip.Seconds)); err != nil {
		return Result{}, 0, fmt.Errorf("code the clip: %w", err)
	}
	w.meter.part(1)
	l, err := w.measure(ctx, out, tap, at, c.likeness)
	if err != nil {
		return Result{}, 0, err
	}
	r.Mode, r.Preset, r.CRF, r.SSIM, r.WorstSSIM = Encoded, c.preset, c.crf, l.mean, l.worst
	return w.describe(ctx, r, out)
}

func fileBytes(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("see how large the output is: %w", err)
	}
	return info.Size(), nil
}
