package ffmpeg

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"veracity/engine/raster"
)

const (
	// early is by how much a seek aims before a frame, in seconds, so that rounding does not put it behind.
	early = 0.0005
	// near is how far the decoder's time for a frame may lie from the packet's, in seconds: the containers in between round
	// to milliseconds.
	near = 0.0016
	// maxCoded bounds one coded picture in bytes. ProRes at 8K takes some 30 MB.
	maxCoded = 64 << 20
)

// readKeys reads key frames in two starts: the first seeks to each and copies its one packet out, the second decodes these
// packets alone. So no decoder sees more frames than are wanted, whatever its delay, and the decoder has no file to read.
// When its error is ErrUndecodable, the pictures that it gives are valid.
func (t *Tool) readKeys(ctx context.Context, clip Clip, targets []target, size canvas) ([]*raster.Image, error) {
	images := make([]*raster.Image, len(targets))
	coded, complaint := t.copyKeys(ctx, clip, targets)
	if complaint != nil && !errors.Is(complaint, ErrUndecodable) {
		return images, complaint
	}
	found := make([]int, 0, len(targets))
	for i := range targets {
		if len(coded[i]) > 0 {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return images, cmp.Or(complaint, fmt.Errorf("%w: no key frame can be found again", ErrUndecodable))
	}
	err := t.decodeKeys(ctx, clip.Video, targets, coded, found, images, size)
	if len(found) == 1 || !errors.Is(err, ErrUndecodable) {
		return images, err
	}
	// ffmpeg gives up at the first input that it cannot decode: those behind it get a start of their own.
	for _, i := range found {
		if images[i] != nil {
			continue
		}
		alone := t.decodeKeys(ctx, clip.Video, targets, coded, []int{i}, images, size)
		if alone != nil && !errors.Is(alone, ErrUndecodable) {
			return images, alone
		}
	}
	return images, err
}

// decodeKeys decodes those packets whose places are in which, and puts the pictures into the same places of images.
func (t *Tool) decodeKeys(
	ctx context.Context, v *Video, targets []target, coded [][]byte, which []int, images []*raster.Image, size canvas,
) error {
	decode := t.newDecoding(v, size)
	for _, i := range which {
		input := append([]string{"-threads", "1", "-nofind_stream_info", "-noautorotate"}, t.guarded("pipe", between)...)
		decode.input(append(input, "-i", decode.call.feed(coded[i])))
		decode.output("0", targets[i], &images[i])
	}
	return decode.run(ctx, t)
}

// foundByHeader are the codecs whose packets can be copied by what MP4, MOV and WebM say of them in their headers. For
// others ffmpeg looks into the first packets.
var foundByHeader = map[string]bool{
	"h264": true, "hevc": true, "vp8": true, "vp9": true, "av1": true, "prores": true, "dnxhd": true, "mjpeg": true,
	"png": true,
}

// copyKeys seeks to each target, a key frame, and gives its packet in a container of its own, empty when it is not found.
// When its error is ErrUndecodable, what it found is valid.
func (t *Tool) copyKeys(ctx context.Context, clip Clip, targets []target) ([][]byte, error) {
	input, err := t.fileInput(clip.Path, clip.Format)
	if err != nil {
		return nil, err
	}
	c := call{program: t.cfg.FFmpeg, args: append(leading(), "-copyts"), limit: t.cfg.ReadTimeout}
	for _, want := range targets {
		if foundByHeader[clip.Video.Codec] {
			c.args = append(c.args, "-nofind_stream_info")
		}
		c.args = append(c.args, "-seek_timestamp", "1", "-ss", clip.Video.seekTo(want.frame))
		c.args = append(c.args, input...)
	}
	coded := make([]bytes.Buffer, len(targets))
	track := strconv.Itoa(clip.Video.Index)
	for i := range targets {
		c.args = append(c.args, "-map", strconv.Itoa(i)+":"+track, "-c", "copy", "-copypriorss", "0", "-frames:v", "1",
			"-map_metadata", "-1", "-map_chapters", "-1", "-avoid_negative_ts", "disabled", "-f", between, c.take(atMost(maxCoded, &coded[i])))
	}
	err = ofFile(t.run(ctx, c))
	packets := make([][]byte, len(targets))
	for i := range coded {
		packets[i] = coded[i].Bytes()
	}
	return packets, err
}

// atMost reads into b, and fails when there is more than the given number of bytes.
func atMost(most int64, b *bytes.Buffer) func(io.Reader) error {
	return func(r io.Reader) error {
		n, err := io.Copy(b, io.LimitReader(r, most+1))
		if err != nil {
			return fmt.Errorf("read a program's output: %w", err)
		}
		if n > most {
			return fmt.Errorf("%w: one picture takes more than %d bytes", ErrUndecodable, most)
		}
		return nil
	}
}

// scan reads frames that follow one key frame, decoding from it up to the last of them.
func (t *Tool) scan(ctx context.Context, clip Clip, targets []target, size canvas) ([]*raster.Image, error) {
	images := make([]*raster.Image, len(targets))
	input, err := t.fileInput(clip.Path, clip.Format)
	if err != nil {
		return images, err
	}
	decode := t.newDecoding(clip.Video, size)
	decode.input(append([]string{
		"-threads", strconv.Itoa(t.cfg.Threads), "-noautorotate", "-noaccurate_seek", "-seek_timestamp", "1",
		"-ss", clip.Video.seekTo(targets[0].from),
	}, input...))
	for i, want := range targets {
		decode.output(strconv.Itoa(clip.Video.Index), want, &images[i])
	}
	return images, decode.run(ctx, t)
}

// seekTo is the time to seek to for a frame, in seconds on the file's own clock.
func (v *Video) seekTo(frame int) string { return decimal(v.origin + v.shown[frame].at - early) }

func decimal(s float64) string { return strconv.FormatFloat(s, 'f', 6, 64) }

// decoding is one start of ffmpeg that decodes pictures.
type decoding struct {
	call    call
	video   *Video
	size    canvas
	inputs  int
	outputs []string
}

func (t *Tool) newDecoding(v *Video, size canvas) *decoding {
	c := call{program: t.cfg.FFmpeg, args: append(leading(), "-filter_threads", "1", "-copyts"), limit: t.cfg.ReadTimeout}
	return &decoding{call: c, video: v, size: size}
}

func (d *decoding) input(args []string) {
	d.call.args = append(d.call.args, args...)
	d.inputs++
}

// output has the frame at the target's time, from the given track of the input named last, end up in *into.
func (d *decoding) output(track string, want target, into **raster.Image) {
	at := d.video.origin + d.video.shown[want.frame].at
	filters := []string{"select='between(t," + decimal(at-near) + "," + decimal(at+near) + ")'", d.size.filters()}
	d.outputs = append(d.outputs, "-map", strconv.Itoa(d.inputs-1)+":"+track, "-vf", strings.Join(filters, ","),
		"-fps_mode", "passthrough", "-frames:v", "1", "-c:v", "rawvideo", "-f", "rawvideo", d.call.take(d.size.into(into)))
}

func (d *decoding) run(ctx context.Context, t *Tool) error {
	d.call.args = append(d.call.args, d.outputs...)
	return ofFile(t.run(ctx, d.call))
}

// into reads one raw picture. None at all is no error: the frame did not come out. Memory is taken when the first byte
// is there, so that pictures which come one after the other take it one after the other.
func (c canvas) into(image **raster.Image) func(io.Reader) error {
	return func(r io.Reader) error {
		var first [1]byte
		_, err := io.ReadFull(r, first[:])
		if err == nil {
			pixels := make([]byte, c.bytes())
			pixels[0] = first[0]
			if _, err = io.ReadFull(r, pixels[1:]); err == nil {
				*image = c.develop(pixels)
			}
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("read a picture: %w", err)
		}
		return nil
	}
}
