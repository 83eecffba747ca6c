package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/api/openapi"
	"veracity/views"
	"veracity/web/browsertest"
	"veracity/web/reference"
)

func TestDocsComeAsMarkdownToo(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b := rig.browser(t)
	paths := []string{"/docs/api"}
	for _, g := range views.Guides() {
		paths = append(paths, g.Href())
	}
	for _, path := range paths {
		page := b.once(http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, page.status, path)
		require.Equal(t, "<"+path+`.md>; rel="alternate"; type="text/markdown"`, page.header.Get("Link"), path)
		text := b.once(http.MethodGet, path+".md", nil)
		require.Equal(t, http.StatusOK, text.status, path)
		require.Equal(t, "text/markdown; charset=utf-8", text.header.Get("Content-Type"))
		require.Equal(t, "public, max-age=300", text.header.Get("Cache-Control"))
		require.Regexp(t, `^# [A-Z]`, text.text, path)
		require.NotContains(t, text.text, "{{", path)
	}
	require.Equal(t, http.StatusNotFound, b.once(http.MethodGet, "/docs/nothing.md", nil).status)
	require.Contains(t, b.once(http.MethodGet, "/docs", nil).header.Get("Link"), "</llms.txt>")
}

func TestTheReferenceShowsTheStartOfAKeyToItsAccountAlone(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	owner := rig.person(t, access.Owner)
	_, err := rig.Accounts.CreateKey(t.Context(), access.Actor{Account: owner.Account, User: owner.User, Role: access.Owner}, "mine")
	require.NoError(t, err)
	keys, err := rig.Accounts.ListKeys(t.Context(), owner.Account)
	require.NoError(t, err)
	require.Contains(t, owner.once(http.MethodGet, "/docs/api", nil).text, "X-API-Key: "+keys[0].Start+"…")
	for _, path := range []string{"/docs/api.md", "/docs/quickstart.md"} {
		require.Contains(t, owner.once(http.MethodGet, path, nil).text, "X-API-Key: YOUR_KEY", "whoever asks: it may be cached")
	}
	require.Contains(t, rig.browser(t).once(http.MethodGet, "/docs/api", nil).text, "X-API-Key: YOUR_KEY")
}

func TestLanguageModelsFindEveryPageOfTheDocs(t *testing.T) {
	t.Parallel()
	rig := newRig(t)
	b := rig.browser(t)
	list := b.once(http.MethodGet, "/llms.txt", nil)
	require.Equal(t, http.StatusOK, list.status)
	require.Equal(t, "text/plain; charset=utf-8", list.header.Get("Content-Type"))
	require.Regexp(t, `^# Veracity\n\n> .+\n\n`, list.text)
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^- \[[^\]]+\]\(https?://[^/]+(/[^)]+)\): .+$`).FindAllStringSubmatch(list.text, -1) {
		found[m[1]] = true
		if !strings.HasPrefix(m[1], "/api/") {
			require.Equal(t, http.StatusOK, b.once(http.MethodGet, m[1], nil).status, m[1])
		}
	}
	require.True(t, found["/docs/api.md"])
	for _, g := range views.Guides() {
		require.True(t, found[g.Href()+".md"], g.Slug)
	}
	require.True(t, found["/api/v1/openapi.json"])
	require.Contains(t, list.text, "/api/v1/mcp")
}

// referenceTab shows the reference in a browser.
func referenceTab(t *testing.T) *browsertest.Tab {
	t.Helper()
	assets, err := views.Assets()
	require.NoError(t, err)
	calls, err := reference.Read(openapi.Document(), "https://media.test")
	require.NoError(t, err)
	calls.Docs = views.Docs{Public: views.Public{Title: views.ReferenceTitle, Path: "/docs/api"}, BaseURL: "https://media.test"}
	mux := http.NewServeMux()
	mux.Handle(views.AssetPrefix, assets)
	mux.HandleFunc("/docs/api", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = views.ReferencePage(calls).Render(r.Context(), w)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return browsertest.Open(t, server.URL)
}

// parts are the calls and sections in sight.
const parts = `[...document.querySelectorAll("[data-part]")].filter(p => p.checkVisibility()).map(p => p.querySelector("[id]")?.id ?? "").join(" ")`

// look types into the search and tells what is said of it.
func look(tab *browsertest.Tab, words string) string {
	return browsertest.Evaluate[string](tab, `(() => { const i = document.getElementById("find"); i.value = "`+words+`";
		i.dispatchEvent(new Event("input")); return document.querySelector("[data-found]").textContent })()`)
}

func press(tab *browsertest.Tab, key, at string) {
	browsertest.Evaluate[bool](tab, at+`.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true, cancelable: true}))`)
}

func TestTheReferenceIsSearched(t *testing.T) {
	t.Parallel()
	tab := referenceTab(t)
	tab.Go("/docs/api")
	all := browsertest.Evaluate[string](tab, parts)
	require.Contains(t, all, "checkMedia")
	for _, scheme := range []string{"light", "dark"} {
		tab.Scheme(scheme)
		tab.Accessible("the reference in " + scheme)
	}

	require.Equal(t, "Found 1 section and, in it, 2 lines.", look(tab, "hmac-sha256 keyed"), "the webhook has two signatures")
	require.Equal(t, "optimizationEnded", browsertest.Evaluate[string](tab, parts))
	require.Equal(t, "Nothing found. Escape shows all again.", look(tab, "nowhere-at-all"))
	require.Empty(t, browsertest.Evaluate[string](tab, parts))

	press(tab, "Escape", `document.getElementById("find")`)
	require.Equal(t, all, browsertest.Evaluate[string](tab, parts))
	require.Empty(t, browsertest.Evaluate[string](tab, `document.getElementById("find").value`))
	press(tab, "/", `document.body`)
	require.Equal(t, "find", browsertest.Evaluate[string](tab, `document.activeElement.id`))

	look(tab, "zone")
	require.Positive(t, browsertest.Evaluate[int](tab, `document.querySelectorAll("details[data-rows][open]").length`), "what is folded opens for its field")
	browsertest.Evaluate[bool](tab, `(location.hash = "createUpload", true)`)
	require.Eventually(t, func() bool { return browsertest.Evaluate[string](tab, parts) == all }, 10*time.Second, 20*time.Millisecond, "a link to what is hidden shows all")
	require.Zero(t, browsertest.Evaluate[int](tab, `document.querySelectorAll("details[data-rows][open]").length`), "and folds again")

	tab.Go("/docs/api?q=audio_upload_id")
	require.Contains(t, browsertest.Evaluate[string](tab, parts), "checkMedia")
	require.NotContains(t, browsertest.Evaluate[string](tab, parts), "getDescription")
}

func TestTheReferencePrintsWhatIsFolded(t *testing.T) {
	t.Parallel()
	tab := referenceTab(t)
	tab.Go("/docs/api")
	const open = `document.querySelectorAll("details[open]").length`
	before := browsertest.Evaluate[int](tab, open)
	browsertest.Evaluate[bool](tab, `dispatchEvent(new Event("beforeprint"))`)
	require.Equal(t, browsertest.Evaluate[int](tab, `document.querySelectorAll("details").length`), browsertest.Evaluate[int](tab, open))
	browsertest.Evaluate[bool](tab, `dispatchEvent(new Event("afterprint"))`)
	require.Equal(t, before, browsertest.Evaluate[int](tab, open))
}

func TestTheReferenceIsWholeWithoutScriptAndFitsAPhone(t *testing.T) {
	t.Parallel()
	tab := referenceTab(t)
	tab.WithoutScript()
	tab.Go("/docs/api")
	require.True(t, browsertest.Evaluate[bool](tab, `document.querySelector("[data-find]").hidden`))
	require.Contains(t, browsertest.Evaluate[string](tab, parts), "checkMedia getCheck optimizeMedia")
	tab.Phone()
	require.LessOrEqual(t, browsertest.Evaluate[int](tab, `document.documentElement.scrollWidth`), 390)
	tab.Screenshot("docs-api-without-script-phone")
}
