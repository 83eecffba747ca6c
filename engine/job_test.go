package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

const (
	goodClip = `{"report":{"media":"video","verdict":"ai","score":98,"decided_by":"provenance","lanes":{},"detail":{},` +
		`"video":{"seconds":2,"fps":25,"frames":50,"width":64,"height":48,"audio":"none",` +
		`"readings":[{"t":1,"verdict":"none","score":50}]}}}` + "\n"
	goodVoice = `{"report":{"media":"audio","verdict":"unavailable","score":null,"decided_by":"voice","lanes":{},"detail":{},` +
		`"audio":{"seconds":2,"sample_rate":48000,"channels":1,"codec":"aac","readings":[]}}}` + "\n"
	goodOutput = `{"rendered":{"content_type":"image/png","bytes":6,"width":4,"height":4,"score":{"score":80,"zone":"excellent"}}}` +
		"\n"
	goodFilm = `{"rendered":{"content_type":"video/mp4","bytes":6,"width":4,"height":4,"score":{"score":59,"zone":"fair"},` +
		`"video":{"seconds":2,"fps":25,"frames":50,"width":4,"height":4,"codec":"h264","bytes":6,"source_bytes":9}}}` + "\n"
	half = `{"progress":0.5}` + "\n"
)

// jobEngine admits a job, reads its file, and answers with the given parts; wait, when set, comes before the last.
func jobEngine(wait func(), parts ...string) engineScript {
	return func(conn net.Conn, in *bufio.Reader, _ int32) {
		req := readHead(in)
		sayContinue(conn)
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
		for i, part := range parts {
			if i == len(parts)-1 && wait != nil {
				wait()
			}
			_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(part), part)
		}
		_, _ = io.WriteString(conn, "0\r\n\r\n")
	}
}

// cut is jobEngine that dies after the given parts.
func cut(parts ...string) engineScript {
	return func(conn net.Conn, in *bufio.Reader, turn int32) {
		jobEngine(func() { _ = conn.Close() }, append(parts, "lost")...)(conn, in, turn)
	}
}

func clip() ClipRequest {
	return ClipRequest{Source: image("pixels"), Media: Video, MaxSeconds: 12.5}
}

func rendering(save func(ctx context.Context, out Rendered, body io.Reader) error) RenderRequest {
	return RenderRequest{Source: image("pixels"), Media: Image, Save: save}
}

// readAll is a Save that keeps the output.
func readAll(kept *bytes.Buffer) func(context.Context, Rendered, io.Reader) error {
	return func(_ context.Context, _ Rendered, body io.Reader) error {
		_, err := kept.ReadFrom(body)
		return err
	}
}

func TestAClipIsCheckedAndItsProgressTold(t *testing.T) {
	t.Parallel()
	heads := make(chan string, 1)
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, turn int32) {
		line, _ := in.Peek(len("POST /v1/check/clip?max_seconds=12.5&media=video HTTP/1.1"))
		heads <- string(line)
		jobEngine(nil, half, half+goodClip)(conn, in, turn)
	})
	var told []float64
	req := clip()
	req.Progress = func(done float64) { told = append(told, done) }
	report, err := client.CheckClip(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, 50, report.Video.Frames)
	require.Equal(t, []float64{0.5, 0.5}, told)
	require.Contains(t, <-heads, "POST /v1/check/clip?max_seconds=12.5&media=video HTTP/1.1")

	client, _ = play(t, jobEngine(nil, goodVoice))
	req = clip()
	req.Media = Audio
	report, err = client.CheckClip(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, 48000, report.Audio.SampleRate)
}

func TestAnOutputIsSavedWhole(t *testing.T) {
	t.Parallel()
	client, _ := play(t, jobEngine(nil, half, goodOutput+"out", "put"))
	var kept bytes.Buffer
	rendered, err := client.Render(t.Context(), rendering(readAll(&kept)))
	require.NoError(t, err)
	require.Equal(t, "output", kept.String())
	require.Equal(t, Excellent, rendered.Score.Zone)

	client, _ = play(t, jobEngine(nil, goodFilm+"output"))
	req := rendering(readAll(&kept))
	req.Media, req.MaxSeconds = Video, 180
	rendered, err = client.Render(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, int64(9), rendered.Video.SourceBytes)
}

func TestNothingOfAJobsFileIsReadBeforeTheEngineAdmits(t *testing.T) {
	t.Parallel()
	headSeen, admit := make(chan struct{}), make(chan struct{})
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
		req := readHead(in)
		close(headSeen)
		<-admit
		sayContinue(conn)
		_, _ = io.Copy(io.Discard, req.Body)
		say(conn, "200 OK", goodClip)
	})
	var admitted atomic.Int32
	req := clip()
	req.Admitted = func(context.Context) error { admitted.Add(1); return nil }
	done := make(chan error, 1)
	go func() { _, err := client.CheckClip(t.Context(), req); done <- err }()
	<-headSeen
	require.Zero(t, admitted.Load())
	close(admit)
	require.NoError(t, <-done)
	require.Equal(t, int32(1), admitted.Load())
}

func TestARefusedJobLeavesTheSourceUntouched(t *testing.T) {
	t.Parallel()
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
		readHead(in)
		say(conn, "503 Service Unavailable", `{"code":"engine_unavailable","message":"full","retry_after":10}`)
	})
	req := clip()
	req.Admitted = func(context.Context) error { return errors.New("admitted a refused job") }
	_, err := client.CheckClip(t.Context(), req)
	requireUnavailable(t, err)
	require.Equal(t, 10*time.Second, fault.From(err).RetryAfter)
	rest, err := io.ReadAll(req.Body)
	require.NoError(t, err)
	require.Equal(t, "pixels", string(rest))
}

func TestRefusalsOfARunningJobAreFaults(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]fault.Code{
		"video_too_long": fault.VideoTooLong, "video_unsupported": fault.VideoUnsupported,
		"audio_too_long": fault.AudioTooLong, "audio_unsupported": fault.AudioUnsupported,
		"stage1_failed": fault.Stage1Failed, "engine_unavailable": fault.EngineUnavailable,
		"model_unavailable": fault.ModelUnavailable, "payment_failed": fault.EngineError,
	} {
		client, _ := play(t, jobEngine(nil, half, `{"refusal":{"code":"`+code+`","message":"no","detail":{"seconds":181}}}`+"\n"))
		_, err := client.CheckClip(t.Context(), clip())
		require.Equal(t, want, fault.CodeOf(err))
	}
}

func TestAnEngineThatDiesDuringAJobIsUnavailable(t *testing.T) {
	t.Parallel()
	cases := map[string]engineScript{
		"before the body": func(_ net.Conn, in *bufio.Reader, _ int32) { readHead(in) },
		"in the body": func(conn net.Conn, in *bufio.Reader, _ int32) {
			readHead(in)
			sayContinue(conn)
			_, _ = in.ReadByte()
		},
		"before the answer": func(conn net.Conn, in *bufio.Reader, _ int32) {
			req := readHead(in)
			sayContinue(conn)
			_, _ = io.Copy(io.Discard, req.Body)
		},
		"between lines":       cut(half),
		"in a line":           cut(half, `{"prog`),
		"without a last line": jobEngine(nil, half),
	}
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, turns := play(t, script)
			_, err := client.CheckClip(t.Context(), clip())
			requireUnavailable(t, err)
			require.Equal(t, int32(1), turns.Load())
		})
	}
}

func TestAnOutputThatIsCutIsNeverTakenForWhole(t *testing.T) {
	t.Parallel()
	cases := map[string]engineScript{
		"the engine died":      cut(goodOutput + "out"),
		"died at its very end": cut(goodOutput + "output"),
		"shorter than it said": jobEngine(nil, goodOutput+"outpu"),
	}
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := play(t, script)
			var kept bytes.Buffer
			_, err := client.Render(t.Context(), rendering(readAll(&kept)))
			requireUnavailable(t, err)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Less(t, kept.Len(), len("output"))

			client, _ = play(t, script)
			_, err = client.Render(t.Context(), rendering(func(_ context.Context, _ Rendered, body io.Reader) error {
				_, _ = io.Copy(io.Discard, body)
				return nil // A Save that overlooks what Read says.
			}))
			requireUnavailable(t, err)
		})
	}
}

func TestAnOutputLongerThanItSaidIsAnError(t *testing.T) {
	t.Parallel()
	client, _ := play(t, jobEngine(nil, goodOutput+"output", "and more"))
	var kept bytes.Buffer
	_, err := client.Render(t.Context(), rendering(readAll(&kept)))
	require.Equal(t, fault.EngineError, fault.CodeOf(err), "%v", err)
	require.Less(t, kept.Len(), len("output"))
}

func TestSaveDecidesWhetherTheOutputIsKept(t *testing.T) {
	t.Parallel()
	ours := errors.New("the bucket is full")
	client, _ := play(t, jobEngine(nil, goodOutput+"output"))
	_, err := client.Render(t.Context(), rendering(func(context.Context, Rendered, io.Reader) error { return ours }))
	require.Same(t, ours, err)

	var left io.Reader
	_, err = client.Render(t.Context(), rendering(func(_ context.Context, _ Rendered, body io.Reader) error {
		left = body
		_, err := body.Read(make([]byte, 2))
		return err
	}))
	require.ErrorContains(t, err, "4 of its 6 bytes were left unread")
	_, err = left.Read(make([]byte, 1))
	require.ErrorIs(t, err, errSealed)
}

func TestASilentEngineLosesItsJob(t *testing.T) {
	t.Parallel()
	hang := func() { <-t.Context().Done() }
	cases := map[string]engineScript{
		"before admission": func(_ net.Conn, in *bufio.Reader, _ int32) { readHead(in); hang() },
		"in the body":      func(conn net.Conn, in *bufio.Reader, _ int32) { readHead(in); sayContinue(conn); hang() },
		"in its lines":     jobEngine(hang, half, ""),
		"in a line":        jobEngine(hang, half+`{"rendered"`, ""),
		"in the output":    jobEngine(hang, goodOutput+"out", ""),
	}
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := play(t, script)
			client.cfg.JobAdmission, client.cfg.JobSilence = 100*time.Millisecond, 100*time.Millisecond
			var kept bytes.Buffer
			_, err := client.Render(t.Context(), rendering(readAll(&kept)))
			requireUnavailable(t, err)
		})
	}
}

func TestSlowCallersAreNotTakenForASilentEngine(t *testing.T) {
	t.Parallel()
	client, _ := play(t, jobEngine(nil, half, goodOutput+"output"))
	client.cfg.JobSilence = 600 * time.Millisecond
	slow := func() { <-time.After(700 * time.Millisecond) }
	var kept bytes.Buffer
	req := rendering(func(_ context.Context, _ Rendered, body io.Reader) error {
		slow()
		_, err := kept.ReadFrom(io.TeeReader(body, writerFunc(func(p []byte) (int, error) { slow(); return len(p), nil })))
		return err
	})
	req.Body = io.TeeReader(req.Body, writerFunc(func(p []byte) (int, error) { slow(); return len(p), nil }))
	req.Admitted = func(context.Context) error { slow(); return nil }
	req.Progress = func(float64) { slow() }
	_, err := client.Render(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "output", kept.String())
}

func TestJobsOutliveTheTimeOfAnImage(t *testing.T) {
	t.Parallel()
	client, _ := play(t, jobEngine(func() { <-time.After(200 * time.Millisecond) }, half, goodClip))
	client.cfg.Timeout = 50 * time.Millisecond
	_, err := client.CheckClip(t.Context(), clip())
	require.NoError(t, err)
}

func TestACallerEndsItsOwnJob(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	gone := make(chan struct{})
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, turn int32) {
		jobEngine(func() {
			close(arrived)
			_, _ = in.ReadByte()
			close(gone)
		}, half, "")(conn, in, turn)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := client.CheckClip(ctx, clip())
	require.ErrorIs(t, err, context.Canceled)
	<-gone
}

func TestErrorsOfAJobsSourceComeBackAsTheyAre(t *testing.T) {
	t.Parallel()
	ours := fault.New(fault.UploadNotFound, "used")
	for name, src := range map[string]Source{
		"admission": {Body: strings.NewReader("x"), Size: 1, Admitted: func(context.Context) error { return ours }},
		"body":      {Body: io.MultiReader(strings.NewReader("x"), failing{ours}), Size: 9},
	} {
		client, _ := play(t, jobEngine(nil, goodClip))
		req := clip()
		req.Source = src
		_, err := client.CheckClip(t.Context(), req)
		require.Same(t, ours, err, name)
	}
}

func TestJobsThatNoEngineTakesAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	client, turns := play(t, honest)
	check := func(media Media, size int64, seconds float64) error {
		_, err := client.CheckClip(t.Context(), ClipRequest{
			Source: Source{Body: strings.NewReader(""), Size: size}, Media: media, MaxSeconds: seconds,
		})
		return err
	}
	require.Equal(t, fault.VideoUnsupported, fault.CodeOf(check(Video, 0, 60)))
	require.Equal(t, fault.AudioUnsupported, fault.CodeOf(check(Audio, 0, 60)))
	require.Equal(t, fault.VideoTooLarge, fault.CodeOf(check(Video, MaxClipBytes+1, 60)))
	require.Equal(t, fault.AudioTooLarge, fault.CodeOf(check(Audio, MaxClipBytes+1, 60)))
	require.ErrorContains(t, check(Video, 9, 0), "MaxSeconds is 0")
	require.ErrorContains(t, check(Video, 9, 180.5), "MaxSeconds is 180.5")
	require.ErrorContains(t, check(Image, 9, 60), `media is "image"`)

	req := rendering(readAll(new(bytes.Buffer)))
	req.Size = MaxImageBytes + 1
	_, err := client.Render(t.Context(), req)
	require.Equal(t, fault.ImageTooLarge, fault.CodeOf(err))
	req.Media = Audio
	_, err = client.Render(t.Context(), req)
	require.ErrorContains(t, err, `media is "audio"`)
	_, err = client.Render(t.Context(), rendering(nil))
	require.ErrorContains(t, err, "Save is nil")
	require.Zero(t, turns.Load())
}

func TestAcceptAnswersTheFile(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]fault.Code{
		`{"format":"png","bytes":6,"width":4,"height":3}`: "",
		`{"format":"png","bytes":6,"width":4}`:            fault.EngineError,
		`{}`:                                              fault.EngineError,
		`pixels`:                                          fault.EngineError,
	} {
		client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
			req := readHead(in)
			sayContinue(conn)
			_, _ = io.Copy(io.Discard, req.Body)
			say(conn, "200 OK", answer)
		})
		file, err := client.AcceptImage(t.Context(), image("pixels"))
		require.Equal(t, want, fault.CodeOf(err), answer)
		if want == "" {
			require.Equal(t, File{Format: "png", Bytes: 6, Width: 4, Height: 3}, file)
		}
	}
}
