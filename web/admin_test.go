package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/engine"
	"veracity/media"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/web"
	"veracity/webhook"
)

// operator is a person who runs the service, with a second factor, signed in.
func (r *rig) operator(t *testing.T) *person {
	t.Helper()
	who := r.person(t, access.Owner)
	require.NoError(t, r.Accounts.SetOperator(t.Context(), who.Email, true))
	_, err := r.DB.Exec(t.Context(), `INSERT INTO totp (user_id, sealed_secret, confirmed_at) VALUES ($1, 'sealed', now())`, who.User)
	require.NoError(t, err)
	return who
}

// customer makes an account on plan pro with a key.
func (r *rig) customer(t *testing.T) (id uuid.UUID, email, key string) {
	t.Helper()
	owner, email := r.account()
	made, err := r.Accounts.CreateKey(t.Context(), owner, "server")
	require.NoError(t, err)
	return owner.Account, email, made.Key
}

// call is what a call with the key comes to.
func (r *rig) call(t *testing.T, key string) fault.Code {
	t.Helper()
	_, err := r.Accounts.Authenticate(t.Context(), key)
	return fault.CodeOf(err)
}

func TestWayToTheOperatorsPagesShowsToOperatorsAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op, owner := r.operator(t), r.person(t, access.Owner)
	require.Contains(t, op.get("/account/keys").text, `href="/admin"`)
	require.NotContains(t, owner.get("/account/keys").text, `href="/admin"`)
}

// fixedQueues stand as the test says.
type fixedQueues struct{}

func (fixedQueues) Depths(context.Context) ([]web.Depth, error) {
	return []web.Depth{{Queue: "check", Due: 1234, Oldest: 95 * time.Second}, {Queue: "webhook"}}, nil
}

func (fixedQueues) Findings(context.Context) (map[string]int64, error) {
	return map[string]int64{"stray holds": 7}, nil
}

func TestOverviewShowsHowTheServiceStands(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.Queues = fixedQueues{}
	op := r.operator(t)
	suspended, _, _ := r.customer(t)
	require.NoError(t, r.Accounts.Suspend(t.Context(), access.CLI(suspended)))
	page := op.get("/admin")
	require.Equal(t, http.StatusOK, page.status)
	for _, want := range []string{"Takes work", "1,234", "1m35s", "Stray holds", ">7<", "Suspended", "Made somebody an operator", "/admin/river/"} {
		require.Contains(t, page.text, want)
	}
}

func TestOptimizationsAreSwitchedFromThePageWithoutRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	start := func() fault.Code {
		src, err := media.FromBase64("iVBORw0KGgo=")
		require.NoError(t, err)
		_, err = r.Media.StartOptimize(t.Context(), r.media.Caller, src, "", nil)
		return fault.CodeOf(err)
	}
	require.Empty(t, start())
	const path = "/admin/switches/optimizations"
	refused := op.post(path, map[string][]string{"on": {"false"}, "reason": {" "}})
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.text, `id="e-reason"`)
	require.Empty(t, start())

	paused := op.post(path, map[string][]string{"on": {"false"}, "reason": {"the bucket is full"}})
	require.Equal(t, "/admin", paused.url.Path)
	require.Contains(t, paused.text, "Optimizations are paused")
	require.Contains(t, paused.text, "the bucket is full")
	require.Contains(t, paused.text, op.Email)
	require.Equal(t, fault.OptimizationsDisabled, start())
	op.post(path, map[string][]string{"on": {"true"}, "reason": {"there is room"}})
	require.Empty(t, start())
	require.Equal(t, http.StatusNotFound, op.post(path, map[string][]string{"on": {"maybe"}, "reason": {"x"}}).status)
	require.Equal(t, http.StatusNotFound, op.post("/admin/switches/other", map[string][]string{"on": {"true"}, "reason": {"x"}}).status)
}

func TestAccountsAreFoundByAddressNameAndId(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	id, email, _ := r.customer(t)
	require.NoError(t, r.Accounts.Rename(t.Context(), access.CLI(id), "Umbrella & Sons"))
	for _, query := range []string{email, "umbrella", id.String()} {
		list := op.get("/admin/accounts?q=" + query)
		require.Contains(t, list.text, "/admin/accounts/"+id.String(), query)
		require.Contains(t, list.text, "Umbrella &amp; Sons")
		require.NotContains(t, list.text, "/admin/accounts/"+op.Account.String(), query)
	}
	require.Contains(t, op.get("/admin/accounts?q=nobody").text, "No account fits")
	require.Contains(t, op.get("/admin/accounts").text, "/admin/accounts/"+op.Account.String())
	require.Equal(t, http.StatusNotFound, op.get("/admin/accounts/"+uuid.NewString()).status)
}

func TestLimitsFromThePageHoldAtTheNextCall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	id, email, key := r.customer(t)
	path := "/admin/accounts/" + id.String()
	page := op.get(path)
	for _, want := range []string{email, "server", "svc_live_", "10,000 of 10,000", "Created a key"} {
		require.Contains(t, page.text, want)
	}
	require.NotContains(t, page.text, key, "its start alone")
	require.Equal(t, "", page.form(path+"/limits").Get("rpm"), "no override, no number")

	saved := op.send(page, path+"/limits", "rpm", "1", "keys", "3", "credits", "12,000")
	require.Contains(t, saved.text, "The limits are saved")
	require.Equal(t, "1", saved.form(path+"/limits").Get("rpm"))
	require.Contains(t, saved.text, "12,000 of 12,000")
	require.Empty(t, r.call(t, key))
	require.Equal(t, fault.RateLimited, r.call(t, key), "one request a minute from now on")

	cleared := op.send(saved, path+"/limits", "rpm", "")
	require.Empty(t, r.call(t, key), "the plan's limit again")
	require.Equal(t, "3", cleared.form(path+"/limits").Get("keys"), "what was not touched stays")

	for _, odd := range []string{"-1", "many", "1.5", "99999999999999999999"} {
		refused := op.send(cleared, path+"/limits", "jobs", odd)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, odd)
		require.Contains(t, refused.text, `id="e-jobs"`)
		require.Equal(t, odd, refused.form(path+"/limits").Get("jobs"))
	}
	require.Equal(t, http.StatusUnprocessableEntity, op.send(cleared, path+"/limits", "jobs", "2000000").status, "what the domain refuses is said")
	acc, err := r.Accounts.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, account.Limits{Credits: 12_000, RPM: 300, Jobs: 5, Keys: 3}, acc.Limits)
}

func TestOperatorSuspendsAndResumesOnlyWhenSure(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	id, _, key := r.customer(t)
	path := "/admin/accounts/" + id.String()
	unsure := op.post(path+"/suspend", nil)
	require.Equal(t, http.StatusUnprocessableEntity, unsure.status)
	require.Contains(t, unsure.text, "Tick the box")
	require.Empty(t, r.call(t, key))

	sure := map[string][]string{"sure": {"yes"}}
	require.Contains(t, op.post(path+"/suspend", sure).text, "The account is suspended")
	require.Equal(t, fault.PlanRequired, r.call(t, key))
	require.Contains(t, op.post(path+"/resume", sure).text, "The account may call again")
	require.Empty(t, r.call(t, key))
	require.Equal(t, http.StatusNotFound, op.post("/admin/accounts/"+uuid.NewString()+"/suspend", sure).status)

	entries, err := trail.Read(t.Context(), r.DB, access.CLI(uuid.Nil), trail.Filter{Account: id, User: op.User})
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "operator", entries[0].Actor)
	require.Equal(t, op.address, entries[0].Address)
}

func TestOperatorChangesThePlan(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	id, _, key := r.customer(t)
	path := "/admin/accounts/" + id.String()
	page := op.get(path)
	require.Equal(t, "pro", page.form(path+"/plan").Get("plan"))
	require.Contains(t, op.send(page, path+"/plan", "plan", "free").text, "The plan is changed")
	require.Equal(t, fault.PlanRequired, r.call(t, key))
	refused := op.send(page, path+"/plan", "plan", "gold")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.text, "There is no plan")
}

func TestOperatorSeesFailedJobsFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	waiting := r.media.Check(0)
	failed := r.media.Check(0)
	r.media.Engine.SetClip(func(context.Context, engine.ClipRequest) (engine.Report, error) {
		return engine.Report{}, fault.New(fault.VideoUnsupported, "No frame can be decoded.")
	})
	r.media.Drive(failed)
	list := op.get("/admin/jobs")
	require.Contains(t, list.text, failed.String())
	require.Contains(t, list.text, "video_unsupported")
	require.Contains(t, list.text, "/admin/accounts/"+r.media.Caller.Account.String())
	require.NotContains(t, list.text, waiting.String())
	all := op.get("/admin/jobs?status=all").text
	require.Contains(t, all, waiting.String())
	require.Contains(t, all, failed.String())
	require.Contains(t, op.get("/admin/jobs?status=queued").text, waiting.String())
	require.NotContains(t, op.get("/admin/jobs?status=all&account="+op.Account.String()).text, failed.String())
	require.NotContains(t, op.get("/admin/jobs?status=all&account=nonsense").text, failed.String())
	require.Contains(t, op.get("/admin/accounts/"+r.media.Caller.Account.String()).text, failed.String())
}

func TestOperatorSendsAWebhookAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	owner, _ := r.account()
	order := webhook.Order{Account: owner.Account, Job: uuid.New(), Key: uuid.New(), URL: "https://hooks.example.com/in", Payload: []byte(`{"private":1}`)}
	require.NoError(t, postgres.Tx(t.Context(), r.DB, func(tx pgx.Tx) error { return r.Webhooks.Create(t.Context(), tx, order) }))
	made, err := r.Webhooks.AllDeliveries(t.Context(), access.CLI(uuid.Nil), webhook.AnyDeliveryFilter{})
	require.NoError(t, err)
	id := made[0].ID
	_, err = r.DB.Exec(t.Context(), `UPDATE delivery SET state = 'given_up', next_at = NULL, ended_at = now(), attempts = 9 WHERE id = $1`, id)
	require.NoError(t, err)

	list := op.get("/admin/webhooks")
	require.Contains(t, list.text, "https://hooks.example.com/in")
	require.Contains(t, list.text, "Given up")
	require.NotContains(t, list.text, "private", "what it carries is the customer's")
	path := "/admin/webhooks/" + id.String() + "/redeliver"
	require.Equal(t, http.StatusNotFound, op.post(path, map[string][]string{"account": {op.Account.String()}}).status)
	sent := op.send(list, path)
	require.Contains(t, sent.text, "The webhook is sent again")
	require.Contains(t, sent.text, id.String())
	entries, err := trail.Read(t.Context(), r.DB, access.CLI(uuid.Nil), trail.Filter{Account: owner.Account, User: op.User})
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestTrailOfAllAccountsIsFilteredByAccountAndPerson(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	id, email, _ := r.customer(t)
	require.NoError(t, r.Accounts.Rename(t.Context(), access.CLI(id), "Umbrella"))
	all := op.get("/admin/trail").text
	require.Contains(t, all, "Umbrella")
	require.Contains(t, all, "Made somebody an operator")
	one := op.get("/admin/trail?account=" + id.String())
	require.Contains(t, one.text, "Created a key")
	require.NotContains(t, one.text, "Made somebody an operator")
	members, err := r.Accounts.Members(t.Context(), id)
	require.NoError(t, err)
	persons := op.get("/admin/trail?user=" + members[0].User.String()).text
	require.Contains(t, persons, email)
	require.NotContains(t, persons, "Made somebody an operator")
	refused := op.get("/admin/trail?account=nonsense")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.text, `id="e-account"`)
	require.NotContains(t, refused.text, "Created a key")
}

func TestPagesOfRiverAreTheOperatorsAndWhatTheyChangeIsWrittenDown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	require.Equal(t, http.StatusNotFound, op.get("/admin/river/").status, "where none are mounted")
	r.River = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			return
		}
		_, _ = io.WriteString(w, req.Method+" "+req.URL.Path+" "+string(body))
	})
	page := op.get("/admin/river/jobs")
	require.Equal(t, "GET /admin/river/jobs ", page.text)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'")
	require.NotContains(t, page.header.Get("Content-Security-Policy"), "unsafe")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))

	put := func(method, site, body string) (int, string) {
		req := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/admin/river/api/queues/check/pause", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Sec-Fetch-Site", site)
		req.AddCookie(&http.Cookie{Name: "veracity_session", Value: op.session()})
		rec := r.serve(req)
		return rec.Code, rec.Body.String()
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		status, text := put(method, "same-origin", `{"a":1}`)
		require.Equal(t, http.StatusOK, status, method)
		require.Equal(t, method+` /admin/river/api/queues/check/pause {"a":1}`, text)
		status, _ = put(method, "cross-site", `{}`)
		require.Equal(t, http.StatusForbidden, status, "another site's form")
	}
	status, _ := put(http.MethodPut, "same-origin", strings.Repeat("x", 70<<10))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	entries, err := trail.Read(t.Context(), r.DB, access.CLI(uuid.Nil), trail.Filter{User: op.User})
	require.NoError(t, err)
	changes := 0
	for _, e := range entries {
		if e.Act == "queues.changed" {
			changes++
		}
	}
	require.Equal(t, 5, changes, "looking is not written down")
	require.Contains(t, op.get("/admin/trail").text, "Acted on the queues: PUT /api/queues/check/pause")
}

func TestFailureOfTheQueuesSaysNothingOfItsCause(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := r.operator(t)
	r.Queues = failingQueues{}
	failed := op.get("/admin")
	require.Equal(t, http.StatusInternalServerError, failed.status)
	require.NotContains(t, failed.text, "secret host", "the cause is the log's")
}

type failingQueues struct{ fixedQueues }

func (failingQueues) Depths(context.Context) ([]web.Depth, error) {
	return nil, errors.New("secret host")
}
