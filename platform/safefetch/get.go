package safefetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits bound one fetch.
type Limits struct {
	// MaxBytes is the largest body accepted, in bytes. Above 0.
	MaxBytes int64
	// Total is the time from the call of Get to the last byte read, redirects included. Above 0.
	Total time.Duration
}

// Response is an answer with status 200.
type Response struct {
	// Body streams the answer. Its reads give an [Error] of kind [TooLarge] past Limits.MaxBytes and [Unreachable] when
	// the peer is too slow or sends less than it declared. The caller closes it.
	Body io.ReadCloser
	// Size is the declared length in bytes, or -1 when the server declared none.
	Size int64
	// ContentType is the header as sent: a claim, never to be trusted.
	ContentType string
	// FinalURL is the URL that answered, after redirects.
	FinalURL string
}

// Get fetches a source. It follows at most Config.MaxRedirects redirects, each under the rules of CheckURL; one from
// https to http is followed, since plain http is a source in its own right and no request carries a secret. Errors are
// an [*Error] of any kind, or the error of ctx when that has ended, also when the time limit of the fetch ran out.
func (f *Fetcher) Get(ctx context.Context, rawURL string, limits Limits) (*Response, error) {
	if limits.MaxBytes <= 0 || limits.Total <= 0 {
		return nil, fmt.Errorf("fetch: limits %d bytes and %s must be above 0", limits.MaxBytes, limits.Total)
	}
	u, err := f.CheckURL(rawURL)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, limits.Total, errTotal)
	resp, err := f.follow(limited, u)
	if err != nil {
		err = explain(ctx, limited, err)
		cancel()
		return nil, err
	}
	if err := acceptable(resp, limits.MaxBytes); err != nil {
		_ = resp.Body.Close()
		cancel()
		return nil, err
	}
	return &Response{
		Body: &cappedBody{
			source:  resp.Body,
			max:     limits.MaxBytes,
			left:    limits.MaxBytes,
			explain: func(err error) error { return explain(ctx, limited, err) },
			release: cancel,
		},
		Size:        resp.ContentLength,
		ContentType: resp.Header.Get("Content-Type"),
		FinalURL:    resp.Request.URL.String(),
	}, nil
}

// follow requests u and what it redirects to, and returns the first answer that is no redirect.
func (f *Fetcher) follow(ctx context.Context, u *url.URL) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := f.send(ctx, http.MethodGet, u, http.Header{"Accept": {"*/*"}}, nil)
		if err != nil {
			return nil, err
		}
		if !isRedirect(resp.StatusCode) {
			return resp, nil
		}
		_ = resp.Body.Close()
		if hops == f.cfg.MaxRedirects {
			return nil, &Error{Unreachable, "The URL redirects too many times.", nil}
		}
		if u, err = f.redirectTarget(resp); err != nil {
			return nil, err
		}
	}
}

// redirectTarget checks where a redirect leads by the rules of a URL that the caller gave.
func (f *Fetcher) redirectTarget(resp *http.Response) (*url.URL, error) {
	target, err := resp.Location()
	if err != nil {
		return nil, &Error{Unreachable, "The URL answers a redirect that leads nowhere.", withoutURL(err)}
	}
	u, err := f.CheckURL(target.String())
	if err != nil {
		return nil, invalid("The URL redirects to one that is not allowed.", err)
	}
	return u, nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// acceptable refuses by the headers alone what need not be read.
func acceptable(resp *http.Response, maxBytes int64) error {
	if resp.StatusCode != http.StatusOK {
		return &Error{Unreachable, fmt.Sprintf("The URL answered with status %d.", resp.StatusCode), nil}
	}
	// Identity was asked for; unpacking anything else here would let a small answer grow without bound.
	for _, encoding := range resp.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(encoding), "identity") {
			return &Error{Unreachable, "The server sent the file compressed although it was asked not to.", nil}
		}
	}
	if resp.ContentLength > maxBytes {
		return tooLarge(maxBytes)
	}
	return nil
}

func tooLarge(maxBytes int64) *Error {
	return &Error{TooLarge, fmt.Sprintf("The file is larger than %d bytes.", maxBytes), nil}
}
