package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

// ways sends a file in each field of a kind of media and gives the bodies by their fields.
func (c customer) ways(kind, contentType string, data []byte, link string) map[string]string {
	c.t.Helper()
	bodies := map[string]string{
		kind + "_url":       object(kind+"_url", link),
		kind + "_upload_id": object(kind+"_upload_id", c.upload(contentType, data)),
	}
	if kind == "image" {
		bodies["image_base64"] = inBase64(data)
	}
	return bodies
}

func TestContractFilesInFieldsOfAnotherKindAreRefusedInTheCall(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"image/jpeg": photo(t), "text/plain": []byte("neither picture nor sound")}
	for contentType, spec := range clipSpecs {
		files[contentType] = clips.Make(t, spec)
	}
	handlers := map[string]http.HandlerFunc{}
	for contentType, data := range files {
		handlers["/"+contentType] = file(data)
	}
	base, allow := serveFiles(t, handlers)
	c := start(t, allow).customer(account.Overrides{})
	for _, path := range []string{"/api/v1/audit", "/api/v1/optimize"} {
		for contentType, data := range files {
			for _, kind := range []string{"image", "video", "audio"} {
				if kind == kindOf(contentType) && (kind != "audio" || path == "/api/v1/audit") {
					continue
				}
				rows := map[string]refusal{}
				for field, body := range c.ways(kind, "video/mp4", data, base+"/"+contentType) {
					rows[contentType+" in "+field] = refusal{body, 415, "unsupported_media"}
				}
				c.meet(path, rows)
			}
		}
	}
	c.settled(0)
}

func TestContractVoiceClipsAreTakenInEachWay(t *testing.T) {
	t.Parallel()
	// An MP4 with sound alone is an M4A by another name.
	soundAlone := clips.Make(t, clips.Spec{Format: probe.MP4, Video: clips.NoVideo, Sound: clips.Tone})
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/a": file(soundAlone)})
	c := start(t, allow).customer(account.Overrides{})
	for _, body := range c.ways("audio", "audio/mp4", soundAlone, base+"/a") {
		require.Equal(t, "audio", c.audit(body).object()["media"])
	}
	for field, body := range c.ways("audio", "audio/mp4", soundAlone, base+"/a") {
		c.meet("/api/v1/optimize", map[string]refusal{field: {body, 415, "unsupported_media"}})
	}
}

func TestContractTrackingFailedLosesTheUploadAndChargesNothing(t *testing.T) {
	t.Parallel()
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/photo": file(photo(t)), "/film": file(film(t, 1))})
	s := start(t, allow)
	c := s.customer(account.Overrides{})
	_, err := s.DB.Exec(t.Context(), `ALTER TABLE job ADD CONSTRAINT refuse CHECK (false) NOT VALID`)
	require.NoError(t, err)
	upload := c.upload("video/mp4", film(t, 1))
	c.meet("/api/v1/optimize", map[string]refusal{
		"an uploaded video": {object("video_upload_id", upload), 503, "tracking_failed"},
		"a video by URL":    {object("video_url", base+"/film"), 503, "tracking_failed"},
		"an image by URL":   {object("image_url", base+"/photo"), 503, "tracking_failed"},
		"an image":          {inBase64(photo(t)), 503, "tracking_failed"},
	})
	c.meet("/api/v1/audit", map[string]refusal{
		"a check of the lost upload": {object("video_upload_id", upload), 404, "upload_not_found"},
		"a check by URL":             {object("video_url", base+"/film"), 500, "internal_error"},
	})
	c.settled(0)
}

func TestContractStorageThatIsGoneIsToldOfImages(t *testing.T) {
	t.Parallel()
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/photo": file(photo(t))})
	c := start(t, allow, func(s *Settings) {
		s.Storage.URL = "s3://gone?endpoint=http://127.0.0.1:1&region=us-east-1&path_style=true"
		s.Storage.AccessKey, s.Storage.SecretKey = "key", "secret"
	}).customer(account.Overrides{})
	c.meet("/api/v1/optimize", map[string]refusal{
		"by URL":    {object("image_url", base+"/photo"), 503, "uploads_unavailable"},
		"in base64": {inBase64(photo(t)), 503, "uploads_unavailable"},
	})
	c.meet("/api/v1/uploads", map[string]refusal{"a ticket": {object("size", 1, "content_type", "video/mp4"), 503, "uploads_unavailable"}})
	c.audit(inBase64(photo(t))).ok() // which needs no storage
	c.settled(1)
}

func TestContractEngineFaultsAreToldInTheCall(t *testing.T) {
	t.Parallel()
	wait := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-t.Context().Done():
		}
	}
	talk := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("segfault")) }
	for name, row := range map[string]struct {
		refusal
		settings func(*Settings)
	}{
		"none": {refusal{"", 503, "engine_unavailable"}, func(s *Settings) { s.Engine.Socket = t.TempDir() + "/none.sock" }},
		"no model": {refusal{"", 503, "model_unavailable"}, engineElsewhere(t, map[string]http.HandlerFunc{
			engine.PathAcceptImage: refuseUnread(fault.ModelUnavailable), engine.PathCheckImage: refuseUnread(fault.ModelUnavailable),
		})},
		"silent": {refusal{"", 503, "engine_unavailable"}, func(s *Settings) {
			engineElsewhere(t, map[string]http.HandlerFunc{engine.PathAcceptImage: wait, engine.PathCheckImage: wait})(s)
			s.Engine.Timeout = 200 * time.Millisecond
		}},
		"nonsense": {refusal{"", 500, "engine_error"}, engineElsewhere(t, map[string]http.HandlerFunc{
			engine.PathAcceptImage: talk, engine.PathCheckImage: talk,
		})},
		"no token":  {refusal{"", 503, "engine_credentials_missing"}, func(s *Settings) { s.Engine.URL, s.Engine.Region = "http://127.0.0.1:1", "eu" }},
		"no region": {refusal{"", 503, "engine_region_missing"}, func(s *Settings) { s.Engine.URL, s.Engine.Token = "http://127.0.0.1:1", "t" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, row.settings).customer(account.Overrides{})
			upload := c.upload("image/jpeg", photo(t))
			for _, path := range []string{"/api/v1/audit", "/api/v1/optimize"} {
				c.call(http.MethodPost, path, inBase64(photo(t))).meets(row.refusal)
				c.call(http.MethodPost, path, object("image_upload_id", upload)).meets(row.refusal)
				if row.status == http.StatusServiceUnavailable {
					require.Equal(t, "issued", c.uploadState(upload), "it stays usable")
				}
			}
			c.settled(0)
		})
	}
}

func TestContractEngineThatRefusesOurOwnRequestIsAnInvalidParameter(t *testing.T) {
	t.Parallel()
	refuse := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(engine.Refusal{Code: fault.InvalidParameter, Message: "max_seconds is no number."})
	}
	c := start(t, engineElsewhere(t, map[string]http.HandlerFunc{
		engine.PathAcceptImage: refuse, engine.PathCheckImage: refuse,
	})).customer(account.Overrides{})
	for _, path := range []string{"/api/v1/audit", "/api/v1/optimize"} {
		c.meet(path, map[string]refusal{path: {inBase64(photo(t)), 400, "invalid_parameter"}})
	}
	c.settled(0)
}
