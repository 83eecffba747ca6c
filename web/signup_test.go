package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
)

// begin sends the form of the sign-up.
func (b *browser) begin(email string) *page {
	b.t.Helper()
	return b.send(b.get("/signup"), "/signup", "name", "Ada", "email", email, "password", password)
}

func TestSignUpLeadsToAnAccountOnceTheAddressIsConfirmed(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b, email := rig.browser(t), newEmail()
	sent := b.begin(email)
	require.Equal(t, "/signup/sent", sent.url.Path)
	require.Contains(t, sent.text, email)
	require.Equal(t, "/login", b.get("/account").url.Path, "nobody is signed in yet")

	before := b.session()
	verify := b.get("/verify?token=" + rig.signUpToken(email))
	require.Equal(t, http.StatusOK, verify.status)
	require.False(t, verify.form("/verify").Has("password"), "this browser began the sign-up")
	page := b.send(verify, "/verify")
	require.Equal(t, "/account", page.url.Path)
	require.NotEqual(t, before, b.session(), "the session's token is new")
	require.Contains(t, b.get("/account/profile").text, "Ada")
}

func TestOpeningALinkConfirmsNothing(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b, email := rig.browser(t), newEmail()
	b.begin(email)
	token := rig.signUpToken(email)
	for range 3 {
		require.Equal(t, http.StatusOK, b.get("/verify?token="+token).status)
	}
	require.Equal(t, http.StatusUnprocessableEntity, rig.browser(t).signIn(email).status)
	require.Equal(t, "/account", b.send(b.get("/verify?token="+token), "/verify").url.Path)
}

func TestAnotherBrowserConfirmsOnlyWithThePassword(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	email := newEmail()
	rig.browser(t).begin(email)
	other, token := rig.browser(t), rig.signUpToken(email)
	form := other.get("/verify?token=" + token)
	require.Contains(t, form.text, "did not begin the sign-up")

	wrong := other.send(form, "/verify", "password", "not the password")
	require.Equal(t, http.StatusUnprocessableEntity, wrong.status)
	require.Contains(t, wrong.text, `aria-invalid="true"`)
	without := other.post("/verify", url.Values{"token": {token}})
	require.Equal(t, http.StatusUnprocessableEntity, without.status)
	require.Equal(t, "/login", other.get("/account").url.Path)

	require.Equal(t, "/account", other.send(wrong, "/verify", "password", password).url.Path)
}

func TestALinkConfirmsOnce(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b, email := rig.browser(t), newEmail()
	b.begin(email)
	token := rig.signUpToken(email)
	b.send(b.get("/verify?token="+token), "/verify")
	for _, again := range []*page{b.get("/verify?token=" + token), b.get("/verify?token=nonsense"), b.post("/verify", url.Values{"token": {token}})} {
		require.Equal(t, http.StatusNotFound, again.status)
		require.Contains(t, again.text, "This link does not work any more")
	}
}

func TestSignUpDoesNotTellWhoIsKnown(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	known, unknown := newEmail(), newEmail()
	rig.known(known)
	one, other := rig.browser(t).begin(known), rig.browser(t).begin(unknown)
	require.Equal(t, one.status, other.status)
	require.Equal(t, one.url.Path, other.url.Path)
	require.Equal(t, masked(one.text, known), masked(other.text, unknown))
}

func TestSignUpSaysWhichFieldIsWrong(t *testing.T) {
	t.Parallel()
	b := newRig(t).browser(t)
	for name, c := range map[string]struct {
		email, password, field string
	}{
		"no address":      {"ada", password, "e-email"},
		"short password":  {newEmail(), "short", "e-password"},
		"common password": {newEmail(), "password1234", "e-password"},
	} {
		page := b.send(b.get("/signup"), "/signup", "name", "Ada <b>", "email", c.email, "password", c.password)
		require.Equal(t, http.StatusUnprocessableEntity, page.status, name)
		require.Contains(t, page.text, `id="`+c.field+`"`, name)
		form := page.form("/signup")
		require.Equal(t, "Ada <b>", form.Get("name"), "what was typed stays")
		require.Equal(t, c.email, form.Get("email"), name)
		require.Empty(t, form.Get("password"), "a password is never sent back")
		require.NotContains(t, page.text, c.password, name)
	}
}

func TestSignUpMailCanBeSentAgain(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b, email := rig.browser(t), newEmail()
	sent := b.begin(email)
	require.Equal(t, 1, rig.letters.count(account.LetterSignUp, email))
	again := b.send(sent, "/signup/resend")
	require.Contains(t, again.text, "Sent again")
	require.Equal(t, 2, rig.letters.count(account.LetterSignUp, email))
	for range 10 {
		b.send(again, "/signup/resend")
	}
	require.LessOrEqual(t, rig.letters.count(account.LetterSignUp, email), 5, "nobody's mailbox is flooded")

	stranger := rig.browser(t)
	require.Equal(t, "/signup", stranger.get("/signup/sent").url.Path)
	require.Equal(t, "/signup", stranger.post("/signup/resend", nil).url.Path)
}

func TestAChosenPlanComesBackAfterTheSignUp(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	b, email := rig.browser(t), newEmail()
	b.send(b.get("/signup?plan=scale"), "/signup", "email", email, "password", password)
	page := b.send(b.get("/verify?token="+rig.signUpToken(email)), "/verify")
	require.Equal(t, "/account/plan?plan=scale", page.url.RequestURI())
	require.NotContains(t, rig.browser(t).get("/signup?plan=gold").text, "gold")
}

func TestWhoIsSignedInNeedsNoFormToGetIn(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	for _, path := range []string{"/login", "/signup", "/login/second"} {
		require.Equal(t, "/account", owner.get(path).url.Path, path)
	}
	require.Equal(t, "/account", owner.post("/signup", url.Values{"email": {newEmail()}, "password": {password}}).url.Path)
	require.Equal(t, "/account", owner.post("/login", url.Values{"email": {"x"}, "password": {"y"}}).url.Path)
}
