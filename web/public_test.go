package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/api"
	"veracity/engine"
	"veracity/views"
)

func TestPricingShowsTheCatalogueAndTheWayToEachPlan(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	visitor := rig.browser(t).get("/pricing").text
	for _, want := range []string{
		`href="/signup?plan=pro"`, `href="/signup?plan=free"`, "$99", "10,000", "300", "1 credit for each started 5 s", "1,666", "mailto:help@example.com", "3 days",
	} {
		require.Contains(t, visitor, want)
	}
	require.NotContains(t, visitor, "your plan")
	member := rig.person(t, access.Owner).get("/pricing").text
	require.NotContains(t, member, "/signup")
	require.Contains(t, member, "your plan")
}

func TestPricingSendsNobodyToSupportOnceTheServiceSellsItself(t *testing.T) {
	t.Parallel()
	page := newRig(t, selling).browser(t).get("/pricing")
	require.Equal(t, http.StatusOK, page.status)
	require.NotContains(t, page.text, "mailto:")
}

func TestEachGuideIsAPageAndAnyOtherNameIsNone(t *testing.T) {
	t.Parallel()
	b := newRig(t).browser(t)
	require.Equal(t, http.StatusOK, b.get("/docs").status)
	for _, g := range views.Guides() {
		page := b.get(g.Href())
		require.Equal(t, http.StatusOK, page.status, g.Slug)
		require.Contains(t, page.text, "<h1>"+g.Title+"</h1>")
	}
	for _, path := range []string{"/docs/nothing", "/docs/Errors", "/docs/errors/codes"} {
		require.Equal(t, http.StatusNotFound, b.get(path).status, path)
	}
}

func TestExamplesShowTheStartOfTheReadersOwnKeyAndNoMoreOfIt(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	require.Contains(t, rig.browser(t).get("/docs/quickstart").text, "X-API-Key: YOUR_KEY")
	p := rig.person(t, access.Viewer)
	require.Contains(t, p.get("/docs/quickstart").text, "X-API-Key: YOUR_KEY")
	made := rig.newKey(t, p, "staging")
	const shown = len("svc_live_") + 4
	page := p.get("/docs/quickstart").text
	require.Contains(t, page, "X-API-Key: "+made.Key[:shown]+"…")
	require.NotContains(t, page, made.Key[:shown+1])
	require.NotContains(t, rig.person(t, access.Owner).get("/docs/quickstart").text, made.Key[:shown])
}

// asked is what the portal answers to a browser that takes gzip.
func asked(t *testing.T, rig *rig, path string, p *person) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip, br")
	if p != nil {
		r.AddCookie(&http.Cookie{Name: "veracity_session", Value: p.session()})
	}
	return rig.serve(r)
}

func TestOnlyPagesWithoutSecretsAreCompressed(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	p := rig.person(t, access.Owner)
	for _, path := range []string{"/", "/pricing", "/docs", "/docs/errors"} {
		for _, who := range []*person{nil, p} {
			res := asked(t, rig, path, who)
			require.Equal(t, http.StatusOK, res.Code, path)
			require.Equal(t, "gzip", res.Header().Get("Content-Encoding"), path)
			require.Contains(t, res.Header().Values("Vary"), "Accept-Encoding", path)
			require.Equal(t, "private, no-cache", res.Header().Get("Cache-Control"), path)
			gz, err := gzip.NewReader(res.Body)
			require.NoError(t, err)
			page, err := io.ReadAll(gz)
			require.NoError(t, err)
			require.True(t, bytes.HasSuffix(page, []byte("</html>")), path)
			require.NotContains(t, string(page), p.Email, path)
			require.Equal(t, who != nil, bytes.Contains(page, []byte(`href="/account"`)), "%s knows who asks", path)
		}
	}
	for _, path := range []string{"/account", "/account/keys", "/account/security", "/docs/nothing", "/login"} {
		require.Empty(t, asked(t, rig, path, p).Header().Get("Content-Encoding"), path)
	}
}

func TestPublicPagesRepeatNothingOfTheRequest(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	for _, path := range []string{"/", "/pricing", "/docs", "/docs/errors"} {
		require.NotContains(t, rig.serve(httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?q=marker4711", nil)).Body.String(), "marker4711", path)
	}
}

func TestFilesOfFixedNamesAreServedAndKeptForADay(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	for path, kind := range map[string]string{"/robots.txt": "text/plain; charset=utf-8", "/favicon.ico": "image/svg+xml"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			res := rig.serve(httptest.NewRequestWithContext(t.Context(), method, path, nil))
			require.Equal(t, http.StatusOK, res.Code, path)
			require.Equal(t, kind, res.Header().Get("Content-Type"), path)
			require.Equal(t, "public, max-age=86400", res.Header().Get("Cache-Control"), path)
			require.Empty(t, res.Header().Values("Set-Cookie"), path)
		}
	}
	robots := rig.browser(t).get("/robots.txt").text
	for _, kept := range []string{"/account", "/admin", "/api/"} {
		require.Contains(t, robots, "Disallow: "+kept+"\n")
	}
}

func TestTheExamplesAreAnswersOfTheAPI(t *testing.T) {
	t.Parallel()
	for example, verdict := range map[string]engine.Verdict{
		views.ExamplePicture: engine.AI, views.ExampleAnswer: engine.AI, views.ExampleSilence: engine.Uncertain,
	} {
		var answer api.CheckResult
		d := json.NewDecoder(strings.NewReader(example))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&answer))
		require.Equal(t, verdict, answer.Verdict)
		// The lanes of the example lead to its verdict by the policy in force.
		decided, score, by := engine.Decide(answer.Lanes)
		require.Equal(t, answer.Verdict, decided)
		require.Equal(t, answer.Score, score)
		require.Equal(t, answer.DecidedBy, by)
		again, err := json.Marshal(answer)
		require.NoError(t, err)
		require.JSONEq(t, example, string(again))
	}
}
