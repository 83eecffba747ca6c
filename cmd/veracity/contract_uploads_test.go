package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
)

func TestContractEveryListedTypeIsTakenInAnySpellingAndPUTInItsCanonicalOne(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for canonical, spellings := range map[string][]string{
		"image/jpeg": {"image/jpeg"}, "image/png": {"image/png"}, "image/webp": {"image/webp"}, "image/gif": {"image/gif"},
		"image/avif": {"image/avif"}, "image/heic": {"image/heic"}, "image/heif": {"image/heif"}, "image/tiff": {"image/tiff"},
		"image/bmp": {"image/bmp"},
		"video/mp4": {"video/mp4"}, "video/quicktime": {"video/quicktime"}, "video/webm": {"video/webm"},
		"audio/mpeg": {"audio/mpeg", "audio/mp3"},
		"audio/wav":  {"audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"},
		"audio/mp4":  {"audio/mp4", "audio/x-m4a", "audio/m4a"},
	} {
		most := 1 << 30
		if kindOf(canonical) == "image" {
			most = 26_214_400
		}
		for _, listed := range spellings {
			for _, sent := range []string{listed, strings.ToUpper(listed), " " + listed + " ; codecs=\"a, b\"; q=1"} {
				got := c.ticket(sent, 4)
				require.Equal(t, []string{"expires_at", "headers", "id", "max_bytes", "method", "upload_url"}, members(got))
				require.Equal(t, map[string]any{"Content-Type": canonical, "If-None-Match": "*"}, got["headers"], sent)
				require.Equal(t, "PUT", got["method"])
				require.InDelta(t, most, got["max_bytes"], 0, sent)
				require.Equal(t, http.StatusOK, c.put(got, []byte("four")), sent)
			}
		}
		c.ticket(canonical, most)
		c.call(http.MethodPost, "/api/v1/uploads", object("size", most+1, "content_type", canonical)).
			meets(refusal{"", 413, map[bool]string{true: "image_too_large", false: "video_too_large"}[kindOf(canonical) == "image"]})
	}
	c.meet("/api/v1/uploads", map[string]refusal{
		"another image":       {object("size", 4, "content_type", "image/svg+xml"), 415, "unsupported_media"},
		"another video":       {object("size", 4, "content_type", "video/x-matroska"), 415, "unsupported_media"},
		"another voice clip":  {object("size", 4, "content_type", "audio/ogg"), 415, "unsupported_media"},
		"a kind alone":        {object("size", 4, "content_type", "video/*"), 415, "unsupported_media"},
		"a body that is huge": {`{"size":4,"content_type":"image/png","x":"` + strings.Repeat("x", 7<<20) + `"}`, 413, "image_too_large"},
	})
	c.settled(0)
}

func TestContractPUTTakesTheTicketsHeadersAndSizeAlone(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	data := mediatest.WAV(0.1)
	ticket := c.ticket("audio/wav", len(data))
	with := func(headers map[string]any) map[string]any {
		return map[string]any{"method": "PUT", "upload_url": ticket["upload_url"], "headers": headers}
	}
	for name, status := range map[string]int{
		"another type":     c.put(with(map[string]any{"Content-Type": "audio/mpeg", "If-None-Match": "*"}), data),
		"no If-None-Match": c.put(with(map[string]any{"Content-Type": "audio/wav"}), data),
		"a byte more":      c.put(ticket, append(mediatest.WAV(0.1), 0)),
	} {
		require.GreaterOrEqual(t, status, 400, name)
		require.Less(t, status, 500, name)
	}
	require.Equal(t, http.StatusOK, c.put(ticket, data))
	require.Equal(t, http.StatusPreconditionFailed, c.put(ticket, data), "a single PUT")
	require.Equal(t, "audio", c.audit(object("audio_upload_id", ticket["id"])).object()["media"])
}

// jobKinds are the jobs that an upload can start.
var jobKinds = map[string]struct{ path, field, contentType string }{
	"a video check":         {"/api/v1/audit", "video_upload_id", "video/mp4"},
	"a voice check":         {"/api/v1/audit", "audio_upload_id", "audio/wav"},
	"a video optimization":  {"/api/v1/optimize", "video_upload_id", "video/mp4"},
	"an image optimization": {"/api/v1/optimize", "image_upload_id", "image/jpeg"},
}

// uploadFor puts a file for a job of that content type.
func (c customer) uploadFor(contentType string) string {
	c.t.Helper()
	data := map[string][]byte{"video/mp4": film(c.t, 1), "audio/wav": mediatest.WAV(1), "image/jpeg": photo(c.t)}[contentType]
	return c.upload(contentType, data)
}

func TestContractJobsThatAreRefusedLeaveTheirUploadUsable(t *testing.T) {
	t.Parallel()
	s := start(t)
	unknown := foreignKey(t)
	for name, kind := range jobKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, many, credits := 1, 20, int64(0)
			own := &service{App: s.App, t: t, url: s.url, log: s.log}
			c := own.customer(account.Overrides{Jobs: &one, Credits: &credits})
			upload := c.uploadFor(kind.contentType)
			body := object(kind.field, upload)
			refuse := func(status int, code string) {
				c.call(http.MethodPost, kind.path, body).meets(refusal{"", status, code})
			}
			c.send(http.MethodPost, kind.path, body).meets(refusal{"", 401, "invalid_key"})
			c.send(http.MethodPost, kind.path, body, "X-API-Key", unknown).meets(refusal{"", 401, "invalid_key"})
			for _, state := range []account.State{account.PlanRequired, account.PaymentFailed} {
				require.NoError(t, s.Accounts.SetState(t.Context(), c.account, state))
				refuse(402, string(state))
			}
			require.NoError(t, s.Accounts.SetState(t.Context(), c.account, account.Active))
			refuse(402, "quota_exceeded")
			credits = 5000
			c.may(account.Overrides{Credits: &credits})
			c.audit(object("video_upload_id", c.uploadFor("video/mp4"))).accepted()
			refuse(429, "too_many_jobs")
			c.may(account.Overrides{Jobs: &many})
			c.overRate()
			refuse(429, "rate_limited")
			rpm := 60_000
			c.may(account.Overrides{RPM: &rpm})

			var r reply
			require.Eventually(t, func() bool {
				r = c.call(http.MethodPost, kind.path, body)
				return r.status != http.StatusTooManyRequests
			}, 5*time.Second, 20*time.Millisecond)
			r.accepted()
			for other, again := range jobKinds {
				r := c.call(http.MethodPost, again.path, object(again.field, upload))
				require.Equal(t, http.StatusNotFound, r.status, "used by %s, then sent to %s: %s", name, other, r.body)
				r.meets(refusal{"", 404, "upload_not_found"})
			}
			c.audit(object("image_upload_id", upload)).meets(refusal{"", 404, "upload_not_found"})
		})
	}
}

func TestContractPausedOptimizationsLeaveTheirUploadUsable(t *testing.T) {
	t.Parallel()
	c := start(t, func(s *Settings) { s.Optimize = "off" }).customer(account.Overrides{})
	video, image := c.uploadFor("video/mp4"), c.uploadFor("image/jpeg")
	c.meet("/api/v1/optimize", map[string]refusal{
		"a video":  {object("video_upload_id", video), 503, "optimizations_disabled"},
		"an image": {object("image_upload_id", image), 503, "optimizations_disabled"},
	})
	c.audit(object("video_upload_id", video)).accepted() // checks still work
	c.audit(object("image_upload_id", image)).ok()
}

func TestContractUploadsThatCannotBeUsedAreNotFoundByJobs(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	for name, kind := range jobKinds {
		expired, half := c.uploadFor(kind.contentType), c.ticket(kind.contentType, 5000)
		_, err := s.DB.Exec(t.Context(), `UPDATE upload SET expires_at = now() WHERE id = $1`, expired)
		require.NoError(t, err)
		c.put(half, make([]byte, 100))
		rows := map[string]refusal{}
		for what, id := range map[string]any{
			"expired": expired, "unknown": uuid.NewString(), "someone's": other.uploadFor(kind.contentType),
			"never put": c.ticket(kind.contentType, 5000)["id"], "half of a file": half["id"],
		} {
			rows[name+" of one that is "+what] = refusal{object(kind.field, id), 404, "upload_not_found"}
		}
		c.meet(kind.path, rows)
	}
	c.settled(0)
}

func TestContractImageThatTheEngineHasReadIsUsed(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for _, path := range []string{"/api/v1/audit", "/api/v1/optimize"} {
		body := object("image_upload_id", c.upload("image/jpeg", photo(t)[:900]))
		c.call(http.MethodPost, path, body).meets(refusal{"", 415, "unsupported_media"})
		c.call(http.MethodPost, path, body).meets(refusal{"", 404, "upload_not_found"})
	}
	c.settled(0)
}
