package main

import (
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/mail"
)

// mailbox is an outbox with one mail, and its pages.
func mailbox(t *testing.T) (pages http.Handler, name string) {
	t.Helper()
	box, err := mail.OpenOutbox(t.TempDir(), "")
	require.NoError(t, err)
	require.NoError(t, box.Send(t.Context(), mail.Message{
		ID: "letter-1-2", To: "ada@example.com", Subject: "Confirm <b>", Text: "Open\nhttp://localhost:8080/verify?token=a&b\n",
		HTML: `<p style="color:red"><a href="http://localhost:8080/verify?token=a">Open</a><script>alert(1)</script></p>`,
	}))
	list, err := box.List(1)
	require.NoError(t, err)
	return (&App{Log: slog.New(slog.DiscardHandler)}).outboxPages(box), list[0].Name
}

// visit asks for a page by a name of the server.
func visit(t *testing.T, pages http.Handler, host, path string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	req.Host = host
	rec := httptest.NewRecorder()
	pages.ServeHTTP(rec, req)
	return rec
}

func TestOutboxPagesLeadFromTheListToTheLink(t *testing.T) {
	t.Parallel()
	pages, _ := mailbox(t)
	list := visit(t, pages, "127.0.0.1:9464", "/dev/outbox")
	require.Equal(t, http.StatusOK, list.Code)
	require.Contains(t, list.Body.String(), "ada@example.com")
	require.NotContains(t, list.Body.String(), "Confirm <b>")
	link := regexp.MustCompile(`href="(/dev/outbox/[^"]+\.eml)"`).FindStringSubmatch(list.Body.String())
	require.NotNil(t, link)

	message := visit(t, pages, "localhost:9464", link[1])
	require.Equal(t, http.StatusOK, message.Code)
	page := html.UnescapeString(message.Body.String())
	require.Contains(t, page, `<a href="http://localhost:8080/verify?token=a&b">`)
	require.Contains(t, page, "Message-Id: <letter-1-2@localhost>")
	require.Contains(t, page, `<iframe src="`+link[1]+`/html" sandbox=""`)
	for _, rec := range []*httptest.ResponseRecorder{list, message} {
		require.NotContains(t, rec.Body.String(), "style=", "the pages' own policy lets none through")
		require.Contains(t, rec.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'")
		require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	}

	style := visit(t, pages, "127.0.0.1:9464", "/dev/outbox/outbox.css")
	require.Equal(t, "text/css; charset=utf-8", style.Header().Get("Content-Type"))
	require.Contains(t, style.Body.String(), "iframe")
	require.Equal(t, http.StatusMovedPermanently, visit(t, pages, "127.0.0.1:9464", "/dev/outbox/").Code)
}

func TestHTMLOfAMailRunsInASandbox(t *testing.T) {
	t.Parallel()
	pages, name := mailbox(t)
	rec := visit(t, pages, "[::1]:9464", "/dev/outbox/"+name+"/html")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Contains(t, rec.Body.String(), `<p style="color:red">`)
	policy := rec.Header().Get("Content-Security-Policy")
	require.True(t, strings.HasPrefix(policy, "sandbox; default-src 'none';"), policy)
	require.NotContains(t, policy, "script")
}

func TestOutboxIsClosedToOtherNamesAndFiles(t *testing.T) {
	t.Parallel()
	pages, name := mailbox(t)
	for _, host := range []string{"evil.example", "evil.example:9464", "localhost.evil.example", ""} {
		for _, path := range []string{"/dev/outbox", "/dev/outbox/" + name, "/dev/outbox/" + name + "/html"} {
			rec := visit(t, pages, host, path)
			require.Equal(t, http.StatusMisdirectedRequest, rec.Code, host)
			require.NotContains(t, rec.Body.String(), "ada@example.com")
		}
	}
	for _, path := range []string{"/dev/outbox/none.eml", "/dev/outbox/..%2Fsecret-key", "/dev/outbox/" + name + "x/html", "/dev/outbox/a/b/c"} {
		require.Equal(t, http.StatusNotFound, visit(t, pages, "localhost:9464", path).Code, path)
	}
}
