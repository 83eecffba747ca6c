package account_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// bill makes an account follow its payments and reports whether anything changed.
func bill(t *testing.T, a *account.Accounts, id uuid.UUID, b account.Billed) (changed bool) {
	t.Helper()
	require.NoError(t, postgres.Tx(t.Context(), a.DB, func(tx pgx.Tx) (err error) {
		changed, err = a.SetBilled(t.Context(), tx, id, b)
		return err
	}))
	return changed
}

// names are the letters that were asked for, with their detail.
func names(t *testing.T, a *account.Accounts) []string {
	t.Helper()
	var said []string
	for _, l := range letters(t, a) {
		said = append(said, string(l.Name)+" "+l.Detail)
	}
	return said
}

func TestAnAccountFollowsItsPayments(t *testing.T) {
	t.Parallel()
	a := setup(t)
	id := create(t, a, "free", account.Overrides{}).ID
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	end := until.Format(time.RFC3339)
	for _, step := range []struct {
		name    string
		billed  account.Billed
		changed bool
		letters []string
		acts    []string
	}{
		{"bought", account.Billed{Plan: "starter", State: account.Active}, true, []string{"plan_changed free"}, []string{"system account.plan"}},
		{"said again", account.Billed{Plan: "starter", State: account.Active}, false, nil, nil},
		{"larger", account.Billed{Plan: "pro", State: account.Active}, true, []string{"plan_changed starter"}, []string{"system account.plan"}},
		{"not paid", account.Billed{Plan: "pro", State: account.PaymentFailed}, true, []string{"payment_failed "}, []string{"system account.payment_failed"}},
		{"mended", account.Billed{Plan: "pro", State: account.Active}, true, nil, []string{"system account.payment_mended"}},
		{"cancelled", account.Billed{Plan: "pro", State: account.Active, Until: &until}, true, []string{"subscription_canceled " + end}, []string{"system account.plan_ends"}},
		{"kept", account.Billed{Plan: "pro", State: account.Active}, true, nil, []string{"system account.plan_goes_on"}},
		{"cancelled again", account.Billed{Plan: "pro", State: account.Active, Until: &until}, true, []string{"subscription_canceled " + end}, []string{"system account.plan_ends"}},
		{"over, as was said", account.Billed{State: account.PlanRequired}, true, nil, []string{"system account.plan"}},
		{"bought anew", account.Billed{Plan: "pro", State: account.Active}, true, []string{"plan_changed free"}, []string{"system account.plan"}},
		{"over at once", account.Billed{State: account.PlanRequired}, true, []string{"subscription_canceled "}, []string{"system account.plan"}},
		{"over, said again", account.Billed{State: account.PlanRequired}, false, nil, nil},
	} {
		before := len(acts(t, a, id))
		require.Equal(t, step.changed, bill(t, a, id, step.billed), step.name)
		require.Equal(t, step.letters, names(t, a), step.name)
		require.Equal(t, step.acts, append([]string(nil), acts(t, a, id)[before:]...), step.name)
		acc, err := a.Get(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, step.billed.State, acc.State, step.name)
		if step.billed.Plan != "" {
			require.Equal(t, []any{step.billed.Plan, "stripe"}, []any{acc.Plan, acc.BilledBy}, step.name)
		} else {
			require.Equal(t, []any{"free", "none"}, []any{acc.Plan, acc.BilledBy}, step.name)
			require.Nil(t, acc.AccessUntil)
		}
	}
	require.Equal(t, int64(10_000), func() int64 {
		bill(t, a, id, account.Billed{Plan: "pro", State: account.Active})
		acc, err := a.Get(t.Context(), id)
		require.NoError(t, err)
		return acc.Limits.Credits
	}(), "the plan's limits come with it")
}

func TestACancelledPlanEndsByTheClock(t *testing.T) {
	t.Parallel()
	a := setup(t)
	id := create(t, a, "free", account.Overrides{}).ID
	bill(t, a, id, account.Billed{Plan: "pro", State: account.Active})
	by := owner(t, a, id)
	key, err := a.CreateKey(t.Context(), by, "production")
	require.NoError(t, err)
	until := time.Now().Add(time.Hour)
	bill(t, a, id, account.Billed{Plan: "pro", State: account.Active, Until: &until})
	_, err = a.Authenticate(t.Context(), key.Key)
	require.NoError(t, err, "it works to its end")

	_, err = a.DB.Exec(t.Context(), `UPDATE account SET access_until = now() WHERE id = $1`, id)
	require.NoError(t, err)
	_, err = a.Authenticate(t.Context(), key.Key)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err), "and not a moment longer, whether or not anybody has said so")
	_, err = a.AuthenticateMember(t.Context(), by)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	_, err = a.CreateKey(t.Context(), by, "second")
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	acc, err := a.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, []any{"pro", account.PlanRequired}, []any{acc.Plan, acc.State})

	ended, err := a.Ended(t.Context(), time.Now())
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{id}, ended)
	for _, want := range []bool{true, false} {
		require.NoError(t, postgres.Tx(t.Context(), a.DB, func(tx pgx.Tx) error {
			done, err := a.End(t.Context(), tx, id, time.Now())
			require.Equal(t, want, done)
			return err
		}))
	}
	_, err = a.Authenticate(t.Context(), key.Key)
	require.ErrorContains(t, err, `"free"`)
	ended, err = a.Ended(t.Context(), time.Now())
	require.NoError(t, err)
	require.Empty(t, ended)
}

func TestPaymentsLeaveAnOperatorsPlanAndASuspensionAlone(t *testing.T) {
	t.Parallel()
	a := setup(t)
	id := create(t, a, "starter", account.Overrides{}).ID
	require.False(t, bill(t, a, id, account.Billed{State: account.PlanRequired}), "nothing bought is not nothing given")
	acc, err := a.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, []any{"starter", account.Active, "operator"}, []any{acc.Plan, acc.State, acc.BilledBy})

	require.NoError(t, a.Suspend(t.Context(), access.CLI(id)))
	until := time.Now().Add(-time.Minute)
	require.True(t, bill(t, a, id, account.Billed{Plan: "pro", State: account.Active, Until: &until}))
	acc, err = a.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, account.Suspended, acc.State)
	_, err = a.SetPlan(t.Context(), access.CLI(id), "scale")
	require.NoError(t, err)
	acc, err = a.Get(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, acc.AccessUntil, "the operator's plan does not end with a subscription")
	for _, state := range []account.State{account.Suspended, account.Closing, ""} {
		require.Error(t, postgres.Tx(t.Context(), a.DB, func(tx pgx.Tx) error {
			_, err := a.SetBilled(t.Context(), tx, id, account.Billed{Plan: "pro", State: state})
			return err
		}), state)
	}
}
