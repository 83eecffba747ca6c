package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"veracity/platform/fault"
)

// message is a JSON-RPC message as the transport needs it.
type message struct {
	// call is set for a request, which is answered; not for a notification or a response.
	call   bool
	id     json.RawMessage
	method string
	// params are the parameters but for a tool's arguments, which go by the side: no copy of megabytes of base64 is made
	// by those who only pass them on.
	params    map[string]json.RawMessage
	tool      string
	arguments json.RawMessage
	// progress says that the caller wants to be told how the call goes on.
	progress bool
}

// Bounds of a message, far beyond what any client sends.
const (
	maxDepth = 64
	maxParts = 10_000
	// maxID is the longest id or progress token in bytes, maxParams the most that parameters but for a tool's arguments
	// may have.
	maxID     = 256
	maxParams = 64 << 10
)

// readMessage reads a body. Its errors are *rpcError and, for a batch, a fault.
func readMessage(body []byte) (message, error) {
	if !json.Valid(body) {
		return message{}, &rpcError{status: http.StatusBadRequest, code: codeParse, message: "The body is not JSON. Send one JSON-RPC 2.0 message."}
	}
	if body[afterBlanks(body, 0)] == '[' {
		return message{}, fault.New(fault.BatchUnsupported, "Batches are not supported: send one JSON-RPC message in each request.")
	}
	if intricate(body) {
		return message{}, invalid(nil, "The message is too intricate: it may have up to %d members and items, nested up to %d deep.", maxParts, maxDepth)
	}
	members, ok := split(body)
	if !ok {
		return message{}, invalid(nil, "The body is no JSON-RPC message: send a JSON object.")
	}
	return fromMembers(members)
}

// fromMembers checks the members of a message (JSON-RPC 2.0, sections 4 and 5; MCP 2025-11-25, Base Protocol).
func fromMembers(members map[string]json.RawMessage) (message, error) {
	m := message{}
	id, identified := members["id"]
	if identified {
		if !goodID(id) {
			return m, invalid(nil, "id must be a string or a whole number, of up to %d bytes.", maxID)
		}
		m.id = id
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return m, invalid(m.id, `The body is no JSON-RPC 2.0 message: its member jsonrpc must be "2.0".`)
	}
	method, asks := members["method"]
	if !asks {
		if _, failed := members["error"]; !identified || (!failed && members["result"] == nil) {
			return m, invalid(m.id, "The body is no JSON-RPC message: it has no method.")
		}
		return m, nil
	}
	if json.Unmarshal(method, &m.method) != nil || m.method == "" {
		return m, invalid(m.id, "method must be the name of a method.")
	}
	notice := strings.HasPrefix(m.method, "notifications/")
	switch {
	case notice && identified:
		return m, invalid(m.id, "%.100q is a notification and has no id.", m.method)
	case notice:
		return m, nil
	case !identified:
		return m, invalid(nil, "%.100q is answered only when it has an id.", m.method)
	}
	m.call = true
	err := m.readParams(members["params"])
	return m, err
}

// readParams reads the parameters of a request and parts a tool's arguments from them.
func (m *message) readParams(raw json.RawMessage) error {
	if given(raw) {
		var ok bool
		if m.params, ok = split(raw); !ok {
			return m.badParams("params must be a JSON object.")
		}
	}
	if m.method == methodCall {
		if json.Unmarshal(m.params["name"], &m.tool) != nil {
			return m.badParams("params.name must be a string: the name of the tool to call.")
		}
		m.arguments = m.params["arguments"]
		delete(m.params, "arguments")
	}
	if m.method == methodInitialize && !introduces(raw) {
		return m.badParams("params must have protocolVersion, a string, and capabilities and clientInfo, which are objects.")
	}
	size := 0
	for name, value := range m.params {
		size += len(name) + len(value)
	}
	if size > maxParams {
		return m.badParams("params may have up to %d bytes beside a tool's arguments.", maxParams)
	}
	meta, ok := split(m.params["_meta"])
	if !ok && given(m.params["_meta"]) {
		return m.badParams("params._meta must be a JSON object.")
	}
	if token := meta["progressToken"]; token != nil {
		if !goodID(token) {
			return m.badParams("params._meta.progressToken must be a string or a whole number, of up to %d bytes.", maxID)
		}
		m.progress = m.method == methodCall
	}
	return nil
}

// given tells a member that is there and not null.
func given(member json.RawMessage) bool { return member != nil && string(member) != "null" }

// introduces tells whether parameters are those of a client who introduces himself (MCP 2025-11-25, Lifecycle).
func introduces(params json.RawMessage) bool {
	var p struct {
		Version      *string                    `json:"protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		Client       struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"clientInfo"`
	}
	return json.Unmarshal(params, &p) == nil && p.Version != nil
}

func (m *message) badParams(format string, args ...any) error {
	return &rpcError{status: http.StatusBadRequest, code: codeParams, id: m.id, message: fmt.Sprintf(format, args...)}
}

func invalid(id json.RawMessage, format string, args ...any) error {
	return &rpcError{status: http.StatusBadRequest, code: codeInvalid, id: id, message: fmt.Sprintf(format, args...)}
}

// wholeNumber has no more digits than a float64 keeps apart.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14})$`)

// goodID tells an id or a progress token: a string or a whole number, never null (MCP 2025-11-25, Base Protocol).
func goodID(raw json.RawMessage) bool {
	return len(raw) <= maxID && (raw[0] == '"' || wholeNumber.Match(raw))
}

// encode writes the message anew, so that nobody behind reads of it what was not looked at here.
func (m *message) encode() []byte {
	out := struct {
		Version string                     `json:"jsonrpc"`
		ID      json.RawMessage            `json:"id"`
		Method  string                     `json:"method"`
		Params  map[string]json.RawMessage `json:"params,omitempty"`
	}{"2.0", m.id, m.method, m.params}
	body, err := json.Marshal(out)
	if err != nil {
		panic(err) // every part of it was JSON when it came
	}
	return body
}
