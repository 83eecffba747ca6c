package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/media"
)

func TestEachStartedUnitIsCharged(t *testing.T) {
	t.Parallel()
	p := media.DefaultPrices()
	for _, row := range []struct {
		seconds                float64
		check, optimize, voice int64
	}{
		{0.04, 1, 1, 1},
		{1, 1, 1, 1},
		{1.01, 1, 2, 1},
		{5, 1, 5, 1},
		{5.2, 2, 6, 1},
		{10, 2, 10, 1},
		{10.5, 3, 11, 2},
		{180, 36, 180, 18},
	} {
		require.Equal(t, row.check, p.VideoCheckPrice(row.seconds), "check of %v s", row.seconds)
		require.Equal(t, row.optimize, p.VideoOptimizePrice(row.seconds), "optimization of %v s", row.seconds)
		require.Equal(t, row.voice, p.VoiceCheckPrice(row.seconds), "voice check of %v s", row.seconds)
	}
}

func TestNothingIsFree(t *testing.T) {
	t.Parallel()
	p := media.DefaultPrices()
	require.NoError(t, p.Validate())
	p.ImageCheck = 0
	require.Error(t, p.Validate())
}
