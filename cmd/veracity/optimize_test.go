package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/platform/fault"
	"veracity/quota"
)

func (c customer) optimize(body string, headers ...string) reply {
	c.t.Helper()
	return c.call(http.MethodPost, "/api/v1/optimize", body, headers...)
}

// photo is a JPEG of a drawn photograph.
func photo(t *testing.T) []byte {
	t.Helper()
	return mediatest.JPEG(t, 320, 240)
}

func TestImageComesBackOptimizedByLinkAndSignedWebhook(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	s := working(t, hooks.allow)
	c := s.customer(account.Overrides{})
	made, err := s.Accounts.CreateKey(t.Context(), access.CLI(c.account), "starts and is revoked")
	require.NoError(t, err)
	starter := customer{service: s, account: c.account, key: made.Key}
	id := starter.optimize(object("image_upload_id", c.upload("image/jpeg", photo(t)), "callback_url", hooks.url)).accepted()
	require.NoError(t, s.Accounts.RevokeKey(t.Context(), access.CLI(c.account), made.ID))

	got := c.ended("/api/v1/optimize/"+id, "succeeded")
	require.Equal(t, "image", got["media"])
	require.Equal(t, s.url+"/api/v1/optimize/"+id+"/file", got["file_url"])
	require.Equal(t, s.url+"/api/v1/optimize/"+id+"/image", got["image_url"])
	require.NotContains(t, got, "video")
	score, ok := got["optimization_score"].(map[string]any)
	require.True(t, ok)
	require.Contains(t, []string{"poor", "fair", "good", "excellent"}, score["zone"])
	expires, err := time.Parse(time.RFC3339, got["expires_at"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(7*24*time.Hour), expires, time.Minute)

	require.Eventually(t, func() bool { return len(hooks.calls()) == 1 }, time.Minute, 20*time.Millisecond)
	call := hooks.calls()[0]
	require.Equal(t, string(c.call(http.MethodGet, "/api/v1/optimize/"+id, "").body), string(call.body), "byte for byte")
	call.signedWith(t, made.SigningSecret)

	file := s.send(http.MethodGet, got["file_url"].(string), "")
	require.Equal(t, http.StatusOK, file.status)
	picture, err := png.Decode(bytes.NewReader(file.body))
	require.NoError(t, err)
	require.Equal(t, 320, picture.Bounds().Dx())
	require.Equal(t, file.body, s.send(http.MethodGet, got["image_url"].(string), "").body)
	c.settled(2)
	require.Len(t, s.blobs(), 1, "the output alone is left")
}

func TestVideoComesBackOptimized(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	c := working(t, hooks.allow).customer(account.Overrides{})
	source := film(t, 3)
	id := c.optimize(object("video_upload_id", c.upload("video/mp4", source), "callback_url", hooks.url)).accepted()
	got := c.ended("/api/v1/optimize/"+id, "succeeded")
	require.Equal(t, "video", got["media"])
	require.NotContains(t, got, "image_url")
	video, ok := got["video"].(map[string]any)
	require.True(t, ok)
	require.Len(t, video, 8)
	require.InDelta(t, 3, video["seconds"], 0.1)
	require.InDelta(t, 30, video["fps"], 0.01)
	require.InDelta(t, 90, video["frames"], 0)
	require.InDelta(t, len(source), video["source_bytes"], 0)
	file := c.send(http.MethodGet, got["file_url"].(string), "")
	require.InDelta(t, len(file.body), video["bytes"], 0)
	require.Equal(t, probe.MP4, probe.Sniff(file.body))
	require.Equal(t, "video/mp4", file.header.Get("Content-Type"))
	require.Contains(t, file.header.Get("Content-Disposition"), ".mp4")
	require.Eventually(t, func() bool { return len(hooks.calls()) == 1 }, time.Minute, 20*time.Millisecond)
	c.settled(3)
}

func TestLinkEndsWhenTheOptimizationExpires(t *testing.T) {
	t.Parallel()
	s := working(t, func(s *Settings) { s.Media.ResultTTL = 4 * time.Second })
	c := s.customer(account.Overrides{})
	id := c.optimize(inBase64(photo(t))).accepted()
	s.send(http.MethodGet, "/api/v1/optimize/"+id+"/file", "").refused(404, "not_found")
	got := c.ended("/api/v1/optimize/"+id, "succeeded")
	require.Equal(t, http.StatusOK, s.send(http.MethodGet, got["file_url"].(string), "").status)
	require.Eventually(t, func() bool {
		return s.send(http.MethodGet, got["file_url"].(string), "").status == http.StatusNotFound
	}, 20*time.Second, 50*time.Millisecond)
	c.call(http.MethodGet, "/api/v1/optimize/"+id, "").refused(404, "not_found")
	_, err := s.Media.ExpireJobs(t.Context())
	require.NoError(t, err)
	require.Empty(t, s.blobs())
}

func TestWhatCannotBeOptimizedIsRefusedInTheCall(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for name, row := range map[string]refusal{
		"too many pixels":        {inBase64(mediatest.BMPFile(5001, 5000, 24, 0, nil, nil)), 413, "too_many_pixels"},
		"an animation":           {inBase64(mediatest.GIF(t, 8, 8, mediatest.WithFrames(3))), 415, "unsupported_media"},
		"no image":               {inBase64([]byte("hello")), 415, "unsupported_media"},
		"a cut image":            {inBase64(photo(t)[:900]), 415, "unsupported_media"},
		"a movie as an image":    {object("image_upload_id", c.upload("image/png", film(t, 1))), 415, "unsupported_media"},
		"a voice clip":           {object("audio_upload_id", c.upload("audio/wav", mediatest.WAV(1))), 415, "unsupported_media"},
		"a voice clip, as video": {object("video_upload_id", c.upload("video/mp4", mediatest.WAV(1))), 415, "unsupported_media"},
	} {
		r := c.optimize(row.body)
		require.Equal(t, row.status, r.status, "%s: %s", name, r.body)
		got := r.refused(row.status, row.code)
		if row.code == "too_many_pixels" {
			require.Equal(t, map[string]any{"width": 5001.0, "height": 5000.0, "limit": 25e6}, got["detail"])
		}
	}
	c.settled(0)
	require.NotContains(t, strings.Join(c.blobs(), " "), "sources/")
}

func TestFailedOptimizationIsToldAndNotCharged(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	c := working(t, hooks.allow).customer(account.Overrides{})
	upload := c.upload("video/mp4", film(t, 3))
	id := c.optimize(object("video_upload_id", upload, "seconds", 2, "callback_url", hooks.url)).accepted()
	got := c.ended("/api/v1/optimize/"+id, "failed")
	require.Equal(t, "video_too_long", got["error"].(map[string]any)["code"])
	require.Len(t, got, 4)
	require.Eventually(t, func() bool { return len(hooks.calls()) == 1 }, time.Minute, 20*time.Millisecond)
	var told map[string]any
	require.NoError(t, json.Unmarshal(hooks.calls()[0].body, &told))
	require.Equal(t, got, told)
	c.send(http.MethodGet, "/api/v1/optimize/"+id+"/file", "").refused(404, "not_found")
	c.settled(0)
}

func TestWebhookIsRetriedAndCanBeSentAgain(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	hooks.answers(func(w http.ResponseWriter, _ *http.Request) {
		if len(hooks.calls()) < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	s := working(t, hooks.allow)
	c := s.customer(account.Overrides{})
	c.optimize(object("image_base64", "iVBORw0KGgo=", "callback_url", hooks.url)).refused(415, "unsupported_media")
	id := c.optimize(strings.TrimSuffix(inBase64(photo(t)), "}") + `,"callback_url":"` + hooks.url + `"}`).accepted()
	c.ended("/api/v1/optimize/"+id, "succeeded")
	require.Eventually(t, func() bool { return len(hooks.calls()) == 3 }, time.Minute, 20*time.Millisecond)
	list, err := s.Webhooks.List(t.Context(), c.account, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Eventually(t, func() bool {
		d, attempts, err := s.Webhooks.Get(t.Context(), c.account, list[0].ID)
		return err == nil && d.State == "delivered" && len(attempts) == 3
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, s.Webhooks.Redeliver(t.Context(), access.CLI(c.account), list[0].ID))
	require.Eventually(t, func() bool { return len(hooks.calls()) == 4 }, time.Minute, 20*time.Millisecond)
	require.Equal(t, hooks.calls()[0].body, hooks.calls()[3].body)
	require.Equal(t, hooks.calls()[0].header.Get("Webhook-Id"), hooks.calls()[3].header.Get("Webhook-Id"))
}

func TestOptimizationThatTheDatabaseRefusesIsTrackingFailed(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	_, err := s.DB.Exec(t.Context(), `ALTER TABLE job ADD CONSTRAINT refuse CHECK (false) NOT VALID`)
	require.NoError(t, err)
	upload := c.upload("image/jpeg", photo(t))
	r := c.optimize(object("image_upload_id", upload))
	r.refused(503, string(fault.TrackingFailed))
	require.Empty(t, r.header.Get("Retry-After"))
	c.settled(0)
	c.optimize(object("image_upload_id", upload)).refused(404, "upload_not_found")
}

func TestOptimizeCommandWritesAFileThatChecksLikeItsSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.png")
	require.NoError(t, os.WriteFile(from, labelledPNG(t), 0o600))
	c := newConsole(t, true)
	said := c.json("optimize", from, "-o", to, "--json")
	require.Equal(t, "image/png", said["content_type"])
	info, err := os.Stat(to)
	require.NoError(t, err)
	require.InDelta(t, info.Size(), said["bytes"], 0)
	before, after := c.json("check", "--json", from), c.json("check", "--json", to)
	require.Equal(t, "ai", after["verdict"])
	for _, member := range []string{"verdict", "score", "decided_by", "lanes"} {
		require.Equal(t, before[member], after[member], member)
	}

	c.fails(exitUsage, "-o OUT", "optimize", from)
	c.fails(exitUsage, "name one file", "optimize", "-o", to)
	c.fails(exitFailed, "FILE itself", "optimize", from, "-o", from)
	c.fails(exitFailed, "cannot be opened", "optimize", filepath.Join(dir, "missing"), "-o", to)
	c.fails(exitFailed, "no such file", "optimize", from, "-o", filepath.Join(dir, "no", "folder.png"))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing half-written stays")
}

func TestReconcileCommandFindsAStrayHold(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	code, out, _ := c.run("jobs", "reconcile")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "agree")
	acc := c.json("account", "create", "--email", "a@example.com", "--plan", "pro", "--json")
	id, err := uuid.Parse(acc["id"].(string))
	require.NoError(t, err)
	db, err := pgxpool.New(t.Context(), c.env["VERACITY_DATABASE_URL"])
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = quota.Hold(t.Context(), db, quota.Request{Account: id, Amount: 3, Slot: true})
	require.NoError(t, err)
	c.fails(exitFailed, "1 things do not match", "jobs", "reconcile")
	_, out, _ = c.run("jobs", "reconcile")
	require.Contains(t, out, "a hold without a live job")
	require.Contains(t, out, "3 credits")
}
