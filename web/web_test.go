package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/web"
)

func TestHomeShowsThePlansAndTheVisitorsAddress(t *testing.T) {
	t.Parallel()
	rig := newRig(t, func(c *web.Config) { c.BaseURL = "https://veracity.test" })
	b := rig.browser(t)
	require.Contains(t, b.get("/").text, "https://veracity.test/api/v1/audit")
	pricing := b.get("/pricing").text
	for _, want := range []string{"$499", "75,000", "1,200"} {
		require.Contains(t, pricing, want)
	}
}

func TestEveryPageKeepsToItself(t *testing.T) {
	t.Parallel()
	for base, hsts := range map[string]string{"http://localhost": "", "https://veracity.test": "max-age=63072000; includeSubDomains"} {
		rig := newRig(t, func(c *web.Config) { c.BaseURL = base })
		for _, path := range []string{"/", "/login", "/nowhere", "/account"} {
			h := rig.serve(httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)).Header()
			require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
			require.Contains(t, h.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
			require.NotContains(t, h.Get("Content-Security-Policy"), "unsafe-inline", path)
			require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
			require.Equal(t, hsts, h.Get("Strict-Transport-Security"), path)
		}
	}
}

func TestUnknownPageSaysSo(t *testing.T) {
	t.Parallel()
	b := newRig(t).browser(t)
	page := b.get("/nowhere")
	require.Equal(t, http.StatusNotFound, page.status)
	require.Contains(t, page.text, "There is no page here")
	require.Equal(t, http.StatusMethodNotAllowed, b.get("/logout").status)
}

func TestAssetsMayBeKeptForGoodOnlyUnderTheirVersionedAddress(t *testing.T) {
	t.Parallel()
	b := newRig(t).browser(t)
	style := regexp.MustCompile(`/static/site\.[0-9a-f]+\.css`).FindString(b.get("/login").text)
	require.Contains(t, b.get(style).header.Get("Cache-Control"), "immutable")
	for _, path := range []string{"/static/site.css", "/static/site.00000000.css", "/static/missing.css"} {
		require.Equal(t, http.StatusNotFound, b.get(path).status, path)
	}
}
