package trail_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

func person(t *testing.T, db *pgxpool.Pool, email string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := db.Exec(t.Context(), `INSERT INTO app_user (id, email) VALUES ($1, $2)`, id, email)
	require.NoError(t, err)
	return id
}

func said(entries []trail.Entry) []string {
	acts := make([]string, len(entries))
	for i, e := range entries {
		acts[i] = e.Act
	}
	return acts
}

func TestEntrySaysWhoDidWhatFromWhere(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	by := access.Actor{Account: uuid.New(), User: person(t, db, "a@example.com"), Role: access.Owner, Address: "192.0.2.7"}
	require.NoError(t, trail.Write(t.Context(), db, by, "key.created", "production (svc_live_abcd…)", map[string]string{"why": "test"}))
	entries, err := trail.Read(t.Context(), db, by, trail.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	e := entries[0]
	require.WithinDuration(t, time.Now(), e.At, 10*time.Second)
	require.NotEqual(t, uuid.Nil, e.ID)
	e.ID, e.At = uuid.Nil, time.Time{}
	require.Equal(t, trail.Entry{
		Account: by.Account, User: by.User, Actor: "user", Act: "key.created", Subject: "production (svc_live_abcd…)",
		Detail: map[string]string{"why": "test"}, Address: "192.0.2.7", UserEmail: "a@example.com",
	}, e)

	_, err = db.Exec(t.Context(), `DELETE FROM app_user`)
	require.NoError(t, err)
	entries, err = trail.Read(t.Context(), db, by, trail.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 1, "an entry outlives the person")
	require.Empty(t, entries[0].UserEmail)
}

func TestEntryGoesWithItsAct(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	by := access.CLI(uuid.New())
	refused := errors.New("no")
	require.ErrorIs(t, postgres.Tx(t.Context(), db, func(tx pgx.Tx) error {
		require.NoError(t, trail.Write(t.Context(), tx, by, "key.created", "", nil))
		return refused
	}), refused)
	entries, err := trail.Read(t.Context(), db, by, trail.Filter{})
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestHostileTextIsKeptReadable(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	by := access.Actor{Account: uuid.New(), Role: access.Owner, Address: "\x00::1\xff"}
	require.NoError(t, trail.Write(t.Context(), db, by, "a.b", "x\x00y\xff"+strings.Repeat("é", 400), map[string]string{"k\x00": "\xfev"}))
	entries, err := trail.Read(t.Context(), db, by, trail.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.True(t, strings.HasPrefix(entries[0].Subject, "x\uFFFDy\uFFFDé"))
	require.LessOrEqual(t, len(entries[0].Subject), 500)
	require.Equal(t, "\uFFFD::1\uFFFD", entries[0].Address)
	require.Equal(t, map[string]string{"k\uFFFD": "\uFFFDv"}, entries[0].Detail)
}

func TestAnAccountSeesItsOwnTrailAlone(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	mine := access.Actor{Account: uuid.New(), User: uuid.New(), Role: access.Owner}
	other := access.Actor{Account: uuid.New(), User: uuid.New(), Role: access.Owner}
	require.NoError(t, trail.Write(t.Context(), db, mine, "mine.first", "", nil))
	require.NoError(t, trail.Write(t.Context(), db, other, "other.first", "", nil))
	require.NoError(t, trail.Write(t.Context(), db, access.Actor{User: mine.User}, "sign_in.opened", "", nil))
	require.NoError(t, trail.Write(t.Context(), db, access.CLI(mine.Account), "mine.second", "", nil))

	for name, row := range map[string]struct {
		by   access.Actor
		f    trail.Filter
		want []string
	}{
		"own":                      {mine, trail.Filter{}, []string{"mine.second", "mine.first"}},
		"own by its id":            {mine, trail.Filter{Account: mine.Account}, []string{"mine.second", "mine.first"}},
		"own of one person":        {mine, trail.Filter{User: mine.User}, []string{"mine.first"}},
		"another's by id":          {mine, trail.Filter{Account: other.Account}, []string{}},
		"another person's":         {mine, trail.Filter{User: other.User}, []string{}},
		"an actor without account": {access.Actor{User: mine.User, Role: access.Owner}, trail.Filter{}, []string{}},
		"an operator's of one":     {access.CLI(uuid.Nil), trail.Filter{Account: other.Account}, []string{"other.first"}},
		"an operator's of all": {
			access.Actor{Operator: true, User: uuid.New()},
			trail.Filter{},
			[]string{"mine.second", "sign_in.opened", "other.first", "mine.first"},
		},
	} {
		entries, err := trail.Read(t.Context(), db, row.by, row.f)
		require.NoError(t, err, name)
		require.Equal(t, row.want, said(entries), name)
	}
	for _, role := range []access.Role{access.Developer, access.Billing, access.Viewer, ""} {
		_, err := trail.Read(t.Context(), db, access.Actor{Account: mine.Account, User: mine.User, Role: role}, trail.Filter{})
		require.Equal(t, fault.Forbidden, fault.CodeOf(err), role)
	}
	own, err := trail.ReadOwn(t.Context(), db, mine.User, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"sign_in.opened"}, said(own), "what a person does in an account belongs to the account")
	own, err = trail.ReadOwn(t.Context(), db, other.User, 10)
	require.NoError(t, err)
	require.Empty(t, own)
}

func TestWhoAnOperatorIsIsToldToOperatorsAlone(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	owner := access.Actor{Account: uuid.New(), User: person(t, db, "owner@example.com"), Role: access.Owner}
	operator := access.Actor{Account: owner.Account, User: person(t, db, "staff@example.net"), Operator: true, Address: "192.0.2.66"}
	require.NoError(t, trail.Write(t.Context(), db, operator, "account.suspended", "", nil))
	for name, by := range map[string]access.Actor{"operator": operator, "owner": owner} {
		entries, err := trail.Read(t.Context(), db, by, trail.Filter{Account: owner.Account})
		require.NoError(t, err)
		require.Len(t, entries, 1)
		e := entries[0]
		require.Equal(t, "operator", e.Actor)
		if name == "operator" {
			require.Equal(t, []any{operator.User, "staff@example.net", "192.0.2.66"}, []any{e.User, e.UserEmail, e.Address})
			continue
		}
		require.Equal(t, []any{uuid.Nil, "", ""}, []any{e.User, e.UserEmail, e.Address})
	}
}

func TestPagesOfTheTrailMeet(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	by := access.CLI(uuid.New())
	at := time.Now().UTC().Truncate(time.Microsecond)
	for i := range 7 {
		// Some entries have the same time.
		_, err := db.Exec(t.Context(), `INSERT INTO audit_log (id, at, account_id, actor, act) VALUES ($1, $2, $3, 'cli', 'a.b')`,
			uuid.New(), at.Add(time.Duration(i/3)*time.Second), by.Account)
		require.NoError(t, err)
	}
	seen := map[uuid.UUID]bool{}
	f := trail.Filter{Limit: 2}
	for range 4 {
		page, err := trail.Read(t.Context(), db, by, f)
		require.NoError(t, err)
		for _, e := range page {
			require.False(t, seen[e.ID], "no entry twice")
			seen[e.ID] = true
			f.Before, f.BeforeID = &e.At, e.ID
		}
	}
	require.Len(t, seen, 7)
	page, err := trail.Read(t.Context(), db, by, trail.Filter{Before: &at})
	require.NoError(t, err)
	require.Empty(t, page)
}

func TestTheTrailGoesByMonths(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	by := access.CLI(uuid.New())
	require.NoError(t, trail.Write(t.Context(), db, by, "key.created", "", nil))
	_, err := db.Exec(t.Context(), `INSERT INTO audit_log (id, at, actor, act) VALUES ($1, now() - interval '500 days', 'cli', 'old.act')`, uuid.New())
	require.NoError(t, err)
	require.NoError(t, trail.Partition(t.Context(), db, time.Now(), trail.Keep))
	require.NoError(t, trail.Partition(t.Context(), db, time.Now(), trail.Keep), "any number of times")

	entries, err := trail.Read(t.Context(), db, access.CLI(uuid.Nil), trail.Filter{})
	require.NoError(t, err)
	require.Equal(t, []string{"key.created"}, said(entries), "what is there stays, what is too old goes")
	var home string
	require.NoError(t, db.QueryRow(t.Context(), `SELECT tableoid::regclass::text FROM audit_log`).Scan(&home))
	require.Equal(t, "audit_log_"+entries[0].At.Format("2006_01"), home)

	require.NoError(t, trail.Partition(t.Context(), db, time.Now().AddDate(0, 3, 0), 24*time.Hour))
	entries, err = trail.Read(t.Context(), db, access.CLI(uuid.Nil), trail.Filter{})
	require.NoError(t, err)
	require.Empty(t, entries)
}
