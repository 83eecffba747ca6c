package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"veracity/engine"
)

// loneEngine is `veracity engine` without API, database and queue around it, and a client of it.
type loneEngine struct {
	*engine.Client
	process *server
}

// startEngine starts an engine with a folder of its own. The caller stops it.
func (r *rig) startEngine(ctx context.Context, name string) (*loneEngine, error) {
	dir := filepath.Join(r.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the engine's folder: %w", err)
	}
	cfg := engine.DefaultClientConfig()
	cfg.Socket = filepath.Join(dir, "socket")
	client, err := engine.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	// None of the other settings is the engine's.
	cmd := program{path: r.program.path}.command(context.WithoutCancel(ctx), "engine", "--socket", cfg.Socket)
	cmd.Env = append(cmd.Environ(), "TMPDIR="+dir) // where it makes its scratch folder
	process, err := launch(cmd, filepath.Join(r.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	e := &loneEngine{Client: client, process: process}
	if err := e.waitReady(ctx); err != nil {
		return nil, errors.Join(err, e.stop())
	}
	return e, nil
}

func (e *loneEngine) stop() error { return e.process.stop() }

func (e *loneEngine) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for e.Ready(ctx) != nil {
		if err := e.process.failed(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after %s: %s", e.process, startTimeout, e.process.lastWords())
		case <-tick.C:
		}
	}
	return nil
}

// measured gives what act took of the clock and of the engine's processes.
func (e *loneEngine) measured(act func() error) (effort, error) {
	before, err := treeTime(e.process.cmd.Process.Pid)
	if err != nil {
		return effort{}, err
	}
	start := time.Now()
	if err := act(); err != nil {
		return effort{}, err
	}
	took := effort{wall: time.Since(start)}
	after, err := treeTime(e.process.cmd.Process.Pid)
	took.cpu = after - before
	return took, err
}

// checkFile checks a video or voice clip.
func (e *loneEngine) checkFile(ctx context.Context, path string, media engine.Media) (report engine.Report, err error) {
	err = withSource(path, func(src engine.Source) error {
		report, err = e.CheckClip(ctx, engine.ClipRequest{Source: src, Media: media, MaxSeconds: engine.MaxClipSeconds})
		return err
	})
	return report, err
}

// renderFile optimizes a file into another.
func (e *loneEngine) renderFile(ctx context.Context, path, out string, media engine.Media) (rendered engine.Rendered, err error) {
	err = withSource(path, func(src engine.Source) error {
		rendered, err = e.Render(ctx, engine.RenderRequest{
			Source: src, Media: media, MaxSeconds: engine.MaxClipSeconds,
			Save: func(_ context.Context, _ engine.Rendered, body io.Reader) error { return saveFile(out, body) },
		})
		return err
	})
	return rendered, err
}

func withSource(path string, act func(engine.Source) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open a source: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("look at a source: %w", err)
	}
	return act(engine.Source{Body: f, Size: info.Size()})
}

func saveFile(path string, body io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("save an output: %w", err)
	}
	_, err = io.Copy(f, body)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save an output: %w", err)
	}
	return nil
}
