package reference_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/api/openapi"
	"veracity/views"
	"veracity/web/reference"
)

const base = "https://media.test"

func read(t *testing.T) views.Reference {
	t.Helper()
	r, err := reference.Read(openapi.Document(), base)
	require.NoError(t, err)
	return r
}

// calls are all calls with those that we make.
func calls(r views.Reference) []views.Call {
	all := slices.Clone(r.Webhooks)
	for _, g := range r.Groups {
		all = append(all, g.Calls...)
	}
	return all
}

// described is the document as a plain value.
func described(t *testing.T) map[string]any {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal(openapi.Document(), &all))
	return all
}

// walk calls do for every object in a value, with the name under which it stands.
func walk(name string, value any, do func(name string, object map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		do(name, v)
		for key, inner := range v {
			walk(key, inner, do)
		}
	case []any:
		for _, inner := range v {
			walk(name, inner, do)
		}
	}
}

func TestEveryOperationIsShown(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, c := range calls(read(t)) {
		require.False(t, shown[c.ID], "%s is shown twice", c.ID)
		shown[c.ID] = true
		require.NotEmpty(t, c.Title)
		require.NotEmpty(t, c.About)
		require.NotEmpty(t, c.Answers)
	}
	found := map[string]bool{}
	walk("", described(t), func(_ string, o map[string]any) {
		if id, ok := o["operationId"].(string); ok {
			found[id] = true
		}
	})
	require.NotEmpty(t, found)
	require.Equal(t, found, shown)
}

func TestEveryParameterAndHeaderIsShown(t *testing.T) {
	t.Parallel()
	r := read(t)
	parameters, headers := map[string]bool{}, map[string]bool{}
	for _, c := range calls(r) {
		for _, p := range c.Parameters {
			require.NotEmpty(t, p.About, p.Name)
			require.NotEmpty(t, p.Type, p.Name)
			parameters[p.Place+" "+p.Name] = true
		}
	}
	for _, h := range r.Headers {
		require.NotEmpty(t, h.About, h.Name)
		headers[h.Name] = true
	}
	walk("", described(t), func(name string, o map[string]any) {
		if place, ok := o["in"].(string); ok && o["scheme"] == nil && o["type"] != "apiKey" {
			require.Contains(t, parameters, place+" "+o["name"].(string)) //nolint:forcetypeassert // it panics where the document is broken
		}
		if name == "responses" {
			for _, answer := range o {
				given, _ := answer.(map[string]any)["headers"].(map[string]any) //nolint:forcetypeassert // as above
				for header := range given {
					require.Contains(t, headers, header)
				}
			}
		}
	})
}

func TestEveryFieldIsShown(t *testing.T) {
	t.Parallel()
	r := read(t)
	shown := map[string]bool{}
	take := func(fields []views.CallField) {
		for _, f := range fields {
			shown[f.Name[strings.LastIndex(f.Name, ".")+1:]] = true
			require.NotEmpty(t, f.Type, f.Name)
		}
	}
	for _, s := range r.Errors {
		take(s.Fields)
	}
	for _, c := range calls(r) {
		take(c.Fields)
		for _, a := range c.Answers {
			take(a.Fields)
			if a.SameAs.ID != "" {
				require.True(t, slices.ContainsFunc(calls(r), func(o views.Call) bool { return o.ID == a.SameAs.ID }), a.SameAs.ID)
			}
		}
	}
	fields := map[string]bool{}
	walk("", described(t), func(name string, o map[string]any) {
		if name == "properties" {
			maps.Copy(fields, known(o))
		}
	})
	require.NotEmpty(t, fields)
	require.Equal(t, fields, shown)
}

func known(o map[string]any) map[string]bool {
	names := map[string]bool{}
	for name := range o {
		names[name] = true
	}
	return names
}

func TestAFieldOfSeveralShapesTellsAllOfThem(t *testing.T) {
	t.Parallel()
	for _, c := range calls(read(t)) {
		if c.ID != "getCheck" {
			continue
		}
		fields := map[string]views.CallField{}
		for _, f := range c.Answers[0].Fields {
			fields[f.Name] = f
		}
		require.Equal(t, "string, one of queued, running, succeeded, failed", fields["status"].Type)
		require.True(t, fields["id"].Required, "every shape has it")
		require.False(t, fields["lanes"].Required, "it comes with the verdict")
		require.True(t, fields["lanes.pixels"].Required, "it comes with the lanes")
		require.Equal(t, "integer, 0 to 100", fields["lanes.pixels.score"].Type)
		require.Contains(t, fields, "video.readings[].t")
		return
	}
	t.Fatal("getCheck is missing")
}

func TestEveryErrorCodeIsExplainedAndEveryExplainedOneIsInTheDocument(t *testing.T) {
	t.Parallel()
	inDocument, explained := map[string]bool{}, map[string]bool{}
	components, ok := described(t)["components"].(map[string]any)
	require.True(t, ok)
	walk("", components["examples"], func(name string, o map[string]any) {
		if code, ok := o["code"].(string); ok && name == "value" {
			inDocument[code] = true
		}
	})
	for _, e := range views.CallErrors() {
		explained[e.Code] = true
	}
	// Errors of a failed job are told by the field that has them.
	jobError, err := json.Marshal(components["schemas"].(map[string]any)["JobError"]) //nolint:forcetypeassert // it panics where the document is broken
	require.NoError(t, err)
	for _, e := range views.JobErrors() {
		require.Contains(t, string(jobError), "`"+e.Code+"`")
		if !inDocument[e.Code] {
			delete(explained, e.Code)
		}
	}
	// The document says in words that any path and method may answer with it; no operation lists it.
	require.Contains(t, read(t).Intro, "`method_not_allowed`")
	inDocument["method_not_allowed"] = true
	require.Equal(t, explained, inDocument)

	shown := map[string]bool{"method_not_allowed": true}
	for _, c := range calls(read(t)) {
		for _, a := range c.Answers {
			for _, code := range a.Codes {
				shown[code] = true
			}
		}
	}
	require.Equal(t, explained, shown)
}

func TestWhatIsNoDescriptionIsRefused(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"", "{", `{"tags":[`, "nonsense"} {
		_, err := reference.Read([]byte(document), base)
		require.Error(t, err, document)
	}
}
