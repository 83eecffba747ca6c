package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"veracity/engine/c2pa/timestamp"
)

const (
	// maxToken is the room for a time-stamp, in bytes. Tokens of public authorities, certificates included, have 2 to 7 KB.
	maxToken = 10 << 10
	// askTime bounds the wait for a time-stamp.
	askTime = 10 * time.Second
)

// ask has the authority stamp the message (RFC 3161, section 3.4).
func ask(ctx context.Context, address string, message []byte) ([]byte, error) {
	request, err := timestamp.Request(message)
	if err != nil {
		return nil, fmt.Errorf("ask for a time-stamp: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(request))
	if err != nil {
		return nil, fmt.Errorf("ask for a time-stamp: %w", err)
	}
	req.Header.Set("Content-Type", "application/timestamp-query")
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		// The client's own error repeats the address, which may hold a key.
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return nil, fmt.Errorf("ask for a time-stamp: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 2*maxToken))
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask for a time-stamp: %w", err)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("ask for a time-stamp: the authority answered with status %d", resp.StatusCode)
	case len(body) == 2*maxToken:
		return nil, errors.New("ask for a time-stamp: the answer is too long")
	}
	return timestamp.Token(body, request, message)
}
