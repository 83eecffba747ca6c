package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/media"
	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

func TestRangeIsOneOrNone(t *testing.T) {
	t.Parallel()
	const huge = "99999999999999999999"
	for asked, want := range map[string]string{
		"bytes=0-4":           "bytes=0-4",
		"BYTES=\t0-4\t":       "bytes=0-4",
		"bytes=5-":            "bytes=5-",
		"bytes=-5":            "bytes=-5",
		"bytes=-0":            "bytes=100-",
		"bytes=-" + huge:      "bytes=-9223372036854775807",
		"bytes=3-" + huge:     "bytes=3-9223372036854775807",
		"bytes=" + huge + "-": "bytes=9223372036854775807-",
		"bytes=4-0":           "",
		"bytes=":              "",
		"bytes=-":             "",
		"bytes=--5":           "",
		"bytes=+1-5":          "",
		"bytes=1-5-7":         "",
		"bytes=0x1-5":         "",
		"bytes=0-4,6-7":       "",
		"bytes=0-4,":          "",
		"bytes=,0-4":          "",
		"bytes=0-0" + strings.Repeat(",0-0", 9000): "",
		"items=0-4": "",
		"bytes":     "",
		"":          "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Range", asked)
		r.Header.Set("If-Range", `"x"`)
		got := oneRange(r, 100)
		require.Equal(t, want, got.Header.Get("Range"), "%.50s", asked)
		require.Equal(t, `"x"`, got.Header.Get("If-Range"))
		require.Equal(t, asked, r.Header.Get("Range"), "the caller's request stays as it is")
		r.Method = http.MethodHead
		require.NotContains(t, oneRange(r, 100).Header, "Range", "a HEAD has none")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.Same(t, r, oneRange(r, 100))
	r.Header["Range"] = []string{"bytes=0-4", "bytes=6-7"}
	require.NotContains(t, oneRange(r, 100).Header, "Range")
}

// failing is a store that has a blob and gives readable bytes of it.
type failing struct {
	storage.Store
	readable int64
	err      error
	mu       sync.Mutex
	opened   int
}

func (f *failing) OpenRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	body, err := f.Store.OpenRange(ctx, key, offset, length)
	if err != nil {
		return nil, err
	}
	left := max(0, f.readable-offset)
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(body, left), iotest.ErrReader(f.err)), body}, nil
}

// downloads serves a file of size bytes from store, as the API serves optimized files, and gives its log.
func downloads(t *testing.T, store *failing, size int) (address string, logged func() []map[string]any) {
	t.Helper()
	store.Store = storagetest.OpenDisk(t)
	content := bytes.Repeat([]byte("x"), size)
	require.NoError(t, store.Put(t.Context(), "output", bytes.NewReader(content), int64(size), "image/png"))
	var mu sync.Mutex
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(p)
	}), nil))
	a := New(Parts{Metrics: NewMetrics(prometheus.NewRegistry()), Requests: &noted{}, Log: logger})
	h := a.observe(recoverPanics(handle(func(w http.ResponseWriter, r *http.Request) error {
		reader, err := storage.NewReader(r.Context(), store, "output")
		if err != nil {
			return err
		}
		defer func() { _ = reader.Close() }()
		return sendOutput(w, r, media.Output{
			Reader: reader, Name: "a.png", ContentType: "image/png", Version: "v1", EndedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
		})
	})))
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL, func() (lines []map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		for line := range bytes.Lines(log.Bytes()) {
			var m map[string]any
			require.NoError(t, json.Unmarshal(line, &m))
			lines = append(lines, m)
		}
		return lines
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func ask(t *testing.T, address string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestDownloadThatStorageCutsOffBreaksVisiblyAndIsLoggedOnce(t *testing.T) {
	t.Parallel()
	// A failure of the kind that is not resumed.
	store := &failing{readable: 600_000, err: errors.New("the disk is on fire")}
	address, logged := downloads(t, store, 1<<20)
	resp := ask(t, address)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, int64(1<<20), resp.ContentLength)
	got, err := io.ReadAll(resp.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.LessOrEqual(t, len(got), 600_000)
	require.NotContains(t, string(got), "internal_error", "no error object within a file")

	require.Eventually(t, func() bool { return len(logged()) > 0 }, 10*time.Second, time.Millisecond)
	lines := logged()
	require.Len(t, lines, 1)
	require.Equal(t, "ERROR", lines[0]["level"])
	require.Equal(t, resp.Header.Get("Request-Id"), lines[0]["request_id"])
	require.Equal(t, "internal_error", lines[0]["code"])
	require.Contains(t, lines[0]["error"], "the disk is on fire")
}

func TestDownloadThatCannotBeginIsRefusedInTheErrorShape(t *testing.T) {
	t.Parallel()
	for code, row := range map[string]struct {
		err    error
		status int
	}{
		"internal_error": {errors.New("the disk is on fire"), 500},
		"not_found":      {storage.ErrNotFound, 404},
		// Three resumptions lie before this one.
		"uploads_unavailable": {storage.ErrUnavailable, 503},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			address, logged := downloads(t, &failing{err: row.err}, 1000)
			for _, asked := range []string{"bytes=0-", "bytes=500-600"} {
				resp := ask(t, address, "Range", asked)
				require.Equal(t, row.status, resp.StatusCode)
				var got map[string]any
				require.NoError(t, json.NewDecoder(resp.Body).Decode(&got))
				require.Equal(t, code, got["code"])
				require.NotContains(t, got["message"], "fire")
				require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
				for _, header := range []string{"Content-Disposition", "ETag", "Content-Range", "Expires"} {
					require.Empty(t, resp.Header.Get(header), header)
				}
			}
			require.Len(t, logged(), 2)
		})
	}
}

func TestThousandsOfRangesAreOneReadOfStorage(t *testing.T) {
	t.Parallel()
	store := &failing{readable: 1000, err: io.EOF}
	address, _ := downloads(t, store, 1000)
	resp := ask(t, address, "Range", "bytes=0-0"+strings.Repeat(",2-2", 9000))
	require.Equal(t, http.StatusOK, resp.StatusCode)
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Len(t, got, 1000)
	require.Equal(t, 1, store.opened)
}

func TestReaderWhoLeavesADownloadIsNoFaultOfOurs(t *testing.T) {
	t.Parallel()
	address, logged := downloads(t, &failing{readable: 64 << 20, err: io.EOF}, 64<<20)
	resp := ask(t, address)
	_, err := io.ReadFull(resp.Body, make([]byte, 1000))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Eventually(t, func() bool { return len(logged()) > 0 }, 10*time.Second, time.Millisecond)
	require.Equal(t, "INFO", logged()[0]["level"])
	require.Equal(t, "client_gone", logged()[0]["code"])
}

func TestPanicInTheMiddleOfAnAnswerBreaksItOff(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := New(Parts{
		Metrics: NewMetrics(prometheus.NewRegistry()), Requests: &noted{}, Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	h := a.observe(recoverPanics(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(100))
		w.WriteHeader(http.StatusOK)
		panic("in the middle")
	})))
	recorder := httptest.NewRecorder()
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		h.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	})
	require.Empty(t, recorder.Body.String())
	require.Contains(t, log.String(), `"level":"ERROR"`)
	require.Contains(t, log.String(), "in the middle")
}
