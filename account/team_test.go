package account_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

func roles(t *testing.T, a *account.Accounts, acc uuid.UUID) map[uuid.UUID]access.Role {
	t.Helper()
	members, err := a.Members(t.Context(), acc)
	require.NoError(t, err)
	found := map[uuid.UUID]access.Role{}
	for _, m := range members {
		found[m.User] = m.Role
	}
	return found
}

func TestMembersAreListedByTheirRights(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	for _, role := range []access.Role{access.Viewer, access.Billing, access.Developer} {
		member(t, a, acc.ID, role)
	}
	members, err := a.Members(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Len(t, members, 4)
	for i, role := range access.Roles() {
		require.Equal(t, role, members[i].Role)
	}
	require.Equal(t, acc.Email, members[0].Email)
	require.WithinDuration(t, time.Now(), members[0].JoinedAt, 10*time.Second)
}

func TestAnAccountNeverLosesItsLastOwner(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	require.Equal(t, fault.LastOwner, fault.CodeOf(a.RemoveMember(t.Context(), by, by.User)), "leaving")
	require.Equal(t, fault.LastOwner, fault.CodeOf(a.SetRole(t.Context(), by, by.User, access.Developer)), "stepping down")
	require.Equal(t, fault.LastOwner, fault.CodeOf(a.RemoveMember(t.Context(), access.CLI(acc.ID), by.User)), "an operator's act")
	require.NoError(t, a.SetRole(t.Context(), by, by.User, access.Owner), "no change is no loss")

	second := member(t, a, acc.ID, access.Developer)
	require.NoError(t, a.SetRole(t.Context(), by, second.User, access.Owner))
	require.NoError(t, a.RemoveMember(t.Context(), by, by.User))
	require.Equal(t, map[uuid.UUID]access.Role{second.User: access.Owner}, roles(t, a, acc.ID))
	require.Equal(t, []string{"cli account.created", "user member.role", "user member.left"}, acts(t, a, acc.ID))
}

func TestOwnersWhoRemoveEachOtherAtOnceLeaveOne(t *testing.T) {
	t.Parallel()
	a := setup(t)
	for range 5 {
		acc := create(t, a, "pro", account.Overrides{})
		first, second := owner(t, a, acc.ID), member(t, a, acc.ID, access.Owner)
		errs := make([]error, 6)
		var wg sync.WaitGroup
		for i, do := range []func() error{
			func() error { return a.RemoveMember(t.Context(), first, second.User) },
			func() error { return a.RemoveMember(t.Context(), second, first.User) },
			func() error { return a.SetRole(t.Context(), first, second.User, access.Viewer) },
			func() error { return a.SetRole(t.Context(), second, first.User, access.Viewer) },
			func() error { return a.RemoveMember(t.Context(), first, first.User) },
			func() error { return a.RemoveMember(t.Context(), second, second.User) },
		} {
			wg.Go(func() { errs[i] = do() })
		}
		wg.Wait()
		owners := 0
		for _, role := range roles(t, a, acc.ID) {
			if role == access.Owner {
				owners++
			}
		}
		require.Equal(t, 1, owners)
		for _, err := range errs {
			require.Contains(t, []fault.Code{"", fault.Forbidden, fault.UnknownMember, fault.LastOwner}, fault.CodeOf(err))
		}
	}
}

func TestARoleThatEndedMeanwhileCountsNoMore(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	// The request began while the person was an owner.
	stale := member(t, a, acc.ID, access.Owner)
	require.NoError(t, a.SetRole(t.Context(), owner(t, a, acc.ID), stale.User, access.Viewer))
	for _, err := range []error{
		a.SetRole(t.Context(), stale, stale.User, access.Owner),
		a.RemoveMember(t.Context(), stale, owner(t, a, acc.ID).User),
		a.WithdrawInvite(t.Context(), stale, uuid.New()),
	} {
		require.Equal(t, fault.Forbidden, fault.CodeOf(err))
	}
	require.NoError(t, a.RemoveMember(t.Context(), stale, stale.User), "leaving needs no right")
	_, err := a.Invite(t.Context(), stale, "x@example.com", access.Owner)
	require.Equal(t, fault.Forbidden, fault.CodeOf(err))
	require.Equal(t, fault.UnknownMember, fault.CodeOf(a.RemoveMember(t.Context(), stale, stale.User)), "twice")
}

func TestEveryRoleMayLeave(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	for _, role := range access.Roles() {
		by := member(t, a, acc.ID, role)
		require.NoError(t, a.RemoveMember(t.Context(), by, by.User), role)
	}
	require.Len(t, roles(t, a, acc.ID), 1)
	require.Equal(t, fault.InvalidInput, fault.CodeOf(a.SetRole(t.Context(), owner(t, a, acc.ID), uuid.New(), "king")))
}
