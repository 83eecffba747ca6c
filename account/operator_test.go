package account_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/quota"
)

func balance(t *testing.T, a *account.Accounts, acc uuid.UUID) quota.Balance {
	t.Helper()
	b, err := quota.Read(t.Context(), a.DB, acc)
	require.NoError(t, err)
	return b
}

func TestAPlanHoldsAtOnce(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "free", account.Overrides{RPM: ptr(7)})
	_, err := a.DB.Exec(t.Context(), `UPDATE account SET period_anchor = now() - interval '20 days'`)
	require.NoError(t, err)
	by := access.Actor{Account: acc.ID, User: user(t, a, "op@example.com"), Operator: true}

	acc, err = a.SetPlan(t.Context(), by, "starter")
	require.NoError(t, err)
	require.Equal(t, account.Active, acc.State)
	require.Equal(t, account.Limits{Credits: 1_000, RPM: 7, Jobs: 2, Keys: 2}, acc.Limits, "overrides stay")
	b := balance(t, a, acc.ID)
	require.Equal(t, int64(1_000), b.Available)
	require.Greater(t, time.Until(*b.ResetsAt), 27*24*time.Hour, "the first month is a whole one")
	key, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "k")
	require.NoError(t, err)

	_, err = a.SetPlan(t.Context(), by, "pro")
	require.NoError(t, err)
	raised := balance(t, a, acc.ID)
	require.Equal(t, int64(10_000), raised.Granted, "more credits hold at once")
	require.Equal(t, b.ResetsAt, raised.ResetsAt)
	acc, err = a.SetPlan(t.Context(), by, "starter")
	require.NoError(t, err)
	require.Equal(t, int64(10_000), balance(t, a, acc.ID).Granted, "fewer from the next period on")
	require.Equal(t, int64(1_000), acc.Limits.Credits)

	acc, err = a.SetPlan(t.Context(), by, "free")
	require.NoError(t, err)
	require.Equal(t, account.PlanRequired, acc.State)
	_, err = a.Authenticate(t.Context(), key.Key)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	_, err = a.DB.Exec(t.Context(), `DELETE FROM credit_period`)
	require.NoError(t, err)
	n, err := quota.Renew(t.Context(), a.DB)
	require.NoError(t, err)
	require.Zero(t, n, "nobody opens periods of a free plan")

	_, err = a.SetPlan(t.Context(), by, "gold")
	require.Equal(t, fault.UnknownPlan, fault.CodeOf(err))
	entries, err := trail.Read(t.Context(), a.DB, access.CLI(acc.ID), trail.Filter{Account: acc.ID, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, "operator account.plan", entries[0].Actor+" "+entries[0].Act)
	require.Equal(t, map[string]string{"from": "starter", "to": "free"}, entries[0].Detail)
}

func TestAPlanLiftsNoSuspension(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "free", account.Overrides{})
	require.NoError(t, a.Suspend(t.Context(), access.CLI(acc.ID)))
	acc, err := a.SetPlan(t.Context(), access.CLI(acc.ID), "pro")
	require.NoError(t, err)
	require.Equal(t, account.Suspended, acc.State)
	require.Zero(t, balance(t, a, acc.ID).Granted, "no period is opened for nobody")
	require.NoError(t, a.Resume(t.Context(), access.CLI(acc.ID)))
	_, err = quota.Renew(t.Context(), a.DB)
	require.NoError(t, err)
	require.Equal(t, int64(10_000), balance(t, a, acc.ID).Granted)
}

func TestOperatorsFindAccounts(t *testing.T) {
	t.Parallel()
	a := setup(t)
	by := access.CLI(uuid.Nil)
	var made []account.Account
	for _, email := range []string{"alpha@one.example", "beta_x@two.example", "gamma@two.example"} {
		acc, err := a.Create(t.Context(), email, "free", account.Overrides{})
		require.NoError(t, err)
		made = append(made, acc)
	}
	require.NoError(t, a.Rename(t.Context(), access.CLI(made[0].ID), "Two Rivers"))
	colleague := member(t, a, made[2].ID, access.Viewer)
	_, err := a.DB.Exec(t.Context(), `UPDATE app_user SET email = 'Zoe@three.example' WHERE id = $1`, colleague.User)
	require.NoError(t, err)
	for query, want := range map[string][]int{
		"": {2, 1, 0}, " TWO": {2, 1, 0}, "two.example": {2, 1}, "alpha": {0}, "a_x": {1}, "%": {}, "zoe@": {2}, "'; --\x00\xff": {},
		made[1].ID.String(): {1},
	} {
		found, err := a.Find(t.Context(), by, query, nil, 10)
		require.NoError(t, err, query)
		got := []int{}
		for _, acc := range found {
			for i := range made {
				if made[i].ID == acc.ID {
					got = append(got, i)
				}
			}
		}
		require.Equal(t, want, got, query)
	}
	page, err := a.Find(t.Context(), by, "", nil, 2)
	require.NoError(t, err)
	require.Len(t, page, 2)
	page, err = a.Find(t.Context(), by, "", &page[1].CreatedAt, 2)
	require.NoError(t, err)
	require.Len(t, page, 1)
	require.Equal(t, made[0].ID, page[0].ID)
}

func TestOperatorsAreNamedAtTheCommandLine(t *testing.T) {
	t.Parallel()
	a := setup(t)
	id := user(t, a, "Op@Example.com")
	require.NoError(t, a.SetOperator(t.Context(), "op@example.com", true))
	require.NoError(t, a.SetOperator(t.Context(), "op@example.com", true), "twice is once")
	all, err := a.Operators(t.Context())
	require.NoError(t, err)
	require.Equal(t, []account.Operator{{User: id, Email: "Op@Example.com"}}, all)
	_, err = a.DB.Exec(t.Context(), `INSERT INTO totp (user_id, sealed_secret, confirmed_at) VALUES ($1, '', now())`, id)
	require.NoError(t, err)
	all, err = a.Operators(t.Context())
	require.NoError(t, err)
	require.True(t, all[0].SecondFactor)

	require.NoError(t, a.SetOperator(t.Context(), "op@example.com", false))
	all, err = a.Operators(t.Context())
	require.NoError(t, err)
	require.Empty(t, all)
	require.Equal(t, fault.UnknownMember, fault.CodeOf(a.SetOperator(t.Context(), "nobody@example.com", true)))
	require.Equal(t, fault.InvalidEmail, fault.CodeOf(a.SetOperator(t.Context(), "nobody", true)))
	entries, err := trail.Read(t.Context(), a.DB, access.CLI(uuid.Nil), trail.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, []string{"operator.revoked", "operator.granted"}, []string{entries[0].Act, entries[1].Act})
}
