package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func BenchmarkLargestImage(b *testing.B) {
	s := newServer(b, script{}, nil)
	body := toolCall("check_media", `{"image_base64":"`+strings.Repeat("AAAA", 4<<20/3)+`"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

func BenchmarkUsage(b *testing.B) {
	s := newServer(b, script{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", strings.NewReader(toolCall("get_usage", "{}")))
		r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
