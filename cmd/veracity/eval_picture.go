package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"os"
	"os/exec"
	"sync"

	"veracity/engine/probe"
	"veracity/engine/raster"
)

// picture is an image's pixels as the engine sees them: upright, sRGB, on white where it is transparent.
type picture struct {
	width, height int
	// rgb has three bytes a pixel.
	rgb []byte
}

// pictureDecoder is the engine's own decoder, so that a variant differs from the file by its treatment alone. The files are
// those of an operator's list, and this process holds no key and no database; callers' files never come here.
var pictureDecoder = sync.OnceValues(func() (*raster.Decoder, error) {
	return raster.Startup(raster.DefaultConfig(), slog.New(slog.DiscardHandler))
})

func openPicture(ctx context.Context, path string) (picture, error) {
	decoder, err := pictureDecoder()
	if err != nil {
		return picture{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return picture{}, err
	}
	m, err := decoder.Decode(ctx, data, probe.Sniff(data[:min(len(data), probe.HeadBytes)]))
	if err != nil {
		return picture{}, err
	}
	return flatten(m), nil
}

func flatten(m *raster.Image) picture {
	p := picture{width: m.Width, height: m.Height, rgb: m.Pix}
	if m.Channels == 3 {
		return p
	}
	p.rgb = make([]byte, 0, 3*m.Width*m.Height)
	for i := 0; i < len(m.Pix); i += 4 {
		alpha := uint16(m.Pix[i+3])
		for _, v := range m.Pix[i : i+3] {
			p.rgb = append(p.rgb, uint8((uint16(v)*alpha+255*(255-alpha)+127)/255&0xff))
		}
	}
	return p
}

// size is the flag of a raw picture's size.
func (p picture) size() string { return fmt.Sprintf("%dx%d", p.width, p.height) }

// asJPEG85 saves as JPEG of quality 85 with the standard's tables and halved chroma, as most programs do.
func asJPEG85(_ context.Context, _ string, p picture, out string) error { return p.saveJPEG(out, 85) }

func (p picture) saveJPEG(out string, quality int) error {
	m := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
	for i := range p.width * p.height {
		copy(m.Pix[4*i:], p.rgb[3*i:3*i+3])
		m.Pix[4*i+3] = 255
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o600)
}

// scaledQuality is that of scaled pictures, high enough that it is the scaling which tells.
const scaledQuality = 95

// asThreeQuarters scales both sides to three quarters, with a bicubic filter as wide as the scaling asks for.
func asThreeQuarters(ctx context.Context, ffmpeg string, p picture, out string) error {
	small := picture{width: max(1, p.width*3/4), height: max(1, p.height*3/4)}
	var b bytes.Buffer
	cmd := p.into(ctx, ffmpeg, "-vf", "scale="+fmt.Sprintf("%d:%d", small.width, small.height)+":flags=bicubic+accurate_rnd+full_chroma_int",
		"-f", "rawvideo", "-pix_fmt", "rgb24", "-")
	cmd.Stdout = &b
	if err := runFFmpeg(cmd); err != nil {
		return err
	}
	if small.rgb = b.Bytes(); len(small.rgb) != 3*small.width*small.height {
		return fmt.Errorf("ffmpeg gave %d bytes for %s pixels", len(small.rgb), small.size())
	}
	return small.saveJPEG(out, scaledQuality)
}

// asWebP80 saves as lossy WebP of quality 80, the usual choice of web pipelines.
func asWebP80(ctx context.Context, ffmpeg string, p picture, out string) error {
	return runFFmpeg(p.into(ctx, ffmpeg, "-c:v", "libwebp", "-pix_fmt", "yuv420p", "-quality", "80", "-y", out))
}

// into is an ffmpeg that reads the picture.
func (p picture) into(ctx context.Context, ffmpeg string, flags ...string) *exec.Cmd {
	args := []string{"-v", "error", "-threads", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", p.size(), "-i", "-", "-threads", "1"}
	cmd := exec.CommandContext(ctx, ffmpeg, append(args, flags...)...) //nolint:gosec // The operator's program, and flags of ours.
	cmd.Stdin = bytes.NewReader(p.rgb)
	return cmd
}
