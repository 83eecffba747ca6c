package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"veracity/platform/fault"
)

// maxAnswerBytes bounds an answer: a report is a few kilobytes, and the engine is not to be trusted once it is taken over.
const maxAnswerBytes = 8 << 20

// Waits that a caller is asked for: an engine that died is back at once, a busy one in a moment.
const (
	retryAfterLoss    = time.Second
	retryAfterTimeout = 2 * time.Second
)

// errOverTime ends an exchange that took longer than the client waits.
var errOverTime = errors.New("over the client's time")

// Client is a Checker and a Worker that asks an engine process. It is safe for concurrent use.
type Client struct {
	cfg  ClientConfig
	base string
	http *http.Client
}

var (
	_ Checker = (*Client)(nil)
	_ Worker  = (*Client)(nil)
)

// NewClient makes a client. It holds no connection between calls, so there is nothing to close.
func NewClient(cfg ClientConfig) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: cfg.Connect}
	dial, base := dialer.DialContext, strings.TrimSuffix(cfg.URL, "/")
	if cfg.Socket != "" {
		base = "http://engine"
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", cfg.Socket)
		}
	}
	var http1 http.Protocols
	http1.SetHTTP1(true) // Expect: 100-continue is what keeps an unread body unread.
	transport := &http.Transport{
		DialContext: dial, Protocols: &http1, DisableCompression: true, Proxy: nil, TLSHandshakeTimeout: cfg.Connect,
		// One call a connection: a refused body is never sent just to keep one usable, and none is left over from an engine
		// that is gone. On a unix socket that costs nothing.
		DisableKeepAlives: true,
		// The transport sends the body unasked when this has passed; the call has been given up by then.
		ExpectContinueTimeout:  2 * max(cfg.Timeout, cfg.JobAdmission),
		MaxResponseHeaderBytes: 64 << 10,
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{cfg: cfg, base: base, http: &http.Client{Transport: transport, CheckRedirect: refuse}}, nil
}

// CheckImage implements Checker. It sends a check once and never again: what to do about a lost one is the caller's to
// decide. When it returns, no Read of src.Body is under way. Besides the faults of Checker it answers errors of
// src.Admitted and src.Body as they are, and ctx's own error when ctx ended.
func (c *Client) CheckImage(ctx context.Context, src Source) (Report, error) {
	answer, err := c.sendImage(ctx, PathCheckImage, src)
	if err != nil {
		return Report{}, err
	}
	var report Report
	if err := json.Unmarshal(answer, &report); err != nil || !report.valid() {
		return Report{}, errBadAnswer("a report that cannot be read")
	}
	return report, nil
}

// AcceptImage implements Worker. It is like CheckImage in all but its answer.
func (c *Client) AcceptImage(ctx context.Context, src Source) (File, error) {
	answer, err := c.sendImage(ctx, PathAcceptImage, src)
	if err != nil {
		return File{}, err
	}
	var file File
	if err := json.Unmarshal(answer, &file); err != nil || !file.valid() {
		return File{}, errBadAnswer("a file that cannot be read")
	}
	return file, nil
}

// sendImage sends an image and answers what the engine says of it.
func (c *Client) sendImage(ctx context.Context, path string, src Source) (answer []byte, err error) {
	if f := c.cfg.incomplete(); f != nil {
		return nil, f
	}
	if f := RefuseSize(src.Size); f != nil {
		return nil, f
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, errOverTime)
	defer cancel()
	body := newGatedBody(ctx, src)
	req, err := c.upload(ctx, path, body, body.open)
	if err != nil {
		return nil, err
	}
	status, answer, err := c.do(req)
	failure := body.seal()
	switch {
	case failure != nil:
		return nil, failure
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, refusal(status, answer)
	}
	return answer, nil
}

// upload is a request that sends body once the engine has admitted it, at which admitted is called.
func (c *Client) upload(ctx context.Context, path string, body *gatedBody, admitted func()) (*http.Request, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: admitted})
	req, err := c.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = body.src.Size
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Expect", "100-continue")
	return req, nil
}

// RefuseSize answers the fault for a file of no bytes or of too many, or nil.
func RefuseSize(size int64) *fault.Fault {
	switch {
	case size <= 0:
		return fault.New(fault.InvalidImage, "The image is empty.")
	case size > MaxImageBytes:
		return fault.New(fault.ImageTooLarge, "The image is larger than %d bytes.", MaxImageBytes)
	}
	return nil
}

// RefuseClip answers the fault for a video or voice clip of no bytes or of too many, or nil.
func RefuseClip(media Media, size int64) *fault.Fault {
	empty, tooLarge := fault.VideoUnsupported, fault.VideoTooLarge
	if media == Audio {
		empty, tooLarge = fault.AudioUnsupported, fault.AudioTooLarge
	}
	switch {
	case size <= 0:
		return fault.New(empty, "The file is empty.")
	case size > MaxClipBytes:
		return fault.New(tooLarge, "The file is larger than %d bytes.", int64(MaxClipBytes))
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the engine: %w", err)
	}
	req.Close = true
	if c.cfg.URL != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Token)
		req.Header.Set(HeaderRegion, c.cfg.Region)
	}
	return req, nil
}

// do sends the request and reads the whole answer. Its errors are faults, but for that of a context that ended.
func (c *Client) do(req *http.Request) (status int, answer []byte, err error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, lost(req.Context(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = readAnswer(req.Context(), resp.Body)
	return resp.StatusCode, answer, err
}

// readAnswer reads an answer that is to be held whole.
func readAnswer(ctx context.Context, body io.Reader) ([]byte, error) {
	answer, err := io.ReadAll(io.LimitReader(body, maxAnswerBytes+1))
	if err != nil {
		return nil, lost(ctx, err)
	}
	if len(answer) > maxAnswerBytes {
		return nil, errBadAnswer("an answer without end")
	}
	return answer, nil
}

// lost says what a broken exchange means: the caller went away, the time is over, or the engine is gone.
func lost(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return unavailable(err)
	case errors.Is(cause, errOverTime):
		return fault.Wrap(err, fault.EngineUnavailable, "The engine did not answer in time. Try again.").
			WithRetryAfter(retryAfterTimeout)
	}
	return fmt.Errorf("ask the engine: %w", ctx.Err())
}

// unavailable is the fault of an engine that is gone or not up yet.
func unavailable(cause error) *fault.Fault {
	return fault.Wrap(cause, fault.EngineUnavailable, "The engine is not available right now. Try again in a moment.").
		WithRetryAfter(retryAfterLoss)
}

// errBadAnswer is the fault of an engine that broke its own protocol.
func errBadAnswer(what string) *fault.Fault {
	return fault.Wrap(fmt.Errorf("the engine answered %s", what), fault.EngineError, "The engine failed. Try again.")
}

// refusal reads an answer other than 200.
func refusal(status int, answer []byte) error {
	var r Refusal
	if err := json.Unmarshal(answer, &r); err != nil {
		return errBadAnswer(fmt.Sprintf("status %d without a reason", status))
	}
	return r.Fault()
}

// Ready implements Checker: nil when the engine takes checks, model_unavailable when it does all but them.
func (c *Client) Ready(ctx context.Context) error {
	state, err := c.State(ctx)
	switch {
	case err != nil:
		return err
	case state.Ready:
		return nil
	case state.Code == fault.ModelUnavailable:
		return fault.Wrap(errors.New(state.Reason), fault.ModelUnavailable, "The detection models are not ready. Try again later.")
	}
	return unavailable(errors.New(state.Reason))
}

// State asks the engine after its state, which it also tells while it takes no checks.
func (c *Client) State(ctx context.Context) (State, error) {
	status, answer, err := c.ask(ctx, PathReady)
	if err != nil {
		return State{}, err
	}
	var state State
	readable := json.Unmarshal(answer, &state) == nil
	if !readable || (status != http.StatusOK && status != http.StatusServiceUnavailable) {
		return State{}, refusal(status, answer)
	}
	return state, nil
}

// Alive answers nil when the engine's process responds at all.
func (c *Client) Alive(ctx context.Context) error {
	status, _, err := c.ask(ctx, PathAlive)
	if err == nil && status != http.StatusOK {
		err = errBadAnswer(fmt.Sprintf("status %d when asked for a sign of life", status))
	}
	return err
}

func (c *Client) ask(ctx context.Context, path string) (status int, answer []byte, err error) {
	if f := c.cfg.incomplete(); f != nil {
		return 0, nil, f
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.ReadyTimeout, errOverTime)
	defer cancel()
	req, err := c.request(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	return c.do(req)
}
