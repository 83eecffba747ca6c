package safefetch

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckURLGivesOneSpelling(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{}, "storage.internal:9000", "10.0.0.5:80")
	for raw, want := range map[string]string{
		"http://example.com":                      "http://example.com",
		"HTTP://EXAMPLE.com/A%20b?C=d":            "http://example.com/A%20b?C=d",
		"http://example.com:80/":                  "http://example.com/",
		"https://example.com:443/a.png":           "https://example.com/a.png",
		"https://example.com:/a.png":              "https://example.com/a.png",
		"https://example.com./a.png":              "https://example.com/a.png",
		"https://my_bucket.s3.example.com/":       "https://my_bucket.s3.example.com/",
		"https://bücher.example/":                 "https://xn--bcher-kva.example/",
		"https://1.example/":                      "https://1.example/",
		"https://8.8.8.8/a.png":                   "https://8.8.8.8/a.png",
		"https://８.８.８.８/a.png":                   "https://8.8.8.8/a.png",
		"http://[2606:4700:0::1111]:80/":          "http://[2606:4700::1111]/",
		"http://Storage.Internal.:9000/bucket/a":  "http://storage.internal:9000/bucket/a",
		"https://storage.internal:9000/bucket/a":  "https://storage.internal:9000/bucket/a",
		"http://10.0.0.5/":                        "http://10.0.0.5/",
		"http://10.0.0.5:80/":                     "http://10.0.0.5/",
		"https://example.com/?u=http://u:p@h:1/x": "https://example.com/?u=http://u:p@h:1/x",
	} {
		u, err := f.CheckURL(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, u.String())
	}
}

func TestCheckURLRefusesOtherThanHTTP(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{})
	for _, raw := range []string{
		"", " ", "example.com/a.png", "//example.com/a.png", "/etc/passwd", "file:///etc/passwd", "ftp://example.com/",
		"gopher://example.com/", "data:image/png;base64,AAAA", "http:example.com", "http:/example.com", "https:///a.png",
		"javascript:alert(1)", " http://example.com/", "http://example.com/%zz", "h\x00ttp://example.com/",
		"http://" + string(make([]byte, 10)), "unix:///run/engine.sock",
		"http://example.com:443/", "https://example.com:80/",
	} {
		_, err := f.CheckURL(raw)
		require.Equal(t, InvalidURL, KindOf(err), "%q: %v", raw, err)
	}
}

func TestErrorsKeepThePasswordOfTheURL(t *testing.T) {
	t.Parallel()
	_, err := newFetcher(t, zone{}).CheckURL("http://user:hunter2@example.com:port/")
	require.Equal(t, InvalidURL, KindOf(err))
	require.NotContains(t, err.Error(), "hunter2")
}

func TestCallbackMustBeHTTPS(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{}, "10.0.0.5:8443")
	for _, raw := range []string{"https://example.com/hook", "https://10.0.0.5:8443/hook"} {
		_, err := f.CheckCallbackURL(raw)
		require.NoError(t, err, raw)
	}
	for _, raw := range []string{
		"http://example.com/hook", "http://10.0.0.5:8443/hook", "https://example.com:80/", "https://u:p@example.com/",
		"https://10.0.0.5/", "https://[::1]/", "hook",
	} {
		_, err := f.CheckCallbackURL(raw)
		require.Equal(t, InvalidURL, KindOf(err), "%q: %v", raw, err)
	}
}

func TestAllowListOpensThatPairAlone(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{}, "127.0.0.1:8080", "storage.internal:9000", "[fd00::5]:9000")
	for _, raw := range []string{
		"http://127.0.0.1:8080/", "https://127.0.0.1:8080/", "http://storage.internal:9000/", "http://[fd00:0::5]:9000/",
	} {
		_, err := f.CheckURL(raw)
		require.NoError(t, err, raw)
	}
	for _, raw := range []string{
		"http://127.0.0.1/", "http://127.0.0.1:8081/", "http://127.0.0.1:08080/", "http://127.0.0.2:8080/",
		"http://2130706433:8080/", "http://127.1:8080/", "http://[::ffff:127.0.0.1]:8080/", "http://localhost:8080/",
		"http://u@127.0.0.1:8080/", "ftp://127.0.0.1:8080/", "http://storage.internal:9001/",
		"http://x.storage.internal:9000/", "http://[fd00::5]/", "http://[fd00::6]:9000/",
	} {
		_, err := f.CheckURL(raw)
		require.Equal(t, InvalidURL, KindOf(err), "%q: %v", raw, err)
	}
}

func TestResolvePublicTellsPrivateFromUnknown(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{
		"public.test": {"93.184.215.14 2606:4700::1111"},
		"mixed.test":  {"93.184.215.14 10.0.0.1"},
		"v6.test":     {"93.184.215.14 fd00::1"},
		"empty.test":  {""},
		"inside.test": {"10.0.0.1"},
	}, "inside.test:8443")
	for raw, want := range map[string]Kind{
		"https://public.test/":      "",
		"https://8.8.8.8/":          "",
		"https://inside.test:8443/": "",
		"https://inside.test/":      Forbidden,
		"https://mixed.test/":       Forbidden,
		"https://v6.test/":          Forbidden,
		"https://empty.test/":       Unreachable,
		"https://unknown.test/":     Unreachable,
	} {
		u, err := f.CheckCallbackURL(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, KindOf(f.ResolvePublic(t.Context(), u)), raw)
	}
	require.NoError(t, f.ResolvePublic(t.Context(), &url.URL{Scheme: "https", Host: "public.test"}))
}

func TestResolvePublicEndsWithTheCallersContext(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{"public.test": {"93.184.215.14"}})
	u, err := f.CheckURL("https://public.test/")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, f.ResolvePublic(ctx, u), context.Canceled)
}
