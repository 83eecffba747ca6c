package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"veracity/api/openapi"
	"veracity/platform/fault"
)

// written is what the tests here read of the API's description.
type written struct {
	Info       struct{ Description string }
	Paths      map[string]map[string]struct{ Responses map[string]refusals }
	Components struct{ Responses map[string]refusals }
}

// refusals are the codes that an answer lists as its examples, or the shared answer that it is.
type refusals struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Examples map[string]struct {
			Ref string `json:"$ref"`
		}
	}
}

func readDocument(t *testing.T) written {
	t.Helper()
	var d written
	require.NoError(t, json.Unmarshal(openapi.Document(), &d))
	return d
}

// listed are the codes of the document and their statuses.
func listed(t *testing.T, d written) map[fault.Code][]int {
	t.Helper()
	codes := map[fault.Code][]int{}
	for _, methods := range d.Paths {
		for _, op := range methods {
			for text, answer := range op.Responses {
				status, err := strconv.Atoi(text)
				require.NoError(t, err)
				if name, shared := strings.CutPrefix(answer.Ref, "#/components/responses/"); shared {
					answer = d.Components.Responses[name]
				}
				for _, media := range answer.Content {
					for name, example := range media.Examples {
						if example.Ref == "#/components/examples/"+name {
							codes[fault.Code(name)] = append(codes[fault.Code(name)], status)
						}
					}
				}
			}
		}
	}
	return codes
}

func TestDescriptionListsEachCodeUnderItsStatus(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	codes := listed(t, d)
	for code, under := range codes {
		status, ok := statuses[code]
		require.True(t, ok, "%s is no code of the API", code)
		for _, s := range under {
			require.Equal(t, status, s, code)
		}
	}
	for code := range statuses {
		switch code {
		case fault.MethodNotAllowed:
			require.Contains(t, d.Info.Description, "`method_not_allowed`", "no path lists it: each has it")
		case fault.AudioUnsupported, fault.VideoUnsupported:
			require.NotContains(t, codes, code, "it fails a job")
		case InvalidRequest:
			require.NotContains(t, codes, code, "it is in the log alone")
		default:
			require.Contains(t, codes, code)
		}
	}
}

func TestDescriptionHasTheRoutesOfTheAPI(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for path, methods := range readDocument(t).Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	delete(described, "POST /mcp") // mounted beside
	routed := map[string]bool{}
	err := chi.Walk(New(Parts{}).Handler().(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodHead {
			routed[method+" "+route] = true
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, described, routed)
}
