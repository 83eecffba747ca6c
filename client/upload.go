package client

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// CreateUpload asks for a ticket to send one file of exactly size bytes to storage. Checks and optimizations of a [File] do
// it by themselves.
func (c *Client) CreateUpload(ctx context.Context, contentType string, size int64) (*Upload, error) {
	return c.ticket(ctx, contentType, size, newKey())
}

func (c *Client) ticket(ctx context.Context, contentType string, size int64, key string) (*Upload, error) {
	body, err := json.Marshal(map[string]any{"size": size, "content_type": contentType})
	if err != nil {
		return nil, fmt.Errorf("veracity: write the request: %w", err)
	}
	var ticket Upload
	if _, err := c.do(ctx, call{method: http.MethodPost, path: "/uploads", body: body, once: key, time: callTime}, &ticket); err != nil {
		return nil, err
	}
	return &ticket, nil
}

// upload gets a ticket for file, sends it there and gives the upload's id.
func (c *Client) upload(ctx context.Context, file *File, key string, sent func(sent, total int64)) (string, error) {
	ticket, err := c.ticket(ctx, file.ContentType, file.Size, key)
	if err != nil {
		return "", err
	}
	return ticket.ID, c.SendUpload(ctx, ticket, file, sent)
}

// SendUpload sends a file to its ticket, again where that may help. Sent, which may be nil, is told how much has gone out,
// from a goroutine of its own. A file that storage refuses is a [*StorageError].
func (c *Client) SendUpload(ctx context.Context, ticket *Upload, file *File, sent func(sent, total int64)) error {
	if file.Size > ticket.MaxBytes {
		return fmt.Errorf("veracity: %s has %d bytes, and the upload takes %d", file.Name, file.Size, ticket.MaxBytes)
	}
	if sent == nil {
		sent = func(int64, int64) {}
	}
	tries := c.tries("upload of " + file.Name)
	for {
		err := c.put(ctx, ticket, file, sent)
		if err == nil {
			return nil
		}
		if err := tries.again(ctx, err, storageRepeatable(err)); err != nil {
			return err
		}
	}
}

func (c *Client) put(ctx context.Context, ticket *Upload, file *File, sent func(sent, total int64)) error {
	ctx, guard := guardStall(ctx)
	defer guard.end()
	body := &outgoing{from: file.reader(), total: file.Size, sent: sent, moved: guard.moved}
	req, err := http.NewRequestWithContext(ctx, ticket.Method, ticket.URL, body)
	if err != nil {
		return permanent(errors.New("veracity: the upload's address or method cannot be used"))
	}
	req.ContentLength = file.Size
	req.Header.Set("User-Agent", c.agent)
	for name, value := range ticket.Headers {
		req.Header.Set(name, value)
	}
	resp, err := c.http.Do(req)
	if broken := body.failure(); err != nil && broken != nil {
		return &FileError{Name: file.Name, Err: broken}
	}
	if err != nil {
		return unreached(ctx, "upload of "+file.Name, err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what is missing of an explanation is no failure of its own
	switch {
	case resp.StatusCode < http.StatusMultipleChoices:
		return nil
	case resp.StatusCode == http.StatusPreconditionFailed:
		// If-None-Match: the file is there, whole, from an attempt whose answer was lost.
		return nil
	}
	return storageRefusal(resp.StatusCode, answer)
}

// storageRefusal reads the answer of a store that speaks as S3 does.
func storageRefusal(status int, answer []byte) *StorageError {
	var told struct {
		Code    string `xml:"Code"`
		Message string `xml:"Message"`
	}
	_ = xml.Unmarshal(answer, &told) // a store that says nothing leaves its status
	return &StorageError{Status: status, Code: told.Code, Message: told.Message}
}

func storageRepeatable(err error) repetition {
	var refused *StorageError
	if !errors.As(err, &refused) {
		return repeatable(err, false, false)
	}
	switch refused.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return backoff
	case http.StatusBadRequest:
		if refused.Code == "RequestTimeout" || refused.Code == "IncompleteBody" {
			return backoff
		}
		return never
	}
	if refused.Status >= http.StatusInternalServerError {
		return backoff
	}
	return never
}
