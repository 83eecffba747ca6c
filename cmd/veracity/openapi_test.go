package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/api/openapi/openapitest"
)

func TestAPIDescribesItselfToAnybody(t *testing.T) {
	t.Parallel()
	s := start(t)
	const path = "/api/v1/openapi.json"
	r := s.send(http.MethodGet, path, "")
	got := r.ok()
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, "public, max-age=300", r.header.Get("Cache-Control"))
	require.Equal(t, s.url+"/api/v1", got["servers"].([]any)[0].(map[string]any)["url"], "this very service")
	_, err := openapitest.Load(r.body)
	require.NoError(t, err)

	tag := r.header.Get("ETag")
	require.Regexp(t, `^"[0-9a-f]{32}"$`, tag)
	for condition, status := range map[[2]string]int{
		{"If-None-Match", tag}: 304, {"If-None-Match", "*"}: 304, {"If-None-Match", `"x", W/` + tag}: 304, {"If-None-Match", `"x"`}: 200,
		{"If-Match", tag}: 200, {"If-Match", "*"}: 200, {"If-Match", `"x"`}: 412, {"If-Match", "W/" + tag}: 412,
		{"Range", "bytes=0-3"}: 200, {"Range", "bytes=99999999-"}: 200, {"X-API-Key", "wrong"}: 200,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			again := s.send(method, path, "", condition[0], condition[1])
			require.Equal(t, status, again.status, "%s %s", method, condition)
			if status == http.StatusOK {
				require.Equal(t, r.header.Get("Content-Length"), again.header.Get("Content-Length"))
			}
			if status != http.StatusPreconditionFailed {
				require.Equal(t, tag, again.header.Get("ETag"))
			}
			if method == http.MethodHead || status == http.StatusNotModified {
				require.Empty(t, again.body)
			}
		}
	}
	s.send(http.MethodGet, path, "", "If-Match", `"x"`).refused(412, "precondition_failed")
	post := s.send(http.MethodPost, path, "{}")
	post.refused(405, "method_not_allowed")
	require.ElementsMatch(t, []string{"GET", "HEAD"}, post.header.Values("Allow"))
}

func TestMethodThatNobodyKnowsIsNotFoundWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, method := range []string{"FOO", "PROPFIND", http.MethodOptions, http.MethodDelete} {
		s.send(method, "/api/v1/nothing", "").refused(404, "not_found")
		s.send(method, "/api/v1/audit//", "").refused(404, "not_found")
	}
}
