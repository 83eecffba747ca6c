package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

// The tests in the files contract_*_test.go each stand for rows of the API contract that no other test proves.

// engineElsewhere is an engine on another machine that answers the given paths of the engine's protocol as the test says
// and otherwise accepts every image.
func engineElsewhere(t *testing.T, answers map[string]http.HandlerFunc) func(*Settings) {
	t.Helper()
	all := map[string]http.HandlerFunc{engine.PathAcceptImage: func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err == nil {
			_ = json.NewEncoder(w).Encode(engine.File{Format: "JPEG", Bytes: n, Width: 1, Height: 1})
		}
	}}
	maps.Copy(all, answers)
	mux := http.NewServeMux()
	for path, answer := range all {
		mux.HandleFunc(path, answer)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return func(s *Settings) { s.Engine.URL, s.Engine.Token, s.Engine.Region = srv.URL, "token", "eu" }
}

// tellLine writes one line of a job's answer.
func tellLine(w http.ResponseWriter, line engine.JobLine) {
	if json.NewEncoder(w).Encode(line) == nil {
		_ = http.NewResponseController(w).Flush()
	}
}

// marked is a file at whose end a scripted engine reads the code to fail with.
func marked(data []byte, code string) []byte {
	return slices.Concat(data, mediatest.Box("free", []byte("say:"+code)))
}

// scripted is an engine elsewhere that takes every job up. Once goOn is closed it fails those whose file is marked and
// ends the others well; a nil goOn is closed.
func scripted(t *testing.T, goOn <-chan struct{}) func(*Settings) {
	t.Helper()
	if goOn == nil {
		closed := make(chan struct{})
		close(closed)
		goOn = closed
	}
	half := 0.5
	work := func(result func(engine.Media) (engine.JobLine, string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			data, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			tellLine(w, engine.JobLine{Progress: &half})
			select {
			case <-r.Context().Done():
				return
			case <-goOn:
			}
			if _, code, ok := bytes.Cut(data, []byte("say:")); ok {
				tellLine(w, engine.JobLine{Refusal: &engine.Refusal{Code: fault.Code(code), Message: "As it was told."}})
				return
			}
			line, output := result(engine.Media(r.URL.Query().Get(engine.ParamMedia)))
			tellLine(w, line)
			_, _ = io.WriteString(w, output)
		}
	}
	return engineElsewhere(t, map[string]http.HandlerFunc{engine.PathCheckClip: work(checkedClip), engine.PathRender: work(renderedFile)})
}

// checkedClip is a report on a second of a clip.
func checkedClip(m engine.Media) (engine.JobLine, string) {
	score := 50
	lane := engine.Lane{Verdict: engine.Uncertain, Score: score}
	readings := make([]engine.Reading, engine.FrameReadings)
	for i := range readings {
		readings[i] = engine.Reading{T: float64(i) / engine.FrameReadings, Verdict: engine.Uncertain, Score: score}
	}
	report := engine.Report{
		Media: m, Verdict: engine.Uncertain, Score: &score, DecidedBy: engine.ByWeighed,
		Lanes: engine.Lanes{Pixels: lane, Watermark: lane, Provenance: engine.ProvenanceLane{Verdict: engine.None}},
	}
	if m == engine.Audio {
		report.Audio = &engine.AudioInfo{Seconds: 1, SampleRate: 16_000, Channels: 1, Codec: "pcm_s16le", Readings: readings[:1]}
	} else {
		report.Video = &engine.VideoInfo{Seconds: 1, FPS: 30, Frames: 30, Width: 160, Height: 120, Audio: engine.NoSound, Readings: readings}
	}
	return engine.JobLine{Report: &report}, ""
}

// renderedFile is an optimized picture, or a second of an optimized video.
func renderedFile(m engine.Media) (engine.JobLine, string) {
	const output = "an optimized file"
	rendered := engine.Rendered{
		ContentType: "image/png", Bytes: int64(len(output)), Width: 160, Height: 120,
		Score: engine.OptimizationScore{Score: 61, Zone: engine.Good},
	}
	if m == engine.Video {
		rendered.ContentType = "video/mp4"
		rendered.Video = &engine.RenderedVideo{
			Seconds: 1, FPS: 30, Frames: 30, Width: 160, Height: 120, Codec: "h264", Bytes: rendered.Bytes, SourceBytes: 1,
		}
	}
	return engine.JobLine{Rendered: &rendered}, output
}

// refuseUnread refuses a file as an engine does that has no place or no model for it: before it asks for the bytes.
func refuseUnread(code fault.Code) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(engine.Refusal{Code: code, Message: "Not now."})
	}
}

// Codes whose answers tell when to come back. The contract names none for the others.
var sayWhen = []string{"rate_limited", "too_many_jobs", "engine_unavailable", "optimizations_disabled"}

// meets demands the refusal of a row, with Retry-After in seconds where the contract has it and nowhere else.
func (r reply) meets(row refusal) map[string]any {
	r.t.Helper()
	got := r.refused(row.status, row.code)
	after := r.header.Get("Retry-After")
	if !slices.Contains(sayWhen, row.code) {
		require.Empty(r.t, after, row.code)
		return got
	}
	seconds, err := strconv.Atoi(after)
	require.NoError(r.t, err, row.code)
	require.Positive(r.t, seconds, row.code)
	return got
}

// meet sends every row's body to the path and demands its refusal.
func (c customer) meet(path string, rows map[string]refusal) {
	c.t.Helper()
	for name, row := range rows {
		r := c.call(http.MethodPost, path, row.body)
		require.Equal(c.t, row.status, r.status, "%s: %s", name, r.body)
		require.Equal(c.t, row.code, r.object()["code"], "%s: %s", name, r.body)
		r.meets(row)
	}
}

// may lets the account use that much.
func (c customer) may(o account.Overrides) {
	c.t.Helper()
	_, err := c.Accounts.SetLimits(c.t.Context(), access.CLI(c.account), o)
	require.NoError(c.t, err)
}

// overRate uses the account's requests up, for a minute.
func (c customer) overRate() {
	c.t.Helper()
	limited := func() bool {
		return c.call(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), "").status == http.StatusTooManyRequests
	}
	// What was counted under another limit refuses too, until it has run out: at this one that takes a moment.
	many, one := 6000, 1
	c.may(account.Overrides{RPM: &many})
	limited()
	c.may(account.Overrides{RPM: &one})
	require.Eventually(c.t, func() bool { return !limited() }, 10*time.Second, 20*time.Millisecond, "one request a minute is allowed")
	require.True(c.t, limited(), "and no second one")
}

// colleague is another key of the customer's account.
func (c customer) colleague() customer {
	c.t.Helper()
	made, err := c.Accounts.CreateKey(c.t.Context(), access.CLI(c.account), "colleague")
	require.NoError(c.t, err)
	return customer{service: c.service, account: c.account, keyID: made.ID, key: made.Key}
}

// members are the names of an object's members, sorted.
func members(object any) []string {
	m, _ := object.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}

// requireWhole demands an integer within the bounds.
func requireWhole(t *testing.T, v any, low, high float64) {
	t.Helper()
	n, ok := v.(float64)
	require.True(t, ok, "%v", v)
	require.Zero(t, n-math.Trunc(n), "%v", v)
	require.GreaterOrEqual(t, n, low)
	require.LessOrEqual(t, n, high)
}

// requireLanes demands the three lanes with their members.
func requireLanes(t *testing.T, lanes any) {
	t.Helper()
	words := []any{"ai", "real", "uncertain", "none", "unavailable"}
	require.Equal(t, []string{"pixels", "provenance", "watermark"}, members(lanes))
	three := lanes.(map[string]any)
	for _, name := range []string{"pixels", "watermark"} {
		require.Equal(t, []string{"score", "verdict"}, members(three[name]))
		lane := three[name].(map[string]any)
		require.Contains(t, words, lane["verdict"])
		requireWhole(t, lane["score"], 0, 100)
	}
	require.Equal(t, []string{"issuer", "verdict"}, members(three["provenance"]))
	require.Contains(t, words, three["provenance"].(map[string]any)["verdict"])
}

// requireReadings demands readings in the order of time within a clip of that length.
func requireReadings(t *testing.T, readings any, seconds float64) {
	t.Helper()
	last := 0.0
	for _, one := range readings.([]any) {
		require.Equal(t, []string{"score", "t", "verdict"}, members(one))
		reading := one.(map[string]any)
		requireWhole(t, reading["score"], 0, 100)
		require.Contains(t, []any{"ai", "real", "uncertain", "none", "unavailable"}, reading["verdict"])
		at := reading["t"].(float64)
		require.GreaterOrEqual(t, at, last)
		require.LessOrEqual(t, at, seconds)
		last = at
	}
}

// Files of one second in every format of a video and a voice clip, by their media types.
var clipSpecs = map[string]clips.Spec{
	"video/mp4":       {Format: probe.MP4},
	"video/quicktime": {Format: probe.MOV},
	"video/webm":      {Format: probe.WebM},
	"audio/mpeg":      {Format: probe.MP3},
	"audio/wav":       {Format: probe.WAV},
	"audio/mp4":       {Format: probe.M4A},
}

// kindOf is the first half of a media type, which is how the source fields begin.
func kindOf(contentType string) string {
	kind, _, _ := strings.Cut(contentType, "/")
	return kind
}
