package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
)

// optimized starts a service in which an image has been optimized, and gives the optimization and its link.
func optimized(t *testing.T, changes ...func(*Settings)) (s *service, id, link string) {
	t.Helper()
	s = working(t, changes...)
	c := s.customer(account.Overrides{})
	id = c.optimize(inBase64(photo(t))).accepted()
	c.ended("/api/v1/optimize/"+id, "succeeded")
	return s, id, "/api/v1/optimize/" + id + "/file"
}

func TestDownloadSpeaksHTTPWell(t *testing.T) {
	t.Parallel()
	s, id, link := optimized(t)
	whole := s.send(http.MethodGet, link, "")
	h := whole.header
	require.Equal(t, http.StatusOK, whole.status)
	require.Equal(t, "image/png", h.Get("Content-Type"))
	require.Equal(t, `attachment; filename="veracity-`+id+`.png"`, h.Get("Content-Disposition"))
	require.Equal(t, strconv.Itoa(len(whole.body)), h.Get("Content-Length"))
	require.Equal(t, "bytes", h.Get("Accept-Ranges"))
	require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
	require.Contains(t, h.Get("Cache-Control"), "max-age=604")
	require.NotEmpty(t, h.Get("ETag"))
	require.NotEmpty(t, h.Get("Last-Modified"))
	require.Empty(t, h.Get("Access-Control-Allow-Origin"))

	head := s.send(http.MethodHead, link, "", "Range", "bytes=1-3")
	require.Equal(t, http.StatusOK, head.status, "a HEAD knows no ranges")
	require.Empty(t, head.body)
	for _, name := range []string{"Content-Length", "Content-Type", "ETag", "Last-Modified", "Content-Disposition", "Accept-Ranges"} {
		require.Equal(t, h.Get(name), head.header.Get(name), name)
	}
	s.send(http.MethodPost, link, "").refused(405, "method_not_allowed")
}

func TestDownloadGivesOneRange(t *testing.T) {
	t.Parallel()
	s, _, link := optimized(t)
	whole := s.send(http.MethodGet, link, "")
	size := len(whole.body)
	for asked, want := range map[string][2]int{
		"bytes=1-3":                    {1, 4},
		"Bytes=1-3":                    {1, 4},
		"bytes=8-":                     {8, size},
		"bytes=-5":                     {size - 5, size},
		"bytes=-999999999":             {0, size},
		"bytes=4-999999999":            {4, size},
		"bytes=0-99999999999999999999": {0, size},
	} {
		part := s.send(http.MethodGet, link, "", "Range", asked)
		require.Equal(t, http.StatusPartialContent, part.status, asked)
		require.True(t, bytes.Equal(whole.body[want[0]:want[1]], part.body), asked)
		at := "bytes " + strconv.Itoa(want[0]) + "-" + strconv.Itoa(want[1]-1) + "/" + strconv.Itoa(size)
		require.Equal(t, at, part.header.Get("Content-Range"))
		require.Equal(t, whole.header.Get("ETag"), part.header.Get("ETag"))
	}
	for name, asked := range map[string]string{
		"several ranges": "bytes=1-3,5-7", "thousands": "bytes=0-0" + strings.Repeat(",2-2", 9000),
		"another unit": "items=1-3", "no range": "bytes=three", "a range backwards": "bytes=3-1",
	} {
		got := s.send(http.MethodGet, link, "", "Range", asked)
		require.Equal(t, http.StatusOK, got.status, name)
		require.True(t, bytes.Equal(whole.body, got.body), name)
		require.Equal(t, "image/png", got.header.Get("Content-Type"), name)
	}
	for _, asked := range []string{"bytes=" + strconv.Itoa(size) + "-", "bytes=99999999-", "bytes=99999999999999999999-", "bytes=-0"} {
		r := s.send(http.MethodGet, link, "", "Range", asked)
		r.refused(416, "range_not_satisfiable")
		require.Equal(t, "bytes */"+strconv.Itoa(size), r.header.Get("Content-Range"), asked)
		fileless(t, r)
	}
}

// fileless demands that a refusal says nothing of the file that it is not.
func fileless(t *testing.T, r reply) {
	t.Helper()
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	for _, name := range []string{"Content-Disposition", "ETag", "Last-Modified", "Expires", "Content-Security-Policy"} {
		require.Empty(t, r.header.Get(name), name)
	}
}

func TestDownloadKeepsToConditions(t *testing.T) {
	t.Parallel()
	s, _, link := optimized(t)
	whole := s.send(http.MethodGet, link, "")
	tag, ended := whole.header.Get("ETag"), whole.header.Get("Last-Modified")
	at, err := http.ParseTime(ended)
	require.NoError(t, err)
	before, after := at.Add(-time.Hour).Format(http.TimeFormat), at.Add(time.Hour).Format(http.TimeFormat)
	for name, row := range map[string]struct {
		status  int
		headers []string
	}{
		"the same":                    {304, []string{"If-None-Match", tag}},
		"the same, weakly":            {304, []string{"If-None-Match", `"x", W/` + tag}},
		"any":                         {304, []string{"If-None-Match", "*"}},
		"another":                     {200, []string{"If-None-Match", `"x"`}},
		"not changed since":           {304, []string{"If-Modified-Since", ended}},
		"changed since":               {200, []string{"If-Modified-Since", before}},
		"the tag weighs more":         {200, []string{"If-None-Match", `"x"`, "If-Modified-Since", after}},
		"matches":                     {200, []string{"If-Match", `"x", ` + tag}},
		"matches not":                 {412, []string{"If-Match", `"x"`}},
		"matches weakly":              {412, []string{"If-Match", "W/" + tag}},
		"unmodified":                  {200, []string{"If-Unmodified-Since", ended}},
		"modified":                    {412, []string{"If-Unmodified-Since", before}},
		"a match weighs more":         {200, []string{"If-Match", tag, "If-Unmodified-Since", before}},
		"a range of the same":         {206, []string{"Range", "bytes=1-3", "If-Range", tag}},
		"a range of another":          {200, []string{"Range", "bytes=1-3", "If-Range", `"x"`}},
		"a range of the same, weakly": {200, []string{"Range", "bytes=1-3", "If-Range", "W/" + tag}},
		"a range as of then":          {206, []string{"Range", "bytes=1-3", "If-Range", ended}},
		"a range as of before":        {200, []string{"Range", "bytes=1-3", "If-Range", before}},
		"no range of another":         {200, []string{"Range", "bytes=99999999-", "If-Range", `"x"`}},
		"the condition comes first":   {412, []string{"Range", "bytes=99999999-", "If-Match", `"x"`}},
	} {
		r := s.send(http.MethodGet, link, "", row.headers...)
		require.Equal(t, row.status, r.status, name)
		switch row.status {
		case http.StatusOK:
			require.True(t, bytes.Equal(whole.body, r.body), name)
		case http.StatusPartialContent:
			require.Equal(t, "PNG", string(r.body), name)
		case http.StatusNotModified:
			require.Empty(t, r.body, name)
			require.Equal(t, tag, r.header.Get("ETag"), name)
			require.Contains(t, r.header.Get("Cache-Control"), "max-age", name)
		case http.StatusPreconditionFailed:
			r.refused(412, "precondition_failed")
			fileless(t, r)
		}
		head := s.send(http.MethodHead, link, "", row.headers...)
		require.Empty(t, head.body, name)
		if row.status != http.StatusPartialContent {
			require.Equal(t, row.status, head.status, name)
		}
	}
}

func TestDownloadWhoseFileIsCutOffBreaksVisibly(t *testing.T) {
	t.Parallel()
	const size = 64 << 20 // more than the sockets of both sides hold
	folder := t.TempDir()
	s, _, link := optimized(t, func(s *Settings) { s.Storage.URL = "disk:" + folder })
	key := s.blobs()[0]
	require.NoError(t, s.Store.Put(t.Context(), key, bytes.NewReader(make([]byte, size)), size, "image/png"))

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+link, nil)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, int64(size), resp.ContentLength)
	_, err = io.ReadFull(resp.Body, make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(filepath.Join(folder, "objects", filepath.FromSlash(key)+".blob"), size/2))
	rest, err := io.Copy(io.Discard, resp.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, rest, int64(size/2))

	id := resp.Header.Get("Request-Id")
	var lines []map[string]any
	require.Eventually(t, func() bool {
		lines = lines[:0]
		for line := range strings.Lines(s.log.String()) {
			var m map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &m))
			if m["request_id"] == id {
				lines = append(lines, m)
			}
		}
		return len(lines) > 0
	}, 10*time.Second, 10*time.Millisecond)
	require.Len(t, lines, 1)
	require.Equal(t, "ERROR", lines[0]["level"])
	require.Equal(t, "internal_error", lines[0]["code"])
	require.Equal(t, "/api/v1/optimize/{id}/file", lines[0]["route"])
	require.Contains(t, lines[0]["error"], "replaced")
}
