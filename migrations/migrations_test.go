package migrations_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/migrations"
	"veracity/platform/postgres/pgtest"
)

func TestMachinesThatStartTogetherMigrateOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, pgtest.Empty())
	require.ErrorIs(t, migrations.Check(t.Context(), db), migrations.ErrBehind)
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = migrations.Up(t.Context(), db) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.NoError(t, migrations.Check(t.Context(), db))
}

func TestEveryMigrationGoesDownAndUpAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, pgtest.Schema{Name: "down", Up: migrations.Up})
	steps, err := migrations.Status(t.Context(), db)
	require.NoError(t, err)
	for range len(steps) - 1 { // River's schema is the last step and stays
		require.NoError(t, migrations.Down(t.Context(), db))
	}
	steps, err = migrations.Status(t.Context(), db)
	require.NoError(t, err)
	for _, s := range steps[:len(steps)-1] {
		require.False(t, s.Applied, s.Name)
	}
	require.True(t, steps[len(steps)-1].Applied)
	require.ErrorIs(t, migrations.Check(t.Context(), db), migrations.ErrBehind)
	require.NoError(t, migrations.Up(t.Context(), db))
	require.NoError(t, migrations.Check(t.Context(), db))
}
