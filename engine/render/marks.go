package render

import (
	"context"
	"errors"
	"fmt"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/engine/render/film"
	"veracity/engine/render/still"
	"veracity/engine/watermark"
	"veracity/platform/fault"
)

// What generators write into pixels says as much of a file's origin as its metadata, so an output must read as its source
// does. Encoders that change little keep most marks. Where one is lost, the file is encoded anew by ever milder settings.

// encodeStill encodes a picture, and without loss where its marks would not read as before.
func encodeStill(ctx context.Context, d *raster.Decoder, picture *raster.Image, progress func(done float64)) (still.Result, still.Config, error) {
	cfg := still.DefaultConfig()
	said := watermark.Read(picture).Verdict
	encoded, err := still.Encode(ctx, picture, cfg, progress)
	if err != nil || said == engine.None {
		return encoded, cfg, err
	}
	out, err := d.Decode(ctx, encoded.PNG, probe.PNG)
	if err != nil {
		return still.Result{}, cfg, fmt.Errorf("read the output: %w", err)
	}
	if watermark.Read(out).Verdict == said {
		return encoded, cfg, nil
	}
	cfg.Fidelity = still.Lossless
	encoded, err = still.Encode(ctx, picture, cfg, nil)
	return encoded, cfg, err
}

// milderFilms are the settings by which a video is encoded, one after the other, as long as it loses its marks.
func milderFilms() []film.Config {
	const finest, bestCRF, lowestCRF = 12, 8, 14
	usual, finer := film.DefaultConfig(), film.DefaultConfig()
	finer.FinerChroma = finest
	best := finer
	best.BestCRF, best.LowestCRF = bestCRF, lowestCRF
	return []film.Config{usual, finer, best}
}

// encodeFilm encodes a video by the first of the settings under which its marks can still be read, and answers those. When none does, that
// is a fault of stage 1: an output that hides where it comes from is none.
func encodeFilm(ctx context.Context, tool *ffmpeg.Tool, clip ffmpeg.Clip, job Job, settings []film.Config, progress func(done float64),
) (film.Result, film.Config, error) {
	said, err := marksOf(ctx, tool, clip)
	if err != nil {
		return film.Result{}, film.Config{}, unreadable(err)
	}
	for _, cfg := range settings {
		encoded, err := film.Encode(ctx, tool, clip, job.Dir, job.Out, cfg, progress)
		if err != nil || said == engine.None || encoded.Mode == film.Kept {
			return encoded, cfg, err
		}
		kept, err := marksOfOutput(ctx, tool, job.Out)
		if err != nil {
			return film.Result{}, cfg, fmt.Errorf("read the output: %w", err)
		}
		if kept == said || kept == engine.AI {
			return encoded, cfg, nil
		}
		progress = nil // it has been told once
	}
	return film.Result{}, film.Config{}, fault.New(fault.Stage1Failed,
		"The video carries a generator's mark that no encoding keeps, so it was not optimized. Send a version of better quality.")
}

func marksOfOutput(ctx context.Context, tool *ffmpeg.Tool, path string) (engine.Verdict, error) {
	clip, err := tool.Probe(ctx, path, probe.MP4)
	if err != nil {
		return "", err
	}
	return marksOf(ctx, tool, clip)
}

// marksOf is the verdict of a video's marks, read as a check reads them. A video without any picture that can be decoded
// has none: what is to become of it, its encoder says.
func marksOf(ctx context.Context, tool *ffmpeg.Tool, clip ffmpeg.Clip) (engine.Verdict, error) {
	frames, err := tool.Frames(ctx, clip, engine.ReadingTimes(clip.Seconds), engine.MaxFrameSide)
	if errors.Is(err, ffmpeg.ErrUndecodable) || errors.Is(err, ffmpeg.ErrNoVideo) {
		return engine.None, nil
	}
	if err != nil {
		return "", fmt.Errorf("read marks: %w", err)
	}
	var marks watermark.Clip
	var alone []engine.Lane
	for k := range frames {
		alone = append(alone, marks.Add(frames[k].Image).Lane())
		frames[k].Image = nil
	}
	return engine.PoolMarks(marks.Report().Lane(), alone).Verdict, nil
}
