package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawing draws one request for a caller.
type drawing struct {
	*fuzz
	rt     *rapid.T
	caller *fuzzCaller
}

// pick draws one of some: by its number, since rapid prints what was drawn, and some of it is megabytes.
func pick[T any](d *drawing, what string, from ...T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(d.rt, what)]
}

// oneIn is true once in n times.
func (d *drawing) oneIn(n int, what string) bool {
	return rapid.IntRange(0, n-1).Draw(d.rt, what) == n-1
}

// call draws a request: valid, nearly valid or hostile.
func (d *drawing) call() fuzzCall {
	template := pick(d, "path", slices.Sorted(maps.Keys(d.doc.Paths.Map()))...)
	if d.oneIn(2, "a POST that costs") {
		template = pick(d, "which", "/audit", "/audit", "/optimize", "/mcp")
	}
	if template == "/mcp" && d.caller.serves {
		d.caller = d.assistant
	}
	operations := d.doc.Paths.Value(template).Operations()
	method := pick(d, "method", slices.Sorted(maps.Keys(operations))...)
	op := operations[method]
	call := fuzzCall{
		caller: d.caller, operation: template, method: method, chunked: d.oneIn(4, "chunked"),
		patience: time.Duration(rapid.IntRange(0, 30).Draw(d.rt, "patience")) * time.Millisecond,
	}
	call.path = "/api/v1" + d.fill(template) + d.query(op)
	call.headers = d.headers(op)
	if template == "/mcp" && !d.oneIn(5, "headers of no MCP client") {
		call.headers = [][2]string{{"Accept", "application/json, text/event-stream"}, {"Content-Type", "application/json"}}
	}
	if op.RequestBody != nil {
		call.body, call.valid = d.body(op.RequestBody.Value)
	} else if d.oneIn(8, "body of a GET") {
		call.body = d.hostileBody()
	}
	if d.oneIn(10, "another method") {
		call.method = pick(d, "odd method", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO", "get", "PROPFIND", "M-SEARCH", "post")
	}
	call.keyed = op.Security == nil && call.method == method
	call.headers = append(call.headers, d.key()...)
	return call
}

// key draws how the key is sent.
func (d *drawing) key() [][2]string {
	if d.caller.key == "" {
		return pick(d, "no key", nil, [][2]string{{"X-Api-Key", ""}}, [][2]string{{"X-Api-Key", strings.Repeat("k", 5000)}},
			[][2]string{{"Authorization", "Basic dTpw"}}, [][2]string{{"Authorization", "Bearer"}}, [][2]string{{"Authorization", "Bearer svc_live_\xff"}},
			[][2]string{{"X-Api-Key", "svc_live_" + strings.Repeat("0", 36)}}, [][2]string{{"Cookie", "session=1"}})
	}
	return pick(d, "key", [][2]string{{"X-Api-Key", d.caller.key}}, [][2]string{{"Authorization", "bEARER " + d.caller.key}},
		[][2]string{{"X-Api-Key", d.caller.key}, {"X-Api-Key", "wrong"}}, [][2]string{{"X-Api-Key", " " + d.caller.key + " "}})
}

// fill draws an id for a path: of a job of the caller's, of another's, of none.
func (d *drawing) fill(template string) string {
	if !strings.Contains(template, "{id}") {
		if d.oneIn(15, "another path") {
			template += pick(d, "end of path", "/", "//", "/..", "%00", "%2f", ";a=b", "/x", "%20", "\xc3\xa9", "/../audit")
		}
		return template
	}
	return strings.ReplaceAll(template, "{id}", d.jobID())
}

func (d *drawing) jobID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.jobs) == 0 || d.oneIn(3, "no job") {
		return pick(d, "no id", uuid.NewString(), "17", "%00", "..", "%2e%2e", "%2F", "a%2Fb", "{id}", "%ff%fe", strings.Repeat("a", 9000),
			"00000000-0000-0000-0000-000000000000", "urn:uuid:"+uuid.Nil.String(), "%7B"+uuid.NewString()+"%7D", "'%20OR%201=1--", "%F0%9F%90%99", ".json")
	}
	job := rapid.SampledFrom(d.jobs).Draw(d.rt, "job")
	return pick(d, "case", job.id, job.id, strings.ToUpper(job.id))
}

func (d *drawing) query(op *openapi3.Operation) string {
	var drawn []string
	for _, p := range op.Parameters {
		if p.Value.In == openapi3.ParameterInQuery && !d.oneIn(2, "no "+p.Value.Name) {
			drawn = append(drawn, p.Value.Name+"="+pick(d, p.Value.Name, "full", "full", "FULL", "", "%00", "full%20", strings.Repeat("x", 4000)))
		}
	}
	if d.oneIn(6, "odd query") {
		drawn = append(drawn, pick(d, "query", "", "&&&", "%zz", ";", "detail", "detail=full&detail=no", "api_key="+d.caller.key, "a[b]=c", "\u202e=%ff", strings.Repeat("&a=b", 1000)))
	}
	if drawn == nil {
		return ""
	}
	return "?" + strings.Join(drawn, "&")
}

// headers draws those that the document names, and some that it does not.
func (d *drawing) headers(op *openapi3.Operation) (drawn [][2]string) {
	for _, p := range op.Parameters {
		if p.Value.In == openapi3.ParameterInHeader && d.oneIn(3, p.Value.Name) {
			drawn = append(drawn, [2]string{http.CanonicalHeaderKey(p.Value.Name), d.headerValue(p.Value)})
		}
	}
	drawn = append(drawn, [2]string{"Content-Type", pick(d, "content type", "application/json", "application/json", "", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "\xff", "image/png")})
	if d.oneIn(4, "odd header") {
		drawn = append(drawn, pick(d, "header", [2]string{"Accept", "application/xml;q=0.1, text/html"}, [2]string{"Content-Encoding", "gzip"},
			[2]string{"Origin", "https://elsewhere.example"}, [2]string{"X-Forwarded-For", "127.0.0.1, ::1"}, [2]string{"X-Http-Method-Override", "DELETE"},
			[2]string{"Cookie", strings.Repeat("a=b; ", 2000)}, [2]string{"Range", "bytes=0-0"}, [2]string{"If-Match", `"x"`}, [2]string{"If-None-Match", "*"},
			[2]string{"If-Modified-Since", "Mon, 01 Jan 0001 00:00:00 GMT"}, [2]string{"If-Unmodified-Since", "now"}, [2]string{"Connection", "close"},
			[2]string{"Expect", "100-continue"}, [2]string{"Te", "trailers"}, [2]string{"X-Request-Id", "\xe2\x98\x83"}, [2]string{"Upgrade", "websocket"},
			[2]string{"Accept", "application/json, text/event-stream"}, [2]string{"Mcp-Protocol-Version", "1999-01-01"}))
	}
	return drawn
}

func (d *drawing) headerValue(p *openapi3.Parameter) string {
	switch p.Name {
	case "Idempotency-Key":
		// Few, so that requests meet under one key.
		return pick(d, "idempotency key", "a", "b", "c", "d", "e", "f", "g", uuid.NewString(), uuid.NewString(), "", "   ", strings.Repeat("k", 255), strings.Repeat("k", 256), "tab\there", "\xc3\xa9", `"quoted"`)
	case "Range":
		return pick(d, "range", "bytes=0-3", "bytes=3-1", "bytes=-1", "bytes=-0", "bytes=99999999999999999999-", "bytes=0-0,1-1", "items=0-1", "bytes", "bytes=--1", strings.Repeat("bytes=0-,", 500))
	}
	return pick(d, p.Name, `"x"`, "*", `W/"x"`, `"`, ",", "\xff", strings.Repeat(`"x",`, 1000))
}

// body draws a body for what the document takes, and says whether the document takes it.
func (d *drawing) body(described *openapi3.RequestBody) (text string, valid bool) {
	schema := described.Content["application/json"].Schema
	switch rapid.IntRange(0, 9).Draw(d.rt, "shape") {
	case 0, 1, 2, 3:
		text = d.value("", schema)
	case 4, 5, 6, 7:
		text = d.nearly(schema)
	default:
		return d.hostileBody(), false
	}
	return text, takes(schema, text)
}
