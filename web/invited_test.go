package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account/access"
)

func TestANewPersonJoinsWithAPassword(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner, inviter := rig.account()
	email := newEmail()
	_, err := rig.Accounts.Invite(t.Context(), owner, email, access.Developer)
	require.NoError(t, err)
	require.NoError(t, rig.Accounts.Rename(t.Context(), owner, "Kestrel Works"))
	b := rig.browser(t)
	form := b.get("/invite?token=" + rig.inviteToken(email))
	require.Contains(t, form.text, "Kestrel Works")
	require.Contains(t, form.text, "with the role <strong>Developer</strong>")
	require.Contains(t, form.text, "<strong>"+inviter+"</strong> invites")
	require.Contains(t, form.text, email)

	weak := b.send(form, "/invite", "name", "Bo", "password", "short")
	require.Equal(t, http.StatusUnprocessableEntity, weak.status)
	require.Equal(t, "Bo", weak.form("/invite").Get("name"))

	page := b.send(weak, "/invite", "password", password)
	require.Equal(t, "/account", page.url.Path)
	require.Contains(t, b.get("/account/profile").text, "Kestrel Works")
	members, err := rig.Accounts.Members(t.Context(), owner.Account)
	require.NoError(t, err)
	require.Len(t, members, 2)
}

func TestAKnownPersonSignsInToJoin(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner, _ := rig.account()
	require.NoError(t, rig.Accounts.Rename(t.Context(), owner, "Kestrel Works"))
	guest := rig.person(t, access.Owner)
	_, err := rig.Accounts.Invite(t.Context(), owner, guest.Email, access.Billing)
	require.NoError(t, err)
	token := rig.inviteToken(guest.Email)

	b := rig.browser(t)
	invite := b.get("/invite?token=" + token)
	require.NotContains(t, invite.text, `name="password"`)
	taken := b.post("/invite", url.Values{"token": {token}, "password": {password}})
	require.Equal(t, http.StatusUnprocessableEntity, taken.status, "nobody sets the password of a known person by an invitation")
	back := b.send(b.get(loginLink(token)), "/login", "email", guest.Email, "password", password)
	require.Equal(t, "/invite", back.url.Path)

	before := b.session()
	require.Equal(t, "/account", b.send(back, "/invite").url.Path)
	require.NotEqual(t, before, b.session(), "the session's token is new")
	require.Contains(t, b.get("/account/profile").text, "Kestrel Works")
	require.Equal(t, http.StatusNotFound, b.get("/invite?token="+token).status, "it works once")
}

func loginLink(token string) string {
	return "/login?next=" + url.QueryEscape("/invite?token="+token)
}

func TestAnInvitationIsForNobodyElse(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner, _ := rig.account()
	email := newEmail()
	_, err := rig.Accounts.Invite(t.Context(), owner, email, access.Owner)
	require.NoError(t, err)
	token := rig.inviteToken(email)

	other := rig.person(t, access.Viewer)
	page := other.get("/invite?token=" + token)
	require.Contains(t, page.text, "You are signed in as <strong>"+other.Email)
	require.Equal(t, http.StatusForbidden, other.post("/invite", url.Values{"token": {token}}).status)

	out := other.send(page, "/logout")
	require.Equal(t, "/invite?token="+token, out.url.RequestURI())
	require.Equal(t, "/account", other.send(out, "/invite", "password", password).url.Path)
}

func TestAWithdrawnInvitationLetsNobodyIn(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner, _ := rig.account()
	email := newEmail()
	invite, err := rig.Accounts.Invite(t.Context(), owner, email, access.Viewer)
	require.NoError(t, err)
	token := rig.inviteToken(email)
	require.NoError(t, rig.Accounts.WithdrawInvite(t.Context(), owner, invite))
	b := rig.browser(t)
	require.Equal(t, http.StatusNotFound, b.get("/invite?token="+token).status)
	require.Equal(t, http.StatusNotFound, b.post("/invite", url.Values{"token": {token}, "password": {password}}).status)
}
