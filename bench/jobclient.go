package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// jobClient starts and follows one customer's jobs over the API.
type jobClient struct {
	base, key string
	http      *http.Client
}

func newJobClient(r *rig, c customer) *jobClient {
	return &jobClient{base: "http://" + r.address, key: c.key, http: newClient(1)}
}

func (c *jobClient) close() { c.http.CloseIdleConnections() }

// call sends one request and reads its answer, which must have the given status.
func (c *jobClient) call(ctx context.Context, method, path string, body []byte, want int, answer any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write a request: %w", err)
	}
	req.Header.Set("X-API-Key", c.key)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.do(req, want, answer)
}

func (c *jobClient) do(req *http.Request, want int, answer any) error {
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("send a request: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	if resp.StatusCode != want {
		return fmt.Errorf("%s %s was answered %d: %s", req.Method, req.URL.Path, resp.StatusCode, bytes.TrimSpace(text))
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	return nil
}

// jobState is a job as the API tells of it.
type jobState struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// begin starts a job and gives its id.
func (c *jobClient) begin(ctx context.Context, path string, body []byte) (string, error) {
	var job jobState
	err := c.call(ctx, http.MethodPost, path, body, http.StatusAccepted, &job)
	return job.ID, err
}

// state asks after a job that was begun at path.
func (c *jobClient) state(ctx context.Context, path, id string) (jobState, error) {
	var job jobState
	err := c.call(ctx, http.MethodGet, path+"/"+id, nil, http.StatusOK, &job)
	return job, err
}

// upload puts a file onto a ticket and gives the ticket's id.
func (c *jobClient) upload(ctx context.Context, path, contentType string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open an upload: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at an upload: %w", err)
	}
	body, err := json.Marshal(map[string]any{"size": info.Size(), "content_type": contentType})
	if err != nil {
		return "", fmt.Errorf("write a request: %w", err)
	}
	var ticket struct {
		ID      string            `json:"id"`
		URL     string            `json:"upload_url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
	}
	if err := c.call(ctx, http.MethodPost, "/api/v1/uploads", body, http.StatusOK, &ticket); err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, ticket.Method, ticket.URL, f)
	if err != nil {
		return "", fmt.Errorf("write an upload: %w", err)
	}
	req.ContentLength = info.Size()
	for name, value := range ticket.Headers {
		req.Header.Set(name, value)
	}
	return ticket.ID, c.do(req, http.StatusOK, nil)
}

// timeVideoCheck gives the time from the call that starts a check of an uploaded video to the answer that says that it has
// succeeded. The upload is not in it: how long that takes is the network's affair.
func (c *jobClient) timeVideoCheck(ctx context.Context, upload string, worker *server) (time.Duration, error) {
	body, err := json.Marshal(map[string]string{"video_upload_id": upload})
	if err != nil {
		return 0, fmt.Errorf("write a check: %w", err)
	}
	start := time.Now()
	id, err := c.begin(ctx, auditPath, body)
	if err != nil {
		return 0, err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		job, err := c.state(ctx, auditPath, id)
		switch {
		case err != nil:
			return 0, err
		case job.Status == "succeeded":
			return time.Since(start), nil
		case job.Status == "failed":
			return 0, fmt.Errorf("a video check failed: %s %s", job.Error.Code, job.Error.Message)
		}
		if err := worker.failed(); err != nil {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("wait for a video check: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
