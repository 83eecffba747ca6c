package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	readTime  = 30 * time.Second
	callTime  = 2 * time.Minute
	fetchTime = 6*time.Minute + 30*time.Second

	// maxAnswer is the longest answer that is read, in bytes: detail=full of a long clip stays far below.
	maxAnswer = 16 << 20
)

// call is one call of the API.
type call struct {
	method, path string
	query        url.Values
	// body is sent as JSON; nil is no body.
	body []byte
	// once is the Idempotency-Key of a POST.
	once string
	// uploaded is set when the body names an upload, which a failed attempt may have used up.
	uploaded bool
	// time bounds one attempt.
	time time.Duration
}

func (c call) String() string { return c.method + " " + prefix + c.path }

// do makes the call, again where that may help, and reads its answer into into. It gives the answer's headers.
func (c *Client) do(ctx context.Context, call call, into any) (http.Header, error) {
	if c.attempt > 0 {
		call.time = c.attempt
	}
	tries := c.tries(call.String())
	for later := false; ; later = true {
		header, err := c.try(ctx, call, into)
		if err == nil {
			return header, nil
		}
		if err := tries.again(ctx, err, repeatable(err, later, call.uploaded)); err != nil {
			return nil, err
		}
	}
}

// try makes one attempt.
func (c *Client) try(ctx context.Context, call call, into any) (http.Header, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, call.time, fmt.Errorf("no answer within %s", call.time))
	defer cancel()
	req, err := c.request(ctx, call)
	if err != nil {
		return nil, permanent(err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreached(ctx, call.String(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, unreached(ctx, call.String(), fmt.Errorf("read the answer: %w", err))
	case len(body) > maxAnswer:
		return nil, permanent(fmt.Errorf("veracity: %s: the answer is over %d bytes", call, maxAnswer))
	case resp.StatusCode >= http.StatusMultipleChoices:
		return nil, refusal(call.String(), resp, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, permanent(fmt.Errorf("veracity: %s: read the answer: %w", call, err))
	}
	return resp.Header, nil
}

func (c *Client) request(ctx context.Context, call call) (*http.Request, error) {
	target := c.base + prefix + call.path
	if len(call.query) > 0 {
		target += "?" + call.query.Encode()
	}
	// A nil *bytes.Reader in an io.Reader would not be nil.
	var body io.Reader
	if call.body != nil {
		body = bytes.NewReader(call.body)
	}
	req, err := http.NewRequestWithContext(ctx, call.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("veracity: %s: %w", call, err)
	}
	req.Header.Set("X-API-Key", c.key)
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "application/json")
	if call.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if call.once != "" {
		req.Header.Set("Idempotency-Key", call.once)
	}
	return req, nil
}

// unreached is an attempt without a whole answer. net/http's own error is unwrapped: it repeats the address, and those of
// uploads have signatures in them.
func unreached(ctx context.Context, what string, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	// Of a context that ended, its cause says more.
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("veracity: %s: %w", what, err)
}

// refusal reads an answer that is none of the 2xx.
func refusal(what string, resp *http.Response, body []byte) *Error {
	e := &Error{
		Call: what, Status: resp.StatusCode, RequestID: resp.Header.Get("Request-Id"),
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
	var told struct {
		Code    Code            `json:"code"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &told) == nil && told.Code != "" {
		e.Code, e.Message, e.Detail = told.Code, told.Message, told.Detail
		return e
	}
	e.Message = http.StatusText(resp.StatusCode)
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode < http.StatusBadRequest {
		e.Message = fmt.Sprintf("redirected to %.200q, which is not followed: is the address of the service right?", to)
	}
	return e
}

// longestRetryAfter bounds what is believed of a Retry-After.
const longestRetryAfter = 24 * time.Hour

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3), 0 where there is neither.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		if seconds > int64(longestRetryAfter/time.Second) {
			return longestRetryAfter
		}
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, at.Sub(now)), longestRetryAfter)
	}
	return 0
}

// newKey makes an Idempotency-Key.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
