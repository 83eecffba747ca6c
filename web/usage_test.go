package web_test

import (
	"encoding/csv"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/quota"
	"veracity/usage"
)

// called is an image check of an account that was answered just now.
func called(account, key uuid.UUID) usage.Entry {
	return usage.Entry{
		ID: uuid.Must(uuid.NewV7()), At: time.Now(), Account: account, Key: key, Method: "POST", Route: "/audit",
		Status: http.StatusOK, Code: usage.OK, Verdict: "ai", Credits: 1, Took: 12 * time.Millisecond,
	}
}

// logCalls puts requests into the log.
func logCalls(t *testing.T, db *pgxpool.Pool, entries ...usage.Entry) {
	t.Helper()
	log := usage.NewLog(usage.DefaultConfig(), db, usage.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	for _, e := range entries {
		log.Note(e)
	}
	require.NoError(t, log.Close(t.Context()))
}

// newKey makes a key for a person's account.
func (r *rig) newKey(t *testing.T, who *person, name string) account.NewKey {
	t.Helper()
	made, err := r.Accounts.CreateKey(t.Context(), who.actor(access.Owner), name)
	require.NoError(t, err)
	return made
}

func TestOverviewLeadsANewcomerToTheFirstCallAndThenShowsCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who := r.person(t, access.Owner)
	page := who.get("/account")
	require.Equal(t, http.StatusOK, page.status)
	for _, want := range []string{"First steps", "Choose a plan", `href="/account/keys">Make a key`, "No calls in the last 30 days", "of 10,000 left"} {
		require.Contains(t, page.text, want)
	}
	require.Equal(t, 1, strings.Count(page.text, "(done)"), "the plan is chosen")
	key := r.newKey(t, who, "web")
	page = who.get("/account")
	require.Equal(t, 2, strings.Count(page.text, "(done)"), "and the key made")

	refused := called(who.Account, key.ID)
	refused.Status, refused.Code, refused.Verdict = http.StatusTooManyRequests, "rate_limited", ""
	logCalls(t, r.media.DB, called(who.Account, key.ID), refused)
	page = who.get("/account")
	require.NotContains(t, page.text, "First steps")
	require.Contains(t, page.text, "2 requests; 1 verdict, of which 1 AI-generated")
	require.Contains(t, page.text, `<time datetime="`+time.Now().UTC().Format(time.DateOnly)+`">`)
	require.Less(t, len(page.text), 60_000, "30 days fit a page that loads fast")
}

func TestViewerIsNotSentToWhatHeMayNotDo(t *testing.T) {
	t.Parallel()
	who := newRig(t).person(t, access.Viewer)
	page := who.get("/account")
	require.Contains(t, page.text, "Ask an owner or a developer of the account to make one.")
	require.NotContains(t, page.text, `href="/account/keys">Make a key`)
}

func TestUsageOfADayKeyAndCallAddsUpOnThePageAndInTheFile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who, other := r.person(t, access.Owner), r.person(t, access.Owner)
	key := r.newKey(t, who, `=HYPERLINK("https://example.com")`)
	foreign := r.newKey(t, other, "a foreign key")
	logCalls(t, r.media.DB, called(who.Account, key.ID), called(who.Account, uuid.Nil), called(other.Account, foreign.ID))
	hold, err := quota.Hold(t.Context(), r.media.DB, quota.Request{Account: who.Account, Amount: 1234, Key: key.ID, Call: usage.Optimize})
	require.NoError(t, err)
	_, err = quota.Settle(t.Context(), r.media.DB, who.Account, hold, 1234)
	require.NoError(t, err)

	page := who.get("/account/usage?days=7")
	require.Equal(t, http.StatusOK, page.status)
	for _, want := range []string{"1,234", "POST /optimize", "Playground", "HYPERLINK", `aria-current="page">7 days`} {
		require.Contains(t, page.text, want)
	}
	require.NotContains(t, page.text, "a foreign key")

	file := who.get("/account/usage.csv?days=7")
	require.Equal(t, "text/csv; charset=utf-8; header=present", file.header.Get("Content-Type"))
	require.Contains(t, file.header.Get("Content-Disposition"), "attachment; filename=\"veracity-usage-")
	require.Equal(t, "no-store", file.header.Get("Cache-Control"))
	lines, err := csv.NewReader(strings.NewReader(file.text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 4, "head, the key's two calls and the playground's")
	require.NotContains(t, file.text, "a foreign key")
	for _, line := range lines[1:] {
		require.Contains(t, []string{`'=HYPERLINK("https://example.com")`, "playground"}, line[2])
	}
}

func TestLongestUsagePageStaysSmall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who := r.person(t, access.Owner)
	logCalls(t, r.media.DB, called(who.Account, uuid.Nil))
	page := who.get("/account/usage?days=90")
	require.Contains(t, page.text, time.Now().UTC().AddDate(0, 0, -89).Format("2 Jan 2006"))
	require.Less(t, len(page.text), 70_000)
	require.Contains(t, who.get("/account/usage?days=no").text, `aria-current="page">30 days`)
}

func TestRequestsArePagedAndFiltered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who := r.person(t, access.Owner)
	key := r.newKey(t, who, "web")
	var entries []usage.Entry
	for i := range 60 {
		e := called(who.Account, key.ID)
		e.At = e.At.Add(time.Duration(i) * time.Second)
		entries = append(entries, e)
	}
	entries[0].Key = uuid.Nil
	entries[1].Status, entries[1].Code, entries[1].Verdict = http.StatusPaymentRequired, "quota_exceeded", ""
	logCalls(t, r.media.DB, entries...)
	oldest, newest := entries[0].ID.String(), entries[59].ID.String()

	page := who.get("/account/requests")
	require.Contains(t, page.text, "1 to 50 of 60")
	require.Contains(t, page.text, newest)
	require.NotContains(t, page.text, oldest)
	require.Contains(t, page.text, `href="/account/requests?page=2"`)
	require.Less(t, len(page.text), 70_000)
	page = who.get("/account/requests?page=2")
	require.Contains(t, page.text, "51 to 60 of 60")
	require.Contains(t, page.text, oldest)
	require.Contains(t, who.get("/account/requests?page=99").text, "51 to 60 of 60")

	page = who.get("/account/requests?code=quota_exceeded&key=" + key.ID.String())
	require.Contains(t, page.text, "1 to 1 of 1")
	require.Contains(t, page.text, entries[1].ID.String())
	require.Contains(t, page.text, `<option value="quota_exceeded" selected>`)
	page = who.get("/account/requests?key=playground")
	require.Contains(t, page.text, "1 to 1 of 1")
	require.Contains(t, page.text, oldest)
	page = who.get("/account/requests?id=+" + strings.ToUpper(newest))
	require.Contains(t, page.text, "1 to 1 of 1")
	require.Contains(t, who.get("/account/requests?id=nonsense").text, "No request fits")
	require.Equal(t, http.StatusNotFound, who.get("/account/requests?key=nonsense").status)
}

func TestForeignRequestsAndKeysAreFoundByNoFilter(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	who, other := r.person(t, access.Owner), r.person(t, access.Owner)
	foreign := r.newKey(t, other, "a foreign key")
	entry := called(other.Account, foreign.ID)
	entry.Code, entry.Status = "too_many_pixels", http.StatusRequestEntityTooLarge
	logCalls(t, r.media.DB, entry)
	for _, query := range []string{"", "?id=" + entry.ID.String(), "?key=" + foreign.ID.String(), "?code=too_many_pixels"} {
		page := who.get("/account/requests" + query)
		require.Equal(t, http.StatusOK, page.status, query)
		require.NotContains(t, page.text, "a foreign key", query)
		require.NotContains(t, page.text, " of 1,", query)
	}
	require.Contains(t, other.get("/account/requests?id="+entry.ID.String()).text, "too_many_pixels")
}
