package film

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"veracity/engine/ffmpeg"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

// picks is the select filter's expression for the spans.
func picks(at []span) string {
	all := make([]string, len(at))
	for i, s := range at {
		all[i] = fmt.Sprintf("between(n,%d,%d)", s.from, s.from+s.frames-1)
	}
	return strings.Join(all, "+")
}

// measure compares the output with the pictures that went into its encoder at the spans, which lie in the file tap. When
// their numbers do not agree, as with a clip whose pictures change their size amid it so that counting began anew, the
// likeness that was measured on the samples stands.
func (w *work) measure(ctx context.Context, out, tap string, at []span, sampled likeness) (likeness, error) {
	whole, reference := written(out), written(tap)
	left := reference.frames
	var pieces []piece
	for _, s := range at {
		p := piece{clip: whole.clip, frames: min(s.frames, whole.frames-s.from)}
		if p.frames <= 0 {
			break
		}
		if s.from > 0 {
			// Half a picture early, so that rounding does not put the seek behind it.
			p.seek = (float64(s.from) - 0.5) / w.stage.rate.Float()
		}
		pieces = append(pieces, p)
		left -= p.frames
	}
	if left != 0 || len(pieces) == 0 {
		return sampled, nil
	}
	return w.compare(ctx, pieces, []piece{reference})
}

// keepInstead makes an output with the source's own picture. plain is what a plain encoder would make of the picture.
func (w *work) keepInstead(ctx context.Context, r Result, out string, plain int64) (Result, error) {
	if err := w.keep(ctx, out, w.meter.seconds(w.clip.Seconds)); err != nil {
		return Result{}, fmt.Errorf("keep the picture: %w", err)
	}
	r.Mode, r.Preset, r.CRF = Kept, "", 0
	r.SSIM, r.WorstSSIM, r.Reached = 1, 1, true
	r, picture, err := w.describe(ctx, r, out)
	r.PlainBytes = r.Bytes - picture + plain
	return r, err
}

// A re-rendered clip may lack this share of the pictures that its source promised, and half a second, before the source
// counts as damaged.
const (
	maxLost        = 0.1
	maxLostSeconds = 0.5
)

// describe fills in what the output is, and answers how many bytes of it are the picture's.
func (w *work) describe(ctx context.Context, r Result, path string) (Result, int64, error) {
	out, err := w.tool.Probe(ctx, path, probe.MP4)
	if err != nil {
		return Result{}, 0, err
	}
	if out.Video == nil {
		return Result{}, 0, errNoPictures
	}
	picture := look(path, "vide")
	if picture == nil {
		return Result{}, 0, errBroken
	}
	v := out.Video
	lost := w.clip.Video.Seconds - v.Seconds
	if w.clip.Video.Seconds <= w.cfg.MaxSeconds && lost > max(maxLostSeconds, maxLost*w.clip.Video.Seconds) {
		return Result{}, 0, fmt.Errorf("%.1f s of %.1f s can be decoded", v.Seconds, w.clip.Video.Seconds)
	}
	r.Seconds, r.FPS, r.Frames = v.Seconds, v.FPS.Float(), v.Frames
	r.Width, r.Height, r.Codec = v.Width, v.Height, v.Codec
	r.Sound, r.ToneMapped, r.Cropped = w.sound.mode, w.stage.tone != nil, w.stage.cropped()
	if r.Bytes, err = fileBytes(path); err != nil {
		return Result{}, 0, err
	}
	return r, picture.bytes, nil
}

const unsupported = "The video cannot be decoded. Open it in a video editor, export it as MP4 (H.264) and send the new file."

// explain makes a fault of what went wrong with the clip. What is no fault of the clip stays as it is.
func (w *work) explain(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("encode video: %w", context.Cause(ctx))
	case errors.Is(err, ffmpeg.ErrOverTime), ofMachine(err):
		return fmt.Errorf("encode video: %w", err)
	case errors.Is(err, errNoPictures):
		return fault.Wrap(err, fault.VideoUnsupported, unsupported)
	}
	return fault.Wrap(err, fault.Stage1Failed,
		"The video could not be re-rendered. If it plays for you, export it as MP4 (H.264) and send the new file.")
}

// ofMachine says whether the system refused something, such as a file on a full disk or the start of a program. What
// programs say of clips is no such error.
func ofMachine(err error) bool {
	var file *fs.PathError
	var call *os.SyscallError
	return errors.As(err, &file) || errors.As(err, &call)
}
