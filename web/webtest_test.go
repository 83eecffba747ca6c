package web_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
	"veracity/billing"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/migrations/schematest"
	"veracity/platform/seal"
	"veracity/playground"
	"veracity/usage"
	"veracity/web"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

// rig is the portal on a database of the test's own, behind a server that browsers talk to. Mails are kept as letters:
// tests ask for their links.
type rig struct {
	*web.Portal
	t       *testing.T
	letters *letters
	// checks are those that people made by hand.
	checks *checks
	// cashier is the billing of portals that sell.
	cashier *cashier
	media   *acttest.Rig
	server  *httptest.Server
	// origin is where browsers find the server.
	origin string
}

// newRig makes a portal. Each change may alter its settings first. The server speaks HTTP under localhost, which browsers
// let have passkeys, whatever the base URL says. X-Forwarded-For is believed, so that browsers come from the addresses
// that tests give them.
func newRig(t *testing.T, changes ...func(*web.Config)) *rig {
	t.Helper()
	proxies, err := web.ParseProxies([]string{"127.0.0.0/8", "::1"})
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	cfg := web.Config{
		BaseURL: "http://localhost:" + port, SupportEmail: "help@example.com", Proxies: proxies, Plans: plans(),
		Prices: media.DefaultPrices(), Times: web.Times{Results: 72 * time.Hour, Ticket: time.Hour, Job: time.Hour, Attempt: 10 * time.Second},
	}
	for _, change := range changes {
		change(&cfg)
	}
	ring, err := seal.Parse(seal.NewKey("test"))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	r := &rig{t: t, letters: &letters{}, checks: &checks{}, cashier: newCashier(), media: acttest.Setup(t), server: server}
	accounts := &account.Accounts{DB: r.media.DB, Seal: ring, Plans: billing.Plans(), Queue: r.letters, Log: log}
	people, err := signin.New(lightly(cfg.BaseURL), signin.Parts{DB: r.media.DB, Accounts: accounts, Seal: ring, Queue: r.letters, Log: log})
	require.NoError(t, err)
	service, hooks := r.media.OpenWithWebhooks(r.media.Queue)
	r.Portal = web.New(cfg, web.Parts{
		DB: r.media.DB, Accounts: accounts, People: people, Media: service,
		Playground: playground.New(playground.Parts{DB: r.media.DB, Media: service}), Webhooks: hooks, Requests: r.checks, Billing: r.cashier, Log: log,
	})
	server.Config.Handler, err = r.Handler()
	require.NoError(t, err)
	server.Start()
	t.Cleanup(server.Close)
	r.origin = "http://localhost:" + port
	return r
}

func plans() []web.Plan {
	return []web.Plan{
		{Name: "free"},
		{Name: "pro", Cents: 9_900, Credits: 10_000, RPM: 300, Jobs: 5, Keys: 10},
		{Name: "scale", Cents: 49_900, Credits: 75_000, RPM: 1_200, Jobs: 20, Keys: 50},
	}
}

// lightly is sign-in with cheap hashes. Rates by client are wide, since a test's browsers share a few addresses; those
// by account are the real ones.
func lightly(baseURL string) signin.Config {
	cfg := signin.DefaultConfig()
	cfg.BaseURL = baseURL
	cfg.Hash = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	cfg.HashesAtOnce = 8
	wide := signin.Rate{Count: 10_000, Per: time.Minute}
	cfg.Throttles.ClientMinute, cfg.Throttles.ClientHour, cfg.Throttles.MailsByClient = wide, wide, wide
	return cfg
}

// checks keeps what is noted for the request log.
type checks struct {
	mu  sync.Mutex
	all []usage.Entry
}

// Note implements web.Recorder.
func (c *checks) Note(e usage.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, e)
}

// letters are the mails that were asked for.
type letters struct {
	mu  sync.Mutex
	all []account.Letter
}

// Insert implements account.Inserter.
func (l *letters) Insert(_ context.Context, _ pgx.Tx, job interface{ Kind() string }) error {
	if letter, ok := job.(account.Letter); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, letter)
	}
	return nil
}

// count is how many mails of a name were asked for to an address.
func (l *letters) count(name account.LetterName, to string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, letter := range l.all {
		if letter.Name == name && letter.To == to {
			n++
		}
	}
	return n
}

// last is the newest mail of a name to an address.
func (r *rig) last(name account.LetterName, to string) account.Letter {
	r.t.Helper()
	r.letters.mu.Lock()
	defer r.letters.mu.Unlock()
	for i := len(r.letters.all) - 1; i >= 0; i-- {
		if l := r.letters.all[i]; l.Name == name && l.To == to {
			return l
		}
	}
	require.Fail(r.t, "no such mail", "%s to %s", name, to)
	return account.Letter{}
}

// signUpToken is the token of the link that was mailed to somebody who signed up.
func (r *rig) signUpToken(email string) string {
	r.t.Helper()
	letter, ok, err := r.People.MintSignUp(r.t.Context(), r.last(account.LetterSignUp, email).Subject)
	require.NoError(r.t, err)
	require.True(r.t, ok)
	return letter.Token
}

// resetToken is the token of the link that was mailed to somebody who forgot the password.
func (r *rig) resetToken(email string) string {
	r.t.Helper()
	letter, ok, err := r.People.MintReset(r.t.Context(), r.last(account.LetterReset, email).To)
	require.NoError(r.t, err)
	require.True(r.t, ok)
	return letter.Token
}

// inviteToken is the token of the link that was mailed to somebody who was invited.
func (r *rig) inviteToken(email string) string {
	r.t.Helper()
	letter, ok, err := r.People.MintInvite(r.t.Context(), r.last(account.LetterInvite, email).Subject)
	require.NoError(r.t, err)
	require.True(r.t, ok)
	return letter.Token
}

// emailToken is the token of the link that was mailed to a person's new address.
func (r *rig) emailToken(email string) string {
	r.t.Helper()
	letter, ok, err := r.People.MintEmailChange(r.t.Context(), r.last(account.LetterEmailChange, email).Subject)
	require.NoError(r.t, err)
	require.True(r.t, ok)
	return letter.Token
}

// password is everybody's.
const password = "correct horse battery staple 42"

// person is somebody who is signed in.
type person struct {
	*browser
	Email   string
	User    uuid.UUID
	Account uuid.UUID
}

// newEmail is an address that nobody has.
func newEmail() string { return "p-" + uuid.NewString()[:8] + "@example.com" }

// known makes a person with a password, on the free plan, who is signed in nowhere.
func (r *rig) known(email string) uuid.UUID {
	r.t.Helper()
	ctx, client := r.t.Context(), signin.Client{Address: "192.0.2.1"}
	id, err := r.People.SignUp(ctx, signin.NewPerson{Email: email, Password: password}, client)
	require.NoError(r.t, err)
	user, err := r.People.Verify(ctx, r.signUpToken(email), signin.Proof{SignUp: id}, client)
	require.NoError(r.t, err)
	return user
}

// account makes an account on plan pro whose owner has a password and is signed in nowhere.
func (r *rig) account() (owner access.Actor, email string) {
	r.t.Helper()
	email = newEmail()
	acc, err := r.Accounts.Create(r.t.Context(), email, "pro", account.Overrides{})
	require.NoError(r.t, err)
	return access.Actor{Account: acc.ID, User: r.known(email), Role: access.Owner, Address: "192.0.2.1"}, email
}

// member makes somebody with a password a member of an account.
func (r *rig) member(owner access.Actor, role access.Role) (user uuid.UUID, email string) {
	r.t.Helper()
	email = newEmail()
	_, err := r.Accounts.Invite(r.t.Context(), owner, email, role)
	require.NoError(r.t, err)
	user, joined, err := r.People.AcceptInvite(r.t.Context(), r.inviteToken(email), uuid.Nil,
		signin.NewPerson{Email: email, Password: password}, signin.Client{Address: "192.0.2.1"})
	require.NoError(r.t, err)
	require.Equal(r.t, owner.Account, joined)
	return user, email
}

// person is somebody in that role in an account on plan pro, signed in.
func (r *rig) person(t *testing.T, role access.Role) *person {
	t.Helper()
	owner, email := r.account()
	user := owner.User
	if role != access.Owner {
		user, email = r.member(owner, role)
	}
	who := &person{browser: r.browser(t), Email: email, User: user, Account: owner.Account}
	page := who.signIn(email)
	require.Equal(t, "/account", page.url.Path, page.text)
	return who
}

// actor is the person as the domains know him.
func (p *person) actor(role access.Role) access.Actor {
	return access.Actor{Account: p.Account, User: p.User, Role: role, Address: "192.0.2.1"}
}

// signIn sends the form of the sign-in with everybody's password.
func (b *browser) signIn(email string) *page {
	b.t.Helper()
	return b.send(b.get("/login"), "/login", "email", email, "password", password)
}

// cookie is a cookie's value in the browser, or "".
func (b *browser) cookie(name string) string {
	for _, c := range b.client.Jar.Cookies(b.base) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// session is the browser's session cookie.
func (b *browser) session() string { return b.cookie("veracity_session") }

// serve answers one request without a server or a browser.
func (r *rig) serve(req *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	r.server.Config.Handler.ServeHTTP(rec, req)
	return rec
}
