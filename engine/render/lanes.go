package render

import (
	"context"
	"errors"
	"fmt"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/pixels"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/engine/watermark"
)

// said is what the lanes that look at pixels say of a picture or of a video. pixels is unavailable without a model.
type said struct {
	marks, pixels engine.Verdict
	// strong says that pixels contradict a camera's signature.
	strong bool
}

// anything says that the lanes have something that an output could lose.
func (s said) anything() bool { return s.marks != engine.None || s.pixels != engine.Unavailable }

// keptIn says that an output reads as its source does. A mark may read clearer.
func (s said) keptIn(out said) bool { return s.marksKeptIn(out) && out.pixels == s.pixels }

func (s said) marksKeptIn(out said) bool {
	return s.marks == engine.None || out.marks == s.marks || out.marks == engine.AI
}

// passesFor says that an output which no encoding has read the same may still be given out: it has the marks of its source,
// and looks captured only if that did.
func (s said) passesFor(out said) bool {
	return s.marksKeptIn(out) && (out.pixels != engine.Real || s.pixels == engine.Real)
}

// restsOn says whether an output may still be given out where its source's statements of origin come to so much: with a
// camera's signature, pixels that contradict it in the source and no longer do would make a doubted file one that is real.
func (s said) restsOn(origin engine.Verdict, out said) bool {
	return origin != engine.Real || !s.strong || out.strong
}

// PixelsKept is what the pixels lane said of a source and says of the output. They differ where no encoding kept it.
type PixelsKept struct {
	Source engine.Verdict `json:"source"`
	Output engine.Verdict `json:"output"`
}

// keptPixels is for the account of an output; nil without a model.
func keptPixels(source, out said) *PixelsKept {
	if source.pixels == engine.Unavailable {
		return nil
	}
	return &PixelsKept{Source: source.pixels, Output: out.pixels}
}

// readStill reads a picture as a check does.
func readStill(ctx context.Context, m pixels.Network, picture *raster.Image) (said, error) {
	seen, err := pixels.Read(ctx, m, picture)
	if err != nil {
		return said{}, fmt.Errorf("read the picture: %w", err)
	}
	return said{marks: watermark.Read(picture).Verdict, pixels: seen.Verdict, strong: seen.Lane().Strong()}, nil
}

// readFilm reads a video as a check does. One without any picture that can be decoded says nothing: what is to become of
// it, its encoder says.
func readFilm(ctx context.Context, m pixels.Network, tool *ffmpeg.Tool, clip ffmpeg.Clip) (said, error) {
	frames, err := tool.Frames(ctx, clip, engine.ReadingTimes(clip.Seconds), engine.MaxFrameSide)
	if errors.Is(err, ffmpeg.ErrUndecodable) || errors.Is(err, ffmpeg.ErrNoVideo) {
		return said{marks: engine.None, pixels: engine.Unavailable}, nil
	}
	if err != nil {
		return said{}, fmt.Errorf("read frames: %w", err)
	}
	var marks watermark.Clip
	var alone []engine.Lane
	seen := pixels.Clip{Model: m}
	for k := range frames {
		alone = append(alone, marks.Add(frames[k].Image).Lane())
		if _, err := seen.Add(ctx, frames[k].Image); err != nil {
			return said{}, fmt.Errorf("read the frame at %.3f s: %w", frames[k].T, err)
		}
		frames[k].Image = nil
	}
	film := seen.Report()
	return said{
		marks: engine.PoolMarks(marks.Report().Lane(), alone).Verdict, pixels: film.Verdict, strong: film.Lane().Strong(),
	}, nil
}

// readOutput reads a video that was encoded.
func readOutput(ctx context.Context, m pixels.Network, tool *ffmpeg.Tool, path string) (said, error) {
	clip, err := tool.Probe(ctx, path, probe.MP4)
	if err != nil {
		return said{}, err
	}
	return readFilm(ctx, m, tool, clip)
}
