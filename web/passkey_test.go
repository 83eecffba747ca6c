package web_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/web/browsertest"
)

// submit presses the button of the form that goes to action.
func submit(tab *browsertest.Tab, action string) {
	browsertest.Evaluate[bool](tab, `(document.querySelector("main form[action='`+action+`'] [type=submit]").click(), true)`)
}

// send sends a form from the page that is shown, without leaving it.
func send(tab *browsertest.Tab, action string, form url.Values) {
	browsertest.Evaluate[bool](tab, `(() => {
		const request = new XMLHttpRequest();
		request.open("POST", "`+action+`", false);
		request.setRequestHeader("Content-Type", "application/x-www-form-urlencoded");
		request.send("`+form.Encode()+`");
		return true;
	})()`)
}

// enter fills in the form of the sign-in.
func enter(tab *browsertest.Tab, email string) {
	tab.Fill("email", email)
	tab.Fill("password", password)
	submit(tab, "/login")
}

func TestAPasskeySignsInByItselfAndAsTheSecondStep(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	email := newEmail()
	user := rig.known(email)
	tab := browsertest.Open(t, rig.origin)
	tab.Authenticator()
	tab.Go("/login?next=/account/security")
	enter(tab, email)

	tab.See("Add a passkey")
	browsertest.Evaluate[bool](tab, `(document.querySelector("[data-passkey=create]").open = true)`)
	tab.Fill("name", "Laptop")
	tab.Fill("passkey_add", "not the password")
	submit(tab, "/account/security/passkeys")
	tab.See("This is not your current password")
	tab.Fill("passkey_add", password)
	submit(tab, "/account/security/passkeys")
	tab.See("Save these recovery codes now")
	tab.Press("I have saved them")
	tab.See("Laptop")

	// The authenticator agrees to everything, so it answers as soon as the page of the sign-in asks.
	tab.Press("Sign out")
	require.Eventually(t, func() bool { return tab.Path() == "/account" }, 30*time.Second, 50*time.Millisecond)

	send(tab, "/logout", url.Values{"next": {"/forgot"}})
	send(tab, "/login", url.Values{"email": {email}, "password": {password}})
	tab.Go("/login/second")
	submit(tab, "/login/passkey")
	require.Eventually(t, func() bool { return tab.Path() == "/account" }, 30*time.Second, 50*time.Millisecond)

	used, err := rig.People.SignIns(t.Context(), user)
	require.NoError(t, err)
	require.Equal(t, []string{"passkey"}, []string{used[0].Method})
	keys, err := rig.People.Passkeys(t.Context(), user)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.NotNil(t, keys[0].LastUsedAt)
}
