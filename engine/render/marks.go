package render

import (
	"context"
	"fmt"

	"veracity/engine/ffmpeg"
	"veracity/engine/pixels"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/engine/render/film"
	"veracity/engine/render/still"
	"veracity/platform/fault"
)

// What generators leave in pixels, marks and traces of their making alike, says as much of a file's origin as its metadata,
// so an output must read as its source does. Encoders that change little keep most of it. Where something is lost, the
// file is encoded anew by ever milder settings.

// stillOutput is an encoded picture, the settings it was encoded by, and what the lanes say of it.
type stillOutput struct {
	still.Result
	cfg         still.Config
	source, out said
}

// encodeStill encodes a picture, and without loss where it would not read as before. That a lossless one does not is a
// decoder's doing, and is a fault of stage 1 where it would pass for more than its source.
func encodeStill(ctx context.Context, d *raster.Decoder, m pixels.Network, picture *raster.Image, progress func(done float64),
) (stillOutput, error) {
	before, err := readStill(ctx, m, picture)
	if err != nil {
		return stillOutput{}, err
	}
	var last stillOutput
	usual, exact := still.DefaultConfig(), still.DefaultConfig()
	exact.Fidelity = still.Lossless
	for _, cfg := range []still.Config{usual, exact} {
		encoded, err := still.Encode(ctx, picture, cfg, progress)
		if err != nil {
			return stillOutput{}, err
		}
		last = stillOutput{encoded, cfg, before, before}
		if !before.anything() {
			return last, nil
		}
		shown, err := d.Decode(ctx, encoded.PNG, probe.PNG)
		if err != nil {
			return stillOutput{}, fmt.Errorf("read the output: %w", err)
		}
		if last.out, err = readStill(ctx, m, shown); err != nil {
			return stillOutput{}, fmt.Errorf("read the output: %w", err)
		}
		if before.keptIn(last.out) {
			return last, nil
		}
		progress = nil // it has been told once
	}
	if !before.passesFor(last.out) {
		return stillOutput{}, unkept("image", before, last.out)
	}
	return last, nil
}

// unkept is the fault of a file that no encoding would let read as its source does: an output that hides where it comes
// from is none.
func unkept(what string, source, out said) error {
	if !source.marksKeptIn(out) {
		return fault.New(fault.Stage1Failed,
			"The %s carries a generator's mark that no encoding keeps, so it was not optimized. Send a version of better quality.", what)
	}
	return fault.New(fault.Stage1Failed,
		"The %s would pass for a captured one once it is encoded, which it does not now, so it was not optimized. Send a version of better quality.", what)
}

// milderFilms are the settings by which a video is encoded, one after the other, as long as it does not read as before.
func milderFilms() []film.Config {
	const finest, bestCRF, lowestCRF = 12, 8, 14
	usual, finer := film.DefaultConfig(), film.DefaultConfig()
	finer.FinerChroma = finest
	best := finer
	best.BestCRF, best.LowestCRF = bestCRF, lowestCRF
	return []film.Config{usual, finer, best}
}

// filmOutput is an encoded video, the settings it was encoded by, and what the lanes say of it.
type filmOutput struct {
	film.Result
	cfg         film.Config
	source, out said
}

// encodeFilm encodes a video by the first of the settings under which it reads as before. Where none does, the last one
// that may be given out is taken; that there is none is a fault of stage 1.
func encodeFilm(ctx context.Context, tool *ffmpeg.Tool, clip ffmpeg.Clip, job Job, settings []film.Config, progress func(done float64),
) (filmOutput, error) {
	before, err := readFilm(ctx, job.Pixels, tool, clip)
	if err != nil {
		return filmOutput{}, unreadable(err)
	}
	var last filmOutput
	var passed *film.Config
	for _, cfg := range settings {
		if last, err = encodeFilmBy(ctx, tool, clip, job, cfg, before, progress); err != nil || before.keptIn(last.out) {
			return last, err
		}
		if before.passesFor(last.out) {
			passed = &cfg
		}
		progress = nil // it has been told once
	}
	switch {
	case passed == nil:
		return filmOutput{}, unkept("video", before, last.out)
	case before.passesFor(last.out):
		return last, nil
	}
	// The encoder makes the same of the same settings, so the output that passed is made again rather than kept at hand.
	return encodeFilmBy(ctx, tool, clip, job, *passed, before, nil)
}

// encodeFilmBy encodes a video by one setting and reads what came of it.
func encodeFilmBy(ctx context.Context, tool *ffmpeg.Tool, clip ffmpeg.Clip, job Job, cfg film.Config, before said, progress func(done float64),
) (filmOutput, error) {
	encoded, err := film.Encode(ctx, tool, clip, job.Dir, job.Out, cfg, progress)
	if err != nil {
		return filmOutput{}, err
	}
	o := filmOutput{encoded, cfg, before, before}
	if !before.anything() || encoded.Mode == film.Kept {
		return o, nil
	}
	if o.out, err = readOutput(ctx, job.Pixels, tool, job.Out); err != nil {
		return filmOutput{}, fmt.Errorf("read the output: %w", err)
	}
	return o, nil
}
