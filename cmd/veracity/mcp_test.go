package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
)

const mcpPath = "/api/v1/mcp"

// say sends a JSON-RPC message as MCP clients do.
func (c customer) say(message string, headers ...string) reply {
	c.t.Helper()
	return c.call(http.MethodPost, mcpPath, message, append([]string{
		"Accept", "application/json, text/event-stream", "Content-Type", "application/json", "MCP-Protocol-Version", "2025-11-25",
	}, headers...)...)
}

// ask sends a request with its parameters and gives the answer's message.
func (c customer) ask(method string, params any, headers ...string) map[string]any {
	c.t.Helper()
	r := c.say(object("jsonrpc", "2.0", "id", 7, "method", method, "params", params), headers...)
	require.Equal(c.t, "application/json", r.header.Get("Content-Type"), "%s", r.body)
	got := r.ok()
	require.Equal(c.t, []any{"2.0", 7.0}, []any{got["jsonrpc"], got["id"]})
	return got
}

// used is what a tool answered.
type used struct {
	t       *testing.T
	message map[string]any
	isError bool
	// texts are its text blocks, object its structured content.
	texts  []string
	object map[string]any
}

// use calls a tool with pairs of arguments.
func (c customer) use(tool string, arguments ...any) used {
	c.t.Helper()
	return c.useRaw(tool, object(arguments...))
}

func (c customer) useRaw(tool, arguments string) used {
	c.t.Helper()
	return usedOf(c.t, c.ask("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}))
}

// usedOf reads the result of a tool call.
func usedOf(t *testing.T, message map[string]any) used {
	t.Helper()
	result, ok := message["result"].(map[string]any)
	require.True(t, ok, "%v", message)
	u := used{t: t, message: message}
	u.isError, _ = result["isError"].(bool)
	for _, block := range result["content"].([]any) {
		require.Equal(t, "text", block.(map[string]any)["type"])
		u.texts = append(u.texts, block.(map[string]any)["text"].(string))
	}
	u.object, _ = result["structuredContent"].(map[string]any)
	return u
}

// ok demands success, with the same object as text, and gives the object.
func (u used) ok() map[string]any {
	u.t.Helper()
	require.False(u.t, u.isError, "%v", u.texts)
	require.NotNil(u.t, u.object)
	var inText map[string]any
	require.NoError(u.t, json.Unmarshal([]byte(u.texts[0]), &inText))
	require.Equal(u.t, u.object, inText)
	return u.object
}

// started demands the start of a job, with word on how to read it, and gives its id.
func (u used) started(media, reader string) string {
	u.t.Helper()
	job := u.ok()
	require.Equal(u.t, map[string]any{"id": job["id"], "status": "queued", "media": media}, job)
	require.NoError(u.t, uuid.Validate(job["id"].(string)))
	require.Contains(u.t, u.texts[1], reader)
	return job["id"].(string)
}

// fails demands an error whose one text is a message, and gives it.
func (u used) fails() string {
	u.t.Helper()
	require.True(u.t, u.isError, "%v", u.texts)
	require.Nil(u.t, u.object)
	require.Len(u.t, u.texts, 1)
	return u.texts[0]
}

func TestMCPChecksAnImageAsRESTDoes(t *testing.T) {
	t.Parallel()
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/photo": file(labelledPNG(t))})
	c := start(t, allow).customer(account.Overrides{})
	rest := c.audit(inBase64(labelledPNG(t))).ok()
	ways := map[string]string{
		"image_url": base + "/photo", "image_upload_id": c.upload("image/png", labelledPNG(t)),
		"image_base64": base64.StdEncoding.EncodeToString(labelledPNG(t)),
	}
	for field, value := range ways {
		require.Equal(t, rest, c.use("check_media", field, value).ok(), field)
	}
	c.spent(4)
	require.NotContains(t, rest, "detail")
	full := c.use("check_media", "image_base64", ways["image_base64"], "detail", "full").ok()
	require.Contains(t, full, "detail")
}

func TestMCPChecksClipsByJobs(t *testing.T) {
	t.Parallel()
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/clip.wav": file(mediatest.WAV(3))})
	c := working(t, allow).customer(account.Overrides{})
	video := c.use("check_media", "video_upload_id", c.upload("video/mp4", film(t, 1)), "seconds", 2).started("video", "get_check")
	voice := c.use("check_media", "audio_url", base+"/clip.wav").started("audio", "get_check")
	for id, media := range map[string]string{video: "video", voice: "audio"} {
		rest := c.ended("/api/v1/audit/"+id, "succeeded")
		got := c.use("get_check", "id", id)
		require.Equal(t, rest, got.ok())
		require.Len(t, got.texts, 1, "nothing is left to do")
		require.Equal(t, media, rest["media"])
		require.NotContains(t, rest, "detail")
		require.Contains(t, c.use("get_check", "id", id, "detail", "full").ok(), "detail")
	}
	c.settled(1 + 1)
}

func TestMCPOptimizesAndTellsTheReceiver(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	c := working(t, hooks.allow).customer(account.Overrides{})
	upload := c.upload("image/jpeg", photo(t))
	id := c.use("optimize_media", "image_upload_id", upload, "callback_url", hooks.url).started("image", "get_optimization")
	rest := c.ended("/api/v1/optimize/"+id, "succeeded")
	require.Equal(t, rest, c.use("get_optimization", "id", id).ok())
	require.Eventually(t, func() bool { return len(hooks.calls()) == 1 }, time.Minute, 20*time.Millisecond)
	c.settled(2)
}

func TestMCPUploadTicketTakesAFile(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	png := labelledPNG(t)
	made := c.use("create_upload", "size", len(png), "content_type", "image/png")
	ticket := made.ok()
	require.Equal(t, []string{"expires_at", "headers", "id", "max_bytes", "method", "upload_url"}, members(ticket))
	require.Contains(t, made.texts[1], "upload_url")
	require.Equal(t, http.StatusOK, c.put(ticket, png))
	require.Equal(t, "ai", c.use("check_media", "image_upload_id", ticket["id"]).ok()["verdict"])
	c.spent(1)
}

func TestMCPTellsWhatIsLeft(t *testing.T) {
	t.Parallel()
	credits, rpm, jobs := int64(50), 30, 3
	s := start(t)
	c := s.customer(account.Overrides{Credits: &credits, RPM: &rpm, Jobs: &jobs})
	c.use("check_media", "image_base64", base64.StdEncoding.EncodeToString(labelledPNG(t))).ok()
	c.use("optimize_media", "image_base64", base64.StdEncoding.EncodeToString(labelledPNG(t))).ok()
	got := c.use("get_usage").ok()
	require.Equal(t, "pro", got["plan"])
	require.Equal(t, map[string]any{"credits": 50.0, "rpm": 30.0, "jobs": 3.0, "keys": 10.0}, got["limits"])
	left := got["credits"].(map[string]any)
	resets, err := time.Parse(time.RFC3339, left["resets_at"].(string))
	require.NoError(t, err)
	require.True(t, resets.After(time.Now()))
	delete(left, "resets_at")
	require.Equal(t, map[string]any{"granted": 50.0, "spent": 1.0, "held": 2.0, "available": 47.0}, left)

	_, err = s.DB.Exec(t.Context(), `UPDATE credit_period SET period_end = now() WHERE account_id = $1`, c.account)
	require.NoError(t, err)
	require.Contains(t, c.use("get_usage").ok()["credits"], "resets_at")
	require.Nil(t, c.use("get_usage").ok()["credits"].(map[string]any)["resets_at"])
}

// events reads the messages of an event stream.
func events(t *testing.T, body []byte) (messages []map[string]any) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(string(body)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var m map[string]any
			require.NoError(t, json.Unmarshal([]byte(data), &m))
			messages = append(messages, m)
		}
	}
	require.NoError(t, lines.Err())
	return messages
}
