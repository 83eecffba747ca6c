package views_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"

	"veracity/api/openapi"
	"veracity/views"
	"veracity/web/reference"
)

// publicPages are the pages that anybody may see, by path, as a visitor sees them who has signed in or not.
func publicPages(signedIn bool) map[string]templ.Component {
	frame := func(title, path string) views.Public {
		return views.Public{Title: title, Path: path, SignedIn: signedIn, Description: "What it is."}
	}
	plans := []views.PlanCard{
		{Name: "free", Price: "$0", Action: "Sign up", Href: "/signup?plan=free"},
		{Name: "pro", Price: "$99", Credits: 10_000, RPM: 300, Jobs: 5, Keys: 10, API: true, Action: "Sign up", Href: "/signup?plan=pro"},
	}
	prices := []views.CreditPrice{{Call: "Image check", Price: "1 credit", Months: []int64{10_000}}}
	docs := views.Docs{
		Public: frame("Docs", "/docs"), BaseURL: "https://media.test", Plans: plans, Prices: prices,
		Results: "7 days", Ticket: "1 hour", Job: "30 minutes", Attempt: "10 seconds", Retries: []string{"5 seconds", "1 minute"},
	}
	if signedIn {
		docs.KeyStart = "svc_live_ab12"
	}
	pages := map[string]templ.Component{
		"/": views.HomePage(views.Home{Public: frame("Was it made by AI?", "/"), BaseURL: "https://media.test", Plans: plans}),
		"/pricing": views.PricingPage(views.Pricing{
			Public: frame("Pricing", "/pricing"), Plans: plans, Prices: prices, Support: "help@media.test", Results: "7 days",
		}),
		"/docs": views.DocsPage(docs),
	}
	calls, err := reference.Read(openapi.Document(), "https://media.test")
	if err != nil {
		panic(err) // it is a file of ours
	}
	calls.Docs, calls.Public = docs, frame(views.ReferenceTitle, "/docs/api")
	pages["/docs/api"] = views.ReferencePage(calls)
	for _, g := range views.Guides() {
		guide := docs
		guide.Guide, guide.Public = g, frame(g.Title, g.Href())
		pages[g.Href()] = views.DocsPage(guide)
	}
	return pages
}

func render(t *testing.T, page templ.Component) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, page.Render(t.Context(), &b))
	return b.String()
}

// maxWeight is what the first load of a page may have, uncompressed: 100 KB, and 180 KB for the reference of the API, which
// has every call with all of its fields and examples on one page to be searched and printed.
const (
	maxWeight          = 100_000
	maxReferenceWeight = 180_000
)

func TestNoPublicPageIsHeavy(t *testing.T) {
	t.Parallel()
	linked := regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)
	for path, page := range publicPages(true) {
		html := render(t, page)
		weight := len(html)
		seen := map[string]bool{}
		for _, m := range linked.FindAllStringSubmatch(html, -1) {
			if seen[m[1]] {
				continue
			}
			seen[m[1]] = true
			res := fetch(t, http.MethodGet, m[1])
			require.Equal(t, http.StatusOK, res.StatusCode, "%s of %s", m[1], path)
			weight += len(body(t, res))
		}
		require.GreaterOrEqual(t, len(seen), 3, "styles, script and icon of %s", path)
		limit := maxWeight
		if path == "/docs/api" {
			limit = maxReferenceWeight
		}
		require.LessOrEqual(t, weight, limit, path)
	}
}

func TestPublicPagesAskNothingOfOthers(t *testing.T) {
	t.Parallel()
	loaded := regexp.MustCompile(`<(?:script|link|img|iframe|source|video|audio)[^>]*(?:src|href)="([^"]+)"`)
	for path, page := range publicPages(false) {
		for _, m := range loaded.FindAllStringSubmatch(render(t, page), -1) {
			require.True(t, strings.HasPrefix(m[1], views.AssetPrefix), "%s loads %s", path, m[1])
		}
	}
}

// The content security policy would drop them, silently.
func TestNoTemplateHasInlineScriptOrStyle(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`\sstyle=|\son[a-z]+=|<style|<script(?:>|[^>]*[^>/]>[^<])|javascript:`)
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "mail" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".templ" {
			return nil
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotRegexp(t, inline, string(b), path)
		return nil
	})
	require.NoError(t, err)
}

func TestPagesSayWhereTheVisitorIs(t *testing.T) {
	t.Parallel()
	for path, page := range publicPages(false) {
		if path == "/" {
			continue
		}
		require.Contains(t, render(t, page), `<a href="`+path+`" aria-current="page">`, path)
	}
}

func TestLanesOfLearnedModelsAreShownAsMostlyUncertain(t *testing.T) {
	t.Parallel()
	html := render(t, publicPages(false)["/"])
	learned := 0
	for _, l := range views.Lanes() {
		require.Contains(t, html, "<code>"+l.Name+"</code>")
		require.Contains(t, html, templ.EscapeString(l.Today))
		if l.Learned {
			learned++
			require.Contains(t, l.Today, "weak")
			require.Contains(t, l.Today, "1 in 100")
		}
	}
	require.Equal(t, 2, learned, "pixels and voice go by a model")
	require.Equal(t, learned, strings.Count(html, "mostly uncertain"))
}
