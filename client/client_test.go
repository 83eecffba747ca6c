package client

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Customers copy the folder, so nothing of it may need more than Go itself.
func TestPackageNeedsTheStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range file.Imports {
			root, _, _ := strings.Cut(strings.Trim(imported.Path.Value, `"`), "/")
			require.NotContains(t, root, ".", e.Name())
			require.NotEqual(t, "veracity", root, e.Name())
		}
	}
}

func TestAddressAndKeyAreChecked(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "veracity.test", "ftp://veracity.test", "https://", "https://u:hush@veracity.test", "https://veracity.test/?a=b", "https://veracity.test/#a"} {
		_, err := New(base, testKey)
		require.ErrorContains(t, err, "the address of the service", base)
		require.NotContains(t, err.Error(), "hush")
	}
	for _, key := range []string{"", "  ", "whsec_hush", "hush hush", "hush\nX-Evil: 1", "hüsh"} {
		_, err := New("https://veracity.test", key)
		require.Error(t, err, key)
		require.NotContains(t, err.Error(), "hush")
	}
	for base, path := range map[string]string{
		"https://veracity.test":           "/api/v1/audit/ab",
		"https://veracity.test/":          "/api/v1/audit/ab",
		"https://veracity.test/api/v1":    "/api/v1/audit/ab",
		"\thttps://veracity.test/api/v1/": "/api/v1/audit/ab",
		"http://veracity.test/under/":     "/under/api/v1/audit/ab",
	} {
		s := answering(answers(200, `{"id":"ab","status":"queued","media":"video"}`))
		c, err := New(base, " "+testKey+"\n", WithHTTPClient(&http.Client{Transport: s}), WithUserAgent("shop/2"))
		require.NoError(t, err)
		_, err = c.GetCheck(t.Context(), "ab", nil)
		require.NoError(t, err)
		require.Equal(t, path, s.got[0].URL.Path)
		require.Equal(t, testKey, s.got[0].Header.Get("X-Api-Key"))
		require.Regexp(t, `^shop/2 veracity-go/\d`, s.got[0].Header.Get("User-Agent"))
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			require.NotContains(t, fmt.Sprintf(format, c), testKey)
		}
	}
}

func TestKeyDoesNotFollowARedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/api/v1/audit", http.StatusTemporaryRedirect))
	defer srv.Close()
	c, err := New(srv.URL, testKey)
	require.NoError(t, err)
	_, err = c.Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
	require.ErrorContains(t, err, "is the address of the service right?")
	var refused *Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusTemporaryRedirect, refused.Status)
}

func TestRefusalsAreTyped(t *testing.T) {
	t.Parallel()
	ask := func(status int, body string) *Error {
		_, err := through(t, answering(answers(status, body)), WithRetry(Retry{Attempts: 1})).
			Check(t.Context(), VideoURL("https://example.com/a.mp4"), nil)
		var refused *Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "req-1", refused.RequestID)
		require.Equal(t, refused.Code, CodeOf(fmt.Errorf("around: %w", err)))
		return refused
	}
	e := ask(402, `{"code":"quota_exceeded","message":"Too few.","detail":{"required":36,"available":5,"resets_at":"2026-04-01T00:00:00Z"}}`)
	quota, ok := e.Quota()
	require.True(t, ok)
	require.Equal(t, QuotaDetail{36, 5, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)}, quota)
	require.EqualError(t, e, "veracity: POST /api/v1/audit: 402 quota_exceeded: Too few. (request req-1)")
	_, ok = e.Pixels()
	require.False(t, ok)

	e = ask(413, `{"code":"too_many_pixels","message":"Too many.","detail":{"width":9000,"height":8000,"limit":25000000}}`)
	pixels, ok := e.Pixels()
	require.True(t, ok)
	require.Equal(t, PixelsDetail{9000, 8000, 25_000_000}, pixels)

	e = ask(413, `{"code":"video_too_long","message":"Too long.","detail":{"seconds":200.5,"max_seconds":180}}`)
	length, ok := e.Length()
	require.True(t, ok)
	require.Equal(t, LengthDetail{200.5, 180}, length)
	_, ok = e.Quota()
	require.False(t, ok)

	for _, body := range []string{"", "<html>oh</html>", "[]", `"text"`, `{"code":7}`, `{"message":"m"}`} {
		e = ask(502, body)
		require.Empty(t, e.Code)
		require.EqualError(t, e, "veracity: POST /api/v1/audit: 502: Bad Gateway (request req-1)")
	}
	e = ask(402, `{"code":"quota_exceeded","message":"Too few."}`)
	_, ok = e.Quota()
	require.False(t, ok, "no detail")
}

func TestResultsAreReadWhole(t *testing.T) {
	t.Parallel()
	video := `{"id":"ab","status":"succeeded","media":"video","verdict":"unavailable","score":null,"decided_by":"weighed",` +
		`"lanes":{"pixels":{"verdict":"none","score":0},"watermark":{"verdict":"none","score":0},"provenance":{"verdict":"none","issuer":null}},` +
		`"video":{"seconds":6,"fps":30,"frames":180,"width":320,"height":240,"audio":"silent","readings":[{"t":0.5,"verdict":"ai","score":90}]},` +
		`"detail":{"engine":"x"},"a_field_of_tomorrow":{"a":1}}`
	s := answering(answers(200, video))
	job, err := through(t, s).GetCheck(t.Context(), "ab", &CheckOptions{Detail: true})
	require.NoError(t, err)
	require.Equal(t, "detail=full", s.got[0].URL.RawQuery)
	require.Equal(t, Succeeded, job.Status)
	require.Equal(t, MediaVideo, job.Media)
	require.Equal(t, VerdictUnavailable, job.Verdict)
	require.Nil(t, job.Score)
	require.Nil(t, job.Lanes.Provenance.Issuer)
	require.Equal(t, &Video{6, 30, 180, 320, 240, "silent", []Reading{{0.5, VerdictAI, 90}}}, job.Video)
	require.JSONEq(t, `{"engine":"x"}`, string(job.Detail))

	check, err := through(t, answering(answers(200, checked))).Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
	require.NoError(t, err)
	require.Equal(t, 98, *check.Score)
	require.Equal(t, "A tool", *check.Lanes.Provenance.Issuer)
	again, err := json.Marshal(check)
	require.NoError(t, err)
	require.JSONEq(t, checked, string(again), "what is written is the service's own shape")
}

func TestIDsDoNotChangeThePath(t *testing.T) {
	t.Parallel()
	c := through(t, answering(breaks(errReset)))
	for _, id := range []string{"", "../uploads", "a/b", "a?b", "%2e"} {
		_, err := c.GetCheck(t.Context(), id, nil)
		require.ErrorContains(t, err, "is no id of a job")
		_, err = c.GetOptimization(t.Context(), id)
		require.ErrorContains(t, err, "is no id of a job")
	}
}

func TestEndlessAnswerIsNotRead(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range 32 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	c, err := New(srv.URL, testKey)
	require.NoError(t, err)
	_, err = c.GetCheck(t.Context(), "ab", nil)
	require.ErrorContains(t, err, "the answer is over")
}
