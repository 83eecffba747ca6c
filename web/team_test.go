package web_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
)

func TestInvitedPersonWorksInTheRoleUntilRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	email := newEmail()
	invited := owner.send(owner.get("/account/team"), "/account/team/invites", "email", email, "role", "viewer")
	require.Contains(t, invited.text, "An invite is on its way to "+email)
	require.Contains(t, invited.text, "Open invites")
	require.Equal(t, 1, r.letters.count(account.LetterInvite, email))

	user, joined, err := r.People.AcceptInvite(t.Context(), r.inviteToken(email), uuid.Nil,
		signin.NewPerson{Email: email, Password: password}, signin.Client{Address: "192.0.2.1"})
	require.NoError(t, err)
	require.Equal(t, owner.Account, joined)
	guest := r.browser(t)
	require.Equal(t, http.StatusOK, guest.signIn(email).status)
	keys := guest.get("/account/keys")
	require.Equal(t, http.StatusOK, keys.status)
	require.Contains(t, keys.text, "Your role can look at keys")

	team := owner.get("/account/team")
	require.NotContains(t, team.text, "Open invites")
	role := "/account/team/" + user.String() + "/role"
	require.Equal(t, "viewer", team.form(role).Get("role"))
	changed := owner.send(team, role, "role", "developer")
	require.Contains(t, changed.text, "The role is changed")
	guest.get("/account/keys").form("/account/keys")

	remove := "/account/team/" + user.String() + "/remove"
	asked := owner.get(remove)
	require.Contains(t, asked.text, email)
	require.Contains(t, asked.text, "API keys belong to the account and go on working")
	require.Contains(t, owner.send(asked, remove).text, "The member is removed")
	gone := guest.get("/account/keys")
	require.Equal(t, "/account/none", gone.url.Path, "access ends with the next request")
	require.Equal(t, http.StatusNotFound, owner.get(remove).status)
}

func TestOnlyOwnersManageTheTeam(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, role := range []access.Role{access.Developer, access.Billing, access.Viewer} {
		who := r.person(t, role)
		members, err := r.Accounts.Members(t.Context(), who.Account)
		require.NoError(t, err)
		owner := members[0].User.String()
		team := who.get("/account/team")
		require.Contains(t, team.text, members[0].Email, "the table is for everybody")
		require.Contains(t, team.text, "Only owners invite people")
		require.NotContains(t, team.text, "/account/team/invites")
		require.NotContains(t, team.text, owner+"/r")
		for path, form := range map[string]map[string][]string{
			"/account/team/invites":                                   {"email": {newEmail()}, "role": {"owner"}},
			"/account/team/invites/" + uuid.NewString() + "/resend":   nil,
			"/account/team/invites/" + uuid.NewString() + "/withdraw": nil,
			"/account/team/" + who.User.String() + "/role":            {"role": {"owner"}},
			"/account/team/" + owner + "/remove":                      nil,
		} {
			require.Equal(t, http.StatusForbidden, who.post(path, form).status, "%s as %s", path, role)
		}
		require.Equal(t, http.StatusForbidden, who.get("/account/team/"+owner+"/remove").status)
		after, err := r.Accounts.Members(t.Context(), who.Account)
		require.NoError(t, err)
		require.Equal(t, members, after)
	}
}

func TestAnyMemberMayLeave(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who := r.person(t, access.Viewer)
	path := "/account/team/" + who.User.String() + "/remove"
	require.Contains(t, who.get("/account/team").text, path)
	left := who.send(who.get(path), path)
	require.Equal(t, "/account/none", left.url.Path)
	require.Contains(t, left.text, "You have left the account")
}

func TestLastOwnerStays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	path := "/account/team/" + owner.User.String()
	left := owner.send(owner.get(path+"/remove"), path+"/remove")
	require.Equal(t, http.StatusUnprocessableEntity, left.status)
	require.Contains(t, left.text, `role="alert"`)
	require.Contains(t, left.text, "Leave the account")
	lowered := owner.send(owner.get("/account/team"), path+"/role", "role", "viewer")
	require.Equal(t, http.StatusUnprocessableEntity, lowered.status)
	require.Contains(t, lowered.text, `role="alert"`)
	require.Equal(t, http.StatusOK, owner.get("/account/trail").status, "still the owner")
}

func TestTeamOfAnotherAccountReadsAsNotFound(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	other, owner := r.person(t, access.Owner), r.person(t, access.Owner)
	invite, err := r.Accounts.Invite(t.Context(), other.actor(access.Owner), newEmail(), access.Viewer)
	require.NoError(t, err)
	member := "/account/team/" + other.User.String()
	require.Equal(t, http.StatusNotFound, owner.get(member+"/remove").status)
	for path, form := range map[string]map[string][]string{
		member + "/remove": nil, member + "/role": {"role": {"viewer"}},
		"/account/team/invites/" + invite.String() + "/resend":   nil,
		"/account/team/invites/" + invite.String() + "/withdraw": nil,
	} {
		require.Equal(t, http.StatusNotFound, owner.post(path, form).status, path)
	}
	open, err := r.Accounts.Invites(t.Context(), other.Account)
	require.NoError(t, err)
	require.Len(t, open, 1)
}

func TestRefusedInviteKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	for _, email := range []string{"nobody", owner.Email} {
		refused := owner.send(owner.get("/account/team"), "/account/team/invites", "email", email, "role", "billing")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		form := refused.form("/account/team/invites")
		require.Equal(t, email, form.Get("email"))
		require.Equal(t, "billing", form.Get("role"))
		require.Contains(t, refused.text, `id="e-email"`, "the field says what is wrong")
	}
	email := newEmail()
	owner.send(owner.get("/account/team"), "/account/team/invites", "email", email)
	again := owner.send(owner.get("/account/team"), "/account/team/invites", "email", email)
	require.Equal(t, http.StatusTooManyRequests, again.status)
	require.Contains(t, again.text, "Wait a moment")
	require.Equal(t, 1, r.letters.count(account.LetterInvite, email))
}

func TestInviteIsWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	id, err := r.Accounts.Invite(t.Context(), owner.actor(access.Owner), newEmail(), access.Viewer)
	require.NoError(t, err)
	path := "/account/team/invites/" + id.String() + "/withdraw"
	require.NotContains(t, owner.send(owner.get("/account/team"), path).text, "Open invites")
	require.Equal(t, http.StatusNotFound, owner.post(path, nil).status)
}
