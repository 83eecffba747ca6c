package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/web"
)

// masked is a page without the address that somebody typed.
func masked(text, email string) string { return strings.ReplaceAll(text, email, "…") }

func TestSignInDoesNotTellWhoIsKnown(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	known, unknown := newEmail(), newEmail()
	rig.known(known)
	wrong, nobody := rig.browser(t), rig.browser(t)
	one := wrong.send(wrong.get("/login"), "/login", "email", known, "password", "not the password")
	other := nobody.send(nobody.get("/login"), "/login", "email", unknown, "password", "not the password")
	require.Equal(t, http.StatusUnprocessableEntity, one.status)
	require.Equal(t, one.status, other.status)
	require.Equal(t, masked(one.text, known), masked(other.text, unknown), "byte for byte")
	require.Contains(t, one.text, `role="alert"`)
	require.NotContains(t, one.text, "not the password")

	forgotten, unheard := wrong.send(wrong.get("/forgot"), "/forgot", "email", known), nobody.send(nobody.get("/forgot"), "/forgot", "email", unknown)
	require.Equal(t, forgotten.status, unheard.status)
	require.Equal(t, masked(forgotten.text, known), masked(unheard.text, unknown), "byte for byte")
}

func TestSignInMakesANewSession(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	email := newEmail()
	rig.known(email)
	b := rig.browser(t)
	b.begin(newEmail())
	planted := b.session()
	require.NotEmpty(t, planted)
	require.Equal(t, "/account", b.signIn(email).url.Path)
	require.NotEqual(t, planted, b.session())

	other := rig.browser(t)
	other.client.Jar.SetCookies(other.base, []*http.Cookie{{Name: "veracity_session", Value: planted}})
	require.Equal(t, "/login", other.get("/account").url.Path, "whoever planted the token gets nothing by it")
}

func TestTooManyTriesSayHowLongToWait(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	email := newEmail()
	rig.known(email)
	familiar := rig.browser(t)
	require.Equal(t, "/account", familiar.signIn(email).url.Path)
	familiar.send(familiar.get("/account/security"), "/logout")

	stranger := rig.browser(t)
	stranger.address = "203.0.113.9"
	var last *page
	for range 11 {
		last = stranger.send(stranger.get("/login"), "/login", "email", email, "password", "not the password")
	}
	require.Equal(t, http.StatusTooManyRequests, last.status)
	require.NotEmpty(t, last.header.Get("Retry-After"))
	require.Contains(t, last.text, "Too many tries. Wait")
	require.Equal(t, http.StatusTooManyRequests, stranger.signIn(email).status, "the right password does not help either")
	require.Equal(t, "/account", familiar.signIn(email).url.Path, "the owner's browser is not kept out")
}

func TestSignInLeadsBackToWhereItWasAsked(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	email := newEmail()
	rig.known(email)
	b := rig.browser(t)
	asked := b.get("/account/security")
	require.Equal(t, "/login", asked.url.Path)
	require.Equal(t, "/account/security", b.send(asked, "/login", "email", email, "password", password).url.Path)
}

func TestSignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	email := newEmail()
	rig.known(email)
	for _, to := range []string{
		"https://evil.test/", "//evil.test/", "/\\evil.test", "\\\\evil.test", "/\t/evil.test", "javascript:alert(1)", "evil.test", "http:evil.test", "///evil.test",
	} {
		b := rig.browser(t)
		page := b.once(http.MethodPost, "/login", url.Values{"email": {email}, "password": {password}, "next": {to}})
		require.Equal(t, http.StatusSeeOther, page.status, to)
		require.Equal(t, "/account", page.header.Get("Location"), to)
		again := b.once(http.MethodGet, "/login?next="+url.QueryEscape(to), nil)
		require.Equal(t, "/account", again.header.Get("Location"), to)
		out := b.once(http.MethodPost, "/logout", url.Values{"next": {to}})
		require.Equal(t, "/account", out.header.Get("Location"), to)
	}
}

func TestSignOutEndsTheSession(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	token := owner.session()
	out := owner.send(owner.get("/account/security"), "/logout")
	require.Equal(t, "/login", out.url.Path)
	require.Contains(t, out.text, "You have signed out")

	thief := rig.browser(t)
	thief.client.Jar.SetCookies(thief.base, []*http.Cookie{{Name: "veracity_session", Value: token}})
	require.Equal(t, "/login", thief.get("/account/security").url.Path)
	require.Equal(t, "/login", owner.get("/account/security").url.Path)
}

func TestAnotherSiteCannotSendForms(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	for _, site := range []string{"cross-site", "same-site"} {
		for _, path := range []string{"/logout", "/login", "/account/security/sessions/end-others", "/account/profile"} {
			require.Equal(t, http.StatusForbidden, owner.do(http.MethodPost, path, nil, site).status, site+" "+path)
		}
	}
	require.Equal(t, http.StatusOK, owner.get("/account/security").status, "still signed in")
}

func TestCookiesAreTheServersAlone(t *testing.T) {
	t.Parallel()
	for base, prefix := range map[string]string{"http://localhost": "", "https://veracity.test": "__Host-"} {
		rig := newRig(t, func(c *web.Config) { c.BaseURL = base })
		email := newEmail()
		rig.known(email)
		form := url.Values{"email": {email}, "password": {password}}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := rig.serve(req)
		require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body.String())
		names := map[string]*http.Cookie{}
		for _, c := range rec.Result().Cookies() {
			names[c.Name] = c
		}
		for _, name := range []string{"veracity_session", "veracity_device"} {
			c := names[prefix+name]
			require.NotNil(t, c, prefix+name)
			require.True(t, c.HttpOnly, name)
			require.Equal(t, http.SameSiteLaxMode, c.SameSite, name)
			require.Equal(t, "/", c.Path, name)
			require.Empty(t, c.Domain, name)
			require.Equal(t, prefix != "", c.Secure, name)
		}
		require.Len(t, names, 2)
	}
}

func TestPagesOfAPersonAreNeverStored(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	for _, path := range []string{"/account/security", "/account/profile"} {
		require.Equal(t, "no-store", owner.get(path).header.Get("Cache-Control"), path)
	}
	stranger := rig.browser(t)
	for _, path := range []string{"/login", "/signup", "/forgot", "/verify?token=x", "/reset?token=x", "/invite?token=x", "/email?token=x"} {
		page := stranger.get(path)
		require.Equal(t, "no-store", page.header.Get("Cache-Control"), path)
		require.Equal(t, "same-origin", page.header.Get("Referrer-Policy"), path)
	}
}

func TestASecondStepNeedsTheFirst(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b := rig.browser(t)
	for _, page := range []*page{b.get("/login/second"), b.post("/login/code", url.Values{"code": {"123456"}})} {
		require.Equal(t, "/login", page.url.Path)
	}
}

func TestAPasskeysChallengeComesAsJSON(t *testing.T) {
	t.Parallel()
	b := newRig(t).browser(t)
	begun := b.post("/login/passkey/begin", nil)
	require.Equal(t, http.StatusOK, begun.status)
	require.Equal(t, "application/json", begun.header.Get("Content-Type"))
	require.Equal(t, "no-store", begun.header.Get("Cache-Control"))
	require.Contains(t, begun.text, `"challenge"`)
	for _, response := range []string{"", "{}", "nonsense"} {
		page := b.post("/login/passkey", url.Values{"response": {response}})
		require.Equal(t, http.StatusUnprocessableEntity, page.status)
		require.Contains(t, page.text, `role="alert"`)
	}
	require.Equal(t, "/login", b.get("/account").url.Path)
}

func TestAnAddressWithoutANameOffersNoPasskeys(t *testing.T) {
	t.Parallel()
	rig := newRig(t, func(c *web.Config) { c.BaseURL = "http://127.0.0.1:8080" })
	require.NotContains(t, rig.browser(t).get("/login").text, "passkey.js")
	owner := rig.person(t, access.Owner)
	require.Contains(t, owner.get("/account/security").text, "passkeys work with names alone")
	require.Equal(t, http.StatusUnprocessableEntity, owner.post("/account/security/passkeys/begin", url.Values{"passkey_add": {password}}).status)
}
