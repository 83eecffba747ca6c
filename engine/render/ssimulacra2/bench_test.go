package ssimulacra2

import "testing"

// BenchmarkOneWorker compares a megapixel on one core.
func BenchmarkOneWorker(b *testing.B) {
	m := draw("landscape", 1024, 1024)
	p := newPair(m, noise(m, 6))
	for b.Loop() {
		if _, err := p.measure(b.Context(), p.cut(partWidth, partHeight), scalesOf(p.width, p.height), 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1024*1024), "ns/px")
}
