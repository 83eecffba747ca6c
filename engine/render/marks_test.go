package render_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/engine/render"
	"veracity/engine/watermark"
	"veracity/engine/watermark/marktest"
)

// marksIn is what the watermark lane says of an image file.
func marksIn(t *testing.T, file []byte) engine.Lane {
	t.Helper()
	m, err := decoder.Decode(t.Context(), file, probe.Sniff(file[:min(len(file), probe.HeadBytes)]))
	require.NoError(t, err)
	return watermark.Read(m).Lane()
}

func TestAnOptimizedImageKeepsItsMarks(t *testing.T) {
	t.Parallel()
	photo := mediatest.Photo(384, 256)
	sources := map[string][]byte{
		"strip":          mediatest.PNG(t, 256, 256, mediatest.WithPicture(marktest.Strip(mediatest.Photo(256, 256)))),
		"stealth":        mediatest.PNG(t, 96, 64, mediatest.WithPicture(marktest.Stealth(mediatest.Photo(96, 64), "stealth_rgbcomp", infotext))),
		"stealth, alpha": mediatest.PNG(t, 96, 64, mediatest.WithPicture(marktest.Stealth(mediatest.Photo(96, 64), "stealth_pnginfo", infotext))),
	}
	for _, w := range marktest.Generators()[2:5] {
		sources[fmt.Sprintf("%s %v", w.Payload, w.Swapped)] = mediatest.PNG(t, 384, 256, mediatest.WithPicture(w.Mark(photo)))
	}
	jpeg := mediatest.WithPicture(marktest.Generators()[0].Mark(photo))
	sources["a JPEG"] = mediatest.JPEG(t, 384, 256, jpeg, mediatest.WithQuality(97))
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := marksIn(t, source)
			require.Equal(t, engine.AI, before.Verdict)
			png, _, err := render.Image(t.Context(), decoder, source, render.Provenance{}, nil)
			require.NoError(t, err)
			require.Equal(t, engine.AI, marksIn(t, png).Verdict)
		})
	}
}

// weaker encodes a picture at falling qualities until the lane says no more than want.
func weaker(t *testing.T, p image.Image, want engine.Verdict) []byte {
	t.Helper()
	for quality := 97; quality > 60; quality-- {
		var b bytes.Buffer
		require.NoError(t, jpeg.Encode(&b, p, &jpeg.Options{Quality: quality}))
		if marksIn(t, b.Bytes()).Verdict == want {
			return b.Bytes()
		}
	}
	require.FailNow(t, "no quality leaves what is wanted")
	return nil
}

func TestATraceOfAMarkIsKeptToo(t *testing.T) {
	t.Parallel()
	for _, w := range marktest.Generators()[:4] {
		t.Run(w.Payload, func(t *testing.T) {
			t.Parallel()
			source := weaker(t, w.Mark(mediatest.Photo(512, 512)), engine.Uncertain)
			png, out, err := render.Image(t.Context(), decoder, source, render.Provenance{}, nil)
			require.NoError(t, err)
			require.Equal(t, engine.Uncertain, marksIn(t, png).Verdict)
			t.Log(out.Detail.(render.Detail).Encoding, out.Score)
		})
	}
}

// marksInFilm is what the watermark lane says of a video file.
func marksInFilm(t *testing.T, tool *ffmpeg.Tool, path string) engine.Verdict {
	t.Helper()
	clip, err := tool.Probe(t.Context(), path, probe.MP4)
	require.NoError(t, err)
	frames, err := tool.Frames(t.Context(), clip, engine.ReadingTimes(clip.Seconds), engine.MaxFrameSide)
	require.NoError(t, err)
	var marks watermark.Clip
	for _, f := range frames {
		marks.Add(f.Image)
	}
	return marks.Report().Verdict
}

func TestAnOptimizedVideoKeepsItsMark(t *testing.T) {
	t.Parallel()
	const width, height, frames = 512, 288, 16
	photo := mediatest.Photo(width, height+2*frames)
	for _, w := range marktest.Generators() {
		name := w.Payload
		if w.Swapped {
			name += ", swapped"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(marktest.Film(t, w.Pan(photo, width, height, frames), 6))
			require.NoError(t, err)
			job, tl := jobOn(t, source), tool(t)
			require.Equal(t, engine.AI, marksInFilm(t, tl, job.Path))
			var told steps
			job.Progress = told.tell
			out, err := render.Video(t.Context(), tl, job)
			require.NoError(t, err)
			told.requireWhole(t)
			require.Equal(t, engine.AI, marksInFilm(t, tl, job.Out))
			t.Log(out.Detail.(render.Detail).Encoding, out.Detail.(render.Detail).Mode, out.Score)
		})
	}
}
