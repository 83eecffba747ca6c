package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/api/openapi"
)

// described is what the tests here read of the document.
type described struct {
	OpenAPI string `json:"openapi"`
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Paths map[string]map[string]struct {
		OperationID string              `json:"operationId"`
		Security    *[]map[string][]any `json:"security"`
	} `json:"paths"`
	Security   []map[string][]any `json:"security"`
	Webhooks   map[string]any     `json:"webhooks"`
	Components struct {
		SecuritySchemes map[string]map[string]any `json:"securitySchemes"`
	} `json:"components"`
}

func read(t *testing.T, document []byte) described {
	t.Helper()
	var d described
	require.NoError(t, json.Unmarshal(document, &d))
	return d
}

func TestDocumentNamesTheServiceThatServesIt(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://veracity.example":  "https://veracity.example/api/v1",
		"http://localhost:8080":     "http://localhost:8080/api/v1",
		"https://example.com/under": "https://example.com/under/api/v1",
		"":                          "/api/v1",
	} {
		d := read(t, openapi.At(base))
		require.Len(t, d.Servers, 1)
		require.Equal(t, want, d.Servers[0].URL)
	}
	require.Equal(t, string(openapi.Document()), string(openapi.At("")))
	require.Equal(t, 1, strings.Count(string(openapi.Document()), `"url": "/api/v1"`), "nothing else reads like the server's address")
}

func TestDocumentHasTheCallsOfTheContract(t *testing.T) {
	t.Parallel()
	d := read(t, openapi.Document())
	require.Equal(t, "3.1.0", d.OpenAPI)
	var calls, open []string
	for path, methods := range d.Paths {
		for method, op := range methods {
			call := strings.ToUpper(method) + " " + path
			calls = append(calls, call)
			if op.Security != nil {
				require.Empty(t, *op.Security, "%s: security is left to the document, or there is none", call)
				open = append(open, call)
			}
		}
	}
	require.ElementsMatch(t, []string{
		"POST /audit", "GET /audit/{id}", "POST /optimize", "GET /optimize/{id}", "GET /optimize/{id}/file",
		"GET /optimize/{id}/image", "POST /uploads", "POST /mcp", "GET /openapi.json",
	}, calls)
	require.ElementsMatch(t, []string{"GET /optimize/{id}/file", "GET /optimize/{id}/image", "GET /openapi.json"}, open)
	require.Equal(t, []map[string][]any{{"apiKey": {}}, {"bearer": {}}}, d.Security, "one of the two")
	require.Equal(t, "X-API-Key", d.Components.SecuritySchemes["apiKey"]["name"])
	require.Equal(t, "bearer", d.Components.SecuritySchemes["bearer"]["scheme"])
	require.Contains(t, d.Webhooks, "optimizationEnded")
}
