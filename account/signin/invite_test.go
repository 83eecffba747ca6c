package signin_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
	"veracity/platform/fault"
)

// invite asks an address into a fresh account and reads the mailed token.
func (r *rig) invite(t *testing.T, email string) (account.Account, uuid.UUID, string) {
	t.Helper()
	acc, err := r.accounts.Create(t.Context(), uuid.NewString()+"@example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	id, err := r.accounts.Invite(t.Context(), access.CLI(acc.ID), email, access.Developer)
	require.NoError(t, err)
	letter, send, err := r.MintInvite(t.Context(), id)
	require.NoError(t, err)
	require.True(t, send)
	require.Equal(t, email, letter.Email)
	require.Equal(t, access.Developer, letter.Role)
	require.Equal(t, acc.Name, letter.AccountName)
	return acc, id, letter.Token
}

func TestNewcomerJoinsByInvite(t *testing.T) {
	t.Parallel()
	r := setup(t)
	acc, id, token := r.invite(t, "ada@example.com")
	got, err := r.ReadInvite(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, signin.Invitation{ID: id, AccountName: acc.Name, Email: "ada@example.com", Role: access.Developer}, got)

	person := signin.NewPerson{Email: "other@example.com", Name: "Ada", Password: "short"}
	_, _, err = r.AcceptInvite(t.Context(), token, uuid.Nil, person, home)
	refusedWith(t, fault.WeakPassword, err, "and the link is not used up")
	person.Password = password
	var user uuid.UUID
	won := race(t, 6, func(int) error {
		made, joined, err := r.AcceptInvite(t.Context(), token, uuid.Nil, person, home)
		if err == nil {
			user = made
			assert.Equal(t, acc.ID, joined)
		}
		return err
	}, fault.LinkExpired, fault.SignInFailed)
	require.Equal(t, 1, won)
	v, err := r.Visit(t.Context(), r.open(t, user).SignIn, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, "ada@example.com", v.User.Email, "the invited address, not the typed one")
	require.Equal(t, []signin.Belonging{{ID: acc.ID, Name: acc.Name, Role: access.Developer}}, v.Accounts)
	_, send, err := r.MintInvite(t.Context(), id)
	require.NoError(t, err)
	require.False(t, send)
}

func TestKnownPersonSignsInToJoin(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user, eve := r.join(t, "ada@example.com"), r.join(t, "eve@example.com")
	acc, _, token := r.invite(t, "Ada@example.com")
	got, err := r.ReadInvite(t.Context(), token)
	require.NoError(t, err)
	require.True(t, got.Known)
	_, _, err = r.AcceptInvite(t.Context(), token, uuid.Nil, signin.NewPerson{Password: other}, home)
	refusedWith(t, fault.SignInFailed, err, "a link sets no known person's password")
	_, _, err = r.AcceptInvite(t.Context(), token, eve, signin.NewPerson{}, home)
	refusedWith(t, fault.Forbidden, err, "a link that was passed on")
	got2, joined, err := r.AcceptInvite(t.Context(), token, user, signin.NewPerson{}, home)
	require.NoError(t, err)
	require.Equal(t, user, got2)
	require.Equal(t, acc.ID, joined)
	_, _, err = r.AcceptInvite(t.Context(), token, user, signin.NewPerson{}, home)
	refusedWith(t, fault.LinkExpired, err)
}

func TestWithdrawnInviteOpensNothing(t *testing.T) {
	t.Parallel()
	r := setup(t)
	acc, id, token := r.invite(t, "ada@example.com")
	require.NoError(t, r.accounts.WithdrawInvite(t.Context(), access.CLI(acc.ID), id))
	_, err := r.ReadInvite(t.Context(), token)
	refusedWith(t, fault.LinkExpired, err)
	_, _, err = r.AcceptInvite(t.Context(), token, uuid.Nil, signin.NewPerson{Password: password}, home)
	refusedWith(t, fault.LinkExpired, err)
	require.Zero(t, r.count(t, `SELECT count(*) FROM app_user WHERE email = 'ada@example.com'`))
}
