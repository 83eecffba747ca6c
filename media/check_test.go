package media_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/media"
	"veracity/media/acttest"
)

// A statement that a caller no longer waits for may have been carried out. Whenever he hangs up, what was held for him is
// known, and given back at once rather than when it expires.
func TestCallersWhoHangUpHaveNothingHeld(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	src, err := media.FromBase64("iVBORw0KGgo=")
	require.NoError(t, err)
	for patience := range 200 {
		ctx, hangUp := context.WithTimeout(t.Context(), time.Duration(patience)*50*time.Microsecond)
		_, err := r.CheckImage(ctx, r.Caller, src, nil)
		if err != nil {
			require.ErrorIs(t, err, ctx.Err())
		}
		hangUp()
	}
	r.Sound(r.Balance().Spent)
}
