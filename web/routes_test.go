package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/billing"
	"veracity/web"
)

// parameter is the part of a pattern up to its first parameter, which says what the parameter is an id of.
var parameter = regexp.MustCompile(`^.*?(\{[a-z]+\})`)

// walkForm has a valid value for every field that a route reads before it looks for the id in its path.
var walkForm = url.Values{
	"role": {"viewer"}, "plan": {"free"}, "sure": {"yes"}, "name": {"x"}, "on": {"true"}, "reason": {"a test"}, "password": {password},
}

// tenant is an account with one of everything that has an id, and its owner.
type tenant struct {
	owner access.Actor
	email string
	// ids are by the parameter that takes them.
	ids map[string]string
}

// tenant fills the account that the rig's media acts for: an API key, a job, a webhook's delivery, an invite, a second
// member and a run of the playground.
func (r *rig) tenant() tenant {
	r.t.Helper()
	ctx, id := r.t.Context(), r.media.Caller.Account
	email := newEmail()
	owner := access.Actor{Account: id, User: r.known(email), Role: access.Owner}
	_, err := r.DB.Exec(ctx, `DELETE FROM account WHERE id IN (SELECT account_id FROM membership WHERE user_id = $1)`, owner.User)
	require.NoError(r.t, err)
	_, err = r.DB.Exec(ctx, `INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, 'owner')`, id, owner.User)
	require.NoError(r.t, err)
	key, err := r.Accounts.CreateKey(ctx, owner, "theirs")
	require.NoError(r.t, err)
	member, _ := r.member(owner, access.Developer)
	invite, err := r.Accounts.Invite(ctx, owner, newEmail(), access.Viewer)
	require.NoError(r.t, err)
	job := r.media.Optimize("https://hooks.example.com/done")
	r.media.Drive(job)
	var delivery uuid.UUID
	require.NoError(r.t, r.DB.QueryRow(ctx, `SELECT id FROM delivery WHERE account_id = $1`, id).Scan(&delivery))
	run := uuid.New()
	_, err = r.DB.Exec(ctx, `
		INSERT INTO playground_run (id, account_id, user_id, media, name, state, error_code, error_message, ended_at)
		VALUES ($1, $2, $3, 'image', 'theirs.png', 'failed', 'invalid_image', 'No image.', now())`, run, id, owner.User)
	require.NoError(r.t, err)
	return tenant{owner: owner, email: email, ids: map[string]string{
		"/account/keys/{id}":         key.ID.String(),
		"/account/jobs/{id}":         job.String(),
		"/account/webhooks/{id}":     delivery.String(),
		"/account/playground/{id}":   run.String(),
		"/account/team/invites/{id}": invite.String(),
		"/account/team/{user}":       member.String(),
		"/admin/accounts/{account}":  id.String(),
		"/admin/webhooks/{id}":       delivery.String(),
		"/admin/switches/{name}":     "checks",
		"/admin/billing/{event}":     "evt_1",
		"/docs/{page}":               "quickstart",
	}}
}

// path is a route's address for the ids of a tenant. A parameter of a new kind needs an entry in [rig.tenant].
func (n tenant) path(t *testing.T, pattern string) string {
	t.Helper()
	found := parameter.FindStringSubmatch(pattern)
	if found == nil {
		return strings.TrimSuffix(pattern, "*")
	}
	id, ok := n.ids[found[0]]
	require.True(t, ok, "the walk knows no id for %s: give the tenant one", found[0])
	path := strings.Replace(pattern, found[1], id, 1)
	require.NotContains(t, path, "{", "the walk knows routes with one parameter")
	return path
}

// ofTenant tells whether a route's parameter is an id of something that belongs to a tenant.
func ofTenant(route web.Route) bool {
	return strings.HasPrefix(route.Pattern, "/account/") && parameter.MatchString(route.Pattern)
}

func TestEveryRouteIsDeclared(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	declared := map[string]bool{}
	for _, route := range rig.Routes() {
		name := route.Method + " " + route.Pattern
		require.False(t, declared[name], "%s is declared twice", name)
		declared[name] = true
	}
	mux, ok := rig.server.Config.Handler.(chi.Routes)
	require.True(t, ok)
	mounted := 0
	err := chi.Walk(mux, func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if declared[method+" "+pattern] {
			mounted++
			return nil
		}
		require.Contains(t, []string{http.MethodGet, http.MethodHead}, method, pattern)
		require.Regexp(t, `^/(static/\*|[a-z]+\.(txt|ico|svg))$`, pattern, "a route beside the declared ones must be a file")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, len(declared), mounted)
}

func TestNoRouteLetsStrangersIn(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	theirs, stranger := rig.tenant(), rig.browser(t)
	for _, route := range rig.Routes() {
		page := stranger.once(route.Method, theirs.path(t, route.Pattern), walkForm)
		name := route.Method + " " + route.Pattern
		if route.Need == web.Anyone {
			require.Less(t, page.status, http.StatusInternalServerError, name)
			continue
		}
		require.Equal(t, http.StatusSeeOther, page.status, name)
		require.Regexp(t, `^/login(\?next=|$)`, page.header.Get("Location"), name)
	}
}

func TestNoRoleDoesWhatItMayNot(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	theirs := rig.tenant()
	for _, role := range access.Roles() {
		user, email := theirs.owner.User, theirs.email
		if role != access.Owner {
			user, email = rig.member(theirs.owner, role)
		}
		b := rig.browser(t)
		b.signIn(email)
		actor, refused := access.Actor{Account: theirs.owner.Account, User: user, Role: role}, 0
		for _, route := range rig.Routes() {
			if route.Need != web.Member || actor.Can(route.Right) {
				continue
			}
			refused++
			page := b.once(route.Method, theirs.path(t, route.Pattern), walkForm)
			require.Equal(t, http.StatusForbidden, page.status, "%s: %s %s", role, route.Method, route.Pattern)
		}
		require.Equal(t, role == access.Owner, refused == 0, "%s", role)
	}
	theirs.unharmed(t, rig)
}

func TestOperatorsPagesAreHiddenFromEverybodyElse(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	theirs := rig.tenant()
	owner, operator := rig.person(t, access.Owner), rig.person(t, access.Owner)
	require.NoError(t, rig.Accounts.SetOperator(t.Context(), operator.Email, true))
	walked := 0
	for _, route := range rig.Routes() {
		if route.Need != web.Operator {
			require.False(t, strings.HasPrefix(route.Pattern, "/admin"), "%s needs no operator", route.Pattern)
			continue
		}
		walked++
		path, name := theirs.path(t, route.Pattern), route.Method+" "+route.Pattern
		require.Equal(t, http.StatusNotFound, owner.once(route.Method, path, walkForm).status, name)
		require.Equal(t, http.StatusForbidden, operator.once(route.Method, path, walkForm).status, "%s without a second factor", name)
	}
	require.Positive(t, walked)
	theirs.unharmed(t, rig)
}

func TestAnotherTenantsIDsReadAsNotFound(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	theirs, me := rig.tenant(), rig.person(t, access.Owner)
	them := rig.browser(t)
	them.signIn(theirs.email)
	walked := 0
	for _, route := range rig.Routes() {
		if !ofTenant(route) {
			continue
		}
		walked++
		path, name := theirs.path(t, route.Pattern), route.Method+" "+route.Pattern
		require.Equal(t, http.StatusNotFound, me.once(route.Method, path, walkForm).status, name)
		for _, none := range []string{uuid.NewString(), "nonsense", "00000000-0000-0000-0000-000000000000"} {
			nowhere := strings.Replace(path, theirs.ids[parameter.FindString(route.Pattern)], none, 1)
			require.Equal(t, http.StatusNotFound, me.once(route.Method, nowhere, walkForm).status, name+" "+none)
		}
		if route.Method == http.MethodGet {
			require.Equal(t, http.StatusOK, them.once(route.Method, path, nil).status, "%s: the id is real", name)
		}
	}
	require.Positive(t, walked)
	theirs.unharmed(t, rig)
}

// unharmed demands that everything of the tenant's is as it was made.
func (n tenant) unharmed(t *testing.T, rig *rig) {
	t.Helper()
	ctx, id := t.Context(), n.owner.Account
	keys, err := rig.Accounts.ListKeys(ctx, id)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.Equal(t, n.ids["/account/keys/{id}"], keys[0].ID.String())
	invites, err := rig.Accounts.Invites(ctx, id)
	require.NoError(t, err)
	require.Len(t, invites, 1)
	require.Equal(t, access.Viewer, invites[0].Role)
	members, err := rig.Accounts.Members(ctx, id)
	require.NoError(t, err)
	roles := map[string]access.Role{}
	for _, m := range members {
		roles[m.User.String()] = m.Role
	}
	require.Equal(t, access.Owner, roles[n.owner.User.String()])
	require.Equal(t, access.Developer, roles[n.ids["/account/team/{user}"]])
	acc, err := rig.Accounts.Get(ctx, id)
	require.NoError(t, err)
	require.Nil(t, acc.ClosesAt)
	require.Equal(t, "pro", acc.Plan)
	var redelivered int
	require.NoError(t, rig.DB.QueryRow(ctx, `SELECT count(*) FROM audit_log WHERE account_id = $1 AND act IN ('webhook.redelivered', 'key.revoked')`, id).Scan(&redelivered))
	require.Zero(t, redelivered)
	require.Empty(t, rig.cashier.did(id))
}

// standsFor is how the plan stands where the page of the pattern has something to ask.
func standsFor(pattern string) billing.Billing {
	b := subscribed("pro")
	if pattern == "/account/plan/resume" {
		b.CancelAt = b.PeriodEnd
	}
	return b
}

// askedOf is what the page of the pattern is asked for.
func askedOf(pattern string) string {
	if pattern == "/account/plan/change" {
		return "?plan=scale"
	}
	return ""
}

func TestEveryPageOfAnAccountAnswers(t *testing.T) {
	t.Parallel()
	rig := newRig(t, selling)
	theirs := rig.tenant()
	for _, role := range access.Roles() {
		mine, email := theirs, theirs.email
		if role != access.Owner {
			var user uuid.UUID
			user, email = rig.member(theirs.owner, role)
			// Whoever is no owner may remove nobody else.
			mine.ids = maps.Clone(theirs.ids)
			mine.ids["/account/team/{user}"] = user.String()
		}
		b := rig.browser(t)
		b.signIn(email)
		for _, route := range rig.Routes() {
			rig.cashier.stand(standsFor(route.Pattern))
			may := access.Actor{Role: role}.Can(route.Right) || route.Need == web.SignedIn
			if route.Method != http.MethodGet || route.Need == web.Anyone || route.Need == web.Operator || !may || route.Pattern == "/account/none" {
				continue
			}
			page := b.once(http.MethodGet, mine.path(t, route.Pattern)+askedOf(route.Pattern), nil)
			name := string(role) + ": " + route.Pattern
			require.Equal(t, http.StatusOK, page.status, name)
			require.Equal(t, "no-store", page.header.Get("Cache-Control"), name)
		}
	}
}
