package dwtdct

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// density is Student's.
func density(x, df float64) float64 {
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	return math.Exp(a-b-(df+1)/2*math.Log1p(x*x/df)) / math.Sqrt(df*math.Pi)
}

// integrated is the tail as the area below the density, by Simpson's rule on x = t + u / (1 - u).
func integrated(t, df float64) float64 {
	const steps = 20000
	at := func(i int) float64 {
		u := float64(i) / steps
		if i == steps {
			return 0
		}
		return density(t+u/(1-u), df) / ((1 - u) * (1 - u))
	}
	sum := at(0) + at(steps)
	for i := 1; i < steps; i++ {
		sum += at(i) * float64(2+i%2*2)
	}
	return sum / 3 / steps
}

func TestTheTailIsTheAreaBelowStudentsDensity(t *testing.T) {
	t.Parallel()
	for _, df := range []float64{15, 23, 30, 46, 134, 222} {
		for _, at := range []float64{0.5, 2, 4, 5, 7, 12, 40} {
			want := integrated(at, df)
			require.InEpsilon(t, want, tail(at, df), 1e-6, "t %g, %g degrees of freedom", at, df)
		}
	}
}

func TestTheTailOfTablesIsMet(t *testing.T) {
	t.Parallel()
	// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
	for _, c := range []struct{ t, df, want float64 }{{1.812, 10, 0.05}, {2.228, 10, 0.025}, {2.750, 30, 0.005}, {3.385, 30, 0.001}} {
		require.InEpsilon(t, c.want, tail(c.t, c.df), 0.002)
	}
}

func TestTheTailIsNeverNegativeNorLost(t *testing.T) {
	t.Parallel()
	for _, at := range []float64{0, 1e-9, 1e3, 1e9, math.Inf(1)} {
		p := tail(at, 30)
		require.False(t, math.IsNaN(p))
		require.GreaterOrEqual(t, p, 0.0)
		require.LessOrEqual(t, p, 0.5+1e-12)
	}
}

func TestPayloadsAreToldApart(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range payloads {
		require.False(t, names[p.name])
		names[p.name] = true
		require.Zero(t, len(p.bits)%p.period)
		set := 0
		for _, bit := range p.bits {
			if bit {
				set++
			}
		}
		require.Greater(t, set, len(p.bits)/4, p.name)
		require.Less(t, set, len(p.bits)*3/4, p.name)
	}
	require.Len(t, lengths, 7)
}

func TestWeighIsTheTTestOfTwoGroups(t *testing.T) {
	t.Parallel()
	p := payload{bits: []bool{true, false, true, true, false, false, true, false}, period: 1}
	means := []float64{0.9, 0.1, 0.7, 0.8, 0.3, 0.2, 0.75, 0.15}
	counts := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	// Pooled: means 0.7875 and 0.1875, squares within 0.021875 and 0.021875, 6 degrees of freedom.
	within := 0.0
	for i, m := range means {
		group := 0.1875
		if p.bits[i] {
			group = 0.7875
		}
		within += (m - group) * (m - group)
	}
	want := 0.6 / math.Sqrt(within/6*(1.0/4+1.0/4))
	got := p.in(means, counts)
	require.InDelta(t, want, got.t, 1e-9)
	require.InDelta(t, 0.6, got.gap, 1e-9)
	counts[3] = 0
	require.InDelta(t, 1, p.in(means, counts).chance, 0, "a bit that no block carries leaves nothing to say")
}
