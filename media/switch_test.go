package media_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
)

// optimize asks for an optimization and gives the refusal's code.
func optimize(t *testing.T, s *media.Service, c media.Caller) fault.Code {
	t.Helper()
	src, err := media.FromBase64("iVBORw0KGgo=")
	require.NoError(t, err)
	_, err = s.StartOptimize(t.Context(), c, src, "", nil)
	return fault.CodeOf(err)
}

func TestSwitchHoldsInEveryProcessWithoutRestart(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	other := r.Open(r.Queue)
	for _, s := range []*media.Service{r.Service, other} {
		require.Empty(t, optimize(t, s, r.Caller), "on as long as nobody has touched it; and now both processes have looked")
	}
	require.NoError(t, r.SetOptimizations(t.Context(), access.CLI(uuid.Nil), false, "storage is full"))
	require.Equal(t, fault.OptimizationsDisabled, optimize(t, r.Service, r.Caller), "at once where it was switched")
	require.Eventually(t, func() bool {
		return optimize(t, other, media.Caller{Account: uuid.New(), Key: uuid.New()}) == fault.OptimizationsDisabled
	}, 5*time.Second, 50*time.Millisecond)
	require.NoError(t, other.SetOptimizations(t.Context(), access.CLI(uuid.Nil), true, "there is room again"))
	require.Empty(t, optimize(t, other, r.Caller))
}

func TestSettingsThatPauseOptimizationsWinOverTheSwitch(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.Optimize = false })
	require.NoError(t, r.SetOptimizations(t.Context(), access.CLI(uuid.Nil), true, "try"))
	require.Equal(t, fault.OptimizationsDisabled, optimize(t, r.Service, r.Caller))
	shown, err := r.OptimizeSwitch(t.Context(), access.CLI(uuid.Nil))
	require.NoError(t, err)
	require.True(t, shown.On)
	require.True(t, shown.Fixed)
}

func TestSwitchSaysWhoTouchedItAndWhy(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	user := uuid.New()
	_, err := r.DB.Exec(t.Context(), `INSERT INTO app_user (id, email, operator) VALUES ($1, 'op@example.com', true)`, user)
	require.NoError(t, err)
	by := access.Actor{User: user, Operator: true, Address: "192.0.2.7"}
	untouched, err := r.OptimizeSwitch(t.Context(), by)
	require.NoError(t, err)
	require.Equal(t, media.Switch{On: true}, untouched)

	require.NoError(t, r.SetOptimizations(t.Context(), by, false, " the engine is sick "))
	shown, err := r.OptimizeSwitch(t.Context(), by)
	require.NoError(t, err)
	require.False(t, shown.On)
	require.Equal(t, "op@example.com", shown.ChangedBy)
	require.Equal(t, "the engine is sick", shown.Reason)
	require.WithinDuration(t, time.Now(), *shown.ChangedAt, time.Minute)
	entries, err := trail.Read(t.Context(), r.DB, by, trail.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, "switch.changed", entries[0].Act)
	require.Equal(t, map[string]string{"on": "false", "reason": "the engine is sick"}, entries[0].Detail)
}

func TestSwitchIsTheOperatorsAlone(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	owner := access.Actor{Account: r.Caller.Account, User: uuid.New(), Role: access.Owner}
	require.Equal(t, fault.Forbidden, fault.CodeOf(r.SetOptimizations(t.Context(), owner, false, "no")))
	_, err := r.OptimizeSwitch(t.Context(), owner)
	require.Equal(t, fault.Forbidden, fault.CodeOf(err))
	require.Equal(t, fault.Forbidden, fault.CodeOf(r.EngineReady(t.Context(), owner)))
	require.NoError(t, r.EngineReady(t.Context(), access.CLI(uuid.Nil)))
	for _, reason := range []string{"", "  ", strings.Repeat("x", 201), "a\x00b", "a\xff"} {
		require.Equal(t, fault.InvalidInput, fault.CodeOf(r.SetOptimizations(t.Context(), access.CLI(uuid.Nil), false, reason)))
	}
	require.Empty(t, optimize(t, r.Service, r.Caller))
}
