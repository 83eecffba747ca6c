package main

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

// order is a job of a test and how it is to end.
type order struct {
	path, code string
	// id is set when it has been started.
	id string
}

// failed demands that a job failed with its code, told in a 200, and gives what GET says.
func (c customer) failed(o order) reply {
	c.t.Helper()
	path := o.path + "/" + o.id
	got := c.ended(path, "failed")
	require.Equal(c.t, []string{"error", "id", "media", "status"}, members(got))
	require.Subset(c.t, []string{"code", "detail", "message"}, members(got["error"]))
	failure := got["error"].(map[string]any)
	require.Equal(c.t, o.code, failure["code"], "%s", failure["message"])
	require.NotEmpty(c.t, failure["message"])
	r := c.call(http.MethodGet, path+"?detail=full", "")
	require.Equal(c.t, got, r.ok(), "a failed job has no detail to give")
	require.Empty(c.t, r.header.Get("Retry-After"))
	if o.path == "/api/v1/optimize" {
		for _, name := range []string{"/file", "/image"} {
			c.send(http.MethodGet, path+name, "").meets(refusal{"", 404, "not_found"})
		}
	}
	return r
}

func TestContractFailedJobsSayWhyInA200AndCostNothing(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	many := 20
	s := start(t, quickly, scripted(t, nil), hooks.allow, func(s *Settings) { s.Media.Attempts = 1 })
	c := s.customer(account.Overrides{Jobs: &many})
	video, voice := film(t, 1), mediatest.WAV(1)
	begin := func(path, field, contentType string, data []byte, code string) order {
		upload := c.upload(contentType, marked(data, code))
		id := c.call(http.MethodPost, path, object(field, upload, "callback_url", hooks.url)).accepted()
		return order{path, code, id}
	}
	var orders []order
	for _, code := range []string{"video_too_long", "video_unsupported", "engine_error"} {
		orders = append(orders,
			begin("/api/v1/audit", "video_upload_id", "video/mp4", video, code),
			begin("/api/v1/optimize", "video_upload_id", "video/mp4", video, code))
	}
	for _, code := range []string{"audio_too_long", "audio_unsupported"} {
		orders = append(orders, begin("/api/v1/audit", "audio_upload_id", "audio/wav", voice, code))
	}
	orders = append(orders, begin("/api/v1/optimize", "image_upload_id", "image/jpeg", photo(t), "stage1_failed"))
	for _, lost := range []order{
		begin("/api/v1/audit", "video_upload_id", "video/mp4", video, "job_failed"),
		begin("/api/v1/optimize", "image_upload_id", "image/jpeg", photo(t), "job_failed"),
	} {
		var key string
		require.NoError(t, s.DB.QueryRow(t.Context(), `SELECT source_key FROM job WHERE id = $1`, lost.id).Scan(&key))
		require.NoError(t, s.Store.Delete(t.Context(), key))
		orders = append(orders, lost)
	}
	require.NoError(t, s.startWorker(t.Context()))
	told := map[string]bool{}
	for _, o := range orders {
		body := c.failed(o).body
		if o.path == "/api/v1/optimize" {
			told[string(body)] = true
		}
	}
	c.settled(0)
	require.Len(t, told, 5)
	require.Eventually(t, func() bool { return len(hooks.calls()) >= len(told) }, jobPatience, 20*time.Millisecond)
	for _, call := range hooks.calls() {
		require.True(t, told[string(call.body)], "%s", call.body)
		delete(told, string(call.body))
	}
	require.Empty(t, told, "each is told, and once")
}

func TestContractJobsThatFindNoModelOrTakeTooLongFail(t *testing.T) {
	t.Parallel()
	half := 0.5
	endless := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			tellLine(w, engine.JobLine{Progress: &half})
			<-r.Context().Done()
		}
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		switch engine.Media(r.URL.Query().Get(engine.ParamMedia)) {
		case engine.Video:
			refuseUnread(fault.ModelUnavailable)(w, r)
		default:
			endless(w, r)
		}
	}
	s := working(t, engineElsewhere(t, map[string]http.HandlerFunc{engine.PathCheckClip: answer, engine.PathRender: answer}),
		func(s *Settings) { s.Media.JobTime = time.Second })
	c := s.customer(account.Overrides{})
	orders := []order{
		{"/api/v1/audit", "model_unavailable", c.audit(object("video_upload_id", c.upload("video/mp4", film(t, 1)))).accepted()},
		{"/api/v1/audit", "job_timeout", c.audit(object("audio_upload_id", c.upload("audio/wav", mediatest.WAV(1)))).accepted()},
		{"/api/v1/optimize", "model_unavailable", c.optimize(object("video_upload_id", c.upload("video/mp4", film(t, 1)))).accepted()},
		{"/api/v1/optimize", "job_timeout", c.optimize(inBase64(photo(t))).accepted()},
	}
	for _, o := range orders {
		c.failed(o)
	}
	c.settled(0)
}

func TestContractClipsOverTheLimitsFailTheirJob(t *testing.T) {
	t.Parallel()
	many := 20
	c := working(t).customer(account.Overrides{Jobs: &many})
	tiny := clips.Spec{Format: probe.MP4, Picture: clips.Grey, Width: 16, Height: 16, FPS: "60", Frames: 5401}
	overFrames := clips.Make(t, tiny)
	tiny.FPS, tiny.Frames = "1", 182
	overTime := clips.Make(t, tiny)
	tiny.FPS, tiny.Frames = "30", 5400
	within := clips.Make(t, tiny)
	soundAlone := clips.Make(t, clips.Spec{Format: probe.WebM, Video: clips.NoVideo, Sound: clips.Tone})
	begin := func(path, field, contentType string, data []byte, code string) order {
		return order{path, code, c.call(http.MethodPost, path, object(field, c.upload(contentType, data))).accepted()}
	}
	longest := c.audit(object("video_upload_id", c.upload("video/mp4", within))).accepted()
	for _, o := range []order{
		begin("/api/v1/audit", "video_upload_id", "video/mp4", overFrames, "video_too_long"),
		begin("/api/v1/audit", "video_upload_id", "video/mp4", overTime, "video_too_long"),
		begin("/api/v1/audit", "audio_upload_id", "audio/wav", mediatest.WAV(181), "audio_too_long"),
		begin("/api/v1/audit", "video_upload_id", "video/webm", soundAlone, "video_unsupported"),
		begin("/api/v1/optimize", "video_upload_id", "video/mp4", overFrames, "video_too_long"),
		begin("/api/v1/optimize", "video_upload_id", "video/mp4", overTime, "video_too_long"),
		begin("/api/v1/optimize", "video_upload_id", "video/webm", soundAlone, "video_unsupported"),
		begin("/api/v1/optimize", "video_upload_id", "video/mp4", film(t, 1)[:3000], "video_unsupported"),
	} {
		c.failed(o)
	}
	got := c.ended("/api/v1/audit/"+longest, "succeeded")
	require.InDelta(t, 5400, got["video"].(map[string]any)["frames"], 0)
	c.settled(36)
}
