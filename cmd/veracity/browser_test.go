package main

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"veracity/account/signin"
	"veracity/engine/mediatest"
	"veracity/platform/mail"
	"veracity/views"
	"veracity/web/browsertest"
)

// site is a service as people meet it: with workers, which send the mails, and an outbox to read them in.
type site struct {
	*service
	outbox *mail.Outbox
}

// startSite brings a service up for browsers, which all come from one address.
func startSite(t *testing.T, changes ...func(*Settings)) site {
	t.Helper()
	svc := start(t, append([]func(*Settings){func(s *Settings) {
		often := signin.Rate{Count: 10_000, Per: time.Minute}
		s.SignIn.Throttles.ClientMinute, s.SignIn.Throttles.ClientHour, s.SignIn.Throttles.MailsByClient = often, often, often
		// The real parameters take a second each under the race detector.
		s.SignIn.Hash = argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
		s.Account.SignUpPlan = "starter"
		s.Jobs.Poll = 100 * time.Millisecond
	}}, changes...)...)
	require.NoError(t, svc.startWorker(t.Context()))
	outbox, ok := svc.Mail.(*mail.Outbox)
	require.True(t, ok)
	return site{svc, outbox}
}

// link waits for a mail to an address whose link leads to a path, and gives the path with its token.
func (s site) link(to, path string) string {
	s.t.Helper()
	pattern := regexp.MustCompile(regexp.QuoteMeta(s.url+path) + `\?token=[A-Za-z0-9_-]+`)
	var found string
	require.Eventually(s.t, func() bool {
		found = pattern.FindString(s.newestTo(to))
		return found != ""
	}, time.Minute, 50*time.Millisecond, "a mail to %s with a link to %s", to, path)
	return strings.TrimPrefix(found, s.url)
}

// newestTo is the text of the newest mail to an address, or "".
func (s site) newestTo(to string) string {
	s.t.Helper()
	all, err := s.outbox.List(1000)
	require.NoError(s.t, err)
	for _, m := range all {
		if strings.Contains(m.To, to) {
			return m.Text
		}
	}
	return ""
}

const goodPassword = "plum bicycle harbour 9"

// newcomer signs up in a tab, confirms the mail and lands on the account.
func (s site) newcomer(tab *browsertest.Tab) string {
	s.t.Helper()
	email := "newcomer-" + uuid.NewString()[:8] + "@example.com"
	tab.Go("/")
	tab.Press("Sign up")
	tab.Fill("name", "Nora New")
	tab.Fill("email", email)
	tab.Fill("password", goodPassword)
	tab.Press("Sign up")
	tab.See("Check your mail")
	tab.Go(s.link(email, "/verify"))
	tab.Press("Confirm the address")
	tab.See("Overview")
	return email
}

// signIn signs a person in by password.
func (s site) signIn(tab *browsertest.Tab, email, password string) {
	s.t.Helper()
	tab.Go("/login")
	tab.Fill("email", email)
	tab.Fill("password", password)
	tab.Press("Sign in")
}

// makeKey makes a key on its page and gives the key as it was shown.
func (s site) makeKey(tab *browsertest.Tab, name string) string {
	s.t.Helper()
	tab.Go("/account/keys")
	tab.Fill("name", name)
	tab.Press("Create key")
	tab.See("svc_live_")
	key := regexp.MustCompile(`svc_live_[0-9A-Za-z]{36}`).FindString(tab.HTML())
	require.NotEmpty(s.t, key)
	return key
}

func TestNewcomerGoesFromTheFrontPageToAVerdict(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	for _, scripts := range []bool{true, false} {
		tab := browsertest.Open(t, s.url)
		if !scripts {
			tab.WithoutScript()
		}
		s.newcomer(tab)
		tab.Press("Keys")
		tab.See("Live keys")
		key := s.makeKey(tab, "First")
		c := customer{service: s.service, key: key}
		call := browsertest.Evaluate[string](tab, `document.getElementById("first-call-code").textContent`)
		require.Contains(t, call, "curl "+s.url+"/api/v1/audit")
		require.Contains(t, call, "'X-API-Key: "+key+"'")
		sent := regexp.MustCompile(`-d '(.+)'`).FindStringSubmatch(call)
		require.NotNil(t, sent, call)
		require.JSONEq(t, views.ExampleAnswer, string(c.audit(sent[1]).body))
		tab.Tick("#saved")
		tab.Press("Done")
		tab.See("1 of 2 keys")
		require.NotContains(t, tab.HTML(), key)
		require.NotContains(t, s.log.String(), key)

		require.Equal(t, "ai", c.audit(inBase64(labelledPNG(t))).ok()["verdict"])

		tab.Go("/account/keys")
		tab.Press("Revoke First")
		tab.See("First")
		tab.Press("Revoke “First”")
		tab.See("revoked")
		c.audit(inBase64(labelledPNG(t))).refused(401, "invalid_key")
	}
}

func TestKeyIsGoneOnReload(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	tab := browsertest.Open(t, s.url)
	s.newcomer(tab)
	key := s.makeKey(tab, "Once")
	tab.Go("/account/keys")
	tab.See("Once")
	page := tab.HTML()
	require.NotContains(t, page, key)
	require.NotContains(t, page, "whsec_")
}

// addApp sets an authenticator app up and gives its secret and a recovery code.
func (s site) addApp(tab *browsertest.Tab) (secret, recovery string) {
	s.t.Helper()
	tab.Go("/account/security")
	tab.Press("Set up an app")
	tab.Fill("totp_begin", goodPassword)
	tab.Press("Show the QR code")
	secret = strings.ReplaceAll(tab.Value("totp-secret"), " ", "")
	tab.Fill("code", codeAt(s.t, secret, time.Now()))
	tab.Press("Turn it on")
	tab.See("recovery codes")
	recovery = regexp.MustCompile(`(?m)\b[a-z2-7]{4}(-[a-z2-7]{4})+\b`).FindString(tab.Text())
	require.NotEmpty(s.t, recovery, tab.Text())
	return secret, recovery
}

// codeAt is what an authenticator app shows at a time. Each code works once, so the next sign-in takes the next one.
func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	require.NoError(t, err)
	return code
}

func TestResetByMailDoesNotGoRoundTheSecondFactor(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	tab := browsertest.Open(t, s.url)
	email := s.newcomer(tab)
	secret, recovery := s.addApp(tab)

	thief := browsertest.Open(t, s.url)
	thief.Go("/login")
	thief.Press("Forgot your password?")
	thief.Fill("email", email)
	thief.Press("Send the link")
	thief.Go(s.link(email, "/reset"))
	thief.Fill("password", "walnut ladder orchid 4")
	thief.Press("Set the password")
	thief.See("new password is set")
	s.signIn(thief, email, "walnut ladder orchid 4")
	thief.See("code")
	thief.Go("/account")
	require.Equal(t, "/login", strings.SplitN(thief.Path(), "?", 2)[0])

	tab.Go("/account")
	require.True(t, strings.HasPrefix(tab.Path(), "/login"), "the reset ends all sign-ins")
	s.signIn(tab, email, "walnut ladder orchid 4")
	tab.Fill("code", codeAt(t, secret, time.Now().Add(30*time.Second)))
	tab.Press("Sign in")
	tab.See("Overview")

	other := browsertest.Open(t, s.url)
	s.signIn(other, email, "walnut ladder orchid 4")
	other.Press("The app is not at hand")
	other.Fill("recovery", recovery)
	other.Press("Use a recovery code")
	other.See("Overview")
}

func TestPasskeySignsIn(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	tab := browsertest.Open(t, s.url)
	tab.Authenticator()
	s.newcomer(tab)
	tab.Go("/account/security")
	tab.Press("Add a passkey")
	tab.Fill("name", "Phone")
	tab.Fill("passkey_add", goodPassword)
	tab.Send("/account/security/passkeys")
	tab.See("recovery codes")
	tab.Go("/account/security")
	tab.See("Phone")
	tab.Press("Sign out")
	tab.See("Sign in")
	// The browser offers the passkey by itself where the address is to be typed, and this one's owner agrees at once.
	tab.Go("/login")
	tab.See("Overview")
}

func TestInvitedColleagueJoinsAndLosesAccess(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	owner, guest := browsertest.Open(t, s.url), browsertest.Open(t, s.url)
	s.newcomer(owner)
	email := "guest-" + uuid.NewString()[:8] + "@example.com"
	owner.Go("/account/team")
	owner.Fill("email", email)
	owner.Tick("#role-viewer")
	owner.Press("Send invite")
	owner.See(email)

	guest.Go(s.link(email, "/invite"))
	guest.Fill("name", "Gus Guest")
	guest.Fill("password", goodPassword)
	guest.Press("Join the account")
	guest.See("Overview")
	guest.Go("/account/keys")
	require.False(t, guest.Shows("Create key"))

	owner.Go("/account/team")
	owner.Press("Remove " + email)
	owner.See("What happens")
	owner.Press("Remove " + email)
	owner.See("The member is removed")
	guest.Go("/account/keys")
	guest.See("belong to no account")
}

func TestPlaygroundShowsAVerdictAndSpendsOnce(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	file := filepath.Join(t.TempDir(), "lighthouse.png")
	require.NoError(t, os.WriteFile(file, labelledPNG(t), 0o600))
	for _, scripts := range []bool{true, false} {
		tab := browsertest.Open(t, s.url)
		if !scripts {
			tab.WithoutScript()
		}
		s.newcomer(tab)
		tab.Press("Playground")
		tab.See("1,000")
		tab.Attach("file", file)
		tab.Press("Check it")
		tab.See("AI-generated")
		tab.See("Provenance")
		tab.Go("/account")
		tab.See("999")
	}
}

func TestCustomerSendsAWebhookAgain(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	s := startSite(t, receiver.allow)
	tab := browsertest.Open(t, s.url)
	s.newcomer(tab)
	c := customer{service: s.service, key: s.makeKey(tab, "Hooks")}
	job := c.call(http.MethodPost, "/api/v1/optimize", object(
		"image_base64", base64.StdEncoding.EncodeToString(mediatest.PNG(t, 64, 48)), "callback_url", receiver.url))
	require.Equal(t, http.StatusAccepted, job.status, "%s", job.body)
	require.Eventually(t, func() bool { return len(receiver.calls()) == 1 }, time.Minute, 50*time.Millisecond)
	tab.Go("/account/webhooks")
	tab.Follow("/account/webhooks/")
	tab.See("Service-Signature")
	tab.Press("Send it again")
	require.Eventually(t, func() bool { return len(receiver.calls()) == 2 }, time.Minute, 50*time.Millisecond)
	require.Equal(t, receiver.calls()[0].body, receiver.calls()[1].body)
}
