package ffmpeg

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"veracity/engine"
	"veracity/engine/probe"
)

// Probe finds out what the file at path holds. format is what [probe.Sniff] took it for and decides which one demuxer
// may read it. Lengths, frames and rates are counted from the packets in the file; no header is believed.
//
// A file whose tracks cannot be decoded gives a Clip without Video and Sound. A file that cannot be read as its format,
// or holds more packets than a clip within the product's limits can, is ErrUndecodable; ErrOverTime after
// Config.ReadTimeout.
func (t *Tool) Probe(ctx context.Context, path string, format probe.Format) (Clip, error) {
	l, err := t.list(ctx, path, format)
	if err != nil {
		return Clip{}, fmt.Errorf("probe clip: %w", err)
	}
	clip := Clip{Path: path, Format: format}
	if f := l.choose("video", l.decodableVideo(t.cfg.MaxPixels)); f != nil {
		clip.Video = newVideo(f, l.packets[f.number("index")])
		clip.Seconds = clip.Video.Seconds
	}
	if f := l.choose("audio", l.decodableSound); f != nil {
		clip.Sound = newSound(f, l.packets[f.number("index")])
		if clip.Video == nil {
			clip.Seconds = clip.Sound.Seconds
		}
	}
	if l.count == maxPackets && !tooLong(&clip, l.claimed) {
		return Clip{}, fmt.Errorf("probe clip: %w: it has %d packets and more", ErrUndecodable, maxPackets)
	}
	return clip, nil
}

// tooLong says whether a clip that was not counted to its end is known to run past the product's limits, and then lets
// its length be what the container claims when that is more than what was counted.
func tooLong(clip *Clip, claimed float64) bool {
	clip.Seconds = max(clip.Seconds, claimed)
	return clip.Seconds > engine.MaxClipSeconds || clip.Video != nil && clip.Video.Frames > engine.MaxFrames
}

// choose gives the track of the kind that a player would take: the first that is marked as default, else the first.
func (l *listing) choose(kind string, decodable func(fields) bool) fields {
	var first fields
	for _, f := range l.streams {
		if f["codec_type"] != kind || !decodable(f) {
			continue
		}
		if f.is("default") {
			return f
		}
		if first == nil {
			first = f
		}
	}
	return first
}

// decodableVideo knows a moving picture that ffprobe's decoders understood: they leave the pixel format open where they
// do not.
func (l *listing) decodableVideo(maxPixels int64) func(fields) bool {
	return func(f fields) bool {
		width, height := f.number("width"), f.number("height")
		still := f.is("attached_pic") || f.is("still_image") || f.is("timed_thumbnails")
		return !still && f.known("codec_name") != "" && f.known("pix_fmt") != "" && width > 0 && height > 0 &&
			int64(width)*int64(height) <= maxPixels && l.has(f)
	}
}

func (l *listing) decodableSound(f fields) bool {
	return f.known("codec_name") != "" && f.number("sample_rate") > 0 && f.number("channels") > 0 && l.has(f)
}

// has says whether the track has any packet that is played.
func (l *listing) has(f fields) bool {
	p := l.packets[f.number("index")]
	return p != nil && len(p.all) > 0
}

func newVideo(f fields, p *packets) *Video {
	t := p.timeline(f["codec_name"])
	v := &Video{
		Index: f.number("index"), Codec: f["codec_name"],
		CodedWidth: f.number("width"), CodedHeight: f.number("height"),
		Frames: len(t.shown), Seconds: max(t.seconds, 0), VariableRate: t.variable,
		Transfer: f.known("color_transfer"), Primaries: f.known("color_primaries"), Matrix: f.known("color_space"),
		Range: f.known("color_range"), PixelFormat: f["pix_fmt"],
		shown: t.shown, origin: t.origin,
	}
	v.HDR = v.Transfer == transferPQ || v.Transfer == transferHLG
	v.FPS = frameRate(f, v)
	v.Rotation, v.turn = orientation(f["displaymatrix"])
	v.Width, v.Height = shownSize(v.CodedWidth, v.CodedHeight, f["sample_aspect_ratio"], v.Rotation)
	return v
}

func newSound(f fields, p *packets) *Sound {
	return &Sound{
		Index: f.number("index"), Codec: f["codec_name"], SampleRate: f.number("sample_rate"),
		Channels: f.number("channels"), Seconds: p.sinceFirst(),
	}
}

// A rate that the container claims is taken for the exact form of the counted one when over the clip's length it gives
// the counted frames to half a hundredth, and to the rounding of WebM's milliseconds at both ends.
const (
	rateSlip     = 0.005
	rateRounding = 0.0021
)

// frameRate is the counted rate, in the container's exact words (30000/1001) where these agree with the count.
func frameRate(f fields, v *Video) Rate {
	if v.Seconds <= 0 {
		return Rate{}
	}
	counted := float64(v.Frames) / v.Seconds
	for _, name := range []string{"avg_frame_rate", "r_frame_rate"} {
		claimed, ok := parseRate(f[name])
		slip := rateSlip*float64(v.Frames) + rateRounding*claimed.Float()
		if ok && math.Abs(claimed.Float()*v.Seconds-float64(v.Frames)) <= slip {
			return claimed
		}
	}
	const thousandths = 1000
	return Rate{int(math.Round(min(counted, maxRate) * thousandths)), thousandths}
}

// maxRate is the highest rate that is reported, in frames a second.
const maxRate = 100_000

func parseRate(text string) (Rate, bool) {
	over, under, _ := strings.Cut(text, "/")
	num, err1 := strconv.ParseInt(over, 10, 32)
	den, err2 := strconv.ParseInt(under, 10, 32)
	if err1 != nil || err2 != nil || num <= 0 || den <= 0 || num/den > maxRate {
		return Rate{}, false
	}
	return Rate{int(num), int(den)}, true
}
