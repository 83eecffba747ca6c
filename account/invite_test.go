package account_test

import (
	"fmt"
	"sync"
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

// pass lets time go by for all invites.
func pass(t *testing.T, a *account.Accounts, d time.Duration) {
	t.Helper()
	_, err := a.DB.Exec(t.Context(), `
		UPDATE invite SET sent_at = sent_at - $1::interval, created_at = created_at - $1::interval,
		                  expires_at = expires_at - $1::interval, ended_at = ended_at - $1::interval`, d)
	require.NoError(t, err)
}

func join(t *testing.T, a *account.Accounts, invite, user uuid.UUID) (acc uuid.UUID, err error) {
	t.Helper()
	err = postgres.Tx(t.Context(), a.DB, func(tx pgx.Tx) error {
		acc, err = a.Join(t.Context(), tx, invite, user)
		return err
	})
	return acc, err
}

func TestAnInviteIsAskedForByMail(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	id, err := a.Invite(t.Context(), by, " New@Example.com ", access.Developer)
	require.NoError(t, err)
	require.Equal(t, []account.Letter{{Name: account.LetterInvite, To: "New@Example.com", Subject: id, Account: acc.ID}}, letters(t, a))
	open, err := a.Invites(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.WithinDuration(t, time.Now().Add(7*24*time.Hour), open[0].ExpiresAt, 10*time.Second)
	open[0].CreatedAt, open[0].ExpiresAt = time.Time{}, time.Time{}
	require.Equal(t, account.Invite{ID: id, Email: "New@Example.com", Role: access.Developer, InvitedBy: acc.Email}, open[0])
	require.Equal(t, []string{"cli account.created", "user invite.created"}, acts(t, a, acc.ID))
}

func TestInvitesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	for name, row := range map[string]struct {
		email string
		role  access.Role
		want  fault.Code
	}{
		"no address":                {"nobody", access.Viewer, fault.InvalidEmail},
		"an address literal":        {"a@[127.0.0.1]", access.Viewer, fault.InvalidEmail},
		"two lines":                 {"a@example.com\nBcc: b@example.com", access.Viewer, fault.InvalidEmail},
		"no role":                   {"a@example.com", "king", fault.InvalidInput},
		"a member in other letters": {"O" + acc.Email, access.Viewer, ""},
	} {
		_, err := a.Invite(t.Context(), by, row.email, row.role)
		require.Equal(t, row.want, fault.CodeOf(err), name)
	}
	_, err := a.DB.Exec(t.Context(), `UPDATE app_user SET email = upper(email)`)
	require.NoError(t, err)
	_, err = a.Invite(t.Context(), by, acc.Email, access.Viewer)
	require.Equal(t, fault.AlreadyMember, fault.CodeOf(err))
	require.Len(t, letters(t, a), 1)
}

func TestOneInviteAnAddressRenewed(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	first, err := a.Invite(t.Context(), by, "x@example.com", access.Viewer)
	require.NoError(t, err)
	_, err = a.Invite(t.Context(), by, "X@example.com", access.Owner)
	f := fault.From(err)
	require.Equal(t, fault.TooManyTries, f.Code, "a letter a minute")
	require.Greater(t, f.RetryAfter, 50*time.Second)
	require.LessOrEqual(t, f.RetryAfter, time.Minute)

	pass(t, a, 8*24*time.Hour)
	again, err := a.Invite(t.Context(), by, "X@example.com", access.Billing)
	require.NoError(t, err)
	require.Equal(t, first, again)
	open, err := a.Invites(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, access.Billing, open[0].Role)
	require.Greater(t, time.Until(open[0].ExpiresAt), 6*24*time.Hour, "an expired one stands again")
	require.Len(t, letters(t, a), 2)
}

func TestNobodyIsPesteredByInvites(t *testing.T) {
	t.Parallel()
	a := setup(t)
	by := owner(t, a, create(t, a, "pro", account.Overrides{}).ID)
	sent := 0
	for range 30 {
		id, err := a.Invite(t.Context(), by, "x@example.com", access.Viewer)
		if err == nil {
			sent++
			pass(t, a, 2*time.Minute)
			require.NoError(t, a.WithdrawInvite(t.Context(), by, id), "so that the next one is new")
		} else {
			require.Equal(t, fault.TooManyTries, fault.CodeOf(err))
		}
	}
	require.Equal(t, 10, sent)
	_, err := a.Invite(t.Context(), by, "y@example.com", access.Viewer)
	require.NoError(t, err, "another address")
	pass(t, a, 24*time.Hour)
	_, err = a.Invite(t.Context(), by, "x@example.com", access.Viewer)
	require.NoError(t, err, "after a day's silence")
}

func TestASuspendedAccountSendsNoInvites(t *testing.T) {
	t.Parallel()
	a := setup(t)
	by := owner(t, a, create(t, a, "pro", account.Overrides{}).ID)
	id, err := a.Invite(t.Context(), by, "x@example.com", access.Viewer)
	require.NoError(t, err)
	pass(t, a, time.Hour)
	require.NoError(t, a.Suspend(t.Context(), access.CLI(by.Account)))
	_, err = a.Invite(t.Context(), by, "y@example.com", access.Viewer)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	require.Equal(t, fault.PlanRequired, fault.CodeOf(a.ResendInvite(t.Context(), by, id)))
	require.Len(t, letters(t, a), 1)
	require.NoError(t, a.WithdrawInvite(t.Context(), by, id))
}

func TestResendWaitsAMinute(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	id, err := a.Invite(t.Context(), by, "x@example.com", access.Viewer)
	require.NoError(t, err)
	require.Equal(t, fault.TooManyTries, fault.CodeOf(a.ResendInvite(t.Context(), by, id)))
	pass(t, a, time.Minute)
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = a.ResendInvite(t.Context(), by, id) })
	}
	wg.Wait()
	resent := 0
	for _, err := range errs {
		if err == nil {
			resent++
		}
	}
	require.Equal(t, 1, resent)
	require.Len(t, letters(t, a), 2)
	require.NoError(t, a.WithdrawInvite(t.Context(), by, id))
	require.Equal(t, fault.UnknownInvite, fault.CodeOf(a.ResendInvite(t.Context(), by, id)))
	require.Equal(t, fault.UnknownInvite, fault.CodeOf(a.WithdrawInvite(t.Context(), by, id)))
	require.Equal(t, []string{"cli account.created", "user invite.created", "user invite.resent", "user invite.withdrawn"}, acts(t, a, acc.ID))
}

func TestATeamHasItsLimits(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.Config = account.DefaultConfig()
	a.Config.MaxInvites, a.Config.MaxMembers = 3, 4
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	errs := make([]error, 12)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = a.Invite(t.Context(), by, fmt.Sprintf("p%d@example.com", i), access.Viewer) })
	}
	wg.Wait()
	for _, err := range errs {
		require.Contains(t, []fault.Code{"", fault.TeamFull}, fault.CodeOf(err))
	}
	open, err := a.Invites(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Len(t, open, 3, "whatever the race")

	for _, i := range open {
		require.NoError(t, a.WithdrawInvite(t.Context(), by, i.ID))
	}
	for i := range 3 {
		_, err := a.Invite(t.Context(), by, fmt.Sprintf("q%d@example.com", i), access.Viewer)
		require.NoError(t, err)
	}
	open, err = a.Invites(t.Context(), acc.ID)
	require.NoError(t, err)
	require.NoError(t, a.WithdrawInvite(t.Context(), by, open[0].ID))
	_, err = a.Invite(t.Context(), by, "r@example.com", access.Viewer)
	require.Equal(t, fault.TooManyTries, fault.CodeOf(err), "six new ones a day")

	member(t, a, acc.ID, access.Viewer)
	member(t, a, acc.ID, access.Viewer)
	_, err = join(t, a, open[1].ID, user(t, a, "fourth@example.com"))
	require.NoError(t, err)
	_, err = join(t, a, open[2].ID, user(t, a, "fifth@example.com"))
	require.Equal(t, fault.TeamFull, fault.CodeOf(err))
	pass(t, a, 24*time.Hour)
	_, err = a.Invite(t.Context(), by, "r@example.com", access.Viewer)
	require.Equal(t, fault.TeamFull, fault.CodeOf(err))
}

func TestAnInviteLetsOnePersonInOnce(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	id, err := a.Invite(t.Context(), by, "x@example.com", access.Developer)
	require.NoError(t, err)
	people := []uuid.UUID{user(t, a, "x@example.com"), user(t, a, "y@example.com"), user(t, a, "z@example.com")}
	errs := make([]error, len(people))
	var wg sync.WaitGroup
	for i := range people {
		wg.Go(func() { _, errs[i] = join(t, a, id, people[i]) })
	}
	wg.Wait()
	joined := 0
	for _, err := range errs {
		if err == nil {
			joined++
		} else {
			require.Equal(t, fault.LinkExpired, fault.CodeOf(err))
		}
	}
	require.Equal(t, 1, joined)
	require.Len(t, roles(t, a, acc.ID), 2)
	require.Equal(t, "user member.joined", acts(t, a, acc.ID)[2])
	open, err := a.Invites(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Empty(t, open)
}

func TestWithdrawnAndExpiredInvitesLetNobodyIn(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by, person := owner(t, a, acc.ID), user(t, a, "x@example.com")
	withdrawn, err := a.Invite(t.Context(), by, "x@example.com", access.Viewer)
	require.NoError(t, err)
	require.NoError(t, a.WithdrawInvite(t.Context(), by, withdrawn))
	expired, err := a.Invite(t.Context(), by, "y@example.com", access.Viewer)
	require.NoError(t, err)
	pass(t, a, 7*24*time.Hour)
	for name, id := range map[string]uuid.UUID{"withdrawn": withdrawn, "expired": expired, "unknown": uuid.New()} {
		_, err := join(t, a, id, person)
		require.Equal(t, fault.LinkExpired, fault.CodeOf(err), name)
	}
	require.Len(t, roles(t, a, acc.ID), 1)

	n, err := a.ForgetInvites(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	pass(t, a, 31*24*time.Hour)
	n, err = a.ForgetInvites(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
}

func TestAMemberKeepsTheHigherRole(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ has, invited, gets access.Role }{
		{access.Owner, access.Viewer, access.Owner},
		{access.Viewer, access.Owner, access.Owner},
		{access.Billing, access.Developer, access.Developer},
		{access.Developer, access.Billing, access.Developer},
	} {
		t.Run(string(row.has+" "+row.invited), func(t *testing.T) {
			t.Parallel()
			a := setup(t)
			acc := create(t, a, "pro", account.Overrides{})
			by := owner(t, a, acc.ID)
			id, err := a.Invite(t.Context(), by, "x@example.com", row.invited)
			require.NoError(t, err)
			person := member(t, a, acc.ID, row.has)
			joined, err := join(t, a, id, person.User)
			require.NoError(t, err)
			require.Equal(t, acc.ID, joined)
			require.Equal(t, row.gets, roles(t, a, acc.ID)[person.User])
		})
	}
}
