package media_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/usage"
)

func TestUsageOfJobsIsTheirKeysAndAddsUpToTheLedger(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	key := r.Caller.Key
	check, optimization := r.Check(12), r.Optimize("")
	r.Caller.Key = uuid.Nil // the playground
	played := r.Check(12)
	for _, id := range []uuid.UUID{check, optimization, played} {
		r.Drive(id)
		again, err := r.Work(t.Context(), id) // a queue that wakes a job twice
		require.NoError(t, err)
		require.Zero(t, again)
	}
	rows, err := usage.ByCall(t.Context(), r.DB, r.Caller.Account, time.Now().Add(-24*time.Hour), time.Now())
	require.NoError(t, err)
	type of struct {
		key  uuid.UUID
		call string
	}
	found := map[of]usage.Counts{}
	for _, row := range rows {
		found[of{row.Key, row.Call}] = row.Counts
	}
	require.Equal(t, map[of]usage.Counts{
		{key, usage.Audit}:      {Unavailable: 1, Credits: 3},
		{key, usage.Optimize}:   {Credits: 2},
		{uuid.Nil, usage.Audit}: {Unavailable: 1, Credits: 3},
	}, found)
	r.Sound(usage.Totals(rows).Credits)
}

func TestJobThatFailsHasNoVerdictAndNoCredits(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.Attempts = 1 })
	r.Engine.SetClip(func(context.Context, engine.ClipRequest) (engine.Report, error) {
		return engine.Report{}, errors.New("the engine broke")
	})
	r.Drive(r.Check(12))
	rows, err := usage.ByCall(t.Context(), r.DB, r.Caller.Account, time.Now().Add(-24*time.Hour), time.Now())
	require.NoError(t, err)
	require.Empty(t, rows)
	r.Sound(0)
}
