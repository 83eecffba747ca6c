package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
	"veracity/quota"
)

func TestTokenIsReadFromEitherHeader(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		header http.Header
		want   string
	}{
		"key":                {http.Header{"X-Api-Key": {"k"}}, "k"},
		"key in spaces":      {http.Header{"X-Api-Key": {" k "}}, "k"},
		"key before bearer":  {http.Header{"X-Api-Key": {"k"}, "Authorization": {"Bearer b"}}, "k"},
		"empty key wins too": {http.Header{"X-Api-Key": {""}, "Authorization": {"Bearer b"}}, ""},
		"bearer":             {http.Header{"Authorization": {"Bearer b"}}, "b"},
		"BEARER":             {http.Header{"Authorization": {"BEARER  b"}}, "b"},
		"bearer alone":       {http.Header{"Authorization": {"Bearer"}}, ""},
		"basic":              {http.Header{"Authorization": {"Basic b"}}, ""},
		"nothing":            {http.Header{}, ""},
	} {
		require.Equal(t, row.want, token(row.header), name)
	}
}

func TestRateHeadersFollowTheDraft(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	writeRate(h, quota.Rate{Limit: 60, Remaining: 17, Reset: 42*time.Second + time.Millisecond})
	require.Equal(t, `"minute";q=60;w=60`, h.Get("RateLimit-Policy"))
	require.Equal(t, `"minute";r=17;t=43`, h.Get("RateLimit"))
}

func TestEveryContractCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	for status, codes := range map[int][]fault.Code{
		400: {"invalid_body", "invalid_image", "invalid_url", "image_unreachable", "video_unreachable", "audio_unreachable", "invalid_callback", "batch_unsupported", "invalid_parameter"},
		401: {"invalid_key"},
		402: {"plan_required", "payment_failed", "quota_exceeded"},
		404: {"not_found", "unknown_job", "upload_not_found"},
		409: {"idempotency_conflict"},
		412: {"precondition_failed"},
		413: {"image_too_large", "too_many_pixels", "video_too_large", "audio_too_large", "video_too_long"},
		415: {"unsupported_media", "audio_unsupported", "video_unsupported"},
		416: {"range_not_satisfiable"},
		429: {"rate_limited", "too_many_jobs"},
		500: {"internal_error", "engine_error", "a_code_that_nobody_knows"},
		503: {"engine_unavailable", "model_unavailable", "optimizations_disabled", "tracking_failed", "uploads_unavailable", "engine_credentials_missing", "engine_region_missing"},
	} {
		for _, code := range codes {
			require.Equal(t, status, statusOf(code), code)
		}
	}
}
