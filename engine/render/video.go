package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"veracity/engine"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/ffmpeg"
	"veracity/engine/pixels"
	"veracity/engine/probe"
	"veracity/engine/render/origin"
	"veracity/platform/fault"
)

// Shares of looking at a video and of encoding it in its progress.
const (
	videoProbed  = 0.02
	videoEncoded = 0.99
)

// Job is one video to be optimized.
type Job struct {
	// Path is the source, Dir a folder for what is needed on the way, Out where the output goes. Dir and Out's folder exist
	// and can be written; what is left in Dir is the caller's to remove.
	Path, Dir, Out string
	// MaxSeconds is the longest video that is taken.
	MaxSeconds float64
	// Provenance has the output say where it comes from.
	Provenance Provenance
	// Pixels, when set, is the model of the pixels lane, by which the output must read as its source does.
	Pixels pixels.Network
	// Progress, when set, is told how much is done, 0 to 1.
	Progress func(done float64)
}

// filmDetail is the account of a video's encoder.
type filmDetail struct {
	Preset string  `json:"preset,omitempty"`
	CRF    float64 `json:"crf,omitempty"`
	Target float64 `json:"target"`
	// FinerChroma is more than 0 where marks or the pixels lane's verdict would have been lost otherwise.
	FinerChroma int     `json:"finer_chroma,omitempty"`
	Reached     bool    `json:"reached"`
	WorstSSIM   float64 `json:"worst_ssim"`
	PlainSSIM   float64 `json:"plain_ssim"`
	Samples     int     `json:"samples"`
	Trials      int     `json:"trials"`
	Sound       string  `json:"sound"`
	ToneMapped  bool    `json:"tone_mapped"`
	Cropped     bool    `json:"cropped"`
}

// Video optimizes the video at job.Path into an MP4 at job.Out.
//
// Faults: video_unsupported for what is no video that can be decoded, video_too_long with [TooLong] as detail, and
// stage1_failed when it can be read but not re-rendered, its statements of origin and its marks cannot be kept, or
// it would pass for captured. When ctx ends, the error wraps its cause.
func Video(ctx context.Context, tool *ffmpeg.Tool, job Job) (engine.Rendered, error) {
	source, err := openSource(job.Path)
	if err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", err)
	}
	defer source.close()
	clip, err := tool.Probe(ctx, job.Path, source.format)
	if err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", unreadable(err))
	}
	if err := CheckVideo(clip, job.MaxSeconds); err != nil {
		return engine.Rendered{}, err
	}
	said, err := job.Provenance.Reader.Clip(ctx, source.file, source.size, source.format)
	if err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", err)
	}
	statements := origin.ReadClip(source.file, source.size, source.format).Verified(said)
	part(job.Progress, 0, videoProbed)(1)
	encoded, err := encodeFilm(ctx, tool, clip, job, milderFilms(), part(job.Progress, videoProbed, videoEncoded))
	if err == nil && !encoded.source.restsOn(said.Verdict, encoded.out) {
		err = unkept("video", encoded.source, encoded.out)
	}
	if err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", err)
	}
	if err := statements.IntoMP4(job.Out); err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", lost(err))
	}
	signable, err := job.Provenance.intoMP4(ctx, job.Out, carrier.File{R: source.file, Size: source.size, Format: source.format})
	if err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", err)
	}
	info, err := os.Stat(job.Out)
	if err != nil {
		return engine.Rendered{}, fmt.Errorf("optimize video: %w", err)
	}
	out := describe(encoded, source.size, info.Size(), statements.Names())
	out.Unsigned = signable
	part(job.Progress, 0, 1)(1)
	return out, nil
}

// describe puts an encoded video, size bytes long with all that it says, into the engine's terms.
func describe(e filmOutput, source, size int64, carried []string) engine.Rendered {
	// What the source says of itself is not the encoder's, so its bytes do not count in the score.
	outcome := Outcome{
		Points: VideoPoints(e.SSIM), Bytes: e.Bytes, PlainBytes: e.PlainBytes, SourceBytes: source, BetterThanPlain: e.SSIM > e.PlainSSIM,
	}
	return engine.Rendered{
		ContentType: probe.MP4.ContentType(), Bytes: size, Width: e.Width, Height: e.Height, Score: Score(outcome),
		Video: &engine.RenderedVideo{
			Seconds: milli(e.Seconds), FPS: milli(e.FPS), Frames: e.Frames, Width: e.Width, Height: e.Height, Codec: e.Codec,
			Bytes: size, SourceBytes: source,
		},
		Detail: Detail{
			Mode: string(e.Mode), Metric: "ssim", Likeness: shown(e.SSIM), Points: shown(outcome.Points), PlainBytes: e.PlainBytes, SourceBytes: source,
			LargerThanSource: outcome.larger(), Carried: carried, Pixels: keptPixels(e.source, e.out),
			Encoding: filmDetail{
				Preset: e.Preset, CRF: e.CRF, Target: e.cfg.MeanSSIM, FinerChroma: e.cfg.FinerChroma, Reached: e.Reached, WorstSSIM: e.WorstSSIM,
				PlainSSIM: e.PlainSSIM, Samples: e.Samples, Trials: e.Trials, Sound: string(e.Sound), ToneMapped: e.ToneMapped, Cropped: e.Cropped,
			},
		},
	}
}

// source is an opened video.
type source struct {
	file   *os.File
	size   int64
	format probe.Format
}

func (s source) close() {
	// The file was only read.
	_ = s.file.Close()
}

// openSource opens a file that is a video by its content.
func openSource(path string) (s source, err error) {
	file, err := os.Open(path)
	if err != nil {
		return source{}, fmt.Errorf("open source: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return source{}, fmt.Errorf("open source: %w", err)
	}
	head := make([]byte, probe.HeadBytes)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return source{}, fmt.Errorf("read source: %w", err)
	}
	format := probe.Sniff(head[:n])
	if format.Media() != engine.Video {
		return source{}, fault.New(fault.VideoUnsupported, "The file is no video that is read here. Send an MP4, MOV or WebM file.")
	}
	return source{file: file, size: info.Size(), format: format}, nil
}
