package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"veracity/engine"
	"veracity/engine/mediatest"
)

// What the learned lanes may take of one core and of memory.
const (
	pixelsLimit = 150 * time.Millisecond
	// voiceLimit is a share of the clip's own length.
	voiceLimit  = 0.05
	modelMemory = 300 << 20
	// modelRounds are how often each file is checked; the first does not count.
	modelRounds = 8
	voiceClip   = 60 * time.Second
)

// measureModels has pictures of one megapixel and a minute of speech read by the product's own models, and holds the time
// against that of decoding and against their limits.
func measureModels(ctx context.Context, r *rig, t *table) (err error) {
	e, err := r.startEngine(ctx, "engine-models")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	if err := measurePixelsModel(ctx, r, e, t); err != nil {
		return err
	}
	if err := e.reportModelMemory(t); err != nil {
		return err
	}
	return measureVoiceModel(ctx, r, e, t)
}

// measurePixelsModel takes the lane's own time: one check at a time runs it on one thread.
func measurePixelsModel(ctx context.Context, r *rig, e *loneEngine, t *table) error {
	const side = 1024
	path := filepath.Join(r.dir, "megapixel.png")
	if err := savePNG(path, mediatest.Photo(side, side)); err != nil {
		return err
	}
	jpeg := filepath.Join(r.dir, "megapixel.jpg")
	if _, _, err := tool(ctx, "vips", "jpegsave", path, jpeg, "--Q", "90"); err != nil {
		return err
	}
	var lane, decoded []float64
	for round := range modelRounds {
		var report engine.Report
		err := withSource(jpeg, func(src engine.Source) (err error) {
			report, err = e.CheckImage(ctx, src)
			return err
		})
		if err != nil {
			return fmt.Errorf("check a picture: %w", err)
		}
		if report.Lanes.Pixels.Verdict == engine.Unavailable {
			return errors.New("the pixels lane has no model: `veracity doctor` says why")
		}
		if round > 0 {
			lane, decoded = append(lane, report.Detail.TimingsMS["pixels"]), append(decoded, report.Detail.TimingsMS["decode"])
		}
	}
	took, peer, limit := median(lane), median(decoded), float64(pixelsLimit.Milliseconds())
	t.add(row{
		what: "pixels lane on 1 megapixel, one core", figure: fmt.Sprintf("%.0f ms", took),
		against: fmt.Sprintf("decoding its JPEG %.1f ms", peer), ratio: fmt.Sprintf("%.1f", took/peer),
		aim: fmt.Sprintf("%.0f ms", limit), met: took <= limit,
	})
	return nil
}

// measureVoiceModel takes the processor time of whole checks: decoding, finding speech and the model.
func measureVoiceModel(ctx context.Context, r *rig, e *loneEngine, t *table) error {
	path := filepath.Join(r.dir, "speech.wav")
	const said = "flite=text='The quick brown fox jumps over the lazy dog. Every morning the old man counts the boats.'"
	source := fmt.Sprintf("%s,aresample=16000,aloop=loop=-1:size=2147483647,atrim=duration=%g", said, voiceClip.Seconds())
	if _, err := ffmpeg(ctx, "-f", "lavfi", "-i", source, "-y", path); err != nil {
		return fmt.Errorf("speak: %w", err)
	}
	var spent []float64
	for round := range modelRounds {
		took, err := e.measured(func() error {
			report, err := e.checkFile(ctx, path, engine.Audio)
			if err == nil && report.Verdict == engine.Unavailable {
				err = errors.New("the voice lane has no model: `veracity doctor` says why")
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("check a voice clip: %w", err)
		}
		if round > 0 {
			spent = append(spent, took.cpu.Seconds())
		}
	}
	took, limit := median(spent), voiceLimit*voiceClip.Seconds()
	t.add(row{
		what: "check of a minute of speech, processor time", figure: fmt.Sprintf("%.2f s", took),
		against: fmt.Sprintf("its limit %.0f s, 0.05 of its length", limit), ratio: fmt.Sprintf("%.2f", took/limit),
		aim: "at most 1", met: took <= limit,
	})
	return nil
}

// reportModelMemory is the engine's own peak after pictures alone, with its libraries, both models and the decoder.
func (e *loneEngine) reportModelMemory(t *table) error {
	if runtime.GOOS != "linux" {
		t.note("memory of the models: not measured, since this system has no /proc")
		return nil
	}
	processes, err := listProcesses()
	if err != nil {
		return err
	}
	var peak int64
	for id, p := range processes {
		if p.engine && below(processes, id, e.process.cmd.Process.Pid) {
			peak = max(peak, p.peak)
		}
	}
	if peak == 0 {
		return fmt.Errorf("process %d is no engine and has none below it", e.process.cmd.Process.Pid)
	}
	t.add(row{
		what: "engine's peak memory with both models, 1 megapixel", figure: fmt.Sprintf("%d MB", peak>>20),
		against: fmt.Sprintf("its limit %d MB", modelMemory>>20), ratio: fmt.Sprintf("%.2f", float64(peak)/modelMemory),
		aim: "at most 1", met: peak <= modelMemory,
	})
	return nil
}
