// Package film turns a clip into the smallest MP4 that looks like it: H.264 High in yuv420p with AAC, upright, square
// pixels, BT.709, a constant rate, its index first and no metadata. How much it may be compressed is found out by
// measuring the clip itself. Which clips are taken, what a job costs, statements of origin and the score of an
// optimization do not belong here.
//
// The picture is re-rendered once (stage 1: [stage]) and what comes out of that is what the encoder is measured against.
package film

import (
	"context"
	"errors"
	"fmt"
	"os"

	"veracity/engine/ffmpeg"
	"veracity/platform/fault"
)

// Mode says where the output's picture comes from.
type Mode string

const (
	// Encoded pictures were coded anew at the fidelity aimed at.
	Encoded Mode = "encoded"
	// Kept pictures are the source's own, as they were coded: it was H.264 of the kind wanted, and coding it anew at the
	// fidelity aimed at would have made the file larger.
	Kept Mode = "kept"
)

// Result describes the output and how it came about.
type Result struct {
	// Seconds is the output's length, Frames its pictures, FPS how many there are a second.
	Seconds       float64
	FPS           float64
	Frames        int
	Width, Height int
	// Codec is h264.
	Codec string
	// Bytes is the file's length.
	Bytes int64
	Mode  Mode
	// Preset and CRF are x264's settings; "" and 0 when the picture was kept.
	Preset string
	CRF    float64
	// SSIM is the output's likeness to the re-rendered source: structural similarity of luma (Wang et al., 2004, as
	// ffmpeg's ssim filter computes it), 0 to 1, mean of the sampled pictures; WorstSSIM is the mean of the worst sample.
	// Both are measured on the output file and are 1 when the picture was kept.
	SSIM, WorstSSIM float64
	// Reached says that the search met its target. It is false for pictures such as noise, for which the target lies beyond
	// the best quality that is spent on any clip.
	Reached bool
	// Samples is how many places of the clip were measured, SampleFrames their pictures together, Trials how many qualities
	// were tried on them.
	Samples, SampleFrames, Trials int
	// PlainBytes estimates what ffmpeg makes of the re-rendered source when it is told nothing (libx264 -preset medium -crf
	// 23) with the same sound: the bytes of the output's picture, times the ratio of both encoders' bytes on the samples.
	// PlainSSIM is how like the samples those plain pictures are.
	PlainBytes int64
	PlainSSIM  float64
	Sound      SoundMode
	// ToneMapped says that the source had a high dynamic range. Cropped says that its odd last column or row was left off.
	ToneMapped, Cropped bool
}

// work is one Encode.
type work struct {
	tool *ffmpeg.Tool
	clip ffmpeg.Clip
	cfg  Config
	// dir is a folder of its own.
	dir   string
	stage stage
	sound sound
	meter *meter
}

// Encode writes clip as MP4 to out, which is replaced when it exists; out's folder must be one that can be written. Files
// on the way lie in dir, in a folder of their own that is gone afterwards: copies of the source's tracks, and samples,
// which Config.SamplePixels bounds at three bytes a pixel. Progress, when not nil, is told how much is done, 0
// to 1, from one goroutine at a time.
//
// Faults: video_unsupported for a clip without a picture that can be decoded, stage1_failed when it can be read but not
// re-rendered whole. When ctx ends the error wraps its cause.
func Encode(ctx context.Context, tool *ffmpeg.Tool, clip ffmpeg.Clip, dir, out string, cfg Config,
	progress func(done float64),
) (result Result, err error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, fmt.Errorf("encode video: %w", err)
	}
	if clip.Video == nil {
		return Result{}, fault.Wrap(ffmpeg.ErrNoVideo, fault.VideoUnsupported, unsupported)
	}
	own, err := os.MkdirTemp(dir, "film-")
	if err != nil {
		return Result{}, fmt.Errorf("encode video: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	w := &work{tool: tool, clip: clip, cfg: cfg, dir: own, stage: newStage(*clip.Video, cfg), meter: &meter{tell: progress}}
	// Landlock lets no file be moved to another folder, so the output grows beside its place.
	growing := out + ".part"
	result, err = w.encode(ctx, growing)
	if err != nil {
		return Result{}, errors.Join(w.explain(ctx, err), os.RemoveAll(growing))
	}
	if err := os.Rename(growing, out); err != nil {
		return Result{}, fmt.Errorf("encode video: %w", err)
	}
	w.meter.end()
	return result, nil
}
