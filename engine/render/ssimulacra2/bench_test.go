package ssimulacra2

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const megapixel = 1024 * 1024

// BenchmarkOneCore compares a megapixel on one core; ns/px is what a pixel takes.
func BenchmarkOneCore(b *testing.B) {
	m := draw("landscape", 1024, 1024)
	p := newPair(m, noise(m, 6))
	parts, scales := cut(p.width, p.height, partWidth, partHeight), scalesOf(p.width, p.height)
	for b.Loop() {
		_, err := measure(b.Context(), &p, parts, scales, 1)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/megapixel, "ns/px")
}

// BenchmarkLargest compares pictures of the most pixels on all cores, whole and by tiles.
func BenchmarkLargest(b *testing.B) {
	m := draw("landscape", 5000, 5000)
	d := noise(m, 6)
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := Compare(b.Context(), m, d)
			require.NoError(b, err)
		}
	})
	b.Run("tiles", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := CompareTiles(b.Context(), m, d, 256, 16)
			require.NoError(b, err)
		}
	})
}
