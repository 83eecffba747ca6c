package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"veracity/api"
)

// Codes of JSON-RPC 2.0, section 5.1.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeNoMethod = -32601
	codeParams   = -32602
	codeInternal = -32603
)

// rpcError is a refusal in the shape of JSON-RPC: what the transport cannot read (API contract, "Errors over MCP").
type rpcError struct {
	// status is the HTTP status, logged is another that the log has instead, or 0.
	status, logged int
	code           int
	// id is that of the message, nil where it could not be read.
	id      json.RawMessage
	message string
}

func (e *rpcError) Error() string { return e.message }

// receive reads the message of a request, whose key and rate have been checked. The checks go from what costs least.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (message, error) {
	if !s.allowedOrigin(r.Header) {
		return message{}, &rpcError{
			status: http.StatusForbidden, code: codeInvalid,
			message: "Pages of another origin may not call this server. Call it from a server or a desktop program.",
		}
	}
	if !accepts(r.Header, "application/json") || !accepts(r.Header, "text/event-stream") {
		return message{}, &rpcError{
			status: http.StatusNotAcceptable, code: codeInvalid,
			message: "Send the header Accept: application/json, text/event-stream. Answers come in either form.",
		}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return message{}, &rpcError{
			status: http.StatusUnsupportedMediaType, code: codeInvalid,
			message: "Send the header Content-Type: application/json, and one JSON-RPC message as the body.",
		}
	}
	body, err := api.ReadBody(w, r)
	if err != nil {
		return message{}, err
	}
	return readMessage(body)
}

// accepts tells whether a request names a media type in Accept, which MCP clients must (MCP 2025-11-25, Transports). A
// wildcard names none, so that what only browses by is told what this is.
func accepts(h http.Header, want string) bool {
	for _, part := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil || kind != want {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		if params["q"] == "" || (err == nil && weight > 0) {
			return true
		}
	}
	return false
}

// allowedOrigin refuses what a page of another site sends, its own address rebound to this one included (MCP 2025-11-25,
// Transports, Security Warning). Only browsers send Origin.
func (s *Server) allowedOrigin(h http.Header) bool {
	sent, ok := h["Origin"]
	if !ok {
		return true
	}
	origin, err := url.Parse(strings.Join(sent, ","))
	return err == nil && originOf(origin) == s.origin
}

// originOf is the origin of a URL, with one name for this machine, which goes by several.
func originOf(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		host = "localhost"
	}
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case u.Scheme == "http":
		port = "80"
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(host, port)
}

// served are the methods that are answered. All else of the protocol needs a session or something that is not offered.
var served = map[string]bool{
	methodInitialize: true, "ping": true, "server/discover": true, "tools/list": true, methodCall: true,
}

// offers refuses methods and tools that there are not. Clients of the protocol without sessions ask for an HTTP status
// (MCP 2026-07-28); to older ones it is 200, since some take a 404 for the end of a session.
func (s *Server) offers(r *http.Request, m message) error {
	e := &rpcError{status: http.StatusOK, id: m.id}
	switch {
	case !served[m.method]:
		e.logged, e.code = http.StatusNotFound, codeNoMethod
		e.message = fmt.Sprintf("The method %.100q is not offered. Offered are tools/list and tools/call.", m.method)
	case m.method == methodCall && !slices.Contains(s.names, m.tool):
		e.logged, e.code = http.StatusBadRequest, codeParams
		e.message = fmt.Sprintf("There is no tool %.100q. The tools are %s.", m.tool, strings.Join(s.names, ", "))
	default:
		return nil
	}
	if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		e.status = e.logged
	}
	return e
}

// sessionless is the first version of the protocol that has no sessions.
const sessionless = "2026-07-28"

// refuse answers a request that no tool has seen.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	var e *rpcError
	if !errors.As(err, &e) {
		api.WriteError(w, r, err)
		return
	}
	logged := e.logged
	if logged == 0 {
		logged = e.status
	}
	api.Refused(r.Context(), logged, e.message)
	id := e.id
	if id == nil {
		id = json.RawMessage("null")
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": e.code, "message": e.message},
	})
	if err != nil {
		panic(err) // the id was JSON when it came
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	setSafe(h)
	w.WriteHeader(e.status)
	_, _ = w.Write(body) // the client has gone when this fails
}
