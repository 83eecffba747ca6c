package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// outcome is how the program answered a check.
type outcome struct {
	status     int
	retryAfter string
	took       time.Duration
	// Code is "" on success. Decode is the engine's own time to decode, in milliseconds.
	Code   string `json:"code"`
	Detail struct {
		Timings struct {
			Decode float64 `json:"decode"`
		} `json:"timings_ms"`
	} `json:"detail"`
}

// newClient keeps as many connections as there are callers.
func newClient(callers int) *http.Client {
	return &http.Client{
		Transport: &http.Transport{Proxy: nil, MaxIdleConnsPerHost: callers, DisableCompression: true},
		Timeout:   time.Minute,
	}
}

// check sends POST /audit once.
func (r *rig) check(ctx context.Context, client *http.Client, key string, body []byte) (outcome, error) {
	url := "http://" + r.address + "/api/v1/audit?detail=full"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return outcome{}, fmt.Errorf("write a check: %w", err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	start := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return outcome{}, fmt.Errorf("send a check: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return outcome{}, fmt.Errorf("read the answer of a check: %w", err)
	}
	o := outcome{status: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After"), took: time.Since(start)}
	if err := json.Unmarshal(answer, &o); err != nil {
		return outcome{}, fmt.Errorf("read the answer of a check: %w", err)
	}
	return o, nil
}
