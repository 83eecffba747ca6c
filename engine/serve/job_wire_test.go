package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
)

// jobHead is the head of a request for a job, but for its length.
func jobHead(path, query string) string {
	return "POST " + path + "?" + query + " HTTP/1.1\r\nHost: e\r\nExpect: 100-continue\r\n"
}

const clipQuery = "media=video&max_seconds=60"

// idle is an Inspector that must not be asked.
var idle = labour{
	clip:  func(context.Context, Job) (engine.Report, error) { panic("inspected what must not be") },
	paint: func(context.Context, Job) (engine.Rendered, error) { panic("rendered what must not be") },
}

func TestJobsWithBadParametersAreRefusedUnread(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	r := serveJobs(t, cfg, idle)
	const long = "Content-Length: 9\r\n"
	cases := map[string]struct {
		path, query, length string
		want                int
	}{
		"no media":           {engine.PathCheckClip, "max_seconds=60", long, http.StatusBadRequest},
		"an image as a clip": {engine.PathCheckClip, "media=image", long, http.StatusBadRequest},
		"a voice to render":  {engine.PathRender, "media=audio&max_seconds=60", long, http.StatusBadRequest},
		"no length limit":    {engine.PathCheckClip, "media=audio", long, http.StatusBadRequest},
		"no number":          {engine.PathCheckClip, "media=video&max_seconds=NaN", long, http.StatusBadRequest},
		"no end":             {engine.PathRender, "media=video&max_seconds=Inf", long, http.StatusBadRequest},
		"nothing":            {engine.PathRender, "media=video&max_seconds=0", long, http.StatusBadRequest},
		"below nothing":      {engine.PathCheckClip, "media=video&max_seconds=-1", long, http.StatusBadRequest},
		"over the limit":     {engine.PathCheckClip, "media=video&max_seconds=180.5", long, http.StatusBadRequest},
		"chunked":            {engine.PathCheckClip, clipQuery, "Transfer-Encoding: chunked\r\n", http.StatusBadRequest},
		"empty clip":         {engine.PathCheckClip, clipQuery, "Content-Length: 0\r\n", http.StatusUnsupportedMediaType},
		"empty image":        {engine.PathRender, "media=image", "Content-Length: 0\r\n", http.StatusBadRequest},
		"large clip":         {engine.PathRender, clipQuery, "Content-Length: 1073741825\r\n", http.StatusRequestEntityTooLarge},
		"large image":        {engine.PathRender, "media=image", "Content-Length: 26214401\r\n", http.StatusRequestEntityTooLarge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := speak(t, cfg, jobHead(c.path, c.query)+c.length+"\r\n")
			// Any 100 Continue would come first.
			require.Equal(t, c.want, resp.StatusCode)
		})
	}
	require.Zero(t, r.server.jobs.running())
}

func TestAJobsFileThatStandsStillLosesPlaceAndRoom(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.ReceiveStall = 50 * time.Millisecond
	r := serveJobs(t, cfg, idle)
	resp := speak(t, cfg, strings.Replace(jobHead(engine.PathCheckClip, clipQuery), "Expect: 100-continue\r\n", "", 1)+
		"Content-Length: 100\r\n\r\ndrop by drop")
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Equal(t, "2", resp.Header.Get("Retry-After"))
	requireNoFiles(t, r)
}

func TestAJobsFileThatIsSlowButSteadyArrives(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.ReceiveStall = time.Second
	r := serveJobs(t, cfg, labour{clip: func(context.Context, Job) (engine.Report, error) { return clipVerdict(), nil }})
	req := video(strings.Repeat("x", 15))
	req.Body = dripping{req.Body, 100 * time.Millisecond}
	begin := time.Now()
	_, err := r.CheckClip(t.Context(), req)
	require.NoError(t, err)
	require.Greater(t, time.Since(begin), cfg.ReceiveStall)
}

// dripping yields a byte at a time.
type dripping struct {
	body  io.Reader
	every time.Duration
}

func (d dripping) Read(p []byte) (int, error) {
	<-time.After(d.every)
	return d.body.Read(p[:1])
}

func TestAJobsFileCutShortLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	r := serveJobs(t, cfg, idle)
	conn := connect(t, cfg)
	_, err := io.WriteString(conn, jobHead(engine.PathRender, clipQuery)+"Content-Length: 100\r\n\r\nhalf")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return r.server.jobs.running() == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, conn.Close())
	requireNoFiles(t, r)
}

func TestTheLargestClipIsAdmittedAndItsRoomReserved(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	r := serveJobs(t, cfg, idle)
	resp := speak(t, cfg, jobHead(engine.PathRender, clipQuery)+"Content-Length: 1073741824\r\n\r\n")
	require.Equal(t, http.StatusContinue, resp.StatusCode)
	require.Equal(t, cfg.ScratchBytes-2*engine.MaxClipBytes, r.server.rooms.left())
}

func TestARunningJobGivesSignsOfLifeAndThenItsOneAnswer(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Heartbeat = 20 * time.Millisecond
	inspector, work := heldClips()
	serveJobs(t, cfg, inspector)
	conn := connect(t, cfg)
	_, err := io.WriteString(conn, jobHead(engine.PathCheckClip, clipQuery)+"Content-Length: 4\r\n\r\nclip")
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusContinue, resp.StatusCode)
	resp, err = http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, engine.JobContentType, resp.Header.Get("Content-Type"))
	lines := json.NewDecoder(resp.Body)
	for range 3 {
		var line engine.JobLine
		require.NoError(t, lines.Decode(&line))
		require.NotNil(t, line.Progress)
	}
	close(work.release)
	var line engine.JobLine
	for line.Report == nil {
		line = engine.JobLine{}
		require.NoError(t, lines.Decode(&line))
	}
	require.ErrorIs(t, lines.Decode(&line), io.EOF)
	require.NoError(t, resp.Body.Close())
}

func TestOnlyTheTokenOpensJobs(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Socket, cfg.Listen, cfg.Token, cfg.Region = "", "127.0.0.1:0", "secret", "eu"
	r := serveJobs(t, cfg, idle)
	for _, path := range []string{engine.PathAcceptImage, engine.PathCheckClip, engine.PathRender} {
		answer := &recorder{header: http.Header{}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path+"?"+clipQuery, strings.NewReader("x"))
		require.NoError(t, err)
		r.server.handler().ServeHTTP(answer, req)
		require.Contains(t, answer.body.String(), fmt.Sprintf("%q", "engine_credentials_missing"))
	}
}
