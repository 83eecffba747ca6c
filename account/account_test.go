package account_test

import (
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/billing"
	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/platform/seal"
	"veracity/quota"
)

func setup(t *testing.T) *account.Accounts {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey("test"))
	require.NoError(t, err)
	return &account.Accounts{DB: schematest.New(t), Seal: ring, Plans: billing.Plans(), Log: slog.New(slog.DiscardHandler)}
}

func create(t *testing.T, a *account.Accounts, plan string, o account.Overrides) account.Account {
	t.Helper()
	acc, err := a.Create(t.Context(), uuid.NewString()+"@example.com", plan, o)
	require.NoError(t, err)
	return acc
}

func ptr[T any](v T) *T { return &v }

func TestCreateOpensTheFirstMonthAtOnce(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.Equal(t, account.Active, acc.State)
	require.Equal(t, account.Limits{Credits: 10_000, RPM: 300, Jobs: 5, Keys: 10}, acc.Limits)
	b, err := quota.Read(t.Context(), a.DB, acc.ID)
	require.NoError(t, err)
	require.Equal(t, int64(10_000), b.Available)
}

func TestFreePlanHasNeitherPeriodNorKeys(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "free", account.Overrides{})
	require.Equal(t, account.PlanRequired, acc.State)
	b, err := quota.Read(t.Context(), a.DB, acc.ID)
	require.NoError(t, err)
	require.Zero(t, b)
	_, err = a.CreateKey(t.Context(), acc.ID, "k")
	f := fault.From(err)
	require.Equal(t, fault.PlanRequired, f.Code)
	require.Contains(t, f.Message, "free")
}

func TestCreateRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	a := setup(t)
	_, err := a.Create(t.Context(), "Owner@Example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		email, plan string
		o           account.Overrides
		want        fault.Code
	}{
		"e-mail in other letters": {"owner@example.COM", "pro", account.Overrides{}, fault.EmailTaken},
		"no e-mail":               {"owner", "pro", account.Overrides{}, fault.InvalidName},
		"name beside the e-mail":  {"A <a@example.com>", "pro", account.Overrides{}, fault.InvalidName},
		"unknown plan":            {"a@example.com", "gold", account.Overrides{}, fault.UnknownPlan},
		"negative credits":        {"a@example.com", "pro", account.Overrides{Credits: ptr(int64(-1))}, fault.InvalidLimit},
		"mad rate":                {"a@example.com", "pro", account.Overrides{RPM: ptr(100_000_000)}, fault.InvalidLimit},
	} {
		_, err := a.Create(t.Context(), c.email, c.plan, c.o)
		require.Equal(t, c.want, fault.CodeOf(err), name)
	}
}

func TestLimitsHoldAtOnce(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "starter", account.Overrides{RPM: ptr(7)})
	require.Equal(t, 7, acc.Limits.RPM)
	require.Equal(t, 2, acc.Limits.Jobs)

	acc, err := a.SetLimits(t.Context(), acc.ID, account.Overrides{Credits: ptr(int64(5)), Keys: ptr(1)})
	require.NoError(t, err)
	require.Equal(t, account.Limits{Credits: 5, RPM: 7, Jobs: 2, Keys: 1}, acc.Limits)
	b, err := quota.Read(t.Context(), a.DB, acc.ID)
	require.NoError(t, err)
	require.Equal(t, int64(5), b.Available)

	_, err = a.SetLimits(t.Context(), uuid.New(), account.Overrides{Keys: ptr(1)})
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(err))
}

func TestSuspensionStopsKeysUntilItIsLifted(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	key, err := a.CreateKey(t.Context(), acc.ID, "k")
	require.NoError(t, err)

	require.NoError(t, a.Suspend(t.Context(), acc.ID))
	_, err = a.Authenticate(t.Context(), key.Key)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))

	require.NoError(t, a.Resume(t.Context(), acc.ID))
	_, err = a.Authenticate(t.Context(), key.Key)
	require.NoError(t, err)
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(a.Suspend(t.Context(), uuid.New())))
}

func TestResumeDoesNotMendAFailedPayment(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.PaymentFailed))
	require.NoError(t, a.Resume(t.Context(), acc.ID))
	acc, err := a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, account.PaymentFailed, acc.State)
}
