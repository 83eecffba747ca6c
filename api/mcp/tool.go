package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"veracity/api"
	"veracity/platform/fault"
)

// tool is one act as an assistant sees it.
type tool struct {
	sdk.Tool
	// takes are the names of its arguments.
	takes []string
	run   func(ctx context.Context, c call) (result, error)
}

// call is one use of a tool.
type call struct {
	arguments arguments
	progress  *progress
}

// result is what a tool answers: a JSON object, and a sentence on what to do next where there is something to do.
type result struct {
	body     []byte
	next     string
	replayed bool
}

// handler runs a tool for the SDK. Every failure of the act comes back inside the result, where the assistant reads it.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, end := tied(ctx)
		defer end()
		res, err := s.use(ctx, t, req)
		api.Note(ctx, err)
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: fault.From(err).Message}}}, nil
		}
		return res.encode(), nil
	}
}

func (s *Server) use(ctx context.Context, t tool, req *sdk.CallToolRequest) (res result, err error) {
	defer func() {
		// The SDK calls on a goroutine of its own, where a panic would end the process.
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	args, err := t.read(argumentsOf(ctx))
	if err != nil {
		return result{}, err
	}
	return t.run(ctx, call{arguments: args, progress: newProgress(req, s.beat)})
}

// encode writes the object twice, as structured content and as text for clients that know only that (MCP 2025-11-25,
// Tools, Structured Content).
func (r result) encode() *sdk.CallToolResult {
	body := bytes.TrimSpace(r.body)
	out := &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: string(body)}},
		StructuredContent: json.RawMessage(body),
	}
	if r.next != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: r.next})
	}
	if r.replayed {
		out.Meta = sdk.Meta{"veracity/replayed": true}
	}
	return out
}

// arguments are the arguments of a tool. One that is null counts as left out, as in the bodies of REST.
type arguments map[string]json.RawMessage

// read checks the arguments' names. A name that the tool does not know is refused, since a misspelt one would change
// what is done and what it costs.
func (t tool) read(raw json.RawMessage) (arguments, error) {
	if !given(raw) {
		return arguments{}, nil
	}
	args, ok := split(raw)
	if !ok {
		return nil, fault.New(fault.InvalidBody, "arguments must be a JSON object. %s", t.usage())
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(t.takes, name) {
			return nil, fault.New(fault.InvalidBody, "%s has no argument %.100q. %s", t.Name, name, t.usage())
		}
		if !given(args[name]) {
			delete(args, name)
		}
	}
	return args, nil
}

func (t tool) usage() string {
	if len(t.takes) == 0 {
		return t.Name + " takes no arguments."
	}
	return t.Name + " takes: " + strings.Join(t.takes, ", ") + "."
}

// full reads detail, which may only be "full".
func (a arguments) full() (bool, error) {
	switch string(a["detail"]) {
	case "":
		return false, nil
	case `"full"`:
		return true, nil
	}
	return false, fault.New(fault.InvalidParameter, `detail must be "full", or left out.`)
}

// id reads the id of a job; from names the tool that answers such ids.
func (a arguments) id(from string) (string, error) {
	var id string
	if raw, ok := a["id"]; !ok || json.Unmarshal(raw, &id) != nil || id == "" {
		return "", fault.New(fault.InvalidParameter, "id must be a string: the id that %s answered.", from)
	}
	return id, nil
}

// post is the call of the API that the arguments make: all but those of the protocol are fields of the POST's body. Their
// order and spacing do not count, since an assistant writes a call that it repeats anew.
func (a arguments) post() (api.Call, error) {
	full, err := a.full()
	if err != nil {
		return api.Call{}, err
	}
	c := api.Call{Full: full}
	if raw, ok := a[argKey]; ok {
		if json.Unmarshal(raw, &c.Key) != nil || c.Key == "" {
			return api.Call{}, fault.New(fault.InvalidParameter, "idempotency_key must be a string that is not empty, such as a UUID.")
		}
	}
	c.Body = a.body()
	return c, nil
}

// body writes the fields of a POST.
func (a arguments) body() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if name == argKey || name == argDetail {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`) // a name of ours, which needs no escapes
		b.Write(a[name])
	}
	return slices.Concat([]byte("{"), b.Bytes(), []byte("}"))
}

// Arguments that are none of a POST's fields.
const (
	argKey    = "idempotency_key"
	argDetail = "detail"
	argWait   = "wait_seconds"
)
