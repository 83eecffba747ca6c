package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"
)

func TestPageIsHeldAgainstTheLimitByItsSlowViews(t *testing.T) {
	t.Parallel()
	p := page{name: accountPath}
	took := make(spread, 200)
	for i := range took {
		took[i] = 5 * time.Millisecond
	}
	took[0] = time.Second // one view in two hundred is beyond p99
	r := p.row("one browser", took, true)
	require.Equal(t, "best 5.0, p50 5.0, p99 5.0 ms", r.figure)
	require.Equal(t, "0.10, 0.10", r.ratio)
	require.Equal(t, "met", r.verdict())

	took[1], took[2] = 60*time.Millisecond, 60*time.Millisecond
	r = p.row("one browser", took, true)
	require.Equal(t, "0.10, 1.20", r.ratio)
	require.Equal(t, "MISSED", r.verdict())
	require.Empty(t, p.row("a floor", took, false).verdict())
}

func TestFirstLoadIsHeldAgainstTheLimitDecoded(t *testing.T) {
	t.Parallel()
	w := weight{sent: 30_000, whole: 100_000, files: 3}
	require.Equal(t, "met", w.row("/").verdict())
	require.Equal(t, "0.30, 1.00", w.row("/").ratio)
	w.whole++
	require.Equal(t, "MISSED", w.row("/").verdict())
}

func TestAssetsAreNamedOnce(t *testing.T) {
	t.Parallel()
	html := []byte(`<link rel="stylesheet" href="/static/site.1.css"/><script src="/static/site.2.js" defer></script>
		<a href="/account">x</a><img src="/static/icon.3.svg"/><img src="/static/icon.3.svg"/>`)
	require.Equal(t, []string{"/static/site.1.css", "/static/site.2.js", "/static/icon.3.svg"}, assetsOf(html))
	require.Empty(t, assetsOf([]byte("<p>nothing</p>")))
}

func TestCodingsOfBrowsersAreUndone(t *testing.T) {
	t.Parallel()
	const text = "a page"
	var zipped, brotlied bytes.Buffer
	for _, w := range []io.WriteCloser{gzip.NewWriter(&zipped), brotli.NewWriter(&brotlied)} {
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	for coding, raw := range map[string][]byte{"": []byte(text), "gzip": zipped.Bytes(), "br": brotlied.Bytes()} {
		body, err := decode(coding, raw)
		require.NoError(t, err, coding)
		require.Equal(t, text, string(body), coding)
	}
	_, err := decode("zstd", nil)
	require.ErrorContains(t, err, "zstd")
}

func TestTimeToTheFirstByteLeavesTheRestOut(t *testing.T) {
	t.Parallel()
	const pause = 200 * time.Millisecond
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "a=b" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("begin"))
		_ = http.NewResponseController(w).Flush()
		<-time.After(pause)
		_, _ = w.Write([]byte("end"))
	}))
	t.Cleanup(srv.Close)
	address := srv.Listener.Addr().String()
	start := time.Now()
	took, err := firstBytes(t.Context(), address, browse(address, "/", "a=b"), 2)
	require.NoError(t, err)
	require.Len(t, took, 2)
	require.Less(t, took.at(0), pause)
	require.GreaterOrEqual(t, time.Since(start), 2*pause, "each answer is read whole before the next request")

	_, err = firstBytes(t.Context(), address, browse(address, "/", ""), 1)
	require.ErrorContains(t, err, "the answer is 403, not 200")
}

func TestTokenOfTheMailIsRead(t *testing.T) {
	t.Parallel()
	token, err := resetToken("Set a password:\n\nhttp://127.0.0.1:80/reset?token=a%2Bb\n\nhttp://127.0.0.1:80\n")
	require.NoError(t, err)
	require.Equal(t, "a+b", token)
	_, err = resetToken("See http://127.0.0.1:80/login")
	require.ErrorContains(t, err, "no link")
}

func TestFormThatIsNotActedOnIsAnError(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.PostFormValue("password") != "right" || r.Header.Get("Sec-Fetch-Site") != "same-origin" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
		http.Redirect(w, r, accountPath, http.StatusSeeOther)
	}))
	t.Cleanup(srv.Close)
	b, err := (&rig{address: srv.Listener.Addr().String()}).openBrowser()
	require.NoError(t, err)
	require.ErrorContains(t, b.send(t.Context(), "/login", url.Values{"password": {"wrong"}}, accountPath), "answered 422")
	require.Empty(t, b.cookies())
	require.NoError(t, b.send(t.Context(), "/login", url.Values{"password": {"right"}}, accountPath))
	require.Equal(t, "session=1", b.cookies())
}
