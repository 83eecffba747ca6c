package media

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

func TestOneAccountsFetchesLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	g := newFetchGate(8, 50*time.Millisecond)
	greedy, other := uuid.New(), uuid.New()
	var leaves []func()
	for range 2 {
		leave, err := g.enter(t.Context(), greedy)
		require.NoError(t, err)
		leaves = append(leaves, leave)
	}
	_, err := g.enter(t.Context(), greedy)
	require.Equal(t, fault.EngineUnavailable, fault.CodeOf(err))
	require.Positive(t, fault.From(err).RetryAfter)

	leave, err := g.enter(t.Context(), other)
	require.NoError(t, err)
	leave()

	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	_, err = g.enter(gone, greedy)
	require.ErrorIs(t, err, context.Canceled)

	for _, leave := range leaves {
		leave()
	}
	leave, err = g.enter(t.Context(), greedy)
	require.NoError(t, err)
	leave()
	require.Empty(t, g.accounts, "nobody is remembered once idle")
}
