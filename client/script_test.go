package client

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const testKey = "svc_live_test"

// script answers one request after another, and its last answer to all that follow. It works in bubbles of synctest,
// where a network does not.
type script struct {
	mu      sync.Mutex
	answers []func(*http.Request) (*http.Response, error)
	got     []seen
}

// seen is a request as the script saw it.
type seen struct {
	*http.Request
	body string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	s.mu.Lock()
	at := min(len(s.got), len(s.answers)-1)
	s.got = append(s.got, seen{r, string(body)})
	s.mu.Unlock()
	return s.answers[at](r)
}

func answering(answers ...func(*http.Request) (*http.Response, error)) *script {
	return &script{answers: answers}
}

// answers is an answer with that status and JSON; headers come in pairs.
func answers(status int, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Request-Id": {"req-1"}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
		}, nil
	}
}

// refuses is a refusal in the service's shape; 0 seconds send no Retry-After.
func refuses(status int, code Code, seconds int) func(*http.Request) (*http.Response, error) {
	body := `{"code":"` + string(code) + `","message":"No."}`
	if seconds == 0 {
		return answers(status, body)
	}
	return answers(status, body, "Retry-After", strconv.Itoa(seconds))
}

func breaks(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

var errReset = errors.New("connection reset by peer")

const checked = `{"verdict":"ai","score":98,"decided_by":"provenance","lanes":{"pixels":{"verdict":"unavailable","score":0},` +
	`"watermark":{"verdict":"none","score":0},"provenance":{"verdict":"ai","issuer":"A tool"}},"media":"image"}`

// through is a client whose calls the script answers.
func through(t *testing.T, s *script, options ...Option) *Client {
	t.Helper()
	c, err := New("https://veracity.test", testKey, append([]Option{WithHTTPClient(&http.Client{Transport: s})}, options...)...)
	require.NoError(t, err)
	return c
}
