// Package openapi holds the description of the public API, an OpenAPI 3.1 document that is written by hand, once, and that
// people, client generators and tests all read. What the API answers is checked against it wherever a test calls the API.
package openapi

import (
	"bytes"
	_ "embed" // for the document
	"encoding/json"
)

//go:embed openapi.json
var source []byte

// here is the one server that the document names: where it lies itself.
const here = `"url": "/api/v1"`

// Document is the description of the API as written: its one server is the relative address /api/v1.
func Document() []byte { return bytes.Clone(source) }

// At is the description of the API of a service that is reached at baseURL, an address without a slash at its end.
func At(baseURL string) []byte {
	url, err := json.Marshal(baseURL + "/api/v1")
	if err != nil {
		return Document() // no text fails to be written as JSON
	}
	return bytes.Replace(source, []byte(here), append([]byte(`"url": `), url...), 1)
}
