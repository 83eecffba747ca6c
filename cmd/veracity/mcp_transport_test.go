package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
)

const (
	ping       = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
)

// rpcError demands a JSON-RPC error object with an HTTP status, and gives its id and message.
func (r reply) rpcError(status, code int) (id any, message string) {
	r.t.Helper()
	require.Equal(r.t, status, r.status, "%s", r.body)
	require.Equal(r.t, "application/json", r.header.Get("Content-Type"))
	require.NotEmpty(r.t, r.header.Get("Request-Id"))
	got := r.object()
	require.Equal(r.t, "2.0", got["jsonrpc"])
	require.Contains(r.t, got, "id")
	require.NotContains(r.t, got, "code", "the other shape")
	failure, ok := got["error"].(map[string]any)
	require.True(r.t, ok, "%s", r.body)
	require.InDelta(r.t, code, failure["code"], 0, "%s", r.body)
	require.NotEmpty(r.t, failure["message"])
	return got["id"], failure["message"].(string)
}

func TestMCPKeyIsReadAsRESTReadsIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	mcp := func(headers ...string) reply {
		return s.send(http.MethodPost, mcpPath, ping, append([]string{
			"Accept", "application/json, text/event-stream", "Content-Type", "application/json",
		}, headers...)...)
	}
	require.Equal(t, http.StatusOK, mcp("X-API-Key", c.key).status)
	require.Equal(t, http.StatusOK, mcp("Authorization", "Bearer "+c.key).status)
	for _, headers := range [][]string{nil, {"X-API-Key", "wrong"}, {"X-API-Key", "", "Authorization", "Bearer " + c.key}, {"Authorization", "Basic " + c.key}} {
		r := mcp(headers...)
		r.refused(401, "invalid_key")
		require.Equal(t, "Bearer", r.header.Get("WWW-Authenticate"))
	}
	require.NoError(t, s.Accounts.RevokeKey(t.Context(), access.CLI(c.account), c.keyID))
	c.say(ping).refused(401, "invalid_key")
}

func TestMCPRefusalsBeforeAToolAreThoseOfREST(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	for state, code := range map[account.State]string{
		account.PaymentFailed: "payment_failed", account.PlanRequired: "plan_required", account.Suspended: "plan_required",
	} {
		c.in(state)
		for _, message := range []string{ping, initialize, `no JSON`, `[]`} {
			c.say(message).refused(402, code)
		}
	}
	c.in(account.Active)
	for _, batch := range []string{`[` + ping + `]`, " \n[" + ping + "," + ping + `]`, `[]`, `[1]`} {
		for _, version := range []string{"2025-11-25", "2025-03-26"} {
			c.say(batch, "MCP-Protocol-Version", version).refused(400, "batch_unsupported")
		}
	}
	tooLarge := strings.Replace(ping, "ping", strings.Repeat("A", 7<<20), 1)
	c.say(tooLarge).refused(413, "image_too_large")
	unsized, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+mcpPath, readerOnly{strings.NewReader(tooLarge)})
	require.NoError(t, err)
	unsized.Header = http.Header{
		"X-Api-Key": {c.key}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"},
	}
	resp, err := http.DefaultTransport.RoundTrip(unsized)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode, "also when nobody says how long it is")
	c.spent(0)
}

// readerOnly hides a reader's length.
type readerOnly struct{ r *strings.Reader }

func (r readerOnly) Read(p []byte) (int, error) { return r.r.Read(p) }

func TestMCPSharesItsRateWithREST(t *testing.T) {
	t.Parallel()
	s := start(t)
	rpm := 7
	c := s.customer(account.Overrides{RPM: &rpm})
	second, err := s.Accounts.CreateKey(t.Context(), access.CLI(c.account), "second")
	require.NoError(t, err)
	other := customer{service: s, account: c.account, key: second.Key}
	left := rpm
	counted := func(r reply) {
		t.Helper()
		left--
		require.Contains(t, r.header.Get("RateLimit"), fmt.Sprintf(`r=%d;`, left), "%s", r.body)
	}
	counted(c.say(initialize))
	counted(c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	counted(other.say(ping))
	counted(c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	counted(other.call(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), ""))
	counted(c.say(`no JSON`))
	counted(c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_usage"}}`))
	for _, message := range []string{ping, initialize, `no JSON`} {
		r := other.say(message)
		r.refused(429, "rate_limited")
		require.Regexp(t, `^[1-9]$`, r.header.Get("Retry-After"))
	}
	c.call(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), "").refused(429, "rate_limited")
}

func TestMCPTransportErrorsAreJSONRPC(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for name, row := range map[string]struct {
		headers []string
		status  int
	}{
		"no Accept":              {[]string{"Accept", ""}, 406},
		"JSON alone":             {[]string{"Accept", "application/json"}, 406},
		"events alone":           {[]string{"Accept", "text/event-stream"}, 406},
		"whatever comes":         {[]string{"Accept", "*/*"}, 406},
		"JSON unwanted":          {[]string{"Accept", "application/json;q=0, text/event-stream"}, 406},
		"weighed":                {[]string{"Accept", "text/event-stream;q=0.5,application/json; charset=utf-8"}, 200},
		"no type":                {[]string{"Content-Type", ""}, 415},
		"a form":                 {[]string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		"text":                   {[]string{"Content-Type", "text/plain"}, 415},
		"JSON of another kind":   {[]string{"Content-Type", "application/ld+json"}, 415},
		"JSON in UTF-8":          {[]string{"Content-Type", "Application/JSON; charset=utf-8"}, 200},
		"Accept before type":     {[]string{"Accept", "text/html", "Content-Type", "text/plain"}, 406},
		"another origin":         {[]string{"Origin", "https://evil.example.com"}, 403},
		"the origin null":        {[]string{"Origin", "null"}, 403},
		"another port":           {[]string{"Origin", "http://localhost:1"}, 403},
		"its own origin":         {[]string{"Origin", c.url}, 200},
		"its own by address":     {[]string{"Origin", strings.Replace(c.url, "localhost", "127.0.0.1", 1)}, 200},
		"an old version":         {[]string{"MCP-Protocol-Version", "2025-03-26"}, 200},
		"no version":             {[]string{"MCP-Protocol-Version", ""}, 200},
		"a version that is none": {[]string{"MCP-Protocol-Version", "1999-01-01"}, 400},
		"a resumed stream":       {[]string{"Last-Event-ID", "1_1"}, 400},
	} {
		r := c.say(ping, row.headers...)
		require.Equal(t, row.status, r.status, "%s: %s", name, r.body)
		if row.status != 200 {
			r.rpcError(row.status, -32600)
			require.Equal(t, "invalid_request", c.logged(r.header.Get("Request-Id")).Code, name)
		}
	}
}

func TestMCPBodiesThatAreNoMessageAreJSONRPCErrors(t *testing.T) {
	t.Parallel()
	many := func(n int) string { return `{"x":[` + strings.TrimSuffix(strings.Repeat("1,", n), ",") + `]}` }
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":` + params + `}`
	}
	rpm := 100_000
	c := start(t).customer(account.Overrides{RPM: &rpm})
	for name, row := range map[string]struct {
		body string
		code int
		id   any
	}{
		"nothing":                     {``, -32700, nil},
		"blanks":                      {"\n \t", -32700, nil},
		"no JSON":                     {`ping`, -32700, nil},
		"broken off":                  {`{"jsonrpc":"2.0"`, -32700, nil},
		"half a batch":                {`[` + ping, -32700, nil},
		"two messages":                {ping + ping, -32700, nil},
		"not UTF-8 outside a string":  {"\xff", -32700, nil},
		"a string":                    {`"ping"`, -32600, nil},
		"null":                        {`null`, -32600, nil},
		"a number":                    {`17`, -32600, nil},
		"no member":                   {`{}`, -32600, nil},
		"no version":                  {`{"id":4,"method":"ping"}`, -32600, 4.0},
		"version 1":                   {`{"jsonrpc":"1.0","id":4,"method":"ping"}`, -32600, 4.0},
		"the version a number":        {`{"jsonrpc":2.0,"id":4,"method":"ping"}`, -32600, 4.0},
		"members in other letters":    {`{"JSONRPC":"2.0","id":4,"METHOD":"ping"}`, -32600, 4.0},
		"no method":                   {`{"jsonrpc":"2.0","id":4}`, -32600, 4.0},
		"an answer to nothing":        {`{"jsonrpc":"2.0","result":{}}`, -32600, nil},
		"the method a number":         {`{"jsonrpc":"2.0","id":4,"method":1}`, -32600, 4.0},
		"an empty method":             {`{"jsonrpc":"2.0","id":"x","method":""}`, -32600, "x"},
		"the id null":                 {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, nil},
		"the id an object":            {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		"the id a fraction":           {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, nil},
		"the id beyond numbers":       {`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, -32600, nil},
		"a long id":                   {`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 300) + `","method":"ping"}`, -32600, nil},
		"a call without id":           {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_usage"}}`, -32600, nil},
		"a notification with id":      {`{"jsonrpc":"2.0","id":4,"method":"notifications/initialized"}`, -32600, 4.0},
		"deep":                        {call(strings.Repeat(`{"a":`, 80) + `1` + strings.Repeat(`}`, 80)), -32600, nil},
		"intricate":                   {call(many(20_000)), -32600, nil},
		"parameters in a list":        {call(`["get_usage"]`), -32602, 5.0},
		"no parameters":               {`{"jsonrpc":"2.0","id":5,"method":"tools/call"}`, -32602, 5.0},
		"no name":                     {call(`{}`), -32602, 5.0},
		"the name a number":           {call(`{"name":5}`), -32602, 5.0},
		"long parameters":             {call(`{"name":"get_usage","x":"` + strings.Repeat("x", 70_000) + `"}`), -32602, 5.0},
		"meta that is none":           {call(`{"name":"get_usage","_meta":5}`), -32602, 5.0},
		"the token a fraction":        {call(`{"name":"get_usage","_meta":{"progressToken":1.5}}`), -32602, 5.0},
		"the token a list":            {call(`{"name":"get_usage","_meta":{"progressToken":[]}}`), -32602, 5.0},
		"no parameters to initialize": {`{"jsonrpc":"2.0","id":4,"method":"initialize"}`, -32602, 4.0},
		"no version to speak":         {`{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"capabilities":{}}}`, -32602, 4.0},
		"a client without a name":     {`{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":5}}`, -32602, 4.0},
	} {
		id, message := c.say(row.body).rpcError(400, row.code)
		require.Equal(t, row.id, id, "%s: %s", name, message)
	}
	c.spent(0)
}

func TestMCPSaysWhatIsOffered(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for _, method := range []string{"resources/list", "prompts/list", "logging/setLevel", "completion/complete", "subscriptions/listen", "tools", "x"} {
		r := c.say(object("jsonrpc", "2.0", "id", 1, "method", method, "params", map[string]any{}))
		_, message := r.rpcError(200, -32601)
		require.Contains(t, message, "tools/call")
		r = c.say(object("jsonrpc", "2.0", "id", 1, "method", method, "params", map[string]any{}), "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method)
		r.rpcError(404, -32601)
	}
	r := c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check"}}`)
	_, message := r.rpcError(200, -32602)
	require.Contains(t, message, "check_media, get_check")
	line := c.logged(r.header.Get("Request-Id"))
	require.Equal(t, []any{400, "invalid_request"}, []any{line.Status, line.Code})
	r = c.say(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`)
	r.rpcError(200, -32601)
	line = c.logged(r.header.Get("Request-Id"))
	require.Equal(t, []any{400, "invalid_request"}, []any{line.Status, line.Code}, "also when the SDK has refused it")
}

func TestMCPTakesNotificationsAndAnswersWithoutAWord(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for _, message := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/of_tomorrow","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`,
	} {
		r := c.say(message)
		require.Equal(t, http.StatusAccepted, r.status, "%s: %s", message, r.body)
		require.Empty(t, r.body)
	}
}

func TestMCPHasNoStreamsAndNoSessions(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodHead, http.MethodOptions} {
		r := c.call(method, mcpPath, "", "Accept", "text/event-stream", "Mcp-Session-Id", "x")
		require.Equal(t, []any{http.StatusMethodNotAllowed, "POST"}, []any{r.status, r.header.Get("Allow")}, method)
		require.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
	}
	for _, session := range []string{"", "one", "another"} {
		r := c.say(initialize, "Mcp-Session-Id", session)
		r.ok()
		require.Empty(t, r.header.Get("Mcp-Session-Id"))
		require.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
	}
	// No request needs one before it.
	require.Equal(t, "pro", c.use("get_usage").ok()["plan"])
}

func TestMCPSpeaksEveryVersionThatAClientMaySpeak(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for asked, spoken := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25",
	} {
		got := c.ask("initialize", map[string]any{"protocolVersion": asked, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "x", "version": "1"}})
		result := got["result"].(map[string]any)
		require.Equal(t, spoken, result["protocolVersion"], asked)
		require.Equal(t, map[string]any{"tools": map[string]any{}}, result["capabilities"])
		require.Equal(t, "veracity", result["serverInfo"].(map[string]any)["name"])
		require.NotEmpty(t, result["instructions"])
	}
	meta := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	got := c.ask("server/discover", map[string]any{"_meta": meta}, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover")
	require.Contains(t, got["result"].(map[string]any)["supportedVersions"], "2026-07-28")
	image := map[string]any{"image_base64": base64.StdEncoding.EncodeToString(labelledPNG(t))}
	got = c.ask("tools/call", map[string]any{"_meta": meta, "name": "check_media", "arguments": image},
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "check_media")
	require.Equal(t, "ai", usedOf(t, got).ok()["verdict"])
	r := c.say(object("jsonrpc", "2.0", "id", 1, "method", "tools/call", "params", map[string]any{"_meta": meta, "name": "check_media", "arguments": image}),
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "get_usage")
	require.Equal(t, 400, r.status, "the header names another tool")
	require.Equal(t, "invalid_request", c.logged(r.header.Get("Request-Id")).Code)
	c.spent(1)
}
