package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine/mediatest"
)

// endpoint is a call that needs a key.
type endpoint struct{ method, path, body string }

// keyed are all calls that need a key, reading jobs of these ids.
func keyed(check, optimization string) []endpoint {
	return []endpoint{
		{http.MethodPost, "/api/v1/audit", `{"image_base64":"AA=="}`},
		{http.MethodGet, "/api/v1/audit/" + check, ""},
		{http.MethodPost, "/api/v1/optimize", `{"image_base64":"AA=="}`},
		{http.MethodGet, "/api/v1/optimize/" + optimization, ""},
		{http.MethodPost, "/api/v1/uploads", `{"size":1,"content_type":"image/png"}`},
	}
}

func TestContractEveryCallButDownloadsNeedsAKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	check := c.audit(object("audio_upload_id", c.upload("audio/wav", mediatest.WAV(1)))).accepted()
	optimization := c.optimize(inBase64(photo(t))).accepted()
	revoked := c.colleague()
	require.NoError(t, s.Accounts.RevokeKey(t.Context(), access.CLI(c.account), revoked.keyID))
	unknown := foreignKey(t)
	for _, e := range keyed(check, optimization) {
		for name, headers := range map[string][]string{
			"missing": nil, "empty": {"X-API-Key", ""}, "malformed": {"X-API-Key", c.key + "x"}, "another prefix": {"X-API-Key", "svc_test_" + c.key[9:]},
			"unknown": {"X-API-Key", unknown}, "revoked": {"X-API-Key", revoked.key}, "revoked bearer": {"Authorization", "bearer " + revoked.key},
			"in the query": {"Cookie", "key=" + c.key},
		} {
			r := s.send(e.method, e.path+"?api_key="+c.key, e.body, headers...)
			require.Equal(t, http.StatusUnauthorized, r.status, "%s %s with a key that is %s", e.method, e.path, name)
			r.meets(refusal{"", 401, "invalid_key"})
		}
		for _, headers := range [][]string{{"X-API-Key", c.key}, {"Authorization", "BEARER " + c.key}} {
			require.NotEqual(t, http.StatusUnauthorized, s.send(e.method, e.path, e.body, headers...).status, e.path)
		}
	}
}

func TestContractEveryCallWithAKeyCountsAgainstOneRate(t *testing.T) {
	t.Parallel()
	s := start(t)
	one := 1
	for _, counted := range keyed(uuid.NewString(), uuid.NewString()) {
		c := s.customer(account.Overrides{RPM: &one})
		colleague := c.colleague()
		require.NotEqual(t, http.StatusTooManyRequests, c.call(counted.method, counted.path, counted.body).status, counted.path)
		for _, e := range keyed(uuid.NewString(), uuid.NewString()) {
			colleague.call(e.method, e.path, e.body).meets(refusal{"", 429, "rate_limited"})
		}
		c.settled(0)
	}
}

func TestContractJobsAtOnceAreSharedByKeysAndRefuseNothingButJobs(t *testing.T) {
	t.Parallel()
	one := 1
	c := start(t).customer(account.Overrides{Jobs: &one})
	colleague := c.colleague()
	check := c.audit(object("video_upload_id", c.uploadFor("video/mp4"))).accepted()
	for name, kind := range jobKinds {
		colleague.meet(kind.path, map[string]refusal{name: {object(kind.field, c.uploadFor(kind.contentType)), 429, "too_many_jobs"}})
	}
	colleague.meet("/api/v1/optimize", map[string]refusal{"in base64": {inBase64(photo(t)), 429, "too_many_jobs"}})
	colleague.call(http.MethodGet, "/api/v1/audit/"+check, "").ok()
	colleague.call(http.MethodGet, "/api/v1/optimize/"+check, "").meets(refusal{"", 404, "not_found"})
	colleague.ticket("video/mp4", 1)
	require.Equal(t, "image", colleague.audit(inBase64(photo(t))).ok()["media"], "the check of an image is no job")
}

func TestContractQuotaExceededSaysWhatAJobNeeds(t *testing.T) {
	t.Parallel()
	credits := int64(1)
	c := start(t).customer(account.Overrides{Credits: &credits})
	video, voice := c.uploadFor("video/mp4"), c.uploadFor("audio/wav")
	for body, required := range map[[2]string]float64{
		{"/api/v1/optimize", inBase64(photo(t))}:                              2,
		{"/api/v1/optimize", object("video_upload_id", video)}:                180,
		{"/api/v1/optimize", object("video_upload_id", video, "seconds", 2)}:  2,
		{"/api/v1/audit", object("video_upload_id", video)}:                   36,
		{"/api/v1/audit", object("video_upload_id", video, "seconds", 5.5)}:   2,
		{"/api/v1/audit", object("audio_upload_id", voice)}:                   18,
		{"/api/v1/audit", object("audio_upload_id", voice, "seconds", 10.01)}: 2,
	} {
		got := c.call(http.MethodPost, body[0], body[1]).meets(refusal{"", 402, "quota_exceeded"})
		require.Equal(t, []string{"available", "required", "resets_at"}, members(got["detail"]))
		detail := got["detail"].(map[string]any)
		require.Equal(t, []any{required, 1.0}, []any{detail["required"], detail["available"]}, body[0])
		resets, err := time.Parse(time.RFC3339, detail["resets_at"].(string))
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(detail["resets_at"].(string), "Z"), "UTC")
		require.True(t, resets.After(time.Now()))
	}
	c.settled(0)
	check := c.audit(object("video_upload_id", video, "seconds", 5)).accepted()
	c.call(http.MethodGet, "/api/v1/audit/"+check, "").ok()
	c.call(http.MethodGet, "/api/v1/optimize/"+check, "").meets(refusal{"", 404, "not_found"})
	c.ticket("video/mp4", 1)
	got := c.audit(inBase64(photo(t))).meets(refusal{"", 402, "quota_exceeded"})
	require.InDelta(t, 0, got["detail"].(map[string]any)["available"], 0, "after jobs in flight")
}

func TestContractNoAnswerIsForBrowsersElsewhere(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	calls := append(keyed(uuid.NewString(), uuid.NewString()),
		endpoint{http.MethodGet, "/api/v1/optimize/" + uuid.NewString() + "/file", ""},
		endpoint{http.MethodGet, "/api/v1/optimize/" + uuid.NewString() + "/image", ""})
	for _, e := range calls {
		for _, method := range []string{e.method, http.MethodOptions} {
			r := c.call(method, e.path, e.body, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", e.method)
			for name := range r.header {
				require.NotContains(t, name, "Access-Control", "%s %s", method, e.path)
			}
		}
	}
}
