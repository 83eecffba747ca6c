package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
)

func TestImageCheckAnswersFromEvidence(t *testing.T) {
	t.Parallel()
	labelled, plain := labelledPNG(t), mediatest.JPEG(t, 96, 64)
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/labelled.txt": file(labelled)})
	c := start(t, allow).customer(account.Overrides{})
	for name, body := range map[string]string{
		"base64":           inBase64(labelled),
		"data URL":         object("image_base64", "data:image/gif;base64,"+base64.StdEncoding.EncodeToString(labelled)),
		"base64url, bare":  object("image_base64", base64.RawURLEncoding.EncodeToString(labelled)),
		"base64 in lines":  object("image_base64", strings.Join([]string{base64.StdEncoding.EncodeToString(labelled)[:40], base64.StdEncoding.EncodeToString(labelled)[40:]}, "\r\n")),
		"URL":              object("image_url", base+"/labelled.txt"),
		"upload":           object("image_upload_id", c.upload("image/png", labelled)),
		"unknown fields":   object("image_url", base+"/labelled.txt", "hello", 1),
		"null is absent":   object("image_url", base+"/labelled.txt", "video_url", nil, "seconds", nil),
		"seconds is moot":  object("image_url", base+"/labelled.txt", "seconds", 500),
		"upper-case id":    object("image_upload_id", strings.ToUpper(c.upload("image/png", labelled))),
		"any content type": object("image_upload_id", c.upload("video/mp4", labelled)),
	} {
		got := c.audit(body).ok()
		require.Equal(t, "ai", got["verdict"], name)
		require.Equal(t, "provenance", got["decided_by"], name)
		require.Equal(t, "image", got["media"], name)
		require.InDelta(t, 98, got["score"], 0, name)
		require.Equal(t, map[string]any{
			"pixels":     map[string]any{"verdict": "none", "score": 50.0},
			"watermark":  map[string]any{"verdict": "none", "score": 50.0},
			"provenance": map[string]any{"verdict": "ai", "issuer": "Stable Diffusion WebUI"},
		}, got["lanes"], name)
		require.NotContains(t, got, "detail", name)
	}
	c.spent(11)

	got := c.audit(inBase64(plain)).ok()
	require.Equal(t, "uncertain", got["verdict"], "no evidence is no guess")
	require.InDelta(t, 50, got["score"], 0)
	c.spent(12)
}

func TestDetailIsGivenOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	got := c.call(http.MethodPost, "/api/v1/audit?detail=full", inBase64(labelledPNG(t))).ok()
	detail, ok := got["detail"].(map[string]any)
	require.True(t, ok)
	require.Equal(t, map[string]any{"format": "PNG", "bytes": float64(len(labelledPNG(t))), "width": 96.0, "height": 64.0}, detail["file"])
	require.Contains(t, detail["timings_ms"], "provenance")
	got = c.call(http.MethodPost, "/api/v1/audit?detail=some", inBase64(labelledPNG(t))).ok()
	require.NotContains(t, got, "detail")
}

func TestAnswersCarryTheHeadersOfTheContract(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	r := c.audit(inBase64(labelledPNG(t)), "Origin", "https://elsewhere.example")
	r.ok()
	require.Equal(t, `"minute";q=300;w=60`, r.header.Get("RateLimit-Policy"))
	require.Regexp(t, `^"minute";r=299;t=1$`, r.header.Get("RateLimit"))
	require.NotEmpty(t, r.header.Get("Request-Id"))
	for name := range r.header {
		require.NotContains(t, name, "Access-Control", "the API is not for browsers on other sites")
	}
}

func TestLogSaysWhatHappenedAndNoSecret(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	r := c.call(http.MethodPost, "/api/v1/audit?detail=hushhush", inBase64(labelledPNG(t)))
	r.ok()
	c.call(http.MethodPost, "/api/v1/uploads", object("size", 5, "content_type", "image/png")).ok()
	log := s.log.String()
	for _, want := range []string{r.header.Get("Request-Id"), c.account.String(), `"route":"/api/v1/audit"`, `"status":200`, "duration"} {
		require.Contains(t, log, want)
	}
	for _, secret := range []string{c.key, c.key[9:], "hushhush", "iVBOR", "example.com", s.Settings.SecretKey} {
		require.NotContains(t, log, secret)
	}
}
