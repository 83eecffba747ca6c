package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func serving(t *testing.T, status int, seen *atomic.Int64) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") == "key" && r.URL.Path == "/path" {
			seen.Add(1)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte("an answer"))
	}))
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func TestLoadCountsEveryAnswer(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	address := serving(t, http.StatusNotFound, &seen)
	request := get(address, "/path", "key")
	start := time.Now()
	rate, err := load(t.Context(), address, [][]byte{request, request}, http.StatusNotFound, 100*time.Millisecond)
	require.NoError(t, err)
	require.Greater(t, seen.Load(), int64(2), "connections are used again")
	require.GreaterOrEqual(t, rate, float64(seen.Load())/time.Since(start).Seconds())
	require.LessOrEqual(t, rate, float64(seen.Load())/0.1)
}

func TestAnswerOfAnotherStatusEndsTheLoad(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	address := serving(t, http.StatusTooManyRequests, &seen)
	_, err := load(t.Context(), address, [][]byte{get(address, "/path", "key")}, http.StatusOK, time.Minute)
	require.ErrorContains(t, err, "the answer is 429, not 200")
}

func TestAnswersAreReadOneByOne(t *testing.T) {
	t.Parallel()
	r := bufio.NewReader(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nA: b\r\n\r\nHTTPHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
	for _, want := range []int{200, 404} {
		status, err := skipAnswer(r)
		require.NoError(t, err)
		require.Equal(t, want, status)
	}
}

func TestUnreadableAnswersAreErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "HTTP/1.1\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nendless", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
	} {
		_, err := skipAnswer(bufio.NewReader(strings.NewReader(text)))
		require.Error(t, err, "%q", text)
	}
}
