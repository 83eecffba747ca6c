package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine"
	"veracity/engine/mediatest"
)

// misuse is a call that a tool refuses, and what its message says.
type misuse struct {
	tool, arguments, says string
	// logged is the code in the request log, and the status that REST answers it with.
	logged string
	status int
}

func TestMCPToolsSayWhatIsWrongWithTheirArguments(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	id := uuid.NewString()
	for name, row := range map[string]misuse{
		"a list":                  {"check_media", `["x"]`, "arguments must be a JSON object. check_media takes: audio_upload_id, audio_url", "invalid_body", 400},
		"a text":                  {"get_usage", `"x"`, "get_usage takes no arguments", "invalid_body", 400},
		"no source":               {"check_media", `{}`, "exactly one source: one of image_url, image_base64", "invalid_image", 400},
		"left out":                {"check_media", `null`, "exactly one source", "invalid_image", 400},
		"two sources":             {"check_media", `{"image_url":"https://example.com/a","video_url":"https://example.com/b"}`, "image_url and video_url", "invalid_image", 400},
		"a source null":           {"optimize_media", `{"image_url":null}`, "exactly one source", "invalid_image", 400},
		"another name":            {"check_media", `{"url":"https://example.com/a"}`, `check_media has no argument "url". check_media takes: audio_upload_id`, "invalid_body", 400},
		"a name of another tool":  {"check_media", `{"image_url":"https://example.com/a","callback_url":"https://example.com"}`, `no argument "callback_url"`, "invalid_body", 400},
		"a voice to optimize":     {"optimize_media", `{"audio_url":"https://example.com/a"}`, `optimize_media has no argument "audio_url"`, "invalid_body", 400},
		"the URL a number":        {"check_media", `{"image_url":5}`, "image_url must be a string", "invalid_url", 400},
		"a private URL":           {"check_media", `{"image_url":"http://10.0.0.1/a"}`, "private", "invalid_url", 400},
		"no base64":               {"check_media", `{"image_base64":"*"}`, "image_base64 is not base64", "invalid_image", 400},
		"too much base64":         {"check_media", `{"image_base64":"` + strings.Repeat("AAAA", 4<<20/3+1) + `"}`, "Send it by image_url or image_upload_id", "image_too_large", 413},
		"no picture":              {"check_media", `{"image_base64":"` + base64.StdEncoding.EncodeToString([]byte("text")) + `"}`, "", "unsupported_media", 415},
		"a voice as a picture":    {"check_media", `{"image_base64":"` + base64.StdEncoding.EncodeToString(mediatest.WAV(0.1)) + `"}`, "", "unsupported_media", 415},
		"no upload id":            {"check_media", `{"video_upload_id":"17"}`, "a UUID", "invalid_image", 400},
		"an unknown upload":       {"check_media", `{"video_upload_id":"` + id + `"}`, "Ask for a new ticket", "upload_not_found", 404},
		"no length":               {"check_media", `{"video_upload_id":"` + id + `","seconds":0}`, "seconds must be a positive number", "invalid_parameter", 400},
		"too long":                {"check_media", `{"audio_upload_id":"` + id + `","seconds":181}`, "180 seconds", "video_too_long", 413},
		"half a detail":           {"check_media", `{"image_base64":"AA==","detail":"some"}`, `detail must be "full"`, "invalid_parameter", 400},
		"the detail true":         {"get_check", `{"id":"` + id + `","detail":true}`, `detail must be "full"`, "invalid_parameter", 400},
		"the key a number":        {"check_media", `{"image_base64":"AA==","idempotency_key":5}`, "idempotency_key must be a string", "invalid_parameter", 400},
		"an empty key":            {"create_upload", `{"size":1,"content_type":"image/png","idempotency_key":""}`, "idempotency_key must be a string", "invalid_parameter", 400},
		"a key in Greek":          {"optimize_media", `{"image_base64":"AA==","idempotency_key":"κ"}`, "1 to 255 printable ASCII", "invalid_parameter", 400},
		"an empty callback":       {"optimize_media", `{"image_url":"https://example.com/a","callback_url":""}`, "callback_url is empty", "invalid_url", 400},
		"a callback in http":      {"optimize_media", `{"image_url":"https://example.com/a","callback_url":"http://example.com/"}`, "https", "invalid_url", 400},
		"no id":                   {"get_check", `{}`, "id must be a string: the id that check_media answered", "invalid_parameter", 400},
		"the id a number":         {"get_optimization", `{"id":17}`, "the id that optimize_media answered", "invalid_parameter", 400},
		"an id that is none":      {"get_check", `{"id":"17"}`, "no such check", "not_found", 404},
		"an unknown check":        {"get_check", `{"id":"` + id + `","wait_seconds":25}`, "no such check", "not_found", 404},
		"an unknown optimization": {"get_optimization", `{"id":"` + id + `"}`, "no such optimization", "not_found", 404},
		"a long wait":             {"get_check", `{"id":"` + id + `","wait_seconds":26}`, "wait_seconds must be a whole number from 0 to 25", "invalid_parameter", 400},
		"a wait back in time":     {"get_optimization", `{"id":"` + id + `","wait_seconds":-1}`, "from 0 to 25", "invalid_parameter", 400},
		"a fraction of a wait":    {"get_check", `{"id":"` + id + `","wait_seconds":1.5}`, "whole number", "invalid_parameter", 400},
		"the wait a text":         {"get_check", `{"id":"` + id + `","wait_seconds":"5"}`, "whole number", "invalid_parameter", 400},
		"no size":                 {"create_upload", `{"content_type":"image/png"}`, "size must be the exact size", "invalid_body", 400},
		"no type":                 {"create_upload", `{"size":1}`, "content_type must be", "invalid_body", 400},
		"another type":            {"create_upload", `{"size":1,"content_type":"text/plain"}`, "text/plain", "unsupported_media", 415},
		"too large a file":        {"create_upload", `{"size":26214401,"content_type":"image/png"}`, "26214400", "image_too_large", 413},
		"an argument too many":    {"get_usage", `{"account":"` + id + `"}`, "get_usage takes no arguments", "invalid_body", 400},
	} {
		r := c.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + row.tool + `","arguments":` + row.arguments + `}}`)
		said := usedOf(t, r.ok()).fails()
		require.Contains(t, said, row.says, name)
		require.NotContains(t, said, row.logged, "the code is not included")
		line := c.logged(r.header.Get("Request-Id"))
		require.Equal(t, []any{"POST /mcp", row.status, row.logged}, []any{line.Call(), line.Status, line.Code}, name)
	}
	c.spent(0)
}

func TestMCPMessagesAreThoseOfREST(t *testing.T) {
	t.Parallel()
	none := int64(0)
	s := start(t, func(s *Settings) { s.Optimize = "off" })
	c, poor := s.customer(account.Overrides{}), s.customer(account.Overrides{Credits: &none})
	image := base64.StdEncoding.EncodeToString(labelledPNG(t))
	require.Equal(t, poor.audit(object("image_base64", image)).refused(402, "quota_exceeded")["message"], poor.use("check_media", "image_base64", image).fails())
	require.Equal(t, c.optimize(object("image_base64", image)).refused(503, "optimizations_disabled")["message"], c.use("optimize_media", "image_base64", image).fails())
	require.Equal(t, c.audit(`{}`).refused(400, "invalid_image")["message"], c.use("check_media").fails())
	c.spent(0)
}

func TestMCPShowsNoOtherAccountsThings(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	check := other.use("check_media", "video_upload_id", other.upload("video/mp4", film(t, 1))).started("video", "get_check")
	optimization := other.use("optimize_media", "image_upload_id", other.upload("image/jpeg", photo(t))).started("image", "get_optimization")
	upload := other.upload("image/png", labelledPNG(t))
	unknown := uuid.NewString()
	for tool, id := range map[string]string{"get_check": check, "get_optimization": optimization} {
		require.Equal(t, c.use(tool, "id", unknown).fails(), c.use(tool, "id", id).fails())
		other.use(tool, "id", id).ok()
	}
	require.Equal(t, c.use("check_media", "image_upload_id", unknown).fails(), c.use("check_media", "image_upload_id", upload).fails())
	require.Equal(t, c.use("optimize_media", "image_upload_id", unknown).fails(), c.use("optimize_media", "image_upload_id", upload).fails())
	require.Contains(t, c.use("get_optimization", "id", check).fails(), "no such optimization", "a check is no optimization")
	require.InDelta(t, 0, c.use("get_usage").ok()["credits"].(map[string]any)["held"], 0)
	other.use("check_media", "image_upload_id", upload).ok()
}

func TestMCPRepeatedCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	image := base64.StdEncoding.EncodeToString(labelledPNG(t))
	first := c.use("check_media", "image_base64", image, "idempotency_key", "one")
	again := c.useRaw("check_media", `{ "idempotency_key":"one","detail":null,  "image_base64":"`+image+`"}`)
	require.Equal(t, first.ok(), again.ok(), "order and blanks do not count")
	replayed := map[string]any{"veracity/replayed": true}
	require.Nil(t, first.message["result"].(map[string]any)["_meta"])
	require.Equal(t, replayed, again.message["result"].(map[string]any)["_meta"])
	c.spent(1)
	require.Contains(t, c.use("check_media", "image_base64", image, "detail", "full", "idempotency_key", "one").fails(), "another request")
	require.Contains(t, c.use("optimize_media", "image_base64", image, "idempotency_key", "one").fails(), "another request")
	c.audit(object("image_base64", image), "Idempotency-Key", "one").refused(409, "idempotency_conflict")
	require.Nil(t, other.use("check_media", "image_base64", image, "idempotency_key", "one").message["result"].(map[string]any)["_meta"])
	c.spent(1)

	ticket := c.use("create_upload", "size", 3, "content_type", "image/png", "idempotency_key", "ticket").ok()
	require.Equal(t, ticket, c.use("create_upload", "size", 3, "content_type", "image/png", "idempotency_key", "ticket").ok())
	job := c.use("optimize_media", "image_base64", image, "idempotency_key", "job").started("image", "get_optimization")
	require.Equal(t, job, c.use("optimize_media", "image_base64", image, "idempotency_key", "job").started("image", "get_optimization"))
	refusal := c.use("check_media", "image_base64", "AAAA", "idempotency_key", "bad").fails()
	require.Equal(t, refusal, c.use("check_media", "image_base64", "AAAA", "idempotency_key", "bad").fails())
}

func TestMCPFailureInsideSaysNothingOutside(t *testing.T) {
	t.Parallel()
	c := start(t, engineElsewhere(t, map[string]http.HandlerFunc{
		engine.PathCheckImage: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("not JSON at all")) },
	})).customer(account.Overrides{})
	r := c.say(object("jsonrpc", "2.0", "id", 7, "method", "tools/call", "params",
		map[string]any{"name": "check_media", "arguments": map[string]any{"image_base64": base64.StdEncoding.EncodeToString(photo(t))}}))
	said := usedOf(t, r.ok()).fails()
	require.NotContains(t, said, "JSON")
	line := c.logged(r.header.Get("Request-Id"))
	require.Equal(t, []any{500, "engine_error", int64(0)}, []any{line.Status, line.Code, line.Credits})
	require.Contains(t, c.log.String(), `"level":"ERROR","msg":"request","request_id":"`+r.header.Get("Request-Id"))
	c.spent(0)
}

func TestMCPCallsAreInTheLogOfTheirAccount(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	r := c.say(object("jsonrpc", "2.0", "id", 7, "method", "tools/call", "params", map[string]any{
		"name": "check_media", "arguments": map[string]any{"image_base64": base64.StdEncoding.EncodeToString(labelledPNG(t)), "idempotency_key": "k"},
	}))
	r.ok()
	line := c.logged(r.header.Get("Request-Id"))
	require.Equal(t, []any{"POST /mcp", 200, "ok", "ai", int64(1), c.keyID},
		[]any{line.Call(), line.Status, line.Code, line.Verdict, line.Credits, line.Key})
	r = c.say(ping)
	line = c.logged(r.header.Get("Request-Id"))
	require.Equal(t, []any{200, "ok", "", int64(0)}, []any{line.Status, line.Code, line.Verdict, line.Credits})
	require.NotContains(t, c.log.String(), base64.StdEncoding.EncodeToString(labelledPNG(t))[:40], "bodies stay out of the log")
}
