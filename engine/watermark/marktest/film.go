package marktest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// patience bounds the making of one film on a busy machine.
const patience = 2 * time.Minute

// Film writes frames, 8 a second, as an MP4 of H.264 at a quality (CRF) into a folder of the test's own, and gives its
// path.
func Film(tb testing.TB, frames []*image.NRGBA, crf int) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	path := filepath.Join(tb.TempDir(), "film.mp4")
	size := frames[0].Rect.Size()
	//nolint:gosec // the arguments are a test's
	cmd := exec.CommandContext(ctx, "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
		"-f", "rawvideo", "-pix_fmt", "rgba", "-framerate", "8", "-s", fmt.Sprintf("%dx%d", size.X, size.Y), "-i", "pipe:0",
		"-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int,format=yuv420p",
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-c:v", "libx264", "-preset", "veryfast", "-crf", strconv.Itoa(crf), "-threads", "1", path)
	var raw bytes.Buffer
	for _, f := range frames {
		raw.Write(f.Pix)
	}
	cmd.Stdin = &raw
	if said, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("make a film: %v: %s", err, said)
	}
	return path
}

// Pan are frames of a size over which a camera goes two pixels down a frame, each with the mark.
func (d DwtDct) Pan(p *image.NRGBA, width, height, frames int) []*image.NRGBA {
	out := make([]*image.NRGBA, frames)
	for k := range out {
		out[k] = d.Mark(Crop(p, image.Rect(0, 2*k, width, 2*k+height)))
	}
	return out
}
