package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
)

func TestANameIsSavedAndShown(t *testing.T) {
	t.Parallel()
	owner := newRig(t).person(t, access.Owner)
	saved := owner.send(owner.get("/account/profile"), "/account/profile", "name", "Ada L.")
	require.Contains(t, saved.text, "Your name is saved")
	require.Equal(t, "Ada L.", saved.form("/account/profile").Get("name"))
	long := owner.post("/account/profile", url.Values{"name": {strings.Repeat("x", 200)}})
	require.Equal(t, http.StatusUnprocessableEntity, long.status)
	require.Contains(t, long.text, `id="e-name"`)
}

func TestAnAddressChangesOnceTheNewOneIsProved(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	email := newEmail()
	wrong := owner.send(owner.get("/account/profile"), "/account/profile/email", "email", email, "password", "not the password")
	require.Equal(t, http.StatusUnprocessableEntity, wrong.status)
	require.Contains(t, wrong.text, `id="e-password"`)
	require.Equal(t, email, wrong.form("/account/profile/email").Get("email"))
	asked := owner.send(wrong, "/account/profile/email", "password", password)
	require.Contains(t, asked.text, "is on its way to "+email)

	before, token := owner.session(), rig.emailToken(email)
	form := owner.get("/email?token=" + token)
	require.Contains(t, form.text, email)
	require.Contains(t, owner.get("/account/profile").text, "You sign in as <strong>"+owner.Email, "the link alone does nothing")
	done := owner.send(form, "/email")
	require.Equal(t, "/account/profile", done.url.Path)
	require.Contains(t, done.text, "You sign in as <strong>"+email)
	require.NotEqual(t, before, owner.session(), "the session's token is new")
	require.Equal(t, http.StatusNotFound, owner.get("/email?token="+token).status)
	require.Equal(t, "/account", rig.browser(t).signIn(email).url.Path)
	require.Equal(t, http.StatusUnprocessableEntity, rig.browser(t).signIn(owner.Email).status)
}

func TestALinkToANewAddressWorksInAnotherBrowser(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	email := newEmail()
	owner.send(owner.get("/account/profile"), "/account/profile/email", "email", email, "password", password)
	b := rig.browser(t)
	page := b.send(b.get("/email?token="+rig.emailToken(email)), "/email")
	require.Equal(t, "/login", page.url.Path)
	require.Contains(t, page.text, "Your address is changed")
}

func TestAPersonMovesBetweenOwnAccountsAlone(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner, _ := rig.account()
	require.NoError(t, rig.Accounts.Rename(t.Context(), owner, "Kestrel Works"))
	guest := rig.person(t, access.Owner)
	_, err := rig.Accounts.Invite(t.Context(), owner, guest.Email, access.Viewer)
	require.NoError(t, err)
	guest.send(guest.get("/invite?token="+rig.inviteToken(guest.Email)), "/invite")

	before := guest.session()
	require.Equal(t, "/account", guest.send(guest.get("/account/profile"), "/account/switch", "account", guest.Account.String()).url.Path)
	require.NotEqual(t, before, guest.session())
	require.Equal(t, guest.Account.String(), guest.get("/account/profile").form("/account/switch").Get("account"))
	guest.send(guest.get("/account/profile"), "/account/switch", "account", owner.Account.String())
	require.Equal(t, owner.Account.String(), guest.get("/account/profile").form("/account/switch").Get("account"))

	foreign, _ := rig.account()
	for _, id := range []string{foreign.Account.String(), uuid.NewString(), "nonsense", ""} {
		require.Equal(t, http.StatusNotFound, guest.post("/account/switch", url.Values{"account": {id}}).status)
	}
}

func TestAPersonWithoutAnAccountIsToldSo(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner, _ := rig.account()
	user, email := rig.member(owner, access.Viewer)
	b := rig.browser(t)
	b.signIn(email)
	require.Equal(t, "/account", b.get("/account/none").url.Path)
	require.NoError(t, rig.Accounts.RemoveMember(t.Context(), owner, user))
	page := b.get("/account")
	require.Equal(t, "/account/none", page.url.Path)
	require.Contains(t, page.text, "You belong to no account")
	require.Equal(t, http.StatusOK, b.get("/account/security").status, "the sign-in stays theirs")
}
