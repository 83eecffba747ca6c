package safefetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// excerptBytes is how much of a receiver's answer is kept.
const excerptBytes = 1 << 10

// PostResult is what a receiver answered, whatever its status.
type PostResult struct {
	Status int
	Header http.Header
	// Excerpt is the first 1 KiB of the answer's body, or less when it ended or broke off before.
	Excerpt []byte
	// Latency is the time from the call to the answer's headers.
	Latency time.Duration
}

// Post delivers body to rawURL with the headers given and follows no redirect. The URL is checked as by CheckURL and
// must be https, unless the destination is on the allow list. It ends after timeout, or sooner when the receiver is
// silent for Config.IdleTimeout. Any answer is a result; errors are an [*Error] of kind [InvalidURL], [Forbidden] or
// [Unreachable], or the error of ctx when that has ended.
func (f *Fetcher) Post(
	ctx context.Context, rawURL string, header http.Header, body []byte, timeout time.Duration,
) (*PostResult, error) {
	if timeout <= 0 {
		return nil, fmt.Errorf("post: timeout %s must be above 0", timeout)
	}
	u, err := f.checkReceiver(rawURL)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errTotal)
	defer cancel()
	start := time.Now()
	resp, err := f.send(limited, http.MethodPost, u, header, bytes.NewReader(body))
	if err != nil {
		return nil, explain(ctx, limited, err)
	}
	defer func() { _ = resp.Body.Close() }()
	result := &PostResult{Status: resp.StatusCode, Header: resp.Header, Latency: time.Since(start)}
	// The status alone decides about a delivery, so a body that breaks off is kept as far as it came.
	result.Excerpt, _ = io.ReadAll(io.LimitReader(resp.Body, excerptBytes))
	return result, nil
}

func (f *Fetcher) checkReceiver(rawURL string) (*url.URL, error) {
	u, err := f.CheckURL(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "https" && !f.allow[destination(u)] {
		return nil, invalid("The URL must begin with https://.", nil)
	}
	return u, nil
}
