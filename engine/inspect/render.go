package inspect

import (
	"context"
	"fmt"
	"os"

	"veracity/engine"
	"veracity/engine/render"
	"veracity/engine/serve"
)

// Render optimizes one image or video into job.Out. Its faults are those of [render.Image] and [render.Video].
func (i *inspector) Render(ctx context.Context, job serve.Job) (engine.Rendered, error) {
	if job.Media == engine.Video {
		if err := i.needTool(); err != nil {
			return engine.Rendered{}, err
		}
		return render.Video(ctx, i.tool, render.Job{
			Path: job.Path, Dir: job.Dir, Out: job.Out, MaxSeconds: job.MaxSeconds, Progress: job.Progress,
			Provenance: i.origin(job), Pixels: i.pixels,
		})
	}
	data, err := readImage(job.Path)
	if err != nil {
		return engine.Rendered{}, err
	}
	png, out, err := render.Image(ctx, i.decoder, i.pixels, data, i.origin(job), job.Progress)
	if err != nil {
		return engine.Rendered{}, err
	}
	if err := os.WriteFile(job.Out, png, 0o600); err != nil {
		return engine.Rendered{}, fmt.Errorf("write the output: %w", err)
	}
	return out, nil
}

// origin has an output say where it comes from.
func (i *inspector) origin(job serve.Job) render.Provenance {
	return render.Provenance{Reader: i.provenance, Room: job.SignatureRoom, Version: Version}
}

// readImage reads an image file whole, and refuses by its size before it does.
func readImage(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	if f := engine.RefuseSize(info.Size()); f != nil {
		return nil, f
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	return data, nil
}
