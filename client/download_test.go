package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// content is a file whose every part is different.
func content(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.Bytes()[:size]
}

// cutting serves data, and cuts each answer off after at most some bytes.
type cutting struct {
	*httptest.Server
	asked  atomic.Int64
	ranges []string
	tag    func(n int64) string
}

func newCutting(t *testing.T, data []byte, after int) *cutting {
	t.Helper()
	s := &cutting{tag: func(int64) string { return `"v1"` }}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.asked.Add(1)
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		if r.Header.Get("X-Api-Key") != "" {
			t.Error("the link needs no key, and got one")
		}
		w.Header().Set("ETag", s.tag(n))
		http.ServeContent(&cut{w, after}, r, "", time.Time{}, bytes.NewReader(data))
	}))
	t.Cleanup(s.Close)
	return s
}

type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	if c.left -= n; c.left == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func impatient(t *testing.T) *Client {
	t.Helper()
	c, err := New("https://veracity.test", testKey, WithRetry(Retry{First: time.Millisecond, Attempts: 3}))
	require.NoError(t, err)
	return c
}

func TestDownloadGoesOnWhereItBrokeOff(t *testing.T) {
	t.Parallel()
	data := content(1 << 20)
	srv := newCutting(t, data, 100_000)
	var got bytes.Buffer
	var last, of int64
	n, err := impatient(t).Download(t.Context(), &Optimization{FileURL: srv.URL}, &got, func(g, total int64) { last, of = g, total })
	require.NoError(t, err)
	require.Equal(t, data, got.Bytes())
	require.Equal(t, []int64{1 << 20, 1 << 20, 1 << 20}, []int64{n, last, of})
	require.Greater(t, srv.asked.Load(), int64(10), "more breaks than attempts: what moves is not given up")
	require.Empty(t, srv.ranges[0])
	require.True(t, strings.HasPrefix(srv.ranges[1], "bytes="), srv.ranges[1])
}

func TestDownloadWithoutRangesBeginsAnewAndSkips(t *testing.T) {
	t.Parallel()
	data := content(300_000)
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		if n.Add(1) == 1 {
			_, _ = (&cut{w, 100_000}).Write(data)
		}
		_, _ = w.Write(data)
	}))
	defer srv.Close()
	var got bytes.Buffer
	_, err := impatient(t).Download(t.Context(), &Optimization{FileURL: srv.URL}, &got, nil)
	require.NoError(t, err)
	require.Equal(t, data, got.Bytes())
}

func TestTwoVersionsOfAFileAreNotMixed(t *testing.T) {
	t.Parallel()
	for name, tag := range map[string]func(int64) string{
		"another version": func(n int64) string { return `"v` + strconv.FormatInt(n, 10) + `"` },
		"a weak tag":      func(int64) string { return `W/"v1"` },
		"no tag":          func(int64) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := newCutting(t, content(300_000), 100_000)
			srv.tag = tag
			path := filepath.Join(t.TempDir(), "a.png")
			_, err := impatient(t).DownloadFile(t.Context(), &Optimization{FileURL: srv.URL}, path, nil)
			require.ErrorContains(t, err, "cannot go on with the same file")
			require.NoFileExists(t, path)
		})
	}
}

func TestDownloadIsRefusedAsTheServiceSays(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"code":"not_found","message":"Gone."}`)
	}))
	defer srv.Close()
	_, err := impatient(t).Download(t.Context(), &Optimization{FileURL: srv.URL}, io.Discard, nil)
	require.Equal(t, CodeNotFound, CodeOf(err))
	require.Equal(t, int64(1), n.Load())
	_, err = impatient(t).Download(t.Context(), &Optimization{ID: "ab", Status: Running}, io.Discard, nil)
	require.ErrorContains(t, err, `the optimization ab has no file: its status is "running"`)
}

func TestFileAppearsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	data := content(300_000)
	srv := newCutting(t, data, 100_000)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))

	ctx, cancel := context.WithCancel(t.Context())
	_, err := impatient(t).DownloadFile(ctx, &Optimization{FileURL: srv.URL}, path, func(int64, int64) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "before", string(was))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left lying about")

	n, err := impatient(t).DownloadFile(t.Context(), &Optimization{FileURL: srv.URL}, path, nil)
	require.NoError(t, err)
	require.Equal(t, int64(len(data)), n)
	is, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, data, is)
	_, err = impatient(t).DownloadFile(t.Context(), &Optimization{FileURL: srv.URL}, filepath.Join(dir, "missing", "a.png"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestWriterThatFailsEndsTheDownload(t *testing.T) {
	t.Parallel()
	srv := newCutting(t, content(1000), 1<<20)
	_, err := impatient(t).Download(t.Context(), &Optimization{FileURL: srv.URL}, full{}, nil)
	require.ErrorIs(t, err, errFull)
	require.Equal(t, int64(1), srv.asked.Load())
}
