package watermark_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
	"veracity/engine/raster"
	"veracity/engine/watermark"
	"veracity/engine/watermark/marktest"
)

func requireAI(t *testing.T, r watermark.Report, kind watermark.Kind, generator string) {
	t.Helper()
	require.Equal(t, engine.AI, r.Verdict, "%+v", r)
	require.GreaterOrEqual(t, r.Score, 96)
	require.LessOrEqual(t, r.Score, 99)
	require.NotEmpty(t, r.Marks)
	require.Equal(t, kind, r.Marks[0].Kind)
	require.Equal(t, generator, r.Marks[0].Generator)
	require.True(t, r.Marks[0].Sure)
	require.Equal(t, engine.Lane{Verdict: engine.AI, Score: r.Score}, r.Lane())
}

func TestAPayloadSurvivesGoodEncodings(t *testing.T) {
	t.Parallel()
	photo := mediatest.Photo(512, 512)
	for k, w := range marktest.Generators() {
		p := w.Mark(photo)
		files := map[string][]byte{"JPEG 98": asJPEG(t, p, 98)}
		if k%3 == 2 {
			files["PNG"], files["WebP 95"] = asPNG(t, p), coded.WebP(t, p, 95)
		}
		for name, file := range files {
			t.Run(w.Payload+" "+name, func(t *testing.T) {
				t.Parallel()
				r := watermark.Read(decoded(t, file))
				requireAI(t, r, watermark.DwtDct, w.Generator)
				require.Equal(t, w.Payload, r.Marks[0].DwtDct.Payload)
			})
		}
	}
}

func TestAPlainPictureSaysNothing(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*image.NRGBA{
		"photograph": mediatest.Photo(512, 384), "quadrants": mediatest.Quadrants(320, 240), "tiny": mediatest.Photo(3, 2),
	} {
		r := watermark.Read(pixels(p))
		require.Equal(t, watermark.Report{Verdict: engine.None, Score: 50, Marks: []watermark.Mark{}}, r, name)
	}
}

func TestATraceIsUncertain(t *testing.T) {
	t.Parallel()
	// A mark on so little of a picture that it drowns in the rest.
	w := marktest.Generators()[3]
	p := mediatest.Photo(512, 384)
	whole := w.Mark(p)
	for part := 8; part <= 384; part += 8 {
		mixed := marktest.Paste(p, marktest.Crop(whole, image.Rect(0, 0, 512, part)), image.Point{})
		r := watermark.Read(pixels(mixed))
		if r.Verdict == engine.None {
			continue
		}
		if r.Verdict == engine.Uncertain {
			require.GreaterOrEqual(t, r.Score, 60)
			require.LessOrEqual(t, r.Score, 75)
			require.False(t, r.Marks[0].Sure)
			return
		}
		require.FailNow(t, "no part of the picture leaves a trace alone")
	}
	require.FailNow(t, "the whole mark is not seen")
}

func TestScoresRiseWithTheEvidence(t *testing.T) {
	t.Parallel()
	w := marktest.Generators()[4]
	p := w.Mark(mediatest.Photo(512, 512))
	clear := watermark.Read(pixels(p))
	weak := watermark.Read(decoded(t, asJPEG(t, p, 92)))
	requireAI(t, clear, watermark.DwtDct, w.Generator)
	require.Equal(t, 99, clear.Score)
	require.LessOrEqual(t, weak.Score, clear.Score)
}

func TestAClipIsDecidedByTheSumAndElseByAnyFrame(t *testing.T) {
	t.Parallel()
	w := marktest.Generators()[3]
	p := mediatest.Photo(512, 288)
	plain, whole := pixels(p), pixels(w.Mark(p))
	read := func(frames ...*raster.Image) (alone []engine.Verdict, together watermark.Report) {
		var clip watermark.Clip
		for _, f := range frames {
			alone = append(alone, clip.Add(f).Verdict)
		}
		return alone, clip.Report()
	}
	alone, together := read(whole, whole)
	require.Equal(t, []engine.Verdict{engine.AI, engine.AI}, alone)
	requireAI(t, together, watermark.DwtDct, w.Generator)
	require.Equal(t, 2, together.Marks[0].DwtDct.Frames)

	strip := pixels(marktest.Strip(mediatest.Photo(512, 512)))
	alone, together = read(plain, strip)
	require.Equal(t, []engine.Verdict{engine.None, engine.AI}, alone)
	requireAI(t, together, watermark.Strip, "DALL·E 2")

	_, together = read(plain, plain)
	require.Equal(t, engine.None, together.Verdict)
	_, together = read()
	require.Equal(t, engine.None, together.Verdict)
}
