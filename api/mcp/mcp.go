// Package mcp offers the acts of the API as tools of an assistant, by the Model Context Protocol over Streamable HTTP,
// without sessions. It only translates: key, limits, decoding, answers and idempotency are those of package api, behind
// which it is mounted. No business rule lives here, and no type of the SDK leaves.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"veracity/api"
	"veracity/media"
)

// Path is where the endpoint lies below [api.Prefix].
const Path = "/mcp"

// Acts are what the tools do, each for the account whose key the request has.
type Acts interface {
	Check(ctx context.Context, c api.Call) (api.Reply, error)
	ReadCheck(ctx context.Context, id string, full bool) ([]byte, error)
	Optimize(ctx context.Context, c api.Call) (api.Reply, error)
	ReadOptimization(ctx context.Context, id string) ([]byte, error)
	CreateUpload(ctx context.Context, c api.Call) (api.Reply, error)
	ReadUsage(ctx context.Context) ([]byte, error)
}

// Parts are what a Server works with. All are needed but Stop.
type Parts struct {
	Acts Acts
	// Prices are told to assistants, so that they know what a call costs before they make it.
	Prices media.Prices
	// BaseURL is where clients reach the service: pages of another origin are refused.
	BaseURL string
	// Stop is closed when the service begins to stop: waits for jobs then end early.
	Stop <-chan struct{}
}

// Server answers the endpoint. It must be mounted behind the API's own checks, which know the caller.
type Server struct {
	acts   Acts
	origin string
	stop   <-chan struct{}
	waits  *waits
	// names are the tools'.
	names []string
	// beat is how often a call in progress says so.
	beat time.Duration
	// plain answers with one JSON object, stream with events, which progress needs.
	plain, stream http.Handler
}

// New makes a Server.
func New(p Parts) (*Server, error) {
	base, err := url.Parse(p.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	s := &Server{
		acts: p.Acts, origin: originOf(base), stop: p.Stop, waits: newWaits(), beat: beatEvery,
	}
	offered := sdk.NewServer(
		&sdk.Implementation{Name: "veracity", Title: "Veracity", Version: version, WebsiteURL: p.BaseURL},
		&sdk.ServerOptions{
			Instructions: instructions,
			// The tools never change while the service runs, and nothing is logged to clients.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs = int(listKept.Milliseconds()) },
		},
	)
	offered.AddReceivingMiddleware(watch)
	for _, t := range s.tools(p.Prices) {
		offered.AddTool(&t.Tool, s.handler(t))
		s.names = append(s.names, t.Name)
	}
	get := func(*http.Request) *sdk.Server { return offered }
	options := sdk.StreamableHTTPOptions{
		Stateless: true,
		// Both are checked before the SDK is asked: the size of bodies, and where pages come from. The SDK would refuse every
		// reverse proxy on the same machine for its Host header.
		MaxRequestBodyBytes: -1, DisableLocalhostProtection: true,
	}
	s.stream = sdk.NewStreamableHTTPHandler(get, &options)
	options.JSONResponse = true
	s.plain = sdk.NewStreamableHTTPHandler(get, &options)
	return s, nil
}

// version is the version of what is offered: it moves with the tools, not with the service.
const version = "1.0.0"

// listKept is how long clients may keep the list of tools, whose prices an operator can change.
const listKept = time.Hour

const instructions = `Veracity tells whether an image, a video or a voice clip was made by AI, and makes images and videos smaller without changing what they show.

Images are checked at once. Videos, voice clips and optimizations are jobs: the call that starts one answers with an id; read it with get_check or get_optimization, and give wait_seconds to wait for its end rather than asking again and again. A file that is only on the user's machine goes through create_upload.

Calls cost credits of the user's account; each tool says how many, and get_usage says what is left. When an answer did not arrive and you repeat the call, send the same idempotency_key as before, and the call is made and charged once.

Say "uncertain" when the verdict is uncertain: it is neither proof of AI nor of its absence. Scores run from 0 (surely captured or recorded) to 100 (surely made by AI).`

// The context of a request carries these past the SDK, which keeps the values of a context but not its end.
type (
	requestKey   struct{}
	argumentsKey struct{}
)

// ServeHTTP implements http.Handler. What cannot be read as a message is refused here, with what the contract lays down
// for each case; the SDK would answer some of it with 200 or plain text.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	msg, err := s.receive(w, r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	if !msg.call {
		// Nothing waits here for a notification or for an answer: no session lives on to which it could belong.
		setSafe(w.Header())
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if err := s.offers(r, msg); err != nil {
		refuse(w, r, err)
		return
	}
	ctx := context.WithValue(r.Context(), requestKey{}, r.Context())
	ctx = context.WithValue(ctx, argumentsKey{}, msg.arguments)
	body := msg.encode()
	ask := r.WithContext(ctx)
	ask.Body, ask.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out := newAnswer(w)
	if msg.progress {
		s.stream.ServeHTTP(out, ask)
	} else {
		s.plain.ServeHTTP(out, ask)
	}
	out.finish(r, msg.id)
}

// Methods that are looked into.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
)

// argumentsOf are the arguments of the tool call that ctx belongs to.
func argumentsOf(ctx context.Context) json.RawMessage {
	raw, _ := ctx.Value(argumentsKey{}).(json.RawMessage)
	return raw
}

// tied ends when the caller hangs up, which the SDK keeps from its handlers.
func tied(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	asked, ok := ctx.Value(requestKey{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(asked, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
