package main

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/billing/sandbox"
	"veracity/engine/mediatest"
	"veracity/web"
	"veracity/web/browsertest"
)

// maxWeight is what a page may weigh on its first load, in bytes before any compression.
const maxWeight = 100_000

// heavier are the pages that may weigh more. The reference of the API has every call with all of its fields and examples on
// one page, so that a browser finds a word in it and a printer prints it whole.
var heavier = map[string]int{"/docs/api": 180_000}

// lived is an account in which all has happened that its pages show.
type lived struct {
	site
	tab *browsertest.Tab
	// fill has what stands for a route's parameters, by its pattern.
	fill map[string]string
}

// live lets a person who is an operator sign up, make keys and calls, fail a webhook, play and invite.
func live(t *testing.T) lived {
	t.Helper()
	receiver := newReceiver(t)
	receiver.answers(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not today", http.StatusTeapot) })
	var box *sandbox.Sandbox
	s := startSite(t, receiver.allow, selling(t, &box))
	_, err := s.Billing.Setup(t.Context())
	require.NoError(t, err)
	l := lived{site: s, tab: browsertest.Open(t, s.url), fill: map[string]string{}}
	email := s.newcomer(l.tab)
	s.buy(l.tab, "Pro", sandbox.CardWorks)
	require.NoError(t, s.Accounts.SetOperator(t.Context(), email, true))
	s.addApp(l.tab)
	c := customer{service: s.service, key: s.makeKey(l.tab, "Production server")}
	for range 3 {
		c.audit(inBase64(labelledPNG(t))).ok()
	}
	c.audit(object("image_base64", "AAAA")).refused(http.StatusUnsupportedMediaType, "unsupported_media")
	job := c.call(http.MethodPost, "/api/v1/optimize", object(
		"image_base64", base64.StdEncoding.EncodeToString(mediatest.PNG(t, 64, 48)), "callback_url", receiver.url))
	require.Equal(t, http.StatusAccepted, job.status, "%s", job.body)
	require.Eventually(t, func() bool { return len(receiver.calls()) > 0 }, time.Minute, 50*time.Millisecond)

	l.play(t)
	l.tab.Go("/account/team")
	l.tab.Fill("email", "colleague@example.com")
	l.tab.Tick("#role-developer")
	l.tab.Press("Send invite")
	l.tab.See("colleague@example.com")
	l.find(t)
	return l
}

func (l lived) play(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lighthouse.png")
	require.NoError(t, os.WriteFile(file, labelledPNG(t), 0o600))
	l.tab.Go("/account/playground")
	l.tab.Attach("file", file)
	l.tab.Press("Check it")
	l.tab.See("AI-generated")
	l.fill["/account/playground/{id}"] = strings.TrimPrefix(l.tab.Path(), "/account/playground/")
}

// find reads the ids that pages are about.
func (l lived) find(t *testing.T) {
	t.Helper()
	for pattern, query := range map[string]string{
		"/account/keys/{id}/revoke":   `SELECT id::text FROM api_key`,
		"/account/jobs/{id}":          `SELECT id::text FROM job`,
		"/account/webhooks/{id}":      `SELECT id::text FROM delivery`,
		"/account/team/{user}/remove": `SELECT id::text FROM app_user`,
		"/admin/accounts/{account}":   `SELECT id::text FROM account`,
		"/admin/billing/{event}":      `SELECT id FROM stripe_event WHERE state = 'worked'`,
	} {
		var id string
		require.NoError(t, l.DB.QueryRow(t.Context(), query).Scan(&id), pattern)
		l.fill[pattern] = id
	}
	l.fill["/docs/{page}"] = "quickstart"
}

// asked is what pages are asked for that show nothing without.
var asked = map[string]string{"/account/plan/change": "?plan=scale"}

// plain are the files that a GET of the portal answers with beside pages.
var plain = []string{".csv", ".md", ".txt"}

// pages are the addresses of all pages that a GET shows.
func (l lived) pages(t *testing.T) []string {
	t.Helper()
	pages := []string{"/nothing-here"}
	for _, r := range l.Portal.Routes() {
		if r.Method != http.MethodGet || strings.HasPrefix(r.Pattern, web.RiverPath) || slices.Contains(plain, filepath.Ext(r.Pattern)) {
			continue
		}
		path := r.Pattern
		if start := strings.Index(path, "{"); start >= 0 {
			value, ok := l.fill[path]
			require.True(t, ok, "no value for the parameter of %s", path)
			path = path[:start] + value + path[strings.Index(path, "}")+1:]
		}
		pages = append(pages, path+asked[path])
	}
	return pages
}

func TestEveryPageIsAccessibleLightAndDark(t *testing.T) {
	t.Parallel()
	l := live(t)
	guest := browsertest.Open(t, l.url)
	for _, path := range l.pages(t) {
		tab := guest
		if strings.HasPrefix(path, "/account") || strings.HasPrefix(path, "/admin") {
			tab = l.tab
		}
		name, _, _ := strings.Cut(strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"), "?")
		for id := range l.fill {
			name = strings.ReplaceAll(name, l.fill[id], "x")
		}
		tab.Wide()
		tab.Scheme("light")
		tab.Go(path)
		tab.Screenshot(name + "-light")
		tab.Accessible(path)
		require.LessOrEqual(t, browsertest.Evaluate[int](tab, weight), max(maxWeight, heavier[path]), path)
		tab.Scheme("dark")
		tab.Screenshot(name + "-dark")
		tab.Accessible(path + " in dark")
		tab.Phone()
		tab.Screenshot(name + "-phone")
		require.LessOrEqual(t, browsertest.Evaluate[int](tab, `document.documentElement.scrollWidth`), 390, "%s is wider than a phone", path)
	}
}

// weight sums up what the page and all that it loads are before any compression.
const weight = `performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource")).
	reduce((sum, e) => sum + (e.decodedBodySize || 0), 0)`
