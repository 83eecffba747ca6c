package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"veracity/engine"
)

// clipRounds are how often a clip is checked, side by side with its peer.
const clipRounds = 6

// measureVideoChecks compares checks of a clip of three minutes with ffmpeg seeking and decoding the frames that the check
// read, and no more: first by the engine alone, then as a job from the call that starts it to its success.
func measureVideoChecks(ctx context.Context, r *rig, t *table) (err error) {
	e, err := r.startEngine(ctx, "engine-checks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	worker, err := r.startWorker(ctx, "worker-checks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.stop()) }()
	for _, sound := range []bool{false, true} {
		path, err := r.longClip(ctx, sound)
		if err != nil {
			return err
		}
		m := &clipRun{rig: r, engine: e, worker: worker, path: path, sound: sound, name: "3 min of 1080p30", peer: "ffmpeg, same 8 frames"}
		if sound {
			m.name, m.peer = m.name+" with sound", "ffmpeg, same 8 frames and the sound"
		}
		if err := m.run(ctx); err != nil {
			return err
		}
		m.report(t)
		if sound {
			continue
		}
		if err := m.reportMemory(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// clipRun measures one clip: ffmpeg, the engine and the job take turns, so that a busy moment spoils a part of each alone.
type clipRun struct {
	rig              *rig
	engine           *loneEngine
	worker           *server
	path, name, peer string
	sound            bool

	ffmpeg, alone []effort
	jobs          spread
}

func (m *clipRun) run(ctx context.Context) error {
	info, err := os.Stat(m.path)
	if err != nil {
		return fmt.Errorf("look at the clip: %w", err)
	}
	m.name = fmt.Sprintf("%s (%.0f MB)", m.name, float64(info.Size())/1e6)
	c, err := m.rig.program.customer(ctx, fmt.Sprintf("watcher-%t", m.sound), 1_000_000)
	if err != nil {
		return err
	}
	calls := newJobClient(m.rig, c)
	defer calls.close()
	// This one says which frames are read.
	report, err := m.engine.checkFile(ctx, m.path, engine.Video)
	if err != nil {
		return fmt.Errorf("check a clip: %w", err)
	}
	if report.Video == nil || len(report.Video.Readings) != engine.FrameReadings {
		return fmt.Errorf("the check of a clip has not %d readings", engine.FrameReadings)
	}
	for i := range 1 + clipRounds {
		if err := m.round(ctx, calls, report.Video.Readings, i); err != nil {
			return err
		}
	}
	return nil
}

// round measures each way once, and begins with another one each time: on a busy machine whoever comes after a rest is
// given more of it. What round 0 measures does not count: each way finds cold caches.
func (m *clipRun) round(ctx context.Context, calls *jobClient, readings []engine.Reading, number int) error {
	upload, err := calls.upload(ctx, m.path, "video/mp4")
	if err != nil {
		return err
	}
	var peer, alone effort
	var job time.Duration
	ways := []func() error{
		func() (err error) {
			peer, err = sameFrames(ctx, m.path, readings, m.sound)
			return err
		},
		func() (err error) {
			alone, err = m.engine.measured(func() error {
				_, err := m.engine.checkFile(ctx, m.path, engine.Video)
				return err
			})
			return err
		},
		func() (err error) {
			job, err = calls.timeVideoCheck(ctx, upload, m.worker)
			return err
		},
	}
	for i := range ways {
		if err := ways[(number+i)%len(ways)](); err != nil {
			return fmt.Errorf("check a clip: %w", err)
		}
	}
	if number > 0 {
		m.ffmpeg, m.alone, m.jobs = append(m.ffmpeg, peer), append(m.alone, alone), append(m.jobs, job)
	}
	return nil
}

// sameFrames has ffmpeg seek to the frames of the readings and decode each alone into RGB, all in one start, which is its
// cheapest way; and the whole sound as it is heard, when asked.
func sameFrames(ctx context.Context, path string, readings []engine.Reading, sound bool) (effort, error) {
	var inputs, outputs []string
	for i, reading := range readings {
		// A reading's time is rounded to milliseconds: seeking must not fall to the key frame before the one that is meant.
		at := strconv.FormatFloat(reading.T+0.002, 'f', 3, 64)
		inputs = append(inputs, "-noaccurate_seek", "-ss", at, "-i", path)
		outputs = append(outputs, "-map", strconv.Itoa(i)+":v", "-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo", "-y", os.DevNull)
	}
	if sound {
		inputs = append(inputs, "-vn", "-i", path)
		outputs = append(outputs, "-map", strconv.Itoa(len(readings))+":a", "-ac", "1", "-ar", "16000", "-f", "s16le", "-y", os.DevNull)
	}
	return ffmpeg(ctx, append(inputs, outputs...)...)
}

// report compares the rounds one by one: the ratio is the median of theirs.
func (m *clipRun) report(t *table) {
	wall := func(e effort) time.Duration { return e.wall }
	processor := func(e effort) time.Duration { return e.cpu }
	peer := each(m.ffmpeg, wall)
	for _, l := range []struct {
		what       string
		took, peer spread
		aim        bool
	}{
		{"by the engine alone", each(m.alone, wall), peer, true},
		{"as a job, from POST to success", m.jobs, peer, true},
		{"the engine's processor time", each(m.alone, processor), each(m.ffmpeg, processor), false},
	} {
		if l.took.at(1) == 0 {
			t.note("%s: not measured, since this system has no /proc", l.what)
			continue
		}
		ratios := ratiosOf(l.took, l.peer)
		line := row{
			what: fmt.Sprintf("video check, %s, %s", m.name, l.what), figure: fmt.Sprintf("%.0f ms", ms(l.took.at(0.5))),
			against: fmt.Sprintf("%s %.0f ms", m.peer, ms(l.peer.at(0.5))), ratio: fmt.Sprintf("%.2f", median(ratios)),
		}
		if l.aim {
			line.aim, line.met = fmt.Sprintf("at most %.1f", half), median(ratios) <= half
		}
		t.add(line)
		t.note("video check, %s, %s: the ratios of %d rounds lie between %s", m.name, l.what, len(ratios), between(ratios))
	}
}

// reportMemory checks once more and watches the processes: the engine's beside its limit, and the largest that it started
// beside ffmpeg alone.
func (m *clipRun) reportMemory(ctx context.Context, t *table) error {
	if runtime.GOOS != "linux" {
		t.note("video check, memory: not measured, since this system has no /proc")
		return nil
	}
	limit, err := m.rig.engineLimit(ctx)
	if err != nil {
		return err
	}
	watching, enough := context.WithCancel(ctx)
	defer enough()
	type result struct {
		seen peaks
		err  error
	}
	watched := make(chan result, 1)
	go func() {
		seen, err := watchMemory(watching, m.engine.process.cmd.Process.Pid)
		watched <- result{seen, err}
	}()
	_, err = m.engine.checkFile(ctx, m.path, engine.Video)
	enough()
	w := <-watched
	if err := errors.Join(err, w.err); err != nil {
		return fmt.Errorf("watch a check: %w", err)
	}
	peer := m.ffmpeg[0].peak
	t.add(row{
		what: "engine's peak memory in video checks", figure: fmt.Sprintf("%d MB", w.seen.engine>>20),
		against: fmt.Sprintf("its limit %d MB", limit>>20), ratio: fmt.Sprintf("%.2f", float64(w.seen.engine)/float64(limit)),
		aim: "at most 1", met: w.seen.engine <= limit,
	})
	t.add(row{
		what: "peak memory of the largest program that it starts", figure: fmt.Sprintf("%d MB", w.seen.child>>20),
		against: fmt.Sprintf("%s %d MB", m.peer, peer>>20), ratio: fmt.Sprintf("%.2f", float64(w.seen.child)/float64(peer)),
	})
	return nil
}
