package media_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
)

// otherAccount makes a second account on the rig's database.
func otherAccount(t *testing.T, r *acttest.Rig) media.Caller {
	t.Helper()
	c := media.Caller{Account: uuid.New(), Key: uuid.New()}
	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO account (id, email, name, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys)
		VALUES ($1, 'other@example.com', 'Other', 'pro', 'active', 'operator', 1000, 60, 3, 1)`, c.Account)
	require.NoError(t, err)
	require.NoError(t, postgres.Tx(t.Context(), r.DB, func(tx pgx.Tx) error { return quota.Prepare(t.Context(), tx, c.Account) }))
	require.NoError(t, quota.RenewOne(t.Context(), r.DB, c.Account))
	return c
}

func TestOperatorSeesTheJobsOfAllAccounts(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	by := access.CLI(uuid.Nil)
	failed := r.Check(0)
	_, err := r.DB.Exec(t.Context(), `
		UPDATE job SET status = 'failed', error_code = 'job_failed', error_message = 'It broke.', ended_at = now(),
		       expires_at = now() + interval '1 day', created_at = now() - interval '1 hour' WHERE id = $1`, failed)
	require.NoError(t, err)
	first := r.Optimize("")
	other := otherAccount(t, r)
	require.Empty(t, optimize(t, r.Service, other))

	all, err := r.AllJobs(t.Context(), by, media.AnyJobFilter{})
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, other.Account, all[0].Account, "the newest first")
	require.Equal(t, "Other", all[0].AccountName)
	require.Equal(t, first, all[1].ID)
	require.Equal(t, r.Caller.Account.String()+"@example.com", all[1].AccountName, "an account without a name goes by its address")
	require.Equal(t, "It broke.", *all[2].ErrorMessage)

	for want, f := range map[int]media.AnyJobFilter{
		0: {Status: media.Failed, Account: other.Account},
		1: {Status: media.Failed},
		2: {Before: &all[0].CreatedAt, BeforeID: all[0].ID},
	} {
		found, err := r.AllJobs(t.Context(), by, f)
		require.NoError(t, err)
		require.Len(t, found, want)
	}
	queued, err := r.AllJobs(t.Context(), by, media.AnyJobFilter{Status: media.Queued, Account: r.Caller.Account})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{first}, []uuid.UUID{queued[0].ID})

	_, err = r.AllJobs(t.Context(), access.Actor{Account: r.Caller.Account, User: uuid.New(), Role: access.Owner}, media.AnyJobFilter{})
	require.Equal(t, fault.Forbidden, fault.CodeOf(err))
}
