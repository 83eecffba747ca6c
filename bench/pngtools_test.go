package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// copier is a lossy tool that keeps a picture from the given quality on and else gives another one.
func copier(worse string, enough int) pngTool {
	return pngTool{name: "copier", lossy: true, steps: []func(string, string, int) []string{
		func(in, out string, quality int) []string {
			if quality < enough {
				in = worse
			}
			return []string{"cp", in, out}
		},
	}}
}

func TestLeastQualityThatIsAsMuchAlikeIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, worse := filepath.Join(dir, "source.png"), filepath.Join(dir, "worse.png")
	picture := paint(48, 48, 1, foliage)
	for path, p := range map[string]func(u, v float64) ink{source: foliage, worse: portrait} {
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, png.Encode(f, paint(48, 48, 1, p)))
		require.NoError(t, f.Close())
	}
	for _, enough := range []int{0, 1, 63, 100} {
		made, reached, err := copier(worse, enough).best(t.Context(), picture, source, dir, 95)
		require.NoError(t, err)
		require.True(t, reached)
		require.InDelta(t, 100, made.score, 0)
		require.Contains(t, made.by, "quality "+strconv.Itoa(enough))
	}
	_, reached, err := copier(worse, 101).best(t.Context(), picture, source, dir, 95)
	require.NoError(t, err)
	require.False(t, reached)
	broken := pngTool{lossy: true, steps: []func(string, string, int) []string{
		func(string, string, int) []string { return []string{"false"} },
	}}
	_, _, err = broken.best(t.Context(), picture, source, dir, 95)
	require.Error(t, err)
}

func TestMissingProgramsAreNamed(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"no-such-program"}, pngTool{needs: []string{"sh", "no-such-program"}}.missing())
}
