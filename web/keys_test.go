package web_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

var (
	keyPattern    = regexp.MustCompile(`svc_live_[A-Za-z0-9_-]{30,}`)
	secretPattern = regexp.MustCompile(`whsec_[A-Za-z0-9_+/=-]{20,}`)
)

// lines keeps what is logged.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// listen logs everything, down to the finest, into what it returns.
func (r *rig) listen() *lines {
	kept := &lines{}
	log := slog.New(slog.NewTextHandler(kept, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.Log, r.Accounts.Log = log, log
	return kept
}

// create sends the form that makes a key.
func (p *person) create(name string) *page {
	p.t.Helper()
	return p.send(p.get("/account/keys"), "/account/keys", "name", name)
}

func TestKeyIsShownOnceAndNeverAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	logged := r.listen()
	owner := r.person(t, access.Owner)

	once := owner.create("production server")
	require.Equal(t, http.StatusOK, once.status, "the page answers directly: no redirect carries the key")
	require.Equal(t, "/account/keys", once.url.RequestURI())
	require.Equal(t, "no-store", once.header.Get("Cache-Control"))
	key, secret := keyPattern.FindString(once.text), secretPattern.FindString(once.text)
	require.NotEmpty(t, key)
	require.NotEmpty(t, secret)
	require.Contains(t, once.text, "X-API-Key: "+key, "an example call has the key in it")
	caller, err := r.Accounts.Authenticate(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, owner.Account, caller.Account)

	// A reload sends the form again.
	again := owner.post("/account/keys", map[string][]string{"name": {"production server"}})
	require.Equal(t, http.StatusUnprocessableEntity, again.status)
	for _, path := range []string{"/account/keys", "/account", "/account/trail", "/account/settings", "/account/usage", "/account/requests"} {
		again.text += owner.get(path).text
	}
	for _, hidden := range []string{key, secret, key[len(key)-20:]} {
		require.NotContains(t, again.text, hidden)
		require.NotContains(t, logged.String(), hidden)
		require.Zero(t, r.rowsWith(t, hidden), "no session and no row holds it")
	}
}

// rowsWith counts the rows of all tables that hold a text, sessions as bytes and as text.
func (r *rig) rowsWith(t *testing.T, text string) (n int) {
	t.Helper()
	rows, err := r.DB.Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, tables, "sessions")
	for _, table := range tables {
		var found int
		statement := fmt.Sprintf(`SELECT count(*) FROM %s t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`, pgx.Identifier{table}.Sanitize())
		require.NoError(t, r.DB.QueryRow(t.Context(), statement, text, fmt.Sprintf("%x", text)).Scan(&found))
		n += found
	}
	return n
}

func TestNameOfAKeyIsTakenOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	require.Equal(t, http.StatusOK, owner.create("staging").status)
	refused := owner.create("  STAGING ")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.text, "choose another name")
	require.Contains(t, refused.text, `aria-invalid="true"`)
	require.Contains(t, refused.text, "If the form was sent twice")
	require.Equal(t, "STAGING", refused.form("/account/keys").Get("name"), "what was typed stays")
	require.Empty(t, keyPattern.FindString(refused.text))
	require.Contains(t, owner.get("/account/keys").text, "1 of 10 keys")
}

func TestRevokingNamesTheKeyAndEndsIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	key := keyPattern.FindString(owner.create("old server").text)
	live, err := r.Accounts.ListKeys(t.Context(), owner.Account)
	require.NoError(t, err)
	path := "/account/keys/" + live[0].ID.String() + "/revoke"
	require.Contains(t, owner.get("/account/keys").text, path)

	asked := owner.get(path)
	for _, want := range []string{"old server", live[0].Start, "401 invalid_key", "Last used", "Never", "still signed with its secret"} {
		require.Contains(t, asked.text, want)
	}
	_, err = r.Accounts.Authenticate(t.Context(), key)
	require.NoError(t, err, "looking at the page revokes nothing")

	done := owner.send(asked, path)
	require.Equal(t, "/account/keys", done.url.Path)
	require.Contains(t, done.text, "The key is revoked")
	require.Contains(t, done.text, "0 of 10 keys")
	_, err = r.Accounts.Authenticate(t.Context(), key)
	require.Equal(t, fault.InvalidKey, fault.CodeOf(err))
	require.Equal(t, http.StatusNotFound, owner.get(path).status)
	require.Equal(t, http.StatusOK, owner.create("old server").status, "the name is free again")
}

func TestKeyOfAnotherAccountReadsAsNotFound(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	other, intruder := r.person(t, access.Owner), r.person(t, access.Owner)
	made, err := r.Accounts.CreateKey(t.Context(), other.actor(access.Owner), "theirs")
	require.NoError(t, err)
	path := "/account/keys/" + made.ID.String() + "/revoke"
	require.Equal(t, http.StatusNotFound, intruder.get(path).status)
	require.Equal(t, http.StatusNotFound, intruder.post(path, nil).status)
	require.Equal(t, http.StatusNotFound, intruder.get("/account/keys/nonsense/revoke").status)
	_, err = r.Accounts.Authenticate(t.Context(), made.Key)
	require.NoError(t, err)
}

func TestRolesWithoutTheRightNeitherCreateNorRevokeKeys(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, role := range []access.Role{access.Viewer, access.Billing} {
		who := r.person(t, role)
		made, err := r.Accounts.CreateKey(t.Context(), access.CLI(who.Account), "server")
		require.NoError(t, err)
		list := who.get("/account/keys")
		require.Contains(t, list.text, "server", "the table is for everybody")
		require.Contains(t, list.text, "Your role can look at keys")
		require.NotContains(t, list.text, `action="/account/keys"`)
		require.NotContains(t, list.text, "/revoke")
		require.Equal(t, http.StatusForbidden, who.post("/account/keys", map[string][]string{"name": {"mine"}}).status)
		path := "/account/keys/" + made.ID.String() + "/revoke"
		require.Equal(t, http.StatusForbidden, who.get(path).status)
		require.Equal(t, http.StatusForbidden, who.post(path, nil).status)
		_, err = r.Accounts.Authenticate(t.Context(), made.Key)
		require.NoError(t, err)
	}
	developer := r.person(t, access.Developer)
	require.NotEmpty(t, keyPattern.FindString(developer.create("mine").text))
}

func TestRefusedKeysLeadToTheWayOut(t *testing.T) {
	t.Parallel()
	two := 2
	for name, c := range map[string]struct {
		keys   int
		change func(r *rig, account uuid.UUID)
		status int
		says   string
		href   string
	}{
		"key limit": {2, func(*rig, uuid.UUID) {}, http.StatusUnprocessableEntity, "2 of 2 keys are in use", "/pricing"},
		"free plan": {0, func(r *rig, id uuid.UUID) {
			_, err := r.Accounts.SetPlan(t.Context(), access.CLI(id), "free")
			require.NoError(t, err)
		}, http.StatusPaymentRequired, "may hold no keys", "/pricing"},
		"failed payment": {0, func(r *rig, id uuid.UUID) {
			require.NoError(t, r.Accounts.SetState(t.Context(), id, account.PaymentFailed))
		}, http.StatusPaymentRequired, "last payment failed", "/pricing"},
		"suspended": {0, func(r *rig, id uuid.UUID) {
			require.NoError(t, r.Accounts.Suspend(t.Context(), access.CLI(id)))
		}, http.StatusPaymentRequired, "is suspended, so no key", "mailto:help@example.com"},
		"closing": {0, func(r *rig, id uuid.UUID) {
			_, err := r.Accounts.Close(t.Context(), access.CLI(id))
			require.NoError(t, err)
		}, http.StatusPaymentRequired, "is being closed, so no key", "/account/settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			owner := r.person(t, access.Owner)
			_, err := r.Accounts.SetLimits(t.Context(), access.CLI(owner.Account), account.Overrides{Keys: &two})
			require.NoError(t, err)
			for i := range c.keys {
				_, err := r.Accounts.CreateKey(t.Context(), owner.actor(access.Owner), fmt.Sprintf("key %d", i))
				require.NoError(t, err)
			}
			c.change(r, owner.Account)

			shown := owner.get("/account/keys")
			require.NotContains(t, shown.text, `action="/account/keys"`, "no form where it can but be refused")
			// Whoever had the page open before sends its form all the same.
			refused := owner.post("/account/keys", map[string][]string{"name": {"one more"}})
			require.Equal(t, c.status, refused.status)
			require.Contains(t, refused.text, `role="alert"`)
			for _, p := range []*page{shown, refused} {
				require.Contains(t, p.text, c.says)
				require.Contains(t, p.text, `href="`+c.href+`"`)
			}
			require.Empty(t, keyPattern.FindString(refused.text))
		})
	}
}

func TestKeysAboveTheLimitKeepWorkingAndSaySo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	var last account.NewKey
	for i := range 3 {
		var err error
		last, err = r.Accounts.CreateKey(t.Context(), owner.actor(access.Owner), fmt.Sprintf("key %d", i))
		require.NoError(t, err)
	}
	_, err := r.Accounts.SetPlan(t.Context(), access.CLI(owner.Account), "starter")
	require.NoError(t, err)
	list := owner.get("/account/keys")
	require.Contains(t, list.text, "3 keys, of 2 that the plan allows")
	require.Contains(t, list.text, "3 keys are live, and the plan allows 2. The existing ones keep working.")
	require.Contains(t, list.text, "until fewer than 2 are left")
	require.NotContains(t, list.text, `action="/account/keys"`)
	_, err = r.Accounts.Authenticate(t.Context(), last.Key)
	require.NoError(t, err)
}

func TestNameOfAKeyIsShownAsText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	name := `<script>alert(1)</script>`
	pages := owner.create(name).text + owner.get("/account/keys").text + owner.get("/account/trail").text
	require.NotContains(t, pages, name)
	require.Equal(t, 4, strings.Count(pages, "&lt;script&gt;alert(1)&lt;/script&gt;"), "on the page of the key, twice in the table and in the trail")
}
