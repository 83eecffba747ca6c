package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"strings"
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
			png, _, err := render.Image(t.Context(), decoder, nil, source, render.Provenance{}, nil)
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
	exact := 0
	for _, w := range marktest.Generators()[2:4] {
		source := weaker(t, w.Mark(mediatest.Photo(352, 352)), engine.Uncertain)
		png, out, err := render.Image(t.Context(), decoder, nil, source, render.Provenance{}, nil)
		require.NoError(t, err)
		require.Equal(t, engine.Uncertain, marksIn(t, png).Verdict, w.Payload)
		detail, err := json.Marshal(out.Detail)
		require.NoError(t, err)
		if strings.Contains(string(detail), `"fidelity":"lossless"`) {
			exact++
		}
	}
	require.Positive(t, exact, "what the usual encoding would lose is encoded without loss")
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

// smooth is what luma shows at the coarsest quality as well as at any: an encoder that looks at it alone loses all marks.
func smooth(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.SetNRGBA(x, y, color.NRGBA{uint8(60 + x*120/w), uint8(90 + y*60/h), uint8(200 - x*90/w), 255})
		}
	}
	return p
}

func TestAnOptimizedVideoKeepsItsMark(t *testing.T) {
	t.Parallel()
	const width, height, frames = 384, 256, 12
	for name, c := range map[string]struct {
		picture *image.NRGBA
		mark    marktest.Written
		finer   bool
	}{
		"photograph, SDV2": {mediatest.Photo(width, height+2*frames), marktest.Generators()[2], false},
		"photograph, SDXL": {mediatest.Photo(width, height+2*frames), marktest.Generators()[4], false},
		"smooth, SDXL":     {smooth(width, height+2*frames), marktest.Generators()[4], true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(marktest.Film(t, c.mark.Pan(c.picture, width, height, frames), 8))
			require.NoError(t, err)
			job, tl := jobOn(t, source), tool(t)
			require.Equal(t, engine.AI, marksInFilm(t, tl, job.Path))
			var told steps
			job.Progress = told.tell
			out, err := render.Video(t.Context(), tl, job)
			require.NoError(t, err)
			told.requireWhole(t)
			require.Equal(t, engine.AI, marksInFilm(t, tl, job.Out))
			detail, err := json.Marshal(out.Detail)
			require.NoError(t, err)
			require.Equal(t, c.finer, strings.Contains(string(detail), `"finer_chroma":12`), "%s", detail)
		})
	}
}
