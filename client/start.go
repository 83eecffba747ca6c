package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
)

// starting is what starts a check or an optimization, beside its source.
type starting struct {
	path    string
	query   url.Values
	seconds float64
	// more are further fields of the body.
	more map[string]any
	// key is the caller's Idempotency-Key, "" for a random one.
	key  string
	sent func(sent, total int64)
}

// uploads is how often a file is sent for one act: a failure within the service may use an upload up.
const uploads = 3

// start makes the POST of a check or an optimization.
func (c *Client) start(ctx context.Context, src Source, s starting, into any) error {
	if s.key == "" {
		s.key = newKey()
	}
	for round := 1; ; round++ {
		sent, err := c.send(ctx, src, s.key, round, s.sent)
		if err != nil {
			return err
		}
		err = c.startSent(ctx, sent, s, into)
		if err == nil || !sent.again || round >= min(uploads, c.retry.Attempts) || !usedUp(err) {
			return err
		}
		post := call{method: http.MethodPost, path: s.path}.String()
		wait := c.retry.First + jitter(c.retry.First)
		c.notice(Notice{Call: post, Err: err, Wait: wait})
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("veracity: %s: %w", post, err)
		}
	}
}

func (c *Client) startSent(ctx context.Context, sent sending, s starting, into any) error {
	fields := sent.fields
	maps.Copy(fields, s.more)
	if s.seconds != 0 {
		fields["seconds"] = s.seconds
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("veracity: write the request: %w", err)
	}
	limit := callTime
	if sent.fetched {
		limit = fetchTime
	}
	_, err = c.do(ctx, call{
		method: http.MethodPost, path: s.path, query: s.query, body: body, once: s.key, uploaded: sent.uploaded, time: limit,
	}, into)
	return err
}

// usedUp tells a failure that may have used up an upload and that the same file, sent anew, may not meet.
func usedUp(err error) bool {
	switch CodeOf(err) { //nolint:exhaustive // all other codes leave it usable or would come again
	case CodeInternalError, CodeEngineError, CodeTrackingFailed, CodeUploadNotFound:
		return true
	}
	return false
}
