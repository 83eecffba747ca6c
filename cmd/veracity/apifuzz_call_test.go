package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/api/openapi/openapitest"
)

// fuzzCall is one request of the fuzzer, and what is known of it.
type fuzzCall struct {
	caller *fuzzCaller
	// operation is the path of the document that it was drawn for.
	operation string
	method    string
	// path is everything behind the host.
	path    string
	headers [][2]string
	body    string
	// chunked sends a body whose length nobody says.
	chunked bool
	// keyed says that what it calls asks for a key.
	keyed bool
	// valid says that the body is one that the document takes.
	valid bool
	// patience is how long a caller who leaves waits.
	patience time.Duration
}

// String is what is needed to send it again.
func (c fuzzCall) String() string {
	return fmt.Sprintf("%s %.2000q of account %s, chunked %t, headers %.2000q, body of %d bytes %.6000q",
		c.method, c.path, c.caller.account, c.chunked, c.headers, len(c.body), c.body)
}

// fuzzTransport neither follows redirects nor unpacks anything. Who says Expect: 100-continue waits for that: a server that
// answers without the body has the connection cut under it.
var fuzzTransport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: fuzzers, ExpectContinueTimeout: hang}

func (c fuzzCall) send(ctx context.Context) (openapitest.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*hang)
	defer cancel()
	target, err := url.Parse(c.caller.url + c.path)
	if err != nil {
		return openapitest.Answer{}, fmt.Errorf("the fuzzer drew no URL: %w", err)
	}
	var body io.Reader = strings.NewReader(c.body)
	if c.chunked {
		body = io.MultiReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, target.String(), body)
	if err != nil {
		return openapitest.Answer{}, fmt.Errorf("make request: %w", err)
	}
	for _, header := range c.headers {
		req.Header[header[0]] = append(req.Header[header[0]], header[1])
	}
	resp, err := fuzzTransport.RoundTrip(req)
	if err != nil {
		return openapitest.Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	return openapitest.Answer{
		Method: c.method, Path: req.URL.EscapedPath(), Status: resp.StatusCode, Header: resp.Header, Body: got,
	}, err
}

// codeOf is the code of an error object, "" for all else.
func codeOf(body []byte) string { return member(body, "code") }

// member is a text in a JSON object.
func member(body []byte, name string) string {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return ""
	}
	text, _ := object[name].(string)
	return text
}

// logged are the lines of the log that hold a text.
func (f *fuzz) logged(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(f.log.String()) {
		if strings.Contains(line, text) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// warnings are the last lines of the log that are no plain record of a request.
func (f *fuzz) warnings() string {
	all := f.logged(`"level":"WARN"`)
	return all[max(0, len(all)-20_000):]
}

// namesAnothers says whether the request asks for a job, or sends an upload, of an account that is not its caller's.
func (f *fuzz) namesAnothers(call fuzzCall) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := strings.ToLower(call.path)
	for _, job := range f.jobs {
		if job.owner != call.caller && strings.Contains(path, job.id) {
			return true
		}
	}
	var sent map[string]any
	if json.Unmarshal([]byte(call.body), &sent) != nil {
		return false
	}
	for _, upload := range f.uploads {
		for _, field := range []string{"image_upload_id", "video_upload_id", "audio_upload_id"} {
			if upload.owner != call.caller && sent[field] == upload.id {
				return true
			}
		}
	}
	return false
}

// put gets a ticket and sends a file to it.
func (c *fuzzCaller) put(ctx context.Context, contentType string, data []byte) (id string, err error) {
	ask := fuzzCall{
		caller: c, method: http.MethodPost, path: "/api/v1/uploads", headers: [][2]string{{"X-Api-Key", c.key}},
		body: object("size", len(data), "content_type", contentType),
	}
	r, err := ask.send(ctx)
	if err != nil || r.Status != http.StatusOK {
		return uuid.NewString(), err // such as over the requests a minute
	}
	var ticket struct {
		ID, Method string
		URL        string `json:"upload_url"`
		Headers    map[string]string
	}
	if err := json.Unmarshal(r.Body, &ticket); err != nil {
		return "", fmt.Errorf("read ticket: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, ticket.Method, ticket.URL, strings.NewReader(string(data)))
	if err != nil {
		return "", fmt.Errorf("make PUT: %w", err)
	}
	for name, value := range ticket.Headers {
		req.Header.Set(name, value)
	}
	resp, err := fuzzTransport.RoundTrip(req)
	if err != nil {
		return "", fmt.Errorf("put: %w", err)
	}
	return ticket.ID, resp.Body.Close()
}
