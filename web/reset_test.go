package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
)

const newPassword = "seven green lamps on a boat"

func TestResetSetsThePasswordAndSignsEverybodyOut(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	b := rig.browser(t)
	require.Contains(t, b.send(b.get("/forgot"), "/forgot", "email", owner.Email).text, "is on its way")
	token := rig.resetToken(owner.Email)
	form := b.get("/reset?token=" + token)
	require.Contains(t, form.text, owner.Email)

	weak := b.send(form, "/reset", "password", "short")
	require.Equal(t, http.StatusUnprocessableEntity, weak.status)
	require.Contains(t, weak.text, `id="e-password"`)

	done := b.send(weak, "/reset", "password", newPassword)
	require.Equal(t, "/login", done.url.Path)
	require.Contains(t, done.text, "Your new password is set")
	require.Equal(t, "/login", b.get("/account").url.Path, "a reset signs nobody in")
	require.Equal(t, "/login", owner.get("/account/security").url.Path, "other browsers are out at their next request")
	require.Equal(t, http.StatusUnprocessableEntity, b.signIn(owner.Email).status, "the old password is gone")
	require.Equal(t, "/account", b.send(b.get("/login"), "/login", "email", owner.Email, "password", newPassword).url.Path)

	used := rig.browser(t).get("/reset?token=" + token)
	require.Equal(t, http.StatusNotFound, used.status)
	require.Contains(t, used.text, `href="/forgot"`)
}

func TestResetDoesNotGoRoundTheSecondStep(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	codes := owner.setUpTOTP()
	b := rig.browser(t)
	b.send(b.get("/forgot"), "/forgot", "email", owner.Email)
	b.send(b.get("/reset?token="+rig.resetToken(owner.Email)), "/reset", "password", newPassword)
	second := b.send(b.get("/login"), "/login", "email", owner.Email, "password", newPassword)
	require.Equal(t, "/login/second", second.url.Path)
	require.Equal(t, "/login", b.get("/account").url.Path, "half-way in is out")
	second = b.send(b.get("/login"), "/login", "email", owner.Email, "password", newPassword)
	require.Equal(t, "/login/second", second.url.Path)
	require.Equal(t, "/account", b.send(second, "/login/code", "code", codes[0]).url.Path)
}

func TestNoMailGoesToAnUnknownAddress(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b, email := rig.browser(t), newEmail()
	b.send(b.get("/forgot"), "/forgot", "email", email)
	_, known, err := rig.People.MintReset(t.Context(), rig.last(account.LetterReset, email).To)
	require.NoError(t, err)
	require.False(t, known)
	require.Equal(t, http.StatusUnprocessableEntity, b.post("/forgot", url.Values{"email": {"ada"}}).status)
}
