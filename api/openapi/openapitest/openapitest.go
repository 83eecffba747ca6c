// Package openapitest holds what the API answers, and the webhooks that the service sends, against the API's own
// description. It is stricter than the document is to its readers: members, headers and error codes that the document does
// not name are refused here, while clients are told to expect new ones. For tests only.
package openapitest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"

	"veracity/api/openapi"
)

// prefix is where the API is mounted: the path of the document's server.
const prefix = "/api/v1"

// Strict is the document with every object closed to members that it does not name. It is shared: change nothing in it.
var Strict = sync.OnceValues(func() (*openapi3.T, error) {
	closed, err := closeObjects(openapi.Document())
	if err != nil {
		return nil, err
	}
	return Load(closed)
})

// Load reads a document and refuses one that is no valid OpenAPI 3.1.
func Load(document []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the API's description: %w", err)
	}
	if err := doc.Validate(context.Background(), openapi3.EnableSchemaPatternValidation()); err != nil {
		return nil, fmt.Errorf("check the API's description: %w", err)
	}
	return doc, nil
}

// Answer is one answer of the API.
type Answer struct {
	// Method and Path are the request's; the path begins with /api/v1 and is escaped as it was sent.
	Method, Path string
	Status       int
	Header       http.Header
	Body         []byte
}

// Check says how the answer differs from what the document describes: its status, content type, headers, body and code.
// A path or method that the document lacks may only be refused, with 404 not_found or 405 method_not_allowed.
func (a Answer) Check(ctx context.Context) error {
	doc, err := Strict()
	if err != nil {
		return err
	}
	where := fmt.Sprintf("%s %.200s answers %d", a.Method, a.Path, a.Status)
	op := Operation(doc, a.Method, a.Path)
	if op == nil || a.Status == http.StatusMethodNotAllowed {
		err = a.checkUndescribed(doc)
	} else {
		err = a.checkDescribed(ctx, doc, op)
	}
	if err != nil {
		return fmt.Errorf("%s, which the API's description does not have so: %w\n%.2000s", where, err, a.Body)
	}
	return nil
}

func (a Answer) checkDescribed(ctx context.Context, doc *openapi3.T, op *openapi3.Operation) error {
	described := op.Responses.Status(a.Status)
	if described == nil {
		return errors.New("the status is not described")
	}
	response := described.Value
	if err := a.checkHeaders(response.Headers); err != nil {
		return err
	}
	if a.Method == http.MethodHead {
		return nil
	}
	if len(response.Content) == 0 {
		return a.checkEmpty()
	}
	if err := validate(ctx, doc, op, a); err != nil {
		return err
	}
	var value any
	if err := decode(a.Body, &value); a.Header.Get("Content-Type") == "application/json" && err != nil {
		return err // kin-openapi reads the first value alone
	}
	return a.checkCode(response.Content.Get(a.Header.Get("Content-Type")))
}

// checkHeaders demands what the document requires, in the form that it gives, and refuses what it does not name.
func (a Answer) checkHeaders(described openapi3.Headers) error {
	named := map[string]bool{}
	for _, name := range mechanics {
		named[name] = true
	}
	for name := range described {
		named[http.CanonicalHeaderKey(name)] = true
	}
	for name := range a.Header {
		if !named[name] {
			return fmt.Errorf("the header %s is not described", name)
		}
	}
	for name, header := range described {
		values := a.Header.Values(name)
		switch {
		case len(values) > 1:
			return fmt.Errorf("the header %s is there %d times", name, len(values))
		case len(values) == 0 && header.Value.Required:
			return fmt.Errorf("the header %s is missing", name)
		case len(values) == 0:
			continue
		}
		if err := checkText(header.Value.Schema, values[0]); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	return nil
}

// mechanics are headers of HTTP itself, which no description of an API names.
var mechanics = []string{"Connection", "Content-Length", "Content-Type", "Date", "Transfer-Encoding"}

func (a Answer) checkEmpty() error {
	if len(a.Body) > 0 || a.Header.Get("Content-Type") != "" {
		return errors.New("no body is described")
	}
	return nil
}

// checkCode demands that an error object's code is one of those that the response lists as its examples.
func (a Answer) checkCode(media *openapi3.MediaType) error {
	code, ok := a.code()
	if !ok {
		return nil
	}
	if media == nil || media.Examples[code] == nil {
		return fmt.Errorf("the code %q is not listed", code)
	}
	return nil
}

// checkUndescribed holds a refusal of what the document does not have against its error object.
func (a Answer) checkUndescribed(doc *openapi3.T) error {
	headers := openapi3.Headers{}
	for name, component := range map[string]string{"Request-Id": "RequestId", "Cache-Control": "NoStore", "X-Content-Type-Options": "NoSniff"} {
		headers[name] = doc.Components.Headers[component]
	}
	codes := map[int]string{http.StatusNotFound: "not_found", http.StatusMethodNotAllowed: "method_not_allowed"}
	want, ok := codes[a.Status]
	if !ok && a.Status != http.StatusRequestEntityTooLarge {
		return errors.New("neither the path with this method nor such a refusal is described")
	}
	if !ok {
		want = "image_too_large" // a body over the cap is refused before anything else
	}
	header := a.Header.Clone()
	if a.Status == http.StatusMethodNotAllowed {
		if header.Get("Allow") == "" {
			return errors.New("the header Allow is missing")
		}
		header.Del("Allow")
	}
	if err := (Answer{Header: header}).checkHeaders(headers); err != nil {
		return err
	}
	if a.Method == http.MethodHead {
		return nil
	}
	var body any
	if err := decode(a.Body, &body); err != nil {
		return err
	}
	if err := visit(doc.Components.Schemas["Error"], body); err != nil {
		return err
	}
	if code, _ := a.code(); code != want {
		return fmt.Errorf("the code is %q: want %q", code, want)
	}
	return nil
}

// Operation finds what the document says of a method and an escaped path, nil where it says nothing. HEAD is described by
// its GET, where that needs no key.
func Operation(doc *openapi3.T, method, path string) *openapi3.Operation {
	rest, ok := strings.CutPrefix(path, prefix)
	if !ok {
		return nil
	}
	for _, template := range doc.Paths.InMatchingOrder() {
		if !fits(template, rest) {
			continue
		}
		item := doc.Paths.Value(template)
		if method == http.MethodHead && item.Get != nil && item.Get.Security != nil && len(*item.Get.Security) == 0 {
			return item.Get
		}
		return item.Operations()[method]
	}
	return nil
}

func fits(template, path string) bool {
	wanted, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(wanted, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}

// validate has kin-openapi look at status, content type and body.
func validate(ctx context.Context, doc *openapi3.T, op *openapi3.Operation, a Answer) error {
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: a.Method, URL: &url.URL{Path: a.Path}},
			Route:   &routers.Route{Spec: doc, Operation: op, Method: a.Method},
		},
		Status: a.Status, Header: http.Header{"Content-Type": a.Header["Content-Type"]},
		Options: &openapi3filter.Options{IncludeResponseStatus: true, SchemaValidationOptions: formats},
	}
	input.SetBodyBytes(a.Body)
	// Headers have been looked at.
	bare := *op.Responses.Status(a.Status).Value
	bare.Headers = nil
	only := *op
	only.Responses = openapi3.NewResponses(openapi3.WithStatus(a.Status, &openapi3.ResponseRef{Value: &bare}))
	input.RequestValidationInput.Route.Operation = &only
	return short(openapi3filter.ValidateResponse(ctx, input))
}

// formats are those of strings that the document uses and that kin-openapi does not know by itself.
var formats = []openapi3.SchemaValidationOption{
	openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(func(s string) error {
		id, err := uuid.Parse(s)
		if err == nil && id.String() != s {
			err = errors.New("a UUID is written in lower case, without braces")
		}
		return err
	})),
	openapi3.WithStringFormatValidator("uri", openapi3.NewCallbackValidator(func(s string) error {
		u, err := url.ParseRequestURI(s)
		if err == nil && u.Host == "" {
			err = errors.New("a URI here has a host")
		}
		return err
	})),
}
