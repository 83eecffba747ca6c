package views_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"veracity/views"
)

// fetch asks for an asset with headers in pairs.
func fetch(t *testing.T, method, path string, headers ...string) *http.Response {
	t.Helper()
	h, err := views.Assets()
	require.NoError(t, err)
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec.Result()
}

func body(t *testing.T, r *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return b
}

func TestAssetsAreKeptForGoodUnderAnAddressThatChangesWithThem(t *testing.T) {
	t.Parallel()
	path := views.Asset("site.css")
	require.Regexp(t, regexp.MustCompile(`^/static/site\.[0-9a-f]{8}\.css$`), path)
	res := fetch(t, http.MethodGet, path)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "public, max-age=31536000, immutable", res.Header.Get("Cache-Control"))
	require.Equal(t, "text/css; charset=utf-8", res.Header.Get("Content-Type"))
}

func TestAnAddressThatNoAssetHasIsNotFoundAndNotKept(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/static/site.00000000.css", "/static/site.css", "/static/", "/static/missing.js", "/static/../asset.go", "/static/site/10-tokens.css",
		views.Asset("missing.js"),
	} {
		res := fetch(t, http.MethodGet, path)
		require.Equal(t, http.StatusNotFound, res.StatusCode, path)
		require.Empty(t, res.Header.Get("Cache-Control"), path)
	}
}

func TestEachFileIsAnAssetOfItsType(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("static")
	require.NoError(t, err)
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		want, err := os.ReadFile(filepath.Join("static", e.Name()))
		require.NoError(t, err)
		res := fetch(t, http.MethodGet, views.Asset(e.Name()))
		require.Equal(t, http.StatusOK, res.StatusCode, e.Name())
		require.Equal(t, types[filepath.Ext(e.Name())], res.Header.Get("Content-Type"), e.Name())
		require.Equal(t, want, body(t, res), e.Name())
	}
}

func TestAnAssetComesInTheShortestCodingThatTheClientTakes(t *testing.T) {
	t.Parallel()
	path := views.Asset("site.css")
	plain := body(t, fetch(t, http.MethodGet, path))
	for accept, want := range map[string]string{
		"":                         "",
		"identity":                 "",
		"gzip":                     "gzip",
		"gzip, deflate, br, zstd":  "br",
		"br;q=0, gzip;q=0.5":       "gzip",
		"*":                        "br",
		"*, br;q=0":                "gzip",
		"GZIP":                     "gzip",
		"gzip;q=0, br;q=0.0, *":    "",
		"br;q=nonsense, gzip;q=.1": "gzip",
	} {
		res := fetch(t, http.MethodGet, path, "Accept-Encoding", accept)
		require.Equal(t, want, res.Header.Get("Content-Encoding"), accept)
		require.Equal(t, "Accept-Encoding", res.Header.Get("Vary"), accept)
		sent := body(t, res)
		require.EqualValues(t, res.ContentLength, len(sent), accept)
		require.Equal(t, plain, decode(t, want, sent), accept)
		if want != "" {
			require.Less(t, len(sent), len(plain)/2, accept)
		}
	}
}

func decode(t *testing.T, coding string, b []byte) []byte {
	t.Helper()
	var from io.Reader = bytes.NewReader(b)
	switch coding {
	case "br":
		from = brotli.NewReader(from)
	case "gzip":
		gz, err := gzip.NewReader(from)
		require.NoError(t, err)
		from = gz
	}
	whole, err := io.ReadAll(from)
	require.NoError(t, err)
	return whole
}

func TestAnAssetThatTheClientHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	path := views.Asset("site.css")
	plain := fetch(t, http.MethodGet, path).Header.Get("ETag")
	br := fetch(t, http.MethodGet, path, "Accept-Encoding", "br").Header.Get("ETag")
	require.NotEqual(t, plain, br, "each coding is a representation of its own")
	for _, tags := range []string{plain, "W/" + plain, `"other", ` + plain, "*"} {
		res := fetch(t, http.MethodGet, path, "If-None-Match", tags)
		require.Equal(t, http.StatusNotModified, res.StatusCode, tags)
		require.Empty(t, body(t, res), tags)
		require.Equal(t, plain, res.Header.Get("ETag"), tags)
	}
	require.Equal(t, http.StatusOK, fetch(t, http.MethodGet, path, "If-None-Match", br).StatusCode)
}

func TestTheHeadOfAnAssetHasNoBody(t *testing.T) {
	t.Parallel()
	res := fetch(t, http.MethodHead, views.Asset("site.js"))
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.NotZero(t, res.ContentLength)
	require.Empty(t, body(t, res))
}
