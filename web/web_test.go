package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/web"
)

func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	h, err := web.New(web.Config{
		BaseURL: "https://veracity.test",
		Plans:   []web.Plan{{Name: "scale", Cents: 49_900, Credits: 75_000, RPM: 1_200, Keys: 50}},
	}).Handler()
	require.NoError(t, err)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return rec
}

func TestHomeShowsThePlansAndTheVisitorsAddress(t *testing.T) {
	t.Parallel()
	rec := get(t, "/")
	require.Equal(t, http.StatusOK, rec.Code)
	for _, want := range []string{"https://veracity.test/api/v1/audit", "$499", "75,000", "1,200"} {
		require.Contains(t, rec.Body.String(), want)
	}
	require.Contains(t, rec.Header().Get("Content-Security-Policy"), "default-src 'none'")
}

func TestUnknownPageSaysSo(t *testing.T) {
	t.Parallel()
	rec := get(t, "/nowhere")
	require.Equal(t, http.StatusNotFound, rec.Code)
	require.Contains(t, rec.Body.String(), "There is no page here")
}

func TestAssetsMayBeKeptForGoodOnlyUnderTheirVersionedAddress(t *testing.T) {
	t.Parallel()
	require.Contains(t, get(t, "/static/site.css?v=1").Header().Get("Cache-Control"), "immutable")
	require.Empty(t, get(t, "/static/site.css").Header().Get("Cache-Control"))
	require.Equal(t, http.StatusNotFound, get(t, "/static/missing.css").Code)
}
