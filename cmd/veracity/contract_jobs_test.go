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
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/quota"
)

func TestContractJobsPassThroughTheirStates(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	s := start(t, quickly, scripted(t, goOn))
	c := s.customer(account.Overrides{})
	upload := c.upload("video/mp4", film(t, 1))
	check := c.call(http.MethodPost, "/api/v1/audit?detail=full", object("video_upload_id", upload)).accepted()
	optimization := c.optimize(inBase64(photo(t))).accepted()
	paths := map[string]string{"/api/v1/audit/" + check: "video", "/api/v1/optimize/" + optimization: "image"}
	requireStatus := func(path, kind, status string) {
		for _, query := range []string{"", "?detail=full"} {
			got := c.call(http.MethodGet, path+query, "").ok()
			require.Equal(t, map[string]any{"id": path[strings.LastIndexByte(path, '/')+1:], "status": status, "media": kind}, got)
		}
	}
	for path, kind := range paths {
		requireStatus(path, kind, "queued")
	}
	require.NoError(t, s.startWorker(t.Context()))
	for path, kind := range paths {
		require.Eventually(t, func() bool { return c.call(http.MethodGet, path, "").ok()["status"] == "running" }, jobPatience, 20*time.Millisecond)
		requireStatus(path, kind, "running")
	}
	s.send(http.MethodGet, "/api/v1/optimize/"+optimization+"/file", "").meets(refusal{"", 404, "not_found"})
	close(goOn)

	got := c.ended("/api/v1/audit/"+check, "succeeded")
	plain := []string{"decided_by", "id", "lanes", "media", "score", "status", "verdict", "video"}
	require.Equal(t, plain, members(got))
	require.Equal(t, []any{"uncertain", 50.0, "weighed"}, []any{got["verdict"], got["score"], got["decided_by"]})
	for _, query := range []string{"?detail=", "?detail=some", "?detail=FULL", "?full"} {
		require.Equal(t, plain, members(c.call(http.MethodGet, "/api/v1/audit/"+check+query, "").ok()), query)
	}
	full := c.call(http.MethodGet, "/api/v1/audit/"+check+"?detail=full", "").ok()
	require.Equal(t, append([]string{"decided_by", "detail"}, plain[1:]...), members(full))
	require.IsType(t, map[string]any{}, full["detail"])
	require.Equal(t, []string{"expires_at", "file_url", "id", "image_url", "media", "optimization_score", "status"},
		members(c.ended("/api/v1/optimize/"+optimization, "succeeded")))
	c.settled(1 + 2)
}

func TestContractVideoChecksOfEveryFormatHaveItsFields(t *testing.T) {
	t.Parallel()
	specs := map[string]clips.Spec{
		"none":      {Format: probe.MP4, Frames: 3},
		"silent":    {Format: probe.MOV, Sound: clips.Silence},
		"uncertain": {Format: probe.WebM, Sound: clips.Noise},
	}
	handlers := map[string]http.HandlerFunc{}
	for name, spec := range specs {
		handlers["/"+name] = file(clips.Make(t, spec))
	}
	base, allow := serveFiles(t, handlers)
	c := working(t, allow).customer(account.Overrides{})
	ids := map[string]string{}
	for name := range specs {
		ids[name] = c.audit(object("video_url", base+"/"+name)).accepted()
	}
	for name, id := range ids {
		got := c.ended("/api/v1/audit/"+id, "succeeded")
		require.Equal(t, []string{"decided_by", "id", "lanes", "media", "score", "status", "verdict", "video"}, members(got))
		requireLanes(t, got["lanes"])
		require.Equal(t, []string{"audio", "fps", "frames", "height", "readings", "seconds", "width"}, members(got["video"]))
		video := got["video"].(map[string]any)
		frames := 30.0
		if name == "none" {
			frames = 3
		}
		require.Equal(t, []any{30.0, frames, 160.0, 120.0}, []any{video["fps"], video["frames"], video["width"], video["height"]}, name)
		require.InDelta(t, frames/30, video["seconds"], 0.05, name)
		require.Equal(t, name, video["audio"], "noise is no speech")
		require.Len(t, video["readings"], 8, "%s: also of fewer frames", name)
		requireReadings(t, video["readings"], video["seconds"].(float64))
	}
	c.settled(3)
}

func TestContractVoiceChecksOfEveryFormatHaveTheirFields(t *testing.T) {
	t.Parallel()
	specs := map[string]clips.Spec{
		"audio/mpeg": {Format: probe.MP3, Sound: clips.Speech, Seconds: 2},
		"audio/mp4":  {Format: probe.M4A, Sound: clips.Speech, Seconds: 2},
		"audio/wav":  {Format: probe.WAV, Sound: clips.Speech, Seconds: 2, Channels: 2, SampleRate: 44_100},
		// An MP4 with sound alone is a voice clip.
		"video/mp4": {Format: probe.MP4, Video: clips.NoVideo, Sound: clips.Speech, Seconds: 2},
	}
	c := working(t).customer(account.Overrides{})
	ids := map[string]string{}
	for contentType, spec := range specs {
		ids[contentType] = c.audit(object("audio_upload_id", c.upload(contentType, clips.Make(t, spec)))).accepted()
	}
	for contentType, id := range ids {
		got := c.ended("/api/v1/audit/"+id, "succeeded")
		require.Equal(t, []string{"audio", "decided_by", "id", "lanes", "media", "score", "status", "verdict"}, members(got))
		require.Equal(t, []any{"audio", "voice"}, []any{got["media"], got["decided_by"]})
		requireLanes(t, got["lanes"])
		require.Equal(t, []string{"channels", "codec", "readings", "sample_rate", "seconds"}, members(got["audio"]))
		audio := got["audio"].(map[string]any)
		require.InDelta(t, 2, audio["seconds"], 0.1, contentType)
		channels, rate := 1.0, 48_000.0
		if contentType == "audio/wav" {
			channels, rate = 2, 44_100
		}
		require.Equal(t, []any{channels, rate}, []any{audio["channels"], audio["sample_rate"]}, contentType)
		require.NotEmpty(t, audio["codec"])
		require.NotEmpty(t, audio["readings"], "%s: speech has windows", contentType)
		requireReadings(t, audio["readings"], audio["seconds"].(float64))
	}
	c.settled(4)
}

func TestContractCreditsAreHeldForTheLengthGivenOrForThreeMinutes(t *testing.T) {
	t.Parallel()
	many := 20
	c := start(t).customer(account.Overrides{Jobs: &many})
	video, voice := film(t, 1), mediatest.WAV(1)
	of := func(field string, seconds any) string {
		contentType, data := "video/mp4", video
		if field == "audio_upload_id" {
			contentType, data = "audio/wav", voice
		}
		return object(field, c.upload(contentType, data), "seconds", seconds)
	}
	held := int64(0)
	for _, row := range []struct {
		path, body string
		credits    int64
	}{
		{"/api/v1/audit", of("video_upload_id", nil), 36},
		{"/api/v1/audit", of("video_upload_id", 180), 36},
		{"/api/v1/audit", of("video_upload_id", 5), 1},
		{"/api/v1/audit", of("video_upload_id", 5.01), 2},
		{"/api/v1/audit", of("audio_upload_id", nil), 18},
		{"/api/v1/audit", of("audio_upload_id", 10.5), 2},
		{"/api/v1/audit", of("audio_upload_id", 0.2), 1},
		{"/api/v1/optimize", of("video_upload_id", nil), 180},
		{"/api/v1/optimize", of("video_upload_id", 7.2), 8},
		{"/api/v1/optimize", inBase64(photo(t)), 2},
		{"/api/v1/optimize", strings.TrimSuffix(inBase64(photo(t)), "}") + `,"seconds":90}`, 2},
	} {
		c.call(http.MethodPost, row.path, row.body).accepted()
		b, err := quota.Read(t.Context(), c.DB, c.account)
		require.NoError(t, err)
		require.Equal(t, row.credits, b.Held-held, "%s %.60s", row.path, row.body)
		held = b.Held
	}
}

func TestContractJobsAreReadUnderTheirOwnPathUntilTheyExpire(t *testing.T) {
	t.Parallel()
	s := working(t, scripted(t, nil))
	c, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	check := c.audit(object("audio_upload_id", c.upload("audio/wav", mediatest.WAV(1)))).accepted()
	optimization := c.optimize(inBase64(photo(t))).accepted()
	c.ended("/api/v1/audit/"+check, "succeeded")
	c.ended("/api/v1/optimize/"+optimization, "succeeded")
	colleague := c.colleague()
	for path, id := range map[string]string{"/api/v1/audit/": check, "/api/v1/optimize/": optimization} {
		require.Equal(t, id, colleague.call(http.MethodGet, path+strings.ToUpper(id), "").ok()["id"], "a UUID in either case")
		other.call(http.MethodGet, path+id, "").meets(refusal{"", 404, "not_found"})
		c.call(http.MethodGet, path+uuid.NewString(), "").meets(refusal{"", 404, "not_found"})
	}
	c.call(http.MethodGet, "/api/v1/audit/"+optimization, "").meets(refusal{"", 404, "not_found"})
	c.call(http.MethodGet, "/api/v1/optimize/"+check, "").meets(refusal{"", 404, "not_found"})
	s.send(http.MethodGet, "/api/v1/optimize/"+check+"/file", "").meets(refusal{"", 404, "not_found"})

	_, err := s.DB.Exec(t.Context(), `UPDATE job SET expires_at = now()`)
	require.NoError(t, err)
	for _, path := range []string{"/api/v1/audit/" + check, "/api/v1/audit/" + check + "?detail=full", "/api/v1/optimize/" + optimization} {
		r := c.call(http.MethodGet, path, "")
		require.Contains(t, []any{"not_found", "unknown_job"}, r.object()["code"])
		r.meets(refusal{"", 404, r.object()["code"].(string)})
	}
	for _, name := range []string{"/file", "/image"} {
		s.send(http.MethodGet, "/api/v1/optimize/"+optimization+name, "").meets(refusal{"", 404, "not_found"})
	}
}
