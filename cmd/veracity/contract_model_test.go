package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
	"veracity/engine/model/modeltest"
	"veracity/engine/serve"
)

// withModels has a service ask an engine that reads with the given models.
func withModels(t *testing.T, pixels, voice string) func(*Settings) {
	t.Helper()
	child := ownEngine(t, func(c *serve.Config) { c.Models.Pixels, c.Models.Voice = pixels, voice })
	return func(s *Settings) { s.Engine.Socket = child.Socket() }
}

func TestContractModelThatCannotBeLoadedRefusesChecksAndNothingElse(t *testing.T) {
	t.Parallel()
	broken := modeltest.Folder(t, modeltest.PixelsSpec(), []byte("no network"))
	engine := withModels(t, broken, serve.NoModel)
	s := working(t, engine)
	c := s.customer(account.Overrides{})
	id := c.upload("image/png", labelledPNG(t))
	for _, body := range []string{object("image_upload_id", id), inBase64(labelledPNG(t))} {
		r := c.audit(body)
		require.NotContains(t, r.refused(503, "model_unavailable")["message"], broken)
		require.Empty(t, r.header.Get("Retry-After"))
	}
	require.Equal(t, "issued", s.uploadState(id))
	c.spent(0)
	c.ended("/api/v1/optimize/"+c.optimize(inBase64(photo(t))).accepted(), "succeeded")

	ready := s.send(http.MethodGet, "/readyz", "")
	require.Equal(t, "model_unavailable", ready.ok()["engine"], "the service answers, so that load balancers let it")
	require.Equal(t, http.StatusOK, s.send(http.MethodGet, "/healthz", "").status)

	impatient := working(t, engine, func(s *Settings) { s.Media.JobTime = time.Second }).customer(account.Overrides{})
	voice := impatient.upload("audio/wav", mediatest.WAV(1))
	impatient.failed(order{"/api/v1/audit", "model_unavailable", impatient.audit(object("audio_upload_id", voice)).accepted()})
	impatient.settled(0)
}

func TestContractModelOfTheOperatorReads(t *testing.T) {
	t.Parallel()
	pixels := modeltest.Folder(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	s := start(t, withModels(t, pixels, serve.NoModel))
	c := s.customer(account.Overrides{})
	lanes := c.audit(inBase64(photo(t))).ok()["lanes"].(map[string]any)
	require.NotEqual(t, "unavailable", lanes["pixels"].(map[string]any)["verdict"])
	require.Equal(t, "ok", s.send(http.MethodGet, "/readyz", "").ok()["engine"])
}

func TestContractModelThatIsOffLeavesItsLaneUnavailable(t *testing.T) {
	t.Parallel()
	c := start(t, withModels(t, serve.NoModel, serve.NoModel)).customer(account.Overrides{})
	lanes := c.audit(inBase64(photo(t))).ok()["lanes"].(map[string]any)
	require.Equal(t, map[string]any{"verdict": "unavailable", "score": 50.0}, lanes["pixels"])
}

func TestModelSettingsAreShownAndExamined(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	model := modeltest.Folder(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	c.env["VERACITY_PIXELS_MODEL"], c.env["VERACITY_VOICE_MODEL"] = model, "off"
	code, out, complaint := c.run("config")
	require.Equal(t, exitOK, code, complaint)
	require.Regexp(t, `VERACITY_PIXELS_MODEL +`+model+` +environment`, out)
	require.Regexp(t, `VERACITY_VOICE_MODEL +off +environment`, out)
	require.Regexp(t, `VERACITY_ONNXRUNTIME +/\S+ +default`, out)
	_, out, _ = c.run("doctor")
	require.Regexp(t, `ok +pixels model +brightness@1`, out)
	require.Regexp(t, `ok +voice model +off: the lane answers unavailable`, out)

	require.NoError(t, os.Remove(filepath.Join(model, "model.json")))
	code, out, _ = c.run("doctor")
	require.Equal(t, exitFailed, code)
	require.Regexp(t, `ok +engine +ready, but for checks;`, out)
	require.Regexp(t, `MEND +models +VERACITY_PIXELS_MODEL: .*model.json: no such file.*mend the setting`, out)

	c.env["VERACITY_PIXELS_MODEL"], c.env["VERACITY_ONNXRUNTIME"] = "", filepath.Join(model, "model.onnx")
	_, out, _ = c.run("doctor")
	require.Regexp(t, `MEND +models +VERACITY_ONNXRUNTIME: .*version 1.22 or newer for this machine is needed`, out)
}
