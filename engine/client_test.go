package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

const goodReport = `{"media":"image","verdict":"ai","score":98,"decided_by":"provenance","lanes":{},"detail":{}}`

// engineScript plays an engine on one connection; turn counts connections from 1.
type engineScript func(conn net.Conn, in *bufio.Reader, turn int32)

// play listens on a unix socket and answers a client for it.
func play(t *testing.T, script engineScript) (*Client, *atomic.Int32) {
	t.Helper()
	dir, err := os.MkdirTemp("", "veng") //nolint:usetesting // A socket's path is short.
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	var turns atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			turn := turns.Add(1)
			go func() {
				defer func() { _ = conn.Close() }()
				script(conn, bufio.NewReader(conn), turn)
			}()
		}
	}()
	return clientFor(t, socket), &turns
}

func clientFor(t *testing.T, socket string) *Client {
	t.Helper()
	cfg := DefaultClientConfig()
	cfg.Socket, cfg.Timeout = socket, 5*time.Second
	client, err := NewClient(cfg)
	require.NoError(t, err)
	return client
}

// readHead reads a request's head; sayContinue lets the body come.
func readHead(in *bufio.Reader) *http.Request {
	req, err := http.ReadRequest(in)
	if err != nil {
		return nil
	}
	return req
}

func sayContinue(w io.Writer) { _, _ = io.WriteString(w, "HTTP/1.1 100 Continue\r\n\r\n") }

func say(w io.Writer, status, body string) {
	_, _ = io.WriteString(w, "HTTP/1.1 "+status+"\r\nContent-Type: application/json\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"+body)
}

// honest answers every check on the connection as a healthy engine does.
func honest(conn net.Conn, in *bufio.Reader, _ int32) {
	for {
		req := readHead(in)
		if req == nil {
			return
		}
		sayContinue(conn)
		_, _ = io.Copy(io.Discard, req.Body)
		say(conn, "200 OK", goodReport)
	}
}

func image(text string) Source { return Source{Body: strings.NewReader(text), Size: int64(len(text))} }

func requireUnavailable(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, fault.EngineUnavailable, fault.CodeOf(err), "%v", err)
	require.Positive(t, fault.From(err).RetryAfter)
}

func TestCheckAnswersTheReport(t *testing.T) {
	t.Parallel()
	client, _ := play(t, honest)
	report, err := client.CheckImage(t.Context(), image("pixels"))
	require.NoError(t, err)
	require.Equal(t, AI, report.Verdict)
	require.Equal(t, 98, *report.Score)
}

func TestNothingIsReadBeforeTheEngineAdmits(t *testing.T) {
	t.Parallel()
	headSeen, admit := make(chan struct{}), make(chan struct{})
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, turn int32) {
		req := readHead(in)
		close(headSeen)
		<-admit
		sayContinue(conn)
		_, _ = io.Copy(io.Discard, req.Body)
		say(conn, "200 OK", goodReport)
	})
	var admitted, read atomic.Int32
	src := image("pixels")
	src.Body = io.TeeReader(src.Body, writerFunc(func(p []byte) (int, error) { read.Add(1); return len(p), nil }))
	src.Admitted = func(context.Context) error {
		if read.Load() > 0 {
			return errors.New("read before admission")
		}
		admitted.Add(1)
		return nil
	}
	done := make(chan error, 1)
	go func() { _, err := client.CheckImage(t.Context(), src); done <- err }()
	<-headSeen
	require.Zero(t, admitted.Load())
	require.Zero(t, read.Load())
	close(admit)
	require.NoError(t, <-done)
	require.Equal(t, int32(1), admitted.Load())
	require.Positive(t, read.Load())
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestRefusedCheckLeavesTheSourceUntouched(t *testing.T) {
	t.Parallel()
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
		readHead(in)
		say(conn, "503 Service Unavailable", `{"code":"engine_unavailable","message":"full","retry_after":2}`)
	})
	src := image("pixels")
	src.Admitted = func(context.Context) error { return errors.New("admitted a refused check") }
	_, err := client.CheckImage(t.Context(), src)
	requireUnavailable(t, err)
	require.Equal(t, 2*time.Second, fault.From(err).RetryAfter)
	rest, err := io.ReadAll(src.Body)
	require.NoError(t, err)
	require.Equal(t, "pixels", string(rest))
}

func TestErrorsOfTheSourceComeBackAsTheyAre(t *testing.T) {
	t.Parallel()
	ours := fault.New(fault.UploadNotFound, "used")
	cases := map[string]struct {
		src  Source
		want error
	}{
		"admission": {Source{
			Body: strings.NewReader("x"), Size: 1, Admitted: func(context.Context) error { return ours },
		}, ours},
		"body":  {Source{Body: io.MultiReader(strings.NewReader("x"), failing{ours}), Size: 9}, ours},
		"short": {Source{Body: strings.NewReader("x"), Size: 9}, io.ErrUnexpectedEOF},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := play(t, honest)
			_, err := client.CheckImage(t.Context(), c.src)
			require.ErrorIs(t, err, c.want)
		})
	}
	t.Run("long", func(t *testing.T) {
		t.Parallel()
		client, _ := play(t, honest)
		_, err := client.CheckImage(t.Context(), Source{Body: strings.NewReader("xyz"), Size: 2})
		require.ErrorContains(t, err, "longer than its size")
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestAnEngineThatDiesIsUnavailableAndNeverAskedTwice(t *testing.T) {
	t.Parallel()
	cases := map[string]engineScript{
		"after the body": func(conn net.Conn, in *bufio.Reader, _ int32) {
			req := readHead(in)
			sayContinue(conn)
			_, _ = io.Copy(io.Discard, req.Body)
		},
		"in the answer": func(conn net.Conn, in *bufio.Reader, _ int32) {
			req := readHead(in)
			sayContinue(conn)
			_, _ = io.Copy(io.Discard, req.Body)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"verdict\"")
		},
		"before the body": func(_ net.Conn, in *bufio.Reader, _ int32) { readHead(in) },
	}
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, turns := play(t, script)
			_, err := client.CheckImage(t.Context(), image("pixels"))
			requireUnavailable(t, err)
			require.Equal(t, int32(1), turns.Load())
		})
	}
}

func TestNoEngineIsUnavailable(t *testing.T) {
	t.Parallel()
	client := clientFor(t, filepath.Join(os.TempDir(), "veracity-no-engine"))
	_, err := client.CheckImage(t.Context(), image("pixels"))
	requireUnavailable(t, err)
	requireUnavailable(t, client.Ready(t.Context()))
	requireUnavailable(t, client.Alive(t.Context()))
}

func TestNoConnectionOutlivesItsCall(t *testing.T) {
	t.Parallel()
	client, turns := play(t, honest)
	for range 3 {
		_, err := client.CheckImage(t.Context(), image("pixels"))
		require.NoError(t, err)
	}
	require.Equal(t, int32(3), turns.Load())
}

func TestTheCallersOwnEndIsNoFault(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	client, _ := play(t, func(_ net.Conn, in *bufio.Reader, _ int32) {
		readHead(in)
		close(arrived)
		_, _ = in.ReadByte()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := client.CheckImage(ctx, image("pixels"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestASilentEngineIsUnavailable(t *testing.T) {
	t.Parallel()
	client, _ := play(t, func(_ net.Conn, in *bufio.Reader, _ int32) {
		readHead(in)
		_, _ = in.ReadByte()
	})
	client.cfg.Timeout = 50 * time.Millisecond
	_, err := client.CheckImage(t.Context(), image("pixels"))
	requireUnavailable(t, err)
}

func TestAnEngineThatBreaksTheProtocolIsAnError(t *testing.T) {
	t.Parallel()
	cases := map[string][2]string{
		"no JSON":               {"200 OK", "pixels"},
		"a report of nothing":   {"200 OK", "{}"},
		"a verdict without one": {"200 OK", `{"verdict":"ai","decided_by":"pixels"}`},
		"a status alone":        {"502 Bad Gateway", "<html>"},
		"a code of no engine":   {"402 Payment Required", `{"code":"quota_exceeded","message":"pay"}`},
		"a redirect":            {"302 Found\r\nLocation: http://other/", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
				req := readHead(in)
				sayContinue(conn)
				_, _ = io.Copy(io.Discard, req.Body)
				say(conn, c[0], c[1])
			})
			_, err := client.CheckImage(t.Context(), image("pixels"))
			require.Equal(t, fault.EngineError, fault.CodeOf(err), "%v", err)
		})
	}
}

func TestFaultsCrossTheWireWhole(t *testing.T) {
	t.Parallel()
	sent := fault.New(fault.TooManyPixels, "Too large.").
		WithDetail(map[string]int{"width": 10000, "height": 5000, "limit": 25000000})
	refusal, err := NewRefusal(sent)
	require.NoError(t, err)
	text, err := json.Marshal(refusal)
	require.NoError(t, err)
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
		req := readHead(in)
		sayContinue(conn)
		_, _ = io.Copy(io.Discard, req.Body)
		say(conn, "413 Too Large", string(text))
	})
	_, err = client.CheckImage(t.Context(), image("pixels"))
	got := fault.From(err)
	require.Equal(t, fault.TooManyPixels, got.Code)
	require.Equal(t, "Too large.", got.Message)
	detail, err := json.Marshal(got.Detail)
	require.NoError(t, err)
	require.JSONEq(t, `{"width":10000,"height":5000,"limit":25000000}`, string(detail))
}

func TestSizesThatNoEngineTakesAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	client, turns := play(t, honest)
	_, err := client.CheckImage(t.Context(), Source{Body: strings.NewReader(""), Size: 0})
	require.Equal(t, fault.InvalidImage, fault.CodeOf(err))
	_, err = client.CheckImage(t.Context(), Source{Body: strings.NewReader("x"), Size: MaxImageBytes + 1})
	require.Equal(t, fault.ImageTooLarge, fault.CodeOf(err))
	require.Zero(t, turns.Load())
}

func TestStateIsReadWhetherReadyOrNot(t *testing.T) {
	t.Parallel()
	client, _ := play(t, func(conn net.Conn, in *bufio.Reader, _ int32) {
		for readHead(in) != nil {
			say(conn, "503 Service Unavailable", `{"ready":false,"reason":"starting","slots":2}`)
		}
	})
	state, err := client.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, State{Reason: "starting", Slots: 2}, state)
	requireUnavailable(t, client.Ready(t.Context()))
}
