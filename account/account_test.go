package account_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/quota"
)

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
	_, err = a.CreateKey(t.Context(), access.CLI(acc.ID), "k")
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
		"no e-mail":               {"owner", "pro", account.Overrides{}, fault.InvalidEmail},
		"name beside the e-mail":  {"A <a@example.com>", "pro", account.Overrides{}, fault.InvalidEmail},
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

	acc, err := a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{Credits: ptr(int64(5)), Keys: ptr(1)})
	require.NoError(t, err)
	require.Equal(t, account.Limits{Credits: 5, RPM: 7, Jobs: 2, Keys: 1}, acc.Limits)
	b, err := quota.Read(t.Context(), a.DB, acc.ID)
	require.NoError(t, err)
	require.Equal(t, int64(5), b.Available)

	_, err = a.SetLimits(t.Context(), access.CLI(uuid.New()), account.Overrides{Keys: ptr(1)})
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(err))
}

func TestLimitsCanBeThePlansAgain(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "starter", account.Overrides{Credits: ptr(int64(5)), RPM: ptr(7), Jobs: ptr(9), Keys: ptr(1)})
	require.Equal(t, account.Overrides{Credits: ptr(int64(5)), RPM: ptr(7), Jobs: ptr(9), Keys: ptr(1)}, acc.Overrides)
	acc, err := a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{Jobs: ptr(3), Clear: account.Cleared{Credits: true, RPM: true}})
	require.NoError(t, err)
	require.Equal(t, account.Limits{Credits: 1_000, RPM: 60, Jobs: 3, Keys: 1}, acc.Limits)
	b, err := quota.Read(t.Context(), a.DB, acc.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1_000), b.Granted, "the open period follows")
	acc, err = a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{Clear: account.Cleared{Jobs: true, Keys: true}})
	require.NoError(t, err)
	require.Equal(t, account.Overrides{}, acc.Overrides)

	entries, err := trail.Read(t.Context(), a.DB, access.CLI(acc.ID), trail.Filter{Account: acc.ID})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"credits": "as the plan", "rpm": "as the plan", "jobs": "3"}, entries[1].Detail)

	_, err = a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{Keys: ptr(1), Clear: account.Cleared{Keys: true}})
	require.Equal(t, fault.InvalidLimit, fault.CodeOf(err), "set and cleared at once")
}

func TestCreditsCannotBeSetBelowWhatIsSpent(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "starter", account.Overrides{Credits: ptr(int64(5000))})
	_, err := quota.Hold(t.Context(), a.DB, quota.Request{Account: acc.ID, Amount: 2000})
	require.NoError(t, err)
	for name, o := range map[string]account.Overrides{
		"set": {Credits: ptr(int64(1999))}, "cleared": {Clear: account.Cleared{Credits: true}},
	} {
		_, err := a.SetLimits(t.Context(), access.CLI(acc.ID), o)
		require.Equal(t, fault.InvalidLimit, fault.CodeOf(err), name)
	}
	acc, err = a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, int64(5000), acc.Limits.Credits, "a refused change leaves nothing")
	require.Equal(t, []string{"cli account.created"}, acts(t, a, acc.ID))
}

func TestSuspensionStopsKeysUntilItIsLifted(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	key, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "k")
	require.NoError(t, err)

	require.NoError(t, a.Suspend(t.Context(), access.CLI(acc.ID)))
	_, err = a.Authenticate(t.Context(), key.Key)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))

	require.NoError(t, a.Resume(t.Context(), access.CLI(acc.ID)))
	_, err = a.Authenticate(t.Context(), key.Key)
	require.NoError(t, err)
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(a.Suspend(t.Context(), access.CLI(uuid.New()))))
}

func TestSuspensionRemembersAFailedPayment(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.PaymentFailed))
	require.NoError(t, a.Suspend(t.Context(), access.CLI(acc.ID)))
	require.NoError(t, a.Suspend(t.Context(), access.CLI(acc.ID)), "twice is once")
	acc, err := a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, account.Suspended, acc.State)
	require.NoError(t, a.Resume(t.Context(), access.CLI(acc.ID)))
	acc, err = a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, account.PaymentFailed, acc.State)
	require.Equal(t, []string{"cli account.created", "cli account.suspended", "cli account.resumed"}, acts(t, a, acc.ID))
	require.Error(t, a.SetState(t.Context(), acc.ID, account.Suspended), "a suspension is no word of the payments")
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(a.SetState(t.Context(), uuid.New(), account.Active)))
}

func TestResumeDoesNotMendAFailedPayment(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.PaymentFailed))
	require.NoError(t, a.Resume(t.Context(), access.CLI(acc.ID)))
	acc, err := a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, account.PaymentFailed, acc.State)
}
