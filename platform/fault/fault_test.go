package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

func TestFaultKeepsItsCauseFromTheCaller(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial 10.0.0.7")
	err := fmt.Errorf("check image: %w", fault.Wrap(cause, fault.EngineUnavailable, "Try again in %d s.", 2))
	f := fault.From(err)
	require.Equal(t, fault.EngineUnavailable, f.Code)
	require.Equal(t, "Try again in 2 s.", f.Message)
	require.ErrorIs(t, err, cause)
	require.Contains(t, f.Error(), "10.0.0.7", "the log has it")
}

func TestUnknownErrorSaysNothing(t *testing.T) {
	t.Parallel()
	f := fault.From(errors.New("password wrong for user veracity"))
	require.Equal(t, fault.InternalError, f.Code)
	require.NotContains(t, f.Message, "veracity")
	require.Contains(t, f.Error(), "password wrong")
	require.Nil(t, fault.From(nil))
	require.Empty(t, fault.CodeOf(nil))
}

func TestFaultsAreTheSameByCode(t *testing.T) {
	t.Parallel()
	base := fault.New(fault.RateLimited, "slow down")
	later := base.WithRetryAfter(time.Second).WithDetail(1)
	require.ErrorIs(t, later, fault.New(fault.RateLimited, ""))
	require.NotErrorIs(t, later, fault.New(fault.TooManyJobs, ""))
	require.Zero(t, base.RetryAfter, "a copy is changed, not the original")
	require.Nil(t, base.Detail)
}
