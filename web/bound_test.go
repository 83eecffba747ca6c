package web_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/account/signin"
	"veracity/account/trail"
	"veracity/engine/mediatest"
)

// stream is a body without an end; it counts what was taken of it.
type stream struct {
	head  io.Reader
	taken atomic.Int64
}

func (s *stream) Read(p []byte) (int, error) {
	if n, err := s.head.Read(p); err == nil {
		return n, nil
	}
	if s.taken.Load() >= 32<<20 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'x'
	}
	s.taken.Add(int64(len(p)))
	return len(p), nil
}

func TestNoPageReadsABodyWithoutEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	for _, route := range r.Routes() {
		if route.Need == "operator" || strings.Contains(route.Pattern, "{") || route.Pattern == "/account/playground" {
			continue
		}
		body := &stream{head: strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"token\"; filename=\"f\"\r\n\r\n")}
		req, err := http.NewRequestWithContext(t.Context(), route.Method, r.origin+route.Pattern, body)
		require.NoError(t, err)
		req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		res, err := owner.client.Do(req)
		if err == nil { // the server may hang up on a body that it does not want
			require.NoError(t, res.Body.Close())
			require.Less(t, res.StatusCode, 500, "%s %s", route.Method, route.Pattern)
		}
		require.Less(t, body.taken.Load(), int64(8<<20), "%s %s", route.Method, route.Pattern) // some lies in buffers of the connection
	}
}

// slowly sends a form's head at once, and its rest only after meanwhile has run.
func (p *person) slowly(contentType, path, first, rest string, meanwhile func()) *page {
	p.t.Helper()
	from, to := io.Pipe()
	go func() {
		_, err := io.WriteString(to, first)
		if err == nil {
			<-time.After(300 * time.Millisecond) // the server has the head, and has asked whatever it asks of it, by then
			meanwhile()
			_, err = io.WriteString(to, rest)
		}
		_ = to.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base.String()+path, from)
	require.NoError(p.t, err)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := p.client.Do(req)
	require.NoError(p.t, err)
	defer func() { require.NoError(p.t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	return &page{t: p.t, status: res.StatusCode, url: req.URL, header: res.Header, text: string(text)}
}

const urlencoded = "application/x-www-form-urlencoded"

func TestASlowFormActsByTheRoleAndTheSignInOfItsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	by := owner.actor(access.Owner)
	user, email := r.member(by, access.Developer)
	developer := &person{browser: r.browser(t), Email: email, User: user, Account: owner.Account}
	developer.signIn(email)

	said := developer.slowly(urlencoded, "/account/keys", "name=", "afterwards", func() {
		_ = r.Accounts.RemoveMember(t.Context(), by, user) // what comes of it is looked at below
	})
	require.Equal(t, http.StatusSeeOther, said.status)
	require.Equal(t, "/account/none", said.header.Get("Location"))

	said = owner.slowly(urlencoded, "/account/keys", "name=", "afterwards", func() {
		_, _ = r.People.EndOthers(t.Context(), owner.User, uuid.Nil, signin.Client{Address: "192.0.2.1"}) // as above
	})
	require.Equal(t, http.StatusSeeOther, said.status)
	require.Equal(t, "/login", said.header.Get("Location"))

	keys, err := r.Accounts.ListKeys(t.Context(), owner.Account)
	require.NoError(t, err)
	require.Empty(t, keys)
	entries, err := trail.Read(t.Context(), r.DB, by, trail.Filter{})
	require.NoError(t, err)
	require.Contains(t, acts(entries), "member.removed")
}

func acts(entries []trail.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Act
	}
	return all
}

func TestAnUploadOfSomebodyWhoWasRemovedMeanwhileSpendsNothing(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	by := owner.actor(access.Owner)
	user, email := r.member(by, access.Developer)
	developer := &person{browser: r.browser(t), Email: email, User: user, Account: owner.Account}
	developer.signIn(email)
	for name, meanwhile := range map[string]func(){
		"viewer":  func() { _ = r.Accounts.SetRole(t.Context(), by, user, access.Viewer) },
		"removed": func() { _ = r.Accounts.RemoveMember(t.Context(), by, user) },
	} {
		require.NoError(t, r.restore(t, owner.Account, user))
		kind, body := multi(t, part{"id", "", uuid.NewString()}, part{"file", "a.png", string(mediatest.PNG(t, 64, 64))})
		half := len(body) - 40
		said := developer.slowly(kind, "/account/playground", string(body[:half]), string(body[half:]), meanwhile)
		require.NotEqual(t, http.StatusOK, said.status, name)
		spent, held := r.spent(t, owner)
		require.Zero(t, spent+held, name)
		var done int
		require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT count(*) FROM playground_run WHERE state <> 'failed'`).Scan(&done))
		require.Zero(t, done, name)
	}
}

// restore makes a user a developer of an account again.
func (r *rig) restore(t *testing.T, account, user uuid.UUID) error {
	t.Helper()
	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, 'developer')
		ON CONFLICT (account_id, user_id) DO UPDATE SET role = 'developer'`, account, user)
	return err
}

func TestASecondStepFollowsTheCurrentPasswordAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	codes := owner.setUpTOTP()
	intruder := r.browser(t)
	require.Equal(t, "/login/second", intruder.signIn(owner.Email).url.Path)

	owner.send(owner.get("/forgot"), "/forgot", "email", owner.Email)
	reset := r.browser(t)
	token := r.resetToken(owner.Email)
	reset.post("/reset", url.Values{"token": {token}, "password": {"another horse entirely 77"}})
	said := intruder.post("/login/code", url.Values{"recovery": {codes[0]}})
	require.Equal(t, "/login", said.url.Path)
	require.Contains(t, said.text, "The password was changed a moment ago")
	require.Equal(t, "/login", intruder.get("/account").url.Path)
	live, err := r.People.SignIns(t.Context(), owner.User)
	require.NoError(t, err)
	require.Empty(t, live)
}

func TestNobodyIsGivenASessionForNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stranger := r.browser(t)
	for _, path := range []string{"/", "/login", "/login/second", "/signup", "/signup/sent", "/forgot", "/account", "/reset?token=x", "/verify?token=x"} {
		stranger.get(path)
	}
	for _, path := range []string{"/logout", "/login/code", "/login", "/signup/resend", "/reset", "/verify"} {
		stranger.post(path, url.Values{"email": {"nobody@example.com"}, "password": {"x"}})
	}
	require.Empty(t, stranger.session())
	var sessions int
	require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT count(*) FROM sessions`).Scan(&sessions))
	require.Zero(t, sessions)
}
