package usage

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/fault"
)

func TestFiltersFindOnlyTheAccountsOwnRequests(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account, other := newAccount(t, db), newAccount(t, db)
	web, batch := newKey(t, db, account, "web"), newKey(t, db, account, "batch")
	start := time.Now().Add(-time.Minute)
	l := openLog(t, db, nil)
	note := func(account, key uuid.UUID, second int, code string) uuid.UUID {
		e := checked(account, key, "")
		e.At, e.Code = start.Add(time.Duration(second)*time.Second), code
		l.Note(e)
		return e.ID
	}
	first := note(account, web, 1, OK)
	second := note(account, web, 2, "rate_limited")
	third := note(account, batch, 3, "rate_limited")
	played := note(account, uuid.Nil, 4, OK)
	foreign := note(other, web, 5, "rate_limited") // even under an id of this account's key
	require.NoError(t, l.Close(t.Context()))

	find := func(f RequestFilter) []uuid.UUID {
		found, err := Requests(t.Context(), db, account, f)
		require.NoError(t, err)
		ids := []uuid.UUID{}
		for _, r := range found {
			ids = append(ids, r.ID)
		}
		return ids
	}
	playground := uuid.Nil
	require.Equal(t, []uuid.UUID{played, third, second, first}, find(RequestFilter{}))
	for _, odd := range []string{"ok\x00", "\xff", "no such code"} {
		require.Empty(t, find(RequestFilter{Code: odd}), "%q", odd)
	}
	require.Equal(t, []uuid.UUID{played, third}, find(RequestFilter{Limit: 2}))
	require.Equal(t, []uuid.UUID{second, first}, find(RequestFilter{Key: &web}))
	require.Equal(t, []uuid.UUID{played}, find(RequestFilter{Key: &playground}))
	require.Equal(t, []uuid.UUID{third, second}, find(RequestFilter{Code: "rate_limited"}))
	require.Equal(t, []uuid.UUID{third}, find(RequestFilter{Code: "rate_limited", Key: &batch}))
	require.Equal(t, []uuid.UUID{first}, find(RequestFilter{ID: " " + strings.ToUpper(first.String()) + "\n"}))
	require.Empty(t, find(RequestFilter{ID: first.String(), Key: &batch}))
	require.Empty(t, find(RequestFilter{ID: first.String(), Code: "rate_limited"}))
	require.Empty(t, find(RequestFilter{ID: first.String()[:8]}))
	require.Empty(t, find(RequestFilter{ID: foreign.String()}))

	r, err := ReadRequest(t.Context(), db, account, first)
	require.NoError(t, err)
	require.Equal(t, "web", r.KeyName)
	_, err = ReadRequest(t.Context(), db, account, foreign)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))

	codes, err := Codes(t.Context(), db, account)
	require.NoError(t, err)
	require.Equal(t, []string{OK, "rate_limited"}, codes)
}

func TestForeignKeyLendsNoNameToARequest(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account, other := newAccount(t, db), newAccount(t, db)
	foreign := newKey(t, db, other, "their secret project")
	l := openLog(t, db, nil)
	l.Note(checked(account, foreign, "ai"))
	require.NoError(t, l.Close(t.Context()))
	require.Empty(t, logged(t, db, account)[0].KeyName)
	rows, err := ByCall(t.Context(), db, account, time.Now(), time.Now())
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Empty(t, rows[0].KeyName)
}

func TestKeysToChooseFromAreTheAccountsOwn(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account, other := newAccount(t, db), newAccount(t, db)
	old, web := newKey(t, db, account, "an old one"), newKey(t, db, account, "web")
	newKey(t, db, other, "foreign")
	_, err := db.Exec(t.Context(), `UPDATE api_key SET revoked_at = now() WHERE id = $1`, old)
	require.NoError(t, err)
	keys, err := Keys(t.Context(), db, account)
	require.NoError(t, err)
	require.Equal(t, []Key{
		{ID: web, Name: "web", Start: "svc_live_abc"}, {ID: old, Name: "an old one", Start: "svc_live_abc", Revoked: true},
	}, keys)
}

func TestFirstCallIsNoticed(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	called, err := Called(t.Context(), db, account)
	require.NoError(t, err)
	require.False(t, called)
	l := openLog(t, db, nil)
	l.Note(checked(account, uuid.Nil, "ai"))
	require.NoError(t, l.Close(t.Context()))
	called, err = Called(t.Context(), db, account)
	require.NoError(t, err)
	require.True(t, called)
}
