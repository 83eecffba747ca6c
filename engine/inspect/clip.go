package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/probe"
	"veracity/engine/serve"
)

// InspectClip reads one video or voice clip. Faults: video_too_long and audio_too_long with [render.TooLong] as detail,
// video_unsupported, audio_unsupported and model_unavailable.
func (i *inspector) InspectClip(ctx context.Context, job serve.Job) (engine.Report, error) {
	start := time.Now()
	report := engine.Report{
		Media:  job.Media,
		Detail: engine.Detail{TimingsMS: map[string]float64{}, Engine: Version},
	}
	if err := i.needTool(); err != nil {
		return engine.Report{}, err
	}
	if f := i.Fault(); f != nil {
		return engine.Report{}, f
	}
	done := newProgress(job.Progress)
	clip, err := i.open(ctx, job, &report)
	if err != nil {
		return engine.Report{}, err
	}
	done.part(openShare)(1)
	if job.Media == engine.Audio {
		err = i.inspectVoice(ctx, job, clip, &report, done)
	} else {
		err = i.inspectVideo(ctx, job, clip, &report, done)
	}
	if err != nil {
		return engine.Report{}, err
	}
	report.Detail.TimingsMS["total"] = since(start)
	return report, nil
}

// open finds out what the file is, reads what it says of itself, and has its tracks looked up.
func (i *inspector) open(ctx context.Context, job serve.Job, report *engine.Report) (ffmpeg.Clip, error) {
	f, err := os.Open(job.Path)
	if err != nil {
		return ffmpeg.Clip{}, fmt.Errorf("open clip: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return ffmpeg.Clip{}, fmt.Errorf("open clip: %w", err)
	}
	head := make([]byte, probe.HeadBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return ffmpeg.Clip{}, fmt.Errorf("read clip: %w", err)
	}
	format := probe.Sniff(head[:n])
	if err := checkKind(job.Media, format); err != nil {
		return ffmpeg.Clip{}, err
	}
	report.Detail.File = engine.File{Format: format.Name(), Bytes: info.Size()}

	start := time.Now()
	said, err := i.provenance.Clip(ctx, f, info.Size(), format)
	if err != nil {
		return ffmpeg.Clip{}, err
	}
	report.Lanes.Provenance, report.Detail.Provenance = said.Lane(), said
	report.Detail.TimingsMS["provenance"] = since(start)

	start = time.Now()
	clip, err := i.tool.Probe(ctx, job.Path, format)
	report.Detail.TimingsMS["probe"] = since(start)
	if err != nil {
		return ffmpeg.Clip{}, unreadable(job.Media, fmt.Errorf("probe clip: %w", err))
	}
	return clip, nil
}

// clipDetail is the raw report on what a clip is made of.
type clipDetail struct {
	Container string       `json:"container"`
	Seconds   float64      `json:"seconds"`
	Video     *videoDetail `json:"video,omitempty"`
	Sound     *soundDetail `json:"sound,omitempty"`
	// Frames are those that were read, in the order of the readings.
	Frames []frameDetail `json:"frames,omitempty"`
}

type videoDetail struct {
	Codec        string  `json:"codec"`
	PixelFormat  string  `json:"pixel_format"`
	CodedWidth   int     `json:"coded_width"`
	CodedHeight  int     `json:"coded_height"`
	Rotation     int     `json:"rotation"`
	Rate         string  `json:"rate"`
	VariableRate bool    `json:"variable_rate"`
	Frames       int     `json:"frames"`
	Seconds      float64 `json:"seconds"`
	HDR          bool    `json:"hdr"`
	Transfer     string  `json:"transfer,omitempty"`
	Primaries    string  `json:"primaries,omitempty"`
}

type soundDetail struct {
	Codec      string  `json:"codec"`
	SampleRate int     `json:"sample_rate"`
	Channels   int     `json:"channels"`
	Seconds    float64 `json:"seconds"`
}

// frameDetail is one frame: when it was asked for, when it is shown, its size and what its lanes say.
type frameDetail struct {
	Asked     float64     `json:"asked"`
	T         float64     `json:"t"`
	Width     int         `json:"width"`
	Height    int         `json:"height"`
	Pixels    engine.Lane `json:"pixels"`
	Watermark engine.Lane `json:"watermark"`
	// Raw is the mean log-odds of AI in the frame, nil where the pixels lane had nothing to go by.
	Raw *float64 `json:"raw,omitempty"`
}

func describe(c ffmpeg.Clip) *clipDetail {
	d := &clipDetail{Container: c.Format.Name(), Seconds: milli(c.Seconds)}
	if v := c.Video; v != nil {
		d.Video = &videoDetail{
			Codec: v.Codec, PixelFormat: v.PixelFormat, CodedWidth: v.CodedWidth, CodedHeight: v.CodedHeight, Rotation: v.Rotation,
			Rate: fmt.Sprintf("%d/%d", v.FPS.Num, v.FPS.Den), VariableRate: v.VariableRate, Frames: v.Frames,
			Seconds: milli(v.Seconds), HDR: v.HDR, Transfer: v.Transfer, Primaries: v.Primaries,
		}
	}
	if s := c.Sound; s != nil {
		d.Sound = &soundDetail{Codec: s.Codec, SampleRate: s.SampleRate, Channels: s.Channels, Seconds: milli(s.Seconds)}
	}
	return d
}
