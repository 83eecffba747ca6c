package main

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/media"
)

// running starts a check and an optimization whose ends wait for goOn.
func running(t *testing.T, goOn chan struct{}) (c customer, check, optimization string) {
	t.Helper()
	c = working(t, scripted(t, goOn)).customer(account.Overrides{})
	check = c.use("check_media", "video_upload_id", c.upload("video/mp4", film(t, 1))).started("video", "get_check")
	optimization = c.use("optimize_media", "image_upload_id", c.upload("image/jpeg", photo(t))).started("image", "get_optimization")
	return c, check, optimization
}

func TestMCPWaitsForTheEndOfAJob(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	c, check, optimization := running(t, goOn)
	jobs := map[string]string{"get_check": check, "get_optimization": optimization}
	for tool, id := range jobs {
		begin := time.Now()
		got := c.use(tool, "id", id, "wait_seconds", 1)
		require.GreaterOrEqual(t, time.Since(begin), time.Second)
		require.Contains(t, []string{"queued", "running"}, got.ok()["status"])
		require.Contains(t, got.texts[1], "wait_seconds 25")
	}
	time.AfterFunc(time.Second, func() { close(goOn) })
	for tool, id := range jobs {
		got := c.use(tool, "id", id, "wait_seconds", 25)
		require.Equal(t, "succeeded", got.ok()["status"])
		require.Len(t, got.texts, 1)
	}
	c.settled(1 + 2)
}

func TestMCPFailedJobIsReadAndIsNoError(t *testing.T) {
	t.Parallel()
	c := working(t, scripted(t, nil)).customer(account.Overrides{})
	id := c.use("check_media", "video_upload_id", c.upload("video/mp4", marked(film(t, 1), "video_unsupported"))).started("video", "get_check")
	got := c.use("get_check", "id", id, "wait_seconds", 25).ok()
	require.Equal(t, map[string]any{
		"id": id, "status": "failed", "media": "video", "error": map[string]any{"code": "video_unsupported", "message": "As it was told."},
	}, got)
	c.settled(0)
}

func TestMCPTellsOfProgressToWhoAsksForIt(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	c, check, _ := running(t, goOn)
	time.AfterFunc(4*time.Second, func() { close(goOn) })
	r := c.say(object("jsonrpc", "2.0", "id", 7, "method", "tools/call", "params", map[string]any{
		"name": "get_check", "arguments": map[string]any{"id": check, "wait_seconds": 25}, "_meta": map[string]any{"progressToken": "mine"},
	}))
	require.Equal(t, []any{200, "text/event-stream"}, []any{r.status, r.header.Get("Content-Type")})
	messages := events(t, r.body)
	require.Greater(t, len(messages), 2, "%s", r.body)
	last := -1.0
	for _, m := range messages[:len(messages)-1] {
		require.Equal(t, "notifications/progress", m["method"])
		params := m["params"].(map[string]any)
		require.Equal(t, "mine", params["progressToken"])
		require.InDelta(t, 25, params["total"], 0)
		require.Regexp(t, `^The job is (queued|running)\.$`, params["message"])
		require.Greater(t, params["progress"], last)
		last = params["progress"].(float64)
	}
	require.Equal(t, "succeeded", usedOf(t, messages[len(messages)-1]).ok()["status"])
	require.Equal(t, "ok", c.logged(r.header.Get("Request-Id")).Code)
}

func TestMCPHangUpEndsTheWaitAndNotTheJob(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	c, check, _ := running(t, goOn)
	ctx, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+mcpPath, strings.NewReader(
		object("jsonrpc", "2.0", "id", 7, "method", "tools/call", "params", map[string]any{
			"name": "get_check", "arguments": map[string]any{"id": check, "wait_seconds": 25},
		})))
	require.NoError(t, err)
	req.Header = http.Header{"X-Api-Key": {c.key}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	time.AfterFunc(time.Second, hangUp)
	begin := time.Now()
	_, err = http.DefaultTransport.RoundTrip(req)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return strings.Contains(c.log.String(), `"status":499`) }, 5*time.Second, 20*time.Millisecond)
	require.Less(t, time.Since(begin), 10*time.Second)
	close(goOn)
	require.Equal(t, "succeeded", c.use("get_check", "id", check, "wait_seconds", 25).ok()["status"])
	c.ended("/api/v1/audit/"+check, "succeeded")
}

func TestMCPHangUpDuringAnImageCheckCostsNothingOrIsFoundAgain(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 4)
	goOn := make(chan struct{})
	picture := labelledPNG(t)
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/slow": func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		_, _ = w.Write(picture)
	}})
	c := start(t, allow).customer(account.Overrides{})
	hungUp := func(arguments map[string]any) {
		ctx, hangUp := context.WithCancel(t.Context())
		defer hangUp()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+mcpPath, strings.NewReader(
			object("jsonrpc", "2.0", "id", 7, "method", "tools/call", "params", map[string]any{"name": "check_media", "arguments": arguments})))
		require.NoError(t, err)
		req.Header = http.Header{"X-Api-Key": {c.key}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		go func() {
			<-asked
			hangUp()
		}()
		_, err = http.DefaultTransport.RoundTrip(req)
		require.ErrorIs(t, err, context.Canceled)
	}
	hungUp(map[string]any{"image_url": base + "/slow"})
	require.Eventually(t, func() bool { return strings.Contains(c.log.String(), `"status":499`) }, 5*time.Second, 20*time.Millisecond)
	c.spent(0)

	named := []any{"image_url", base + "/slow", "idempotency_key", "mine"}
	hungUp(map[string]any{"image_url": base + "/slow", "idempotency_key": "mine"})
	close(goOn)
	again := c.use("check_media", named...)
	require.Equal(t, "ai", again.ok()["verdict"])
	require.NotNil(t, again.message["result"].(map[string]any)["_meta"], "the first call went on")
	c.spent(1)
}

// withKey sends a key as Bearer, as clients with a token do.
type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

func TestMCPClientOfTheSDKDoesAllOfIt(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	told := make(chan *sdk.ProgressNotificationParams, 100)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { told <- r.Params },
	})
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: c.url + mcpPath, HTTPClient: &http.Client{Transport: withKey(c.key)},
	}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	listed, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Tools, 6)
	call := func(tool string, arguments map[string]any) map[string]any {
		params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
		params.SetProgressToken(tool)
		got, err := session.CallTool(t.Context(), params)
		require.NoError(t, err)
		require.False(t, got.IsError, "%v", got.Content)
		object, ok := got.StructuredContent.(map[string]any)
		require.True(t, ok)
		return object
	}
	require.Equal(t, "ai", call("check_media", map[string]any{"image_base64": base64.StdEncoding.EncodeToString(labelledPNG(t))})["verdict"])
	id := call("optimize_media", map[string]any{"image_base64": base64.StdEncoding.EncodeToString(photo(t))})["id"]
	var job map[string]any
	require.Eventually(t, func() bool {
		job = call("get_optimization", map[string]any{"id": id, "wait_seconds": 20})
		return job["status"] == string(media.Succeeded)
	}, jobPatience, time.Millisecond)
	require.NotEmpty(t, job["file_url"])
	require.Equal(t, "check_media", (<-told).ProgressToken)
	c.settled(1 + 2)
}
