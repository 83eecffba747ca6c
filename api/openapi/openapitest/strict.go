package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// errorRef is the error object that the kinds with a stable detail stand beside.
const errorRef = "#/components/schemas/Error"

// closeObjects gives the document with additionalProperties false on every object that lists members and does not say
// itself what others may be. Where an error object stands beside kinds of it that are told by their code, it is closed to
// those codes, so that their details are looked at.
func closeObjects(document []byte) ([]byte, error) {
	var doc map[string]any
	if err := decode(document, &doc); err != nil {
		return nil, err
	}
	components, _ := doc["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	closeIn(doc, schemas)
	closed, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write the strict description: %w", err)
	}
	return closed, nil
}

func closeIn(node any, schemas map[string]any) {
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			closeIn(one, schemas)
		}
	case map[string]any:
		_, lists := node["properties"].(map[string]any)
		if _, said := node["additionalProperties"]; node["type"] == "object" && lists && !said {
			node["additionalProperties"] = false
		}
		if kinds, ok := node["anyOf"].([]any); ok {
			node["anyOf"] = apart(kinds, schemas)
		}
		for name, one := range node {
			if name != "example" && name != "examples" {
				closeIn(one, schemas)
			}
		}
	}
}

// apart closes the error object among kinds of errors to the codes of the others.
func apart(kinds []any, schemas map[string]any) []any {
	var codes []any
	for name, schema := range schemas {
		for _, kind := range kinds {
			if kind.(map[string]any)["$ref"] == "#/components/schemas/"+name {
				if code := constCode(schema); code != nil {
					codes = append(codes, code)
				}
			}
		}
	}
	if codes == nil {
		return kinds
	}
	closed := make([]any, len(kinds))
	for i, kind := range kinds {
		if closed[i] = kind; kind.(map[string]any)["$ref"] == errorRef {
			others := map[string]any{"properties": map[string]any{"code": map[string]any{"enum": codes}}, "required": []any{"code"}}
			closed[i] = map[string]any{"allOf": []any{kind, map[string]any{"not": others}}}
		}
	}
	return closed
}

// constCode is the one code of a kind of error, nil for a schema of anything else.
func constCode(schema any) any {
	node, _ := schema.(map[string]any)
	properties, _ := node["properties"].(map[string]any)
	code, _ := properties["code"].(map[string]any)
	return code["const"]
}

// code is that of an error object.
func (a Answer) code() (string, bool) {
	var object struct {
		Code    *string `json:"code"`
		Message *string `json:"message"`
	}
	if a.Status < 400 || json.Unmarshal(a.Body, &object) != nil || object.Code == nil || object.Message == nil {
		return "", false
	}
	return *object.Code, true
}

// decode reads one JSON value and nothing behind it.
func decode(text []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(to); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("read JSON: there is more than one value")
	}
	return nil
}

// visit holds a value against a schema as JSON Schema 2020-12 has it.
func visit(schema *openapi3.SchemaRef, value any) error {
	return short(schema.Value.VisitJSON(value, append([]openapi3.SchemaValidationOption{
		openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation(),
	}, formats...)...))
}

// short is err without the schemas and values that kin-openapi prints with each of its parts.
func short(err error) error {
	var mismatch *openapi3.SchemaError
	if errors.As(err, &mismatch) {
		return errors.New(mismatch.Reason)
	}
	return err
}

// checkText holds the text of a header against its schema, read as a number where that is one.
func checkText(schema *openapi3.SchemaRef, text string) error {
	if !schema.Value.Type.Is(openapi3.TypeInteger) {
		return visit(schema, text)
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no whole number", text)
	}
	return visit(schema, float64(number))
}
