package quota_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/quota"
)

func TestRateTellsWhatIsLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit   int
		ahead   time.Duration
		allowed bool
		want    quota.Rate
	}{
		"first of sixty":   {60, time.Second, true, quota.Rate{Limit: 60, Remaining: 59, Reset: time.Second}},
		"last of sixty":    {60, time.Minute, true, quota.Rate{Limit: 60, Reset: time.Second}},
		"refused":          {60, time.Minute, false, quota.Rate{Limit: 60, Reset: time.Second, RetryAfter: time.Second}},
		"refused, partly":  {60, 59500 * time.Millisecond, false, quota.Rate{Limit: 60, Reset: 500 * time.Millisecond, RetryAfter: 500 * time.Millisecond}},
		"long since quiet": {60, -time.Hour, true, quota.Rate{Limit: 60, Remaining: 60}},
		"no requests":      {0, 0, false, quota.Rate{RetryAfter: time.Minute}},
	} {
		require.Equal(t, c.want, quota.RateAt(c.limit, c.ahead, c.allowed), name)
	}
}

func TestWaitingAsLongAsToldSuffices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 10_000).Draw(rt, "limit")
		ahead := time.Duration(rapid.Int64Range(int64(quota.Window-quota.Emission(limit))+1, int64(quota.Window)).Draw(rt, "ahead"))
		r := quota.RateAt(limit, ahead, false)
		wait := time.Duration(quota.Seconds(r.RetryAfter)) * time.Second
		require.LessOrEqual(rt, ahead-wait+quota.Emission(limit), quota.Window)
	})
}
