package safefetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// countdown redirects /n to /n-1 and answers at /0, relative to its own address.
func countdown(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil || n == 0 {
		write(w, "arrived")
		return
	}
	statuses := []int{301, 302, 303, 307, 308}
	w.Header().Set("Location", strconv.Itoa(n-1))
	w.WriteHeader(statuses[n%len(statuses)])
}

func TestFiveRedirectsAreFollowedAndNoSixth(t *testing.T) {
	t.Parallel()
	host, base := serve(t, countdown)
	f := newFetcher(t, zone{}, host)
	resp, err := f.Get(t.Context(), base+"/5", roomy)
	require.NoError(t, err)
	require.Equal(t, base+"/0", resp.FinalURL)
	require.NoError(t, resp.Body.Close())

	_, err = f.Get(t.Context(), base+"/6", roomy)
	requireReason(t, Unreachable, "The URL redirects too many times.", err)
}

func TestRedirectsCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	host, base := serve(t, countdown)
	f := newFetcherWith(t, func(cfg *Config) {
		cfg.Allow = []string{host}
		cfg.MaxRedirects = 0
	})
	_, err := fetch(t, f, base+"/1", roomy)
	requireKind(t, Unreachable, err)
	_, err = fetch(t, f, base+"/0", roomy)
	require.NoError(t, err)
}

func TestRedirectLoopEnds(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		http.Redirect(w, r, "/again", http.StatusFound)
	})
	_, err := fetch(t, newFetcher(t, zone{}, host), base, roomy)
	requireKind(t, Unreachable, err)
	require.Len(t, asked, 6, "the first request and five redirects")
}

func TestEachRedirectIsCheckedAnew(t *testing.T) {
	t.Parallel()
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = r.URL.Query()["to"]
		w.WriteHeader(http.StatusFound)
	})
	f := newFetcher(t, zone{"private.test": {"10.0.0.1"}}, host)
	for target, want := range map[string]Kind{
		"http://127.0.0.1/":                 InvalidURL,
		"http://2130706433/":                InvalidURL,
		"//169.254.169.254/latest/":         InvalidURL,
		"http://[::ffff:10.0.0.1]/":         InvalidURL,
		"http://127.0.0.1:1/":               InvalidURL,
		"http://u:p@example.com/":           InvalidURL,
		"http://example.com:8080/":          InvalidURL,
		"https://example.com:80/":           InvalidURL,
		"ftp://example.com/":                InvalidURL,
		"file:///etc/passwd":                InvalidURL,
		"data:image/png;base64,AAAA":        InvalidURL,
		"http://private.test/":              Forbidden,
		"https://private.test/":             Forbidden,
		"http://unknown.test/":              Unreachable,
		"http://exa mple.com/":              Unreachable,
		"":                                  Unreachable,
		"http://127。0。0。1/":                 InvalidURL,
		"https://example.com@127.0.0.1/a":   InvalidURL,
		"gopher://127.0.0.1:6379/_FLUSHALL": InvalidURL,
	} {
		_, err := fetch(t, f, base+"/?"+encodeQuery(target), roomy)
		requireKind(t, want, err)
	}
}

func TestRedirectWithoutLocationIsUnreachable(t *testing.T) {
	t.Parallel()
	host, base := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMovedPermanently) })
	_, err := fetch(t, newFetcher(t, zone{}, host), base, roomy)
	requireReason(t, Unreachable, "The URL answers a redirect that leads nowhere.", err)
}

func TestRedirectCarriesNothingAlong(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	target, targetURL := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		w.Header().Set("WWW-Authenticate", "Basic")
		http.Redirect(w, r, targetURL+"/next#part", http.StatusTemporaryRedirect)
	})
	_, err := fetch(t, newFetcher(t, zone{}, host, target), base+"/secret?signature=s", roomy)
	require.NoError(t, err)
	r := <-seen
	require.Equal(t, target, r.Host)
	for _, name := range []string{"Referer", "Cookie", "Authorization", "Origin"} {
		require.Empty(t, r.Header.Values(name), name)
	}
}

func TestRedirectFromHTTPSToHTTPIsFollowed(t *testing.T) {
	t.Parallel()
	plain, plainURL := serve(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "plain") })
	server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plainURL, http.StatusFound)
	}, func(*httptest.Server) {})
	f := newFetcherWith(t, func(cfg *Config) {
		cfg.Allow = []string{plain, server.Listener.Addr().String()}
		cfg.RootCAs = rootsOf(server)
	})
	got, err := fetch(t, f, server.URL, roomy)
	require.NoError(t, err)
	require.Equal(t, "plain", string(got))
}

// encodeQuery escapes every byte, so that the target arrives as it stands here.
func encodeQuery(target string) string {
	var b strings.Builder
	b.WriteString("to=")
	for _, c := range []byte(target) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}
