package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/account/trail"
)

func TestTrailTellsInWordsWhoDidWhat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	owner.create("production")
	require.NoError(t, r.Accounts.Suspend(t.Context(), access.CLI(owner.Account)))
	require.NoError(t, trail.Write(t.Context(), r.DB, access.Actor{Account: owner.Account}, "odd_thing.done", "", map[string]string{"b": "2", "a": "1"}))
	page := owner.get("/account/trail").text
	for _, want := range []string{
		"Created a key", "production (svc_live_", owner.Email, owner.address,
		"Suspended the account", "Operator, at the command line",
		"Odd thing: done (a 1, b 2)", "The service", "Created the account on the plan pro",
	} {
		require.Contains(t, page, want)
	}
}

func TestTrailIsPagedAndFiltered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	for i := range 60 {
		require.NoError(t, r.Accounts.Rename(t.Context(), owner.actor(access.Owner), fmt.Sprintf("name number %03d", i)))
	}
	first := owner.get("/account/trail?user=" + owner.User.String())
	require.Equal(t, 50, strings.Count(first.text, "Renamed the account"))
	require.NotContains(t, first.text, "Newest</a>")
	older := owner.get(first.next())
	require.Equal(t, 10, strings.Count(older.text, "Renamed the account"), "the rest, and none twice")
	require.Contains(t, older.text, "Newest</a>")
	require.NotContains(t, older.text, "Operator, at the command line", "the filter stays")
	require.NotContains(t, older.text, `rel="next"`)
	for _, odd := range []string{"before=1", "before=x.y", "before=-5." + uuid.NewString(), "before=9999999999999999999." + uuid.NewString(), "user=nobody"} {
		require.Equal(t, http.StatusOK, owner.get("/account/trail?"+odd).status, odd)
	}
	require.Contains(t, owner.get("/account/trail?user="+uuid.NewString()).text, "Nothing to show")
}

// next is the address of the page's link to what follows.
func (p *page) next() string {
	p.t.Helper()
	_, after, ok := strings.Cut(p.text, `<a href="`)
	for ok {
		href, rest, _ := strings.Cut(after, `"`)
		if strings.HasPrefix(rest, ` rel="next"`) {
			return strings.ReplaceAll(href, "&amp;", "&")
		}
		_, after, ok = strings.Cut(after, `<a href="`)
	}
	require.Fail(p.t, "no further page", p.text)
	return ""
}

func TestTrailIsForOwners(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	developer := r.person(t, access.Developer)
	require.Equal(t, http.StatusForbidden, developer.get("/account/trail").status)
	require.NotContains(t, developer.get("/account/keys").text, "/account/trail")
}
