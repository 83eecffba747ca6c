package clips

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// patience bounds the making of one clip on a busy machine.
const patience = 2 * time.Minute

// encode makes the clip in a folder that is gone afterwards.
func encode(s Spec) (file []byte, err error) {
	dir, err := os.MkdirTemp("", "clips")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if s.Cover {
		if err := writeCover(filepath.Join(dir, coverName)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out := filepath.Join(dir, "out."+string(s.Format))
	cmd := exec.CommandContext(ctx, "ffmpeg", append(s.arguments(dir), out)...) //nolint:gosec // The arguments are a test's.
	var problems bytes.Buffer
	cmd.Stderr = &problems
	pixels, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start ffmpeg: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start ffmpeg: %w", err)
	}
	// An encoder that ends early breaks the pipe and says why itself.
	_ = errors.Join(s.draw(pixels), pixels.Close())
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("run ffmpeg %s: %w: %s", strings.Join(cmd.Args[1:], " "), err, problems.String())
	}
	file, err = os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("read what ffmpeg wrote: %w", err)
	}
	if s.Rotation != 0 {
		return rotate(file, s.Rotation)
	}
	return file, nil
}

// draw writes the frames as raw RGBA.
func (s Spec) draw(w io.Writer) error {
	if s.Video == NoVideo {
		return nil
	}
	frame := frames(s)
	for n := range s.Frames {
		p := frame(n)
		for y := range s.Height {
			row := p.Pix[y*p.Stride:]
			if _, err := w.Write(row[:4*s.Width]); err != nil {
				return err
			}
		}
	}
	return nil
}

const coverName = "cover.png"

func writeCover(path string) error {
	var b bytes.Buffer
	if err := png.Encode(&b, mediatest.Quadrants(64, 64)); err != nil {
		return fmt.Errorf("draw the cover: %w", err)
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// seconds is how long the sound lasts.
func (s Spec) seconds() float64 {
	if s.Seconds > 0 {
		return s.Seconds
	}
	if s.Video == NoVideo {
		return 1
	}
	over, under, fraction := strings.Cut(s.FPS, "/")
	rate, _ := strconv.ParseFloat(over, 64)
	if fraction {
		scale, _ := strconv.ParseFloat(under, 64)
		rate /= scale
	}
	return float64(s.Frames) / rate
}

// arguments is ffmpeg's whole command line but for the output's name.
func (s Spec) arguments(dir string) []string {
	args := []string{"-nostdin", "-hide_banner", "-loglevel", "error", "-y"}
	var maps, codecs []string
	inputs := 0
	input := func(stream string, in ...string) {
		args = append(args, in...)
		maps = append(maps, "-map", strconv.Itoa(inputs)+":"+stream)
		inputs++
	}
	if s.DecoyVideo {
		input("v", "-f", "lavfi", "-i", fmt.Sprintf("color=blue:s=%dx%d:r=%s:d=%g", s.Width/4*2, s.Height/4*2, s.FPS, s.seconds()))
	}
	if s.Video != NoVideo {
		input("v", "-f", "rawvideo", "-pix_fmt", "rgba", "-framerate", s.FPS, "-s", fmt.Sprintf("%dx%d", s.Width, s.Height), "-i", "pipe:0")
		codecs = append(codecs, s.videoArguments()...)
	}
	if s.DecoySound {
		input("a", "-f", "lavfi", "-i", fmt.Sprintf("sine=880:r=%d:d=%g", s.SampleRate, s.seconds()))
	}
	if s.Sound != NoSound {
		input("a", "-f", "lavfi", "-i", s.soundSource())
		codecs = append(codecs, s.soundArguments()...)
	}
	if s.Cover {
		input("v", "-i", filepath.Join(dir, coverName))
		at := strconv.Itoa(strings.Count(strings.Join(maps, " "), ":v") - 1)
		codecs = append(codecs, "-c:v:"+at, "copy", "-disposition:v:"+at, "attached_pic")
	}
	args = append(append(args, maps...), codecs...)
	return append(args, s.fileArguments()...)
}

func (s Spec) videoArguments() []string {
	filters := []string{"setpts=N/(" + s.FPS + ")/TB"}
	if s.Variable {
		filters = []string{"settb=1/90000", "setpts=(N+0.5*mod(N\\,2))/(" + s.FPS + ")/TB"}
	}
	matrix, primaries, transfer, space := "bt709", "bt709", "bt709", "bt709"
	if s.HDR != "" {
		matrix, primaries, transfer, space = "bt2020", "bt2020", string(s.HDR), "bt2020nc"
	}
	rangeName := map[bool]string{false: "tv", true: "pc"}[s.FullRange || s.Video == PNG]
	if s.Video != PNG { // It holds no luma and chroma.
		filters = append(filters, "scale=out_color_matrix="+matrix+":out_range="+rangeName+":flags=accurate_rnd+full_chroma_int")
	}
	filters = append(filters, "format="+s.PixelFormat,
		"setparams=range="+rangeName+":color_primaries="+primaries+":color_trc="+transfer+":colorspace="+space)
	if s.PixelAspect != "" {
		filters = append(filters, "setsar="+strings.Replace(s.PixelAspect, ":", "/", 1))
	}
	main := "0"
	var args []string
	if s.DecoyVideo {
		main = "1"
		args = append(args, "-disposition:v:0", "0", "-disposition:v:1", "default")
	}
	args = append(args, "-c:v", string(s.Video), "-filter:v:"+main, strings.Join(filters, ","), "-pix_fmt:v:"+main, s.PixelFormat,
		"-color_range", rangeName, "-color_primaries", primaries, "-color_trc", transfer, "-colorspace", space,
		"-g", strconv.Itoa(s.KeyEvery), "-threads", "1")
	if s.Variable {
		args = append(args, "-fps_mode", "vfr", "-enc_time_base", "1:90000")
	} else {
		args = append(args, "-r", s.FPS)
	}
	return append(args, s.encoderArguments()...)
}

// encoderArguments asks each encoder for speed, and for key frames at KeyEvery alone.
func (s Spec) encoderArguments() []string {
	var args []string
	switch s.Video {
	case H264:
		args = []string{"-preset", "veryfast", "-sc_threshold", "0"}
	case HEVC:
		args = []string{
			"-preset", "ultrafast", "-tag:v", "hvc1",
			"-x265-params", "log-level=none:scenecut=0:pools=1:frame-threads=1:keyint=" + strconv.Itoa(s.KeyEvery),
		}
	case VP8, VP9:
		args = []string{"-deadline", "realtime", "-cpu-used", "8", "-auto-alt-ref", "0", "-b:v", "0"}
		if s.CRF == 0 {
			args = append(args, "-crf", "10")
		}
		if s.Video == VP8 {
			args = append(args, "-b:v", "1M")
		}
	case AV1:
		args = []string{"-cpu-used", "8", "-usage", "realtime", "-b:v", "0"}
	case MPEG4, MJPEG:
		args = []string{"-q:v", "3"}
	default: // The others have nothing to set.
	}
	if s.CRF != 0 {
		args = append(args, "-crf", strconv.Itoa(s.CRF))
	}
	return args
}

const sentences = "The quick brown fox jumps over the lazy dog. She sells sea shells by the sea shore. " +
	"Every morning the old man walks along the river and counts the boats."

func (s Spec) soundSource() string {
	length := fmt.Sprintf(",atrim=duration=%g", s.seconds())
	switch s.Sound {
	case Silence:
		return fmt.Sprintf("anullsrc=r=%d:cl=mono", s.SampleRate) + length
	case Speech:
		return fmt.Sprintf("flite=text='%s',aresample=%d,aloop=loop=-1:size=2147483647", sentences, s.SampleRate) + length
	case Noise:
		return fmt.Sprintf("anoisesrc=r=%d:color=pink:amplitude=0.05:seed=1", s.SampleRate) + length
	default:
		return fmt.Sprintf("sine=440:r=%d", s.SampleRate) + length
	}
}

func (s Spec) soundArguments() []string {
	args := []string{"-c:a", string(s.SoundCodec), "-ar", strconv.Itoa(s.SampleRate), "-ac", strconv.Itoa(s.Channels)}
	if s.SoundCodec == AAC {
		args = append(args, "-b:a", "96k")
	}
	if s.DecoySound {
		args = append(args, "-disposition:a:0", "0", "-disposition:a:1", "default")
	}
	return args
}

func (s Spec) fileArguments() []string {
	args := []string{"-fflags", "+bitexact", "-flags", "+bitexact", "-map_metadata", "-1"}
	for line := range strings.Lines(s.Tags) {
		args = append(args, "-metadata", strings.TrimSuffix(line, "\n"))
	}
	var flags string
	switch {
	case s.Fragmented:
		flags = "+frag_keyframe+empty_moov+default_base_moof"
	case s.Faststart:
		flags = "+faststart"
	}
	if s.Keys {
		flags += "+use_metadata_tags"
	}
	if iso := s.Format == probe.MP4 || s.Format == probe.MOV || s.Format == probe.M4A; iso && flags != "" {
		args = append(args, "-movflags", flags)
	}
	muxer := map[probe.Format]string{probe.M4A: "ipod"}[s.Format]
	return append(args, "-f", orElse(muxer, string(s.Format)))
}
