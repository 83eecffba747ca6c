package raster_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/raster"
)

// BenchmarkWorstFile decodes, for each format, the costliest file of the largest size that is taken, and reports how
// far the process's memory rises above what it was before ("peak-MB", with the decoded picture in it).
func BenchmarkWorstFile(b *testing.B) {
	for _, w := range worstFiles {
		b.Run(w.name, func(b *testing.B) {
			data := w.make(b)
			require.LessOrEqual(b, int64(len(data)), raster.DefaultConfig().MaxBytes)
			peak := 0.0
			for b.Loop() {
				b.StopTimer()
				debug.FreeOSMemory()
				before := resetPeak(b)
				b.StartTimer()
				_, err := decode(b.Context(), data)
				b.StopTimer()
				require.NoError(b, err)
				peak = max(peak, memory(b, "VmHWM")-before)
				b.StartTimer()
			}
			b.ReportMetric(peak, "peak-MB")
			b.ReportMetric(float64(len(data))/1e6, "file-MB")
		})
	}
}

// BenchmarkPhotograph decodes what callers send most: camera JPEGs of 1 and of 24 megapixels.
func BenchmarkPhotograph(b *testing.B) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"1MP", 1152, 864}, {"24MP", 6000, 4000}} {
		b.Run(size.name, func(b *testing.B) {
			data := mediatest.JPEG(b, size.width, size.height)
			b.SetBytes(int64(size.width * size.height))
			for b.Loop() {
				_, err := decode(b.Context(), data)
				require.NoError(b, err)
			}
		})
	}
}

// resetPeak lets the kernel start the peak anew and gives the present resident size in MB.
func resetPeak(tb testing.TB) float64 {
	tb.Helper()
	require.NoError(tb, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0), "this benchmark needs Linux")
	return memory(tb, "VmRSS")
}

func memory(tb testing.TB, field string) float64 {
	tb.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(tb, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			require.NoError(tb, err)
			return kb / 1000
		}
	}
	tb.Fatalf("no %s in /proc/self/status", field)
	return 0
}
