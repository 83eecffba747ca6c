package openapitest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

const jobPath = "/api/v1/optimize/7f3c1e52-94b6-4d0a-8f27-3a5b6c9d1e80"

// plain are the headers of every answer that is an object.
func plain(more ...string) http.Header {
	h := http.Header{}
	h.Set("Request-Id", "0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f50")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "application/json")
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

func TestEveryExampleOfTheDocumentIsAnAnswerOfIt(t *testing.T) {
	t.Parallel()
	doc, err := Strict()
	require.NoError(t, err)
	checked := 0
	for template, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				for kind, media := range response.Value.Content {
					for name, example := range media.Examples {
						body, err := json.Marshal(example.Value.Value)
						require.NoError(t, err)
						a := Answer{Method: method, Path: prefix + strings.ReplaceAll(template, "{id}", "7f"), Header: plain("Content-Type", kind), Body: body}
						a.Status, err = strconv.Atoi(status)
						require.NoError(t, err)
						for name, header := range response.Value.Headers {
							if a.Header.Get(name) == "" && header.Value.Required {
								a.Header.Set(name, exemplary[name])
							}
						}
						require.NoError(t, a.Check(t.Context()), "%s of %s %s %s", name, method, template, status)
						checked++
					}
				}
			}
		}
	}
	require.Greater(t, checked, 80, "all operations have examples")
}

// exemplary are values of headers that some answers must have.
var exemplary = map[string]string{"WWW-Authenticate": "Bearer", "Retry-After": "2", "Content-Range": "bytes */17"}

func TestWhatTheDocumentDoesNotDescribeIsRefused(t *testing.T) {
	t.Parallel()
	pending := `{"id":"7f3c1e52-94b6-4d0a-8f27-3a5b6c9d1e80","status":"queued","media":"image"`
	good := Answer{http.MethodGet, jobPath, 200, plain("RateLimit", `"minute";r=299;t=1`), []byte(pending + "}")}
	require.NoError(t, good.Check(t.Context()))
	for name, change := range map[string]func(*Answer){
		"an unknown member":       func(a *Answer) { a.Body = []byte(pending + `,"eta":5}`) },
		"a missing member":        func(a *Answer) { a.Body = []byte(`{"status":"queued","media":"image"}`) },
		"null":                    func(a *Answer) { a.Body = []byte(`null`) },
		"a value beside the list": func(a *Answer) { a.Body = []byte(strings.Replace(pending, "queued", "waiting", 1) + "}") },
		"no UUID":                 func(a *Answer) { a.Body = []byte(strings.Replace(pending, "7f3c", "7F3C", 1) + "}") },
		"no JSON":                 func(a *Answer) { a.Body = []byte(pending) },
		"two values":              func(a *Answer) { a.Body = []byte(pending + "}{}") },
		"no body":                 func(a *Answer) { a.Body = nil },
		"an ended job, half told": func(a *Answer) { a.Body = []byte(strings.Replace(pending, "queued", "succeeded", 1) + "}") },
		"a failed one with a file": func(a *Answer) {
			a.Body = []byte(strings.Replace(pending, "queued", "failed", 1) + `,"file_url":"http://x/"}`)
		},
		"another status":           func(a *Answer) { a.Status = 201 },
		"a redirect":               func(a *Answer) { a.Status = 301 },
		"another content type":     func(a *Answer) { a.Header.Set("Content-Type", "text/plain") },
		"no content type":          func(a *Answer) { a.Header.Del("Content-Type") },
		"an undescribed header":    func(a *Answer) { a.Header.Set("X-Powered-By", "gophers") },
		"a header twice":           func(a *Answer) { a.Header.Add("RateLimit", `"minute";r=299;t=1`) },
		"a header of another form": func(a *Answer) { a.Header.Set("RateLimit", "299") },
		"a missing header":         func(a *Answer) { a.Header.Del("Request-Id") },
		"an undescribed path":      func(a *Answer) { a.Path = "/api/v1/optimise/7f" },
		"an undescribed method":    func(a *Answer) { a.Method = http.MethodDelete },
		"a page of the portal":     func(a *Answer) { a.Path = "/pricing" },
	} {
		a := good
		a.Header = maps.Clone(good.Header)
		change(&a)
		require.Error(t, a.Check(t.Context()), name)
	}
}

func TestRefusalsAreHeldAgainstTheCodesThatTheirAnswerLists(t *testing.T) {
	t.Parallel()
	refuse := func(method, path string, status int, body string, headers ...string) error {
		return Answer{method, path, status, plain(headers...), []byte(body)}.Check(t.Context())
	}
	object := func(code string) string { return `{"code":"` + code + `","message":"No."}` }
	post, get := http.MethodPost, http.MethodGet
	require.NoError(t, refuse(post, "/api/v1/audit", 404, object("upload_not_found")))
	require.Error(t, refuse(post, "/api/v1/audit", 404, object("not_found")), "a code of another call")
	require.Error(t, refuse(post, "/api/v1/audit", 400, object("quota_exceeded")), "a code of another status")
	require.Error(t, refuse(get, jobPath+"/file", 401, object("invalid_key"), "WWW-Authenticate", "Bearer"), "downloads need no key")
	require.NoError(t, refuse(get, jobPath, 401, object("invalid_key"), "WWW-Authenticate", "Bearer"))
	require.Error(t, refuse(get, jobPath, 401, object("invalid_key")))
	require.NoError(t, refuse(get, jobPath, 429, object("rate_limited"), "Retry-After", "2"))
	require.Error(t, refuse(get, jobPath, 429, object("rate_limited"), "Retry-After", "soon"))
	require.Error(t, refuse(get, jobPath, 429, object("rate_limited"), "Retry-After", "0"))
	require.Error(t, refuse(get, jobPath, 429, object("rate_limited")))

	quota := `{"code":"quota_exceeded","message":"No.","detail":{"required":2,"available":1,"resets_at":"2026-02-01T00:00:00Z"}}`
	require.NoError(t, refuse(post, "/api/v1/audit", 402, quota))
	require.Error(t, refuse(post, "/api/v1/audit", 402, object("quota_exceeded")), "its detail is stable")
	require.Error(t, refuse(post, "/api/v1/audit", 402, strings.Replace(quota, `"required"`, `"needed"`, 1)))
	require.Error(t, refuse(post, "/api/v1/audit", 402, strings.Replace(quota, "T00:00:00Z", "", 1)))
	require.NoError(t, refuse(post, "/api/v1/audit", 402, object("payment_failed")))
	require.Error(t, refuse(post, "/api/v1/uploads", 402, quota), "a ticket costs nothing")

	require.NoError(t, refuse(get, "/api/v1/nothing", 404, object("not_found")))
	require.Error(t, refuse(get, "/api/v1/nothing", 404, object("unknown_job")))
	require.Error(t, refuse(get, "/api/v1/nothing", 200, `{}`))
	require.NoError(t, refuse(http.MethodPut, "/api/v1/audit", 405, object("method_not_allowed"), "Allow", "POST"))
	require.Error(t, refuse(http.MethodPut, "/api/v1/audit", 405, object("method_not_allowed")))
	require.NoError(t, refuse(post, "/api/v1/nothing", 413, object("image_too_large")))
}

func TestWebhooksAreHeldAgainstTheirDescription(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Service-Signature": "sha256=" + strings.Repeat("0a", 32),
		"Webhook-Id": "0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f50", "Webhook-Timestamp": "1760000000",
		"Webhook-Signature": "v1,wWBRT4aqZia9IE2VUdKDlVfjjjqNIVzX0R6X+kwidOw=",
	} {
		header.Set(name, value)
	}
	failed := []byte(`{"id":"5f0c7d1e-8a44-4a53-b4a1-3c2f6d9e7b10","status":"failed","media":"image","error":{"code":"job_timeout","message":"No."}}`)
	require.NoError(t, CheckWebhook(header, failed))
	require.Error(t, CheckWebhook(header, []byte(`{"id":"5f0c7d1e-8a44-4a53-b4a1-3c2f6d9e7b10","status":"queued","media":"image"}`)), "it has not ended")
	require.Error(t, CheckWebhook(header, []byte(`{}`)))
	for name := range header {
		without := header.Clone()
		without.Del(name)
		require.Error(t, CheckWebhook(without, failed), name)
		without.Set(name, "x")
		require.Error(t, CheckWebhook(without, failed), name)
	}
}

func TestStrictDocumentLeavesOpenWhatSaysSo(t *testing.T) {
	t.Parallel()
	doc, err := Strict()
	require.NoError(t, err)
	var open []string
	for name, schema := range doc.Components.Schemas {
		if closed := schema.Value.AdditionalProperties.Has; schema.Value.Type.Is(openapi3.TypeObject) && (closed == nil || *closed) {
			open = append(open, name)
		}
	}
	slices.Sort(open)
	require.Equal(t, []string{"Description", "Detail"}, open)
}
