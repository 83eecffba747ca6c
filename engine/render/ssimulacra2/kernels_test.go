package ssimulacra2

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColoursAreThoseOfTheFormula(t *testing.T) {
	t.Parallel()
	const n, bias = 20_001, 0.0037930732552754493
	r := generator(3)
	var light, xyb [3][]float32
	for c := range light {
		light[c], xyb[c] = make([]float32, n), make([]float32, n)
		for i := range n {
			light[c][i] = r.Float32()
		}
		light[c][0], light[c][1], light[c][2] = 0, 1, 1e-6
	}
	toXYB(&light, &xyb)
	for i := range n {
		red, green, blue := float64(light[0][i]), float64(light[1][i]), float64(light[2][i])
		l := math.Cbrt(0.3*red+0.622*green+0.078*blue+bias) - math.Cbrt(bias)
		m := math.Cbrt(0.23*red+0.692*green+0.078*blue+bias) - math.Cbrt(bias)
		s := math.Cbrt(0.24342268924547819*red+0.20476744424496821*green+0.5518098665095536*blue+bias) - math.Cbrt(bias)
		require.InDelta(t, 14*(l-m)/2+0.42, xyb[0][i], 5e-6)
		require.InDelta(t, (l+m)/2+0.01, xyb[1][i], 1e-6)
		require.InDelta(t, s-(l+m)/2+0.55, xyb[2][i], 1e-6)
	}
}

func TestTheBlurIsAGaussianOfOneAndAHalfPixels(t *testing.T) {
	t.Parallel()
	var rows [window][]float32
	sum, moment := 0.0, 0.0
	for i := range rows {
		rows[i] = make([]float32, window)
		rows[i][i] = 1 // column i sees row i alone
	}
	out := make([]float32, window)
	blurColumns(&rows, out)
	for i, v := range out {
		sum += float64(v)
		moment += float64(v) * float64((i-reach)*(i-reach))
		require.Equal(t, v, out[window-1-i])
		require.InDelta(t, math.Exp(-float64((i-reach)*(i-reach))/(2*1.5*1.5))/(1.5*math.Sqrt(2*math.Pi)), v, 0.002)
	}
	require.InDelta(t, 1, sum, 1e-6)
	require.InDelta(t, 1.5*1.5, moment, 1e-5)
}

func TestAnOddLastPixelCountsTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ upper, lower, want []float32 }{
		{[]float32{1, 3, 8}, []float32{5, 7, 2}, []float32{4, 5}},
		{[]float32{1, 3}, []float32{5, 7}, []float32{4}},
		{[]float32{6}, []float32{2}, []float32{4}},
	} {
		out := make([]float32, len(c.want))
		average(c.upper, c.lower, out)
		require.Equal(t, c.want, out)
	}
}

// The sums must not depend on where a row ends, within whole vectors or pieces or beyond them.
func TestErrorsOfAnyRowLengthAreSummedWhole(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 7, 8, 9, 255, 256, 257, 511, 513, 1024} {
		var blurred [planes][]float32
		for q := range blurred {
			blurred[q] = make([]float32, n+2*reach)
		}
		a, b := make([]float32, n), make([]float32, n)
		for i := range n {
			b[i] = 1 // against a blur of zero: an edge of 1 that the original does not have
			blurred[departure][reach+i] = 0
		}
		var sums errorSums
		addEdges(a, b, &blurred, &sums)
		require.InDelta(t, n, sums[0][artefact], 1e-9)
		require.InDelta(t, n, sums[1][artefact], 1e-9)
		addEdges(b, a, &blurred, &sums)
		require.InDelta(t, float64(n)/2, sums[0][lost], 1e-9)
		require.InDelta(t, float64(n)/16, sums[1][lost], 1e-9)

		for i := range blurred[changed] {
			blurred[changed][i], blurred[power][i], blurred[departure][i] = 0.5, 0.25, 0.25
		}
		addStructure(&blurred, n, &sums)
		require.InDelta(t, float64(n)/4, sums[0][structural], 1e-3*float64(n))
		require.InDelta(t, float64(n)/256, sums[1][structural], 1e-3*float64(n))
	}
}
