package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/media"
	"veracity/platform/storage/storagetest"
)

// quickly makes workers look around often.
func quickly(s *Settings) {
	s.Jobs.Poll, s.Jobs.TakeUpEvery = 100*time.Millisecond, time.Second
	s.Media.Lease, s.Media.RetryWait = 2*time.Second, 50*time.Millisecond
	s.Webhooks.Retries = []time.Duration{50 * time.Millisecond, 100 * time.Millisecond}
}

// working is start with a worker in the process.
func working(t *testing.T, changes ...func(*Settings)) *service {
	t.Helper()
	s := start(t, append([]func(*Settings){quickly}, changes...)...)
	require.NoError(t, s.startWorker(t.Context()))
	return s
}

// accepted demands a 202 and gives the job's id.
func (r reply) accepted() string {
	r.t.Helper()
	require.Equal(r.t, http.StatusAccepted, r.status, "%s", r.body)
	m := r.object()
	require.Equal(r.t, "queued", m["status"])
	require.NotEmpty(r.t, m["media"])
	require.Len(r.t, m, 3)
	id, ok := m["id"].(string)
	require.True(r.t, ok)
	require.NoError(r.t, uuid.Validate(id))
	return id
}

// film is an MP4 of that many seconds with a tone.
func film(t *testing.T, seconds int) []byte {
	t.Helper()
	return clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 30 * seconds, Sound: clips.Tone})
}

// onS3 keeps a service's files in a bucket.
func onS3(t *testing.T) func(*Settings) {
	t.Helper()
	cfg := storagetest.S3(t)
	return func(s *Settings) {
		s.Storage.URL, s.Storage.AccessKey, s.Storage.SecretKey = cfg.URL, cfg.AccessKey, cfg.SecretKey
	}
}

// jobPatience is how long a job of a test may take on a busy machine.
const jobPatience = 3 * time.Minute

// ended waits until the job at path has ended and demands how.
func (c customer) ended(path, status string) map[string]any {
	c.t.Helper()
	var r reply
	require.Eventually(c.t, func() bool {
		r = c.call(http.MethodGet, path, "")
		if r.status == http.StatusTooManyRequests {
			return false // the account's own limit, on a slow machine
		}
		s := r.ok()["status"]
		return s == "succeeded" || s == "failed"
	}, jobPatience, 200*time.Millisecond)
	got := r.object()
	require.Equal(c.t, status, got["status"], "%s", r.body)
	return got
}

// settled waits until nothing is held and demands what has been spent, with slots, jobs and journal in agreement.
func (c customer) settled(credits int64) {
	c.t.Helper()
	c.spent(credits)
	strays, err := media.Reconcile(c.t.Context(), c.DB)
	require.NoError(c.t, err)
	require.Empty(c.t, strays)
	var slots int
	require.NoError(c.t, c.DB.QueryRow(c.t.Context(), `SELECT jobs FROM job_slot WHERE account_id = $1`, c.account).Scan(&slots))
	require.Zero(c.t, slots)
}

// blobs are the keys of all that storage holds.
func (s *service) blobs() []string {
	s.t.Helper()
	var keys []string
	for entry, err := range s.Store.List(s.t.Context(), "", time.Now().Add(time.Hour)) {
		require.NoError(s.t, err)
		keys = append(keys, entry.Key)
	}
	return keys
}

func TestUploadedVideoComesBackAsACheckWithEightReadings(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	upload := c.upload("video/mp4", film(t, 6))
	id := c.audit(object("video_upload_id", upload)).accepted()
	got := c.ended("/api/v1/audit/"+id, "succeeded")

	require.Equal(t, id, got["id"])
	require.Equal(t, "video", got["media"])
	require.Equal(t, "uncertain", got["verdict"], "the model cannot tell a drawn film")
	require.Equal(t, "weighed", got["decided_by"])
	require.NotNil(t, got["score"])
	require.Contains(t, got["lanes"], "pixels")
	require.Contains(t, got["lanes"], "watermark")
	require.Contains(t, got["lanes"], "provenance")
	require.NotContains(t, got, "detail")
	require.NotContains(t, got, "audio")
	require.NotContains(t, got, "error")
	video, ok := got["video"].(map[string]any)
	require.True(t, ok)
	require.InDelta(t, 6, video["seconds"], 0.1)
	require.Equal(t, "uncertain", video["audio"], "a sound without speech")
	require.Len(t, video, 7)
	readings, ok := video["readings"].([]any)
	require.True(t, ok)
	require.Len(t, readings, 8)
	last := -1.0
	for _, reading := range readings {
		one, ok := reading.(map[string]any)
		require.True(t, ok)
		require.Len(t, one, 3)
		at, ok := one["t"].(float64)
		require.True(t, ok)
		require.Greater(t, at, last)
		last = at
	}
	full := c.call(http.MethodGet, "/api/v1/audit/"+id+"?detail=full", "").ok()
	require.Contains(t, full, "detail")
	c.settled(2)
	require.Empty(t, c.blobs(), "the source is gone once the check has ended")
	c.audit(object("video_upload_id", upload)).refused(404, "upload_not_found")
	c.call(http.MethodGet, "/api/v1/optimize/"+id, "").refused(404, "not_found")
}

func TestVoiceClipIsCheckedByItsURL(t *testing.T) {
	t.Parallel()
	base, allow := serveFiles(t, map[string]http.HandlerFunc{
		"/clip.wav": file(mediatest.WAV(12)),
		"/unsized": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(mediatest.WAV(3))
			w.(http.Flusher).Flush()
		},
	})
	c := working(t, allow).customer(account.Overrides{})
	known := c.audit(object("audio_url", base+"/clip.wav")).accepted()
	unsized := c.audit(object("audio_url", base+"/unsized", "seconds", 5)).accepted()
	got := c.ended("/api/v1/audit/"+known, "succeeded")
	require.Equal(t, "audio", got["media"])
	require.Equal(t, "voice", got["decided_by"])
	require.Equal(t, "uncertain", got["verdict"], "nobody speaks in it")
	audio, ok := got["audio"].(map[string]any)
	require.True(t, ok)
	require.InDelta(t, 12, audio["seconds"], 0.01)
	require.InDelta(t, 16000, audio["sample_rate"], 0)
	require.InDelta(t, 1, audio["channels"], 0)
	require.NotEmpty(t, audio["codec"])
	require.NotContains(t, got, "video")
	c.ended("/api/v1/audit/"+unsized, "succeeded")
	c.settled(2 + 1)
	require.Empty(t, c.blobs())
}

func TestClipPastItsPromiseFailsAndCostsNothing(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	video := c.upload("video/mp4", film(t, 6))
	voice := c.upload("audio/wav", mediatest.WAV(8))
	tooLong := c.audit(object("video_upload_id", video, "seconds", 4)).accepted()
	longVoice := c.audit(object("audio_upload_id", voice, "seconds", 7.5)).accepted()
	for path, code := range map[string]string{tooLong: "video_too_long", longVoice: "audio_too_long"} {
		got := c.ended("/api/v1/audit/"+path, "failed")
		failure, ok := got["error"].(map[string]any)
		require.True(t, ok)
		require.Equal(t, code, failure["code"])
		require.NotEmpty(t, failure["message"])
		require.NotContains(t, got, "verdict")
		require.NotContains(t, got, "lanes")
	}
	c.settled(0)
	require.Empty(t, c.blobs())
}

func TestClipsThatCannotBeDecodedFailTheirJobAtOnce(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	whole := film(t, 2)
	for name, row := range map[string]struct {
		field, typ, code string
		data             []byte
	}{
		"a cut MP4":  {"video_upload_id", "video/mp4", "video_unsupported", whole[:len(whole)/3]},
		"a cut WAV":  {"audio_upload_id", "audio/wav", "audio_unsupported", mediatest.WAV(1)[:44]},
		"empty moov": {"video_upload_id", "video/mp4", "video_unsupported", mediatest.MP4Head()},
	} {
		id := c.audit(object(row.field, c.upload(row.typ, row.data))).accepted()
		got := c.ended("/api/v1/audit/"+id, "failed")
		require.Equal(t, row.code, got["error"].(map[string]any)["code"], name)
	}
	var attempts int
	require.NoError(t, c.DB.QueryRow(t.Context(), `SELECT max(attempt) FROM job`).Scan(&attempts))
	require.Equal(t, 1, attempts)
	c.settled(0)
}

func TestURLSourcesOfClipsAreRefusedInTheCall(t *testing.T) {
	t.Parallel()
	wav := mediatest.WAV(1)
	base, allow := serveFiles(t, map[string]http.HandlerFunc{
		"/missing": http.NotFound,
		"/picture": file(mediatest.JPEG(t, 8, 8)),
		"/empty":   file(nil),
		"/list":    file([]byte("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/x\n")),
		"/voice":   file(wav),
		"/large": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(1<<30+1))
			_, _ = w.Write(wav)
		},
		"/short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(wav)+1000))
			_, _ = w.Write(wav)
		},
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(wav[:6000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"/movie": file(film(t, 1)),
		"/sound": file(clips.Make(t, clips.Spec{Format: probe.M4A})),
	})
	c := start(t, allow, func(s *Settings) { s.Media.ClipFetchTimeout = time.Second }).customer(account.Overrides{})
	for name, row := range map[string]refusal{
		"a video that is missing":     {object("video_url", base+"/missing"), 400, "video_unreachable"},
		"a clip that is missing":      {object("audio_url", base+"/missing"), 400, "audio_unreachable"},
		"a clip that breaks off":      {object("audio_url", base+"/short"), 400, "audio_unreachable"},
		"a clip that never ends":      {object("audio_url", base+"/slow"), 400, "audio_unreachable"},
		"a host that does not answer": {object("video_url", "https://veracity-test.invalid/a"), 400, "video_unreachable"},
		"a video too large":           {object("video_url", base+"/large"), 413, "video_too_large"},
		"a clip too large":            {object("audio_url", base+"/large"), 413, "audio_too_large"},
		"a picture as a video":        {object("video_url", base+"/picture"), 415, "unsupported_media"},
		"nothing":                     {object("video_url", base+"/empty"), 415, "unsupported_media"},
		"a playlist":                  {object("video_url", base+"/list"), 415, "unsupported_media"},
		"a voice clip as a video":     {object("video_url", base+"/voice"), 415, "unsupported_media"},
		"a movie as a voice clip":     {object("audio_url", base+"/movie"), 415, "unsupported_media"},
		"an M4A as a video":           {object("video_url", base+"/sound"), 415, "unsupported_media"},
		"a movie as an image":         {object("image_url", base+"/movie"), 415, "unsupported_media"},
	} {
		r := c.audit(row.body)
		require.Equal(t, row.status, r.status, "%s: %s", name, r.body)
		r.refused(row.status, row.code)
	}
	c.settled(0)
	require.Empty(t, c.blobs())
}

func TestJobsAtOnceAreCappedAndTheRefusedMayTryAgain(t *testing.T) {
	t.Parallel()
	two := 2
	c := start(t, quickly).customer(account.Overrides{Jobs: &two})
	clip := film(t, 1)
	var waiting []string
	for range 2 {
		waiting = append(waiting, c.audit(object("video_upload_id", c.upload("video/mp4", clip))).accepted())
	}
	third := c.upload("video/mp4", clip)
	for _, path := range []string{"/api/v1/audit", "/api/v1/optimize"} {
		r := c.call(http.MethodPost, path, object("video_upload_id", third))
		r.refused(429, "too_many_jobs")
		seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
		require.NoError(t, err)
		require.Positive(t, seconds)
	}
	require.NoError(t, c.startWorker(t.Context()))
	for _, id := range waiting {
		c.ended("/api/v1/audit/"+id, "succeeded")
	}
	last := c.audit(object("video_upload_id", third)).accepted()
	c.ended("/api/v1/audit/"+last, "succeeded")
	c.settled(3)
}

func TestHeldCreditsAreNotSpentTwice(t *testing.T) {
	t.Parallel()
	credits := int64(37)
	c := start(t).customer(account.Overrides{Credits: &credits})
	clip := film(t, 1)
	c.audit(object("video_upload_id", c.upload("video/mp4", clip))).accepted()
	r := c.audit(object("video_upload_id", c.upload("video/mp4", clip), "seconds", 10))
	detail, ok := r.refused(402, "quota_exceeded")["detail"].(map[string]any)
	require.True(t, ok)
	require.InDelta(t, 2, detail["required"], 0)
	require.InDelta(t, 1, detail["available"], 0, "after jobs in flight")
	c.audit(object("video_upload_id", c.upload("video/mp4", clip), "seconds", 5)).accepted()
}

func TestRepeatedStartIsAnsweredTheSameJob(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	body := object("video_upload_id", c.upload("video/mp4", film(t, 1)))
	first := c.audit(body, "Idempotency-Key", "once")
	id := first.accepted()
	again := c.audit(body, "Idempotency-Key", "once")
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, string(first.body), string(again.body))
	c.ended("/api/v1/audit/"+id, "succeeded")
	c.settled(1)
}

func TestOtherAccountsSeeNothingOfAJob(t *testing.T) {
	t.Parallel()
	s := working(t)
	owner, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	check := owner.audit(object("audio_upload_id", owner.upload("audio/wav", mediatest.WAV(1)))).accepted()
	optimization := owner.call(http.MethodPost, "/api/v1/optimize", inBase64(mediatest.PNG(t, 32, 32))).accepted()
	other.call(http.MethodGet, "/api/v1/audit/"+check, "").refused(404, "not_found")
	other.call(http.MethodGet, "/api/v1/optimize/"+optimization, "").refused(404, "not_found")
	foreign := owner.upload("audio/wav", mediatest.WAV(1))
	other.audit(object("audio_upload_id", foreign)).refused(404, "upload_not_found")

	second, err := s.Accounts.CreateKey(t.Context(), access.CLI(owner.account), "second")
	require.NoError(t, err)
	colleague := customer{service: s, account: owner.account, key: second.Key}
	colleague.ended("/api/v1/optimize/"+optimization, "succeeded")
	colleague.ended("/api/v1/audit/"+check, "succeeded")
}

func TestJobsRunWhereStorageIsABucket(t *testing.T) {
	t.Parallel()
	c := working(t, onS3(t)).customer(account.Overrides{})
	check := c.audit(object("video_upload_id", c.upload("video/mp4", film(t, 1)))).accepted()
	c.ended("/api/v1/audit/"+check, "succeeded")
	id := c.call(http.MethodPost, "/api/v1/optimize", inBase64(mediatest.PNG(t, 64, 64))).accepted()
	got := c.ended("/api/v1/optimize/"+id, "succeeded")
	whole := c.send(http.MethodGet, got["file_url"].(string), "")
	require.Equal(t, http.StatusOK, whole.status)
	part := c.send(http.MethodGet, got["file_url"].(string), "", "Range", "bytes=8-15")
	require.Equal(t, http.StatusPartialContent, part.status)
	require.Equal(t, whole.body[8:16], part.body)
	require.Len(t, c.blobs(), 1, "the output alone")
	c.settled(1 + 2)
}
