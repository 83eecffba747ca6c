package render_test

import (
	"fmt"
	"hash/maphash"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
	"veracity/engine/probe"
	"veracity/engine/render"
	"veracity/engine/render/still"
	"veracity/platform/fault"
)

// Log-odds at which the scripted model says so.
const made, doubtful, captured = 6.0, 0.0, -6.0

const lookedAt = 4 // patches of a picture

// picky says one thing of the patches that it was shown first, and another of any that differ in a single value.
func picky(first, then float64) *pixelstest.Network {
	seed, known := maphash.MakeSeed(), map[uint64]bool{}
	return pixelstest.Patches(64, lookedAt, func(patch []float32) model.Row {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, v := range patch {
			h.WriteByte(byte(math.Round(float64(v))))
		}
		if len(known) < lookedAt {
			known[h.Sum64()] = true
		}
		if known[h.Sum64()] {
			return model.Row{Raw: first}
		}
		return model.Row{Raw: then}
	})
}

// fickle says one thing of the first picture, and another of all that follow.
func fickle(first, then float64) *pixelstest.Network {
	n := 0
	return pixelstest.Patches(64, lookedAt, func([]float32) model.Row {
		if n++; n <= lookedAt {
			return model.Row{Raw: first}
		}
		return model.Row{Raw: then}
	})
}

func photo(t *testing.T) []byte {
	t.Helper()
	return mediatest.PNG(t, 384, 256, mediatest.WithPicture(mediatest.Photo(384, 256)))
}

// fidelityOf is how a picture was encoded.
func fidelityOf(t *testing.T, out engine.Rendered) string {
	t.Helper()
	return fmt.Sprintf("%+v", out.Detail.(render.Detail).Encoding)
}

func TestAnOptimizedImageReadsAsItsSourceDoes(t *testing.T) {
	t.Parallel()
	source := photo(t)
	_, out, err := render.Image(t.Context(), decoder, nil, source, render.Provenance{}, nil)
	require.NoError(t, err)
	require.Contains(t, fidelityOf(t, out), string(still.VisuallyLossless))
	require.Nil(t, out.Detail.(render.Detail).Pixels, "without a model nothing changes")

	for name, c := range map[string]struct {
		model *pixelstest.Network
		want  engine.Verdict
		exact bool
	}{
		"made, whatever becomes of it":     {picky(made, made), engine.AI, false},
		"made, and in doubt once encoded":  {picky(made, doubtful), engine.AI, true},
		"made, and captured once encoded":  {picky(made, captured), engine.AI, true},
		"in doubt, and captured":           {picky(doubtful, captured), engine.Uncertain, true},
		"captured, and in doubt":           {picky(captured, doubtful), engine.Real, true},
		"captured, whatever becomes of it": {picky(captured, captured), engine.Real, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told steps
			png, out, err := render.Image(t.Context(), decoder, c.model, source, render.Provenance{}, told.tell)
			require.NoError(t, err)
			told.requireWhole(t)
			require.Equal(t, &render.PixelsKept{Source: c.want, Output: c.want}, out.Detail.(render.Detail).Pixels)
			if c.exact {
				require.Contains(t, fidelityOf(t, out), string(still.Lossless+" "))
			} else {
				require.Contains(t, fidelityOf(t, out), string(still.VisuallyLossless))
			}
			shown, err := decoder.Decode(t.Context(), png, probe.PNG)
			require.NoError(t, err)
			said, err := pixels.Read(t.Context(), c.model, shown)
			require.NoError(t, err)
			require.Equal(t, c.want, said.Verdict)
		})
	}
}

func TestAnImageThatNothingKeepsIsTakenIntoDoubtButNeverIntoReal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model *pixelstest.Network
		want  *render.PixelsKept
	}{
		"made becomes in doubt":     {fickle(made, doubtful), &render.PixelsKept{Source: engine.AI, Output: engine.Uncertain}},
		"captured becomes in doubt": {fickle(captured, doubtful), &render.PixelsKept{Source: engine.Real, Output: engine.Uncertain}},
		"made becomes captured":     {fickle(made, captured), nil},
		"in doubt becomes captured": {fickle(doubtful, captured), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, out, err := render.Image(t.Context(), decoder, c.model, photo(t), render.Provenance{}, nil)
			if c.want == nil {
				require.Equal(t, fault.Stage1Failed, fault.CodeOf(err), "%v", err)
				require.Contains(t, fault.From(err).Message, "captured")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, out.Detail.(render.Detail).Pixels)
		})
	}
}

func TestALoadedModelReadsSourceAndOutput(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	_, out, err := render.Image(t.Context(), decoder, m, photo(t), render.Provenance{}, nil)
	require.NoError(t, err)
	require.Equal(t, &render.PixelsKept{Source: engine.Uncertain, Output: engine.Uncertain}, out.Detail.(render.Detail).Pixels)
}
