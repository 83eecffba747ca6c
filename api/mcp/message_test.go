package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIntricateCountsWhatIsOutsideOfStrings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"a":"` + strings.Repeat(`,`, maxParts+1) + `"}`:                                                              false,
		`{"a":"` + strings.Repeat(`\",{`, maxParts+1) + `"}`:                                                           false,
		`{"a":"\\","b":[` + strings.Repeat(`1,`, maxParts) + `1]}`:                                                     true,
		`{"a":[` + strings.Repeat(`1,`, maxParts-1) + `1]}`:                                                            false,
		strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth):                                                  false,
		strings.Repeat(`[`, maxDepth+1) + strings.Repeat(`]`, maxDepth+1):                                              true,
		`{"a":"` + strings.Repeat(`\\`, 1000) + `","b":` + strings.Repeat(`{"c":`, 70) + `1` + strings.Repeat(`}`, 71): true,
	} {
		require.True(t, json.Valid([]byte(body)))
		require.Equal(t, want, intricate([]byte(body)), "%.60s", body)
	}
}

func TestEndOfStringIsWhereTheParserFindsIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(rapid.String().Draw(t, "text") + strings.Repeat(`\`, rapid.IntRange(0, 9).Draw(t, "escapes")))
		require.NoError(t, err)
		require.Equal(t, len(text)-1, endOfString(append(text, `,"more":"x"`...), 0))
	})
}

func TestMembersAreThoseThatTheParserFinds(t *testing.T) {
	t.Parallel()
	blanks := rapid.SampledFrom([]string{"", " ", "\n\t", "\r\n  "})
	value := rapid.Custom(func(t *rapid.T) any {
		return rapid.OneOf(
			rapid.String().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just(any(nil)),
			rapid.MapOf(rapid.String(), rapid.String()).AsAny(), rapid.SliceOf(rapid.MapOf(rapid.String(), rapid.Int())).AsAny(),
		).Draw(t, "value")
	})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString(blanks.Draw(t, "before") + "{")
		for i, name := range rapid.SliceOf(rapid.String()).Draw(t, "names") {
			key, err := json.Marshal(name)
			require.NoError(t, err)
			member, err := json.Marshal(value.Draw(t, "member"))
			require.NoError(t, err)
			if i > 0 {
				text.WriteString(",")
			}
			for _, part := range []string{string(key), ":", string(member)} {
				text.WriteString(blanks.Draw(t, "between") + part)
			}
			text.WriteString(blanks.Draw(t, "behind"))
		}
		text.WriteString(blanks.Draw(t, "last") + "}" + blanks.Draw(t, "after"))
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text.String()), &want))
		got, ok := split([]byte(text.String()))
		require.True(t, ok)
		require.Equal(t, want, got)
	})
	for _, other := range []string{`1`, `"{}"`, `[{}]`, `null`, ` true`, ``} {
		_, ok := split([]byte(other))
		require.False(t, ok, other)
	}
}

func TestOriginsAreTheSameByAnyNameOfThisMachine(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		base, origin string
		same         bool
	}{
		{"https://api.example.com", "https://api.example.com", true},
		{"https://api.example.com/", "https://API.example.com:443", true},
		{"https://api.example.com", "http://api.example.com", false},
		{"https://api.example.com", "https://api.example.com:8443", false},
		{"https://api.example.com", "https://example.com", false},
		{"https://api.example.com", "https://api.example.com.evil.com", false},
		{"http://localhost:8080", "http://127.0.0.1:8080", true},
		{"http://localhost:8080", "http://[::1]:8080", true},
		{"http://127.0.0.1:8080", "http://localhost:8080", true},
		{"http://localhost:8080", "http://localhost:8081", false},
		{"http://localhost:8080", "http://10.0.0.1:8080", false},
	} {
		base, err := url.Parse(row.base)
		require.NoError(t, err)
		s := &Server{origin: originOf(base)}
		require.Equal(t, row.same, s.allowedOrigin(http.Header{"Origin": {row.origin}}), "%s from %s", row.base, row.origin)
	}
	s := &Server{origin: "https://api.example.com:443"}
	require.True(t, s.allowedOrigin(http.Header{}))
	require.False(t, s.allowedOrigin(http.Header{"Origin": {"https://api.example.com", "https://api.example.com"}}))
}

func TestPagesOfAnotherOriginAreRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, script{}, nil)
	for _, origin := range []string{"https://evil.example.com", "null", "", "http://api.example.com", "https://api.example.com:1", "::"} {
		status, answer := post(t, s, toolCall("get_usage", `{}`), "Origin", origin)
		require.Equal(t, http.StatusForbidden, status, "%q: %s", origin, answer)
		require.Contains(t, answer, `"code":-32600`)
	}
	status, _ := post(t, s, toolCall("get_usage", `{}`), "Origin", "https://api.example.com")
	require.Equal(t, http.StatusOK, status)
}

func TestUnknownMethodIs404ToWhoHasNoSessions(t *testing.T) {
	t.Parallel()
	s := newServer(t, script{}, nil)
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	for method, want := range map[string]int{"resources/list": 404, "ping": 404, "tools/list": 200} {
		status, answer := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+meta+`}`,
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method)
		require.Equal(t, want, status, "%s: %s", method, answer)
	}
	status, answer := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`)
	require.Equal(t, http.StatusOK, status, "a 404 would end the sessions that older clients believe in")
	require.Contains(t, answer, `"code":-32601`)
}

// FuzzMessages has whatever body be answered by JSON-RPC or the contract's errors, and never by a 500 or a panic.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, toolCall("get_usage", `{}`), toolCall("check_media", `{"image_url":"x"}`),
		`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"AAAA"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_check","arguments":{"id":"x","wait_seconds":0},"_meta":{"progressToken":"t"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		f.Add(seed, "")
		f.Add(seed, "2026-07-28")
	}
	s := newServer(f, script{}, nil)
	f.Fuzz(func(t *testing.T, body, version string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}, "Mcp-Protocol-Version": {version}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Less(t, w.Code, http.StatusInternalServerError, "%s", w.Body)
		if kind := w.Header().Get("Content-Type"); w.Code != http.StatusAccepted && kind != "text/event-stream" {
			require.Equal(t, "application/json", kind, "%d %s", w.Code, w.Body)
			require.True(t, json.Valid(w.Body.Bytes()), "%s", w.Body)
		}
	})
}
