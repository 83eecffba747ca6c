package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
)

var (
	secretInput  = regexp.MustCompile(`<input id="totp-secret"[^>]*value="([^"]+)"`)
	recoveryCode = regexp.MustCompile(`\b[a-z2-7]{4}(?:-[a-z2-7]{4}){3}\b`)
)

// setUpTOTP turns an authenticator app on and returns the recovery codes that come with it. The code shown now is used up
// by it.
func (p *person) setUpTOTP() []string {
	p.t.Helper()
	begun := p.send(p.get("/account/security"), "/account/security/totp", "totp_begin", password)
	require.Equal(p.t, http.StatusOK, begun.status, begun.text)
	found := secretInput.FindStringSubmatch(begun.text)
	require.NotNil(p.t, found, begun.text)
	code, err := totp.GenerateCode(strings.ReplaceAll(found[1], " ", ""), time.Now())
	require.NoError(p.t, err)
	done := p.send(begun, "/account/security/totp/confirm", "code", code)
	require.Equal(p.t, http.StatusOK, done.status, done.text)
	return codesOn(done)
}

// codesOn are the recovery codes that a page shows.
func codesOn(p *page) []string {
	p.t.Helper()
	start := strings.Index(p.text, `id="recovery-codes"`)
	require.Positive(p.t, start, p.text)
	codes := recoveryCode.FindAllString(p.text[start:strings.Index(p.text[start:], "</code>")+start], -1)
	require.Len(p.t, codes, 10)
	return codes
}

func TestAnAuthenticatorAppIsAskedForAfterThePassword(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	before := owner.session()
	begun := owner.send(owner.get("/account/security"), "/account/security/totp", "totp_begin", password)
	require.Contains(t, begun.text, `src="data:image/png;base64,`)
	require.Equal(t, "no-store", begun.header.Get("Cache-Control"))
	wrong := owner.send(begun, "/account/security/totp/confirm", "code", "000000")
	require.Equal(t, http.StatusUnprocessableEntity, wrong.status)
	require.NotRegexp(t, secretInput, wrong.text, "the secret is shown once")

	codes := owner.setUpTOTP()
	require.NotEqual(t, before, owner.session(), "the session's token is new")
	require.Equal(t, 1, rig.letters.count(account.LetterSecurity, owner.Email))
	for _, code := range codes {
		require.NotContains(t, owner.get("/account/security").text, code, "the codes were shown once")
	}

	b := rig.browser(t)
	second := b.signIn(owner.Email)
	require.Equal(t, "/login/second", second.url.Path)
	require.Contains(t, second.text, `autocomplete="one-time-code"`)
	require.Contains(t, second.text, `inputmode="numeric"`)
	require.Equal(t, "no-store", second.header.Get("Cache-Control"))
	refused := b.send(second, "/login/code", "code", "000000")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Equal(t, "/login", b.get("/account").url.Path)
}

func TestARecoveryCodeWorksOnce(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	codes := owner.setUpTOTP()
	b := rig.browser(t)
	second := b.signIn(owner.Email)
	half := b.session()
	in := b.post("/login/code", url.Values{"recovery": {strings.ToUpper(codes[3])}})
	require.Equal(t, "/account", in.url.Path, in.text)
	require.NotEqual(t, half, b.session(), "the session's token is new at each step")
	require.Contains(t, b.get("/account/security").text, "9 codes")

	again := rig.browser(t)
	again.signIn(owner.Email)
	used := again.post("/login/code", url.Values{"recovery": {codes[3]}})
	require.Equal(t, http.StatusUnprocessableEntity, used.status)
	require.Contains(t, used.text, "<details open", "the form that was refused is in sight, with why")
	require.Contains(t, used.text, "This recovery code is wrong or was used before")
	require.Equal(t, "/account", again.send(second, "/login/code", "code", codes[4]).url.Path)
}

func TestNewRecoveryCodesEndTheOldOnes(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	old := owner.setUpTOTP()
	wrong := owner.send(owner.get("/account/security"), "/account/security/recovery", "recovery", "not the password")
	require.Equal(t, http.StatusUnprocessableEntity, wrong.status)
	require.Contains(t, wrong.text, `id="e-recovery"`)
	made := owner.send(wrong, "/account/security/recovery", "recovery", password)
	require.Equal(t, "no-store", made.header.Get("Cache-Control"))
	require.Contains(t, made.text, `download="veracity-recovery-codes.txt"`)
	fresh := codesOn(made)
	require.Equal(t, http.StatusMethodNotAllowed, owner.get(made.url.Path).status, "the page has no address to go back to")

	b := rig.browser(t)
	second := b.signIn(owner.Email)
	require.Equal(t, http.StatusUnprocessableEntity, b.send(second, "/login/code", "code", old[0]).status)
	require.Equal(t, "/account", b.send(second, "/login/code", "code", fresh[0]).url.Path)
}

func TestEveryChangeOfAFactorAsksForThePassword(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	for path, field := range map[string]string{
		"/account/security/totp":            "totp_begin",
		"/account/security/totp/remove":     "totp_remove",
		"/account/security/recovery":        "recovery",
		"/account/security/passkeys/begin":  "passkey_add",
		"/account/security/passkeys/remove": "passkey_remove",
		"/account/security/password":        "current",
	} {
		page := owner.post(path, url.Values{field: {"not the password"}, "new": {newPassword}, "passkey": {"AAAA"}})
		require.Equal(t, http.StatusUnprocessableEntity, page.status, path)
	}
	codes := owner.setUpTOTP()
	require.NotEmpty(t, codes)
	page := owner.send(owner.get("/account/security"), "/account/security/totp/remove", "totp_remove", password)
	require.Contains(t, page.text, "The authenticator app is removed")
	require.Equal(t, "/account", rig.browser(t).signIn(owner.Email).url.Path, "the password is enough again")
}

func TestAChangedPasswordEndsOtherBrowsers(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	other := rig.browser(t)
	other.signIn(owner.Email)
	before := owner.session()
	weak := owner.send(owner.get("/account/security"), "/account/security/password", "current", password, "new", "short")
	require.Contains(t, weak.text, `id="e-new"`)
	page := owner.send(weak, "/account/security/password", "current", password, "new", newPassword)
	require.Contains(t, page.text, "Your password is changed")
	require.NotEqual(t, before, owner.session())
	require.Equal(t, "/login", other.get("/account/security").url.Path)
	require.Equal(t, http.StatusOK, owner.get("/account/security").status)
}

func TestABrowserThatIsEndedIsOutAtItsNextRequest(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	phone, tablet := rig.browser(t), rig.browser(t)
	phone.signIn(owner.Email)
	list := owner.get("/account/security")
	require.Contains(t, list.text, "Firefox on Linux")
	require.Equal(t, 1, strings.Count(list.text, "This one"))

	ids, err := rig.People.SignIns(t.Context(), owner.User)
	require.NoError(t, err)
	require.Len(t, ids, 2)
	require.Contains(t, owner.post("/account/security/sessions/end", url.Values{"id": {ids[0].ID.String()}}).text, "signed out")
	require.Equal(t, "/login", phone.get("/account/security").url.Path)

	tablet.signIn(owner.Email)
	require.Contains(t, owner.send(owner.get("/account/security"), "/account/security/sessions/end-others").text, "All other browsers")
	require.Equal(t, "/login", tablet.get("/account/security").url.Path)
	require.Equal(t, http.StatusOK, owner.get("/account/security").status)

	stranger := rig.person(t, access.Owner)
	own, err := rig.People.SignIns(t.Context(), owner.User)
	require.NoError(t, err)
	for _, id := range []string{own[0].ID.String(), uuid.NewString(), "nonsense"} {
		require.Equal(t, http.StatusNotFound, stranger.post("/account/security/sessions/end", url.Values{"id": {id}}).status)
	}
	self := owner.post("/account/security/sessions/end", url.Values{"id": {own[0].ID.String()}})
	require.Equal(t, "/login", self.url.Path)
}

func TestAPersonSeesWhatHappenedToTheSignIn(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	b := rig.browser(t)
	b.address = "203.0.113.77"
	b.send(b.get("/login"), "/login", "email", owner.Email, "password", "not the password")
	page := owner.get("/account/security")
	require.Contains(t, page.text, "Signed in by password, Firefox on Linux")
	require.Contains(t, page.text, "Sign-in by password, Firefox on Linux")
	require.Contains(t, page.text, "203.0.113.77")
}

func TestAPasskeysEnrolmentNeedsItsOwnChallenge(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	refused := owner.post("/account/security/passkeys/begin", url.Values{"passkey_add": {"not the password"}})
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.JSONEq(t, `{"error":"This is not your current password. Type it again."}`, refused.text)
	begun := owner.post("/account/security/passkeys/begin", url.Values{"passkey_add": {password}})
	require.Equal(t, http.StatusOK, begun.status)
	require.Contains(t, begun.text, `"challenge"`)
	for range 2 {
		page := owner.post("/account/security/passkeys", url.Values{"name": {"Phone"}, "response": {"{}"}})
		require.Equal(t, http.StatusUnprocessableEntity, page.status)
		require.Contains(t, page.text, `role="alert"`)
	}
}
