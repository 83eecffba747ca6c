package c2pa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

func TestActionsFollowTheirRules(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	parent := ingredient("c2pa.ingredient.v3", "parentOf", nil)
	component := ingredient("c2pa.ingredient.v3__1", "componentOf", nil)
	nowhere := part{label: "c2pa.ingredient.v3__9", value: cbor.Members{}}
	second := actions(action("c2pa.edited"))
	second.label += "__1"
	late := actions(action("c2pa.created"))
	late.label += "__1"
	open := actions(action("c2pa.opened", names(parent)))
	tests := map[string]struct {
		parts []part
		codes []status.Code
	}{
		"opened":                   {[]part{parent, open}, nil},
		"created, then edits":      {[]part{actions(action("c2pa.created"), action("c2pa.edited"), action("com.example.own"))}, nil},
		"placed":                   {[]part{component, actions(action("c2pa.created"), action("c2pa.placed", names(component)))}, nil},
		"transcoded by itself":     {[]part{actions(action("c2pa.created"), action("c2pa.transcoded"))}, nil},
		"two assertions":           {[]part{parent, open, second}, nil},
		"none":                     {[]part{}, []status.Code{status.ActionMalformed}},
		"no beginning":             {[]part{actions(action("c2pa.edited"))}, []status.Code{status.ActionMalformed}},
		"an empty list":            {[]part{{label: "c2pa.actions.v2", value: cbor.Members{{Key: "actions", Value: []any{}}}}}, []status.Code{status.ActionMalformed, status.ActionMalformed}},
		"created late":             {[]part{actions(action("c2pa.edited"), action("c2pa.created"))}, []status.Code{status.ActionMalformed}},
		"created twice":            {[]part{created(aiMedia), late}, []status.Code{status.ActionMalformed, status.ActionMalformed}},
		"no name":                  {[]part{actions(action("c2pa.created"), cbor.Members{{Key: "when", Value: "now"}})}, []status.Code{status.ActionMalformed}},
		"opened nothing":           {[]part{actions(action("c2pa.opened"))}, []status.Code{status.ActionIngredientMismatch}},
		"opened a component":       {[]part{component, actions(action("c2pa.opened", names(component)))}, []status.Code{status.ActionIngredientMismatch}},
		"opened two":               {[]part{parent, component, actions(action("c2pa.opened", names(parent, component)))}, []status.Code{status.ActionIngredientMismatch}},
		"placed a parent":          {[]part{parent, actions(action("c2pa.created"), action("c2pa.placed", names(parent)))}, []status.Code{status.ActionIngredientMismatch}},
		"placed what is not there": {[]part{actions(action("c2pa.created"), action("c2pa.placed", names(nowhere)))}, []status.Code{status.ActionIngredientMismatch, status.HashedURIMissing}},
		"removed nothing":          {[]part{actions(action("c2pa.created"), action("c2pa.removed"))}, []status.Code{status.ActionIngredientMismatch}},
		"transcoded a component":   {[]part{component, actions(action("c2pa.created"), action("c2pa.transcoded", names(component)))}, []status.Code{status.ActionIngredientMismatch}},
		"redacted nothing":         {[]part{actions(action("c2pa.created"), action("c2pa.redacted"))}, []status.Code{status.ActionRedactionMismatch}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.one(draft{parts: tt.parts}))
			require.ElementsMatch(t, append([]status.Code{}, tt.codes...), failures(r.Statuses), r.Statuses)
			if len(tt.codes) == 0 {
				require.Equal(t, "trusted", r.State)
				return
			}
			require.Equal(t, "invalid", r.State)
		})
	}
}

func TestASignerWhoIsSloppyWithActionsAltersNothing(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.one(draft{parts: []part{actions(action("c2pa.edited", cbor.Member{Key: "digitalSourceType", Value: aiMedia}))}}))
	require.Equal(t, "invalid", r.State)
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
	require.Equal(t, aiMedia, r.Manifests[0].Actions[0].SourceType)
}

func TestClaimsOfVersion1AreHeldToOneActionsAssertion(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	free := actions(action("c2pa.opened"))
	free.label = "c2pa.actions"
	r := f.read(f.one(draft{version: 1, parts: []part{free}}))
	require.Equal(t, "trusted", r.State, r.Statuses)
	second := actions(action("c2pa.edited"))
	r = f.read(f.one(draft{version: 1, parts: []part{free, second}}))
	require.Equal(t, []status.Code{status.ActionMalformed}, failures(r.Statuses))
}

func TestActionsTakeFromTheirTemplatesWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	text := func(key, value string) cbor.Member { return cbor.Member{Key: key, Value: value} }
	agent := cbor.Members{{Key: "name", Value: "Model"}, {Key: "version", Value: "3"}}
	p := part{label: "c2pa.actions.v2", value: cbor.Members{
		{Key: "actions", Value: []any{
			action("c2pa.created"),
			action("com.example.fill", text("description", "own words"), cbor.Member{Key: "when", Value: cbor.TagOf{Number: 0, Content: "2026-01-02T03:04:05Z"}}),
			action("c2pa.edited", cbor.Member{Key: "softwareAgentIndex", Value: 0}, cbor.Member{
				Key: "related", Value: []any{action("c2pa.cropped")},
			}),
		}},
		{Key: "templates", Value: []any{
			action("*", text("description", "any"), cbor.Member{Key: "softwareAgent", Value: agent}),
			action("com.example.fill", text("digitalSourceType", aiMedia), text("description", "template")),
		}},
		{Key: "softwareAgents", Value: []any{cbor.Members{{Key: "name", Value: "Editor"}}}},
	}}
	r := f.read(f.one(draft{parts: []part{p}}))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Equal(t, []c2pa.Action{
		{Name: "c2pa.created", Agent: "Model 3", Description: "any"},
		{Name: "com.example.fill", SourceType: aiMedia, Agent: "Model 3", Description: "own words", When: "2026-01-02T03:04:05Z"},
		{Name: "c2pa.edited", Agent: "Editor", Description: "any"},
		{Name: "c2pa.cropped", Agent: "Model 3", Description: "any"},
	}, r.Manifests[0].Actions)
}

func TestEarlyActionsNameTheirIngredientByInstance(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	in := part{label: "c2pa.ingredient", value: cbor.Members{
		{Key: "relationship", Value: "componentOf"}, {Key: "instanceID", Value: "xmp:iid:7"},
	}}
	list := actions(action("c2pa.opened", cbor.Member{Key: "parameters", Value: cbor.Members{
		{Key: "instanceId", Value: "xmp:iid:7"}, {Key: "description", Value: "Opened"},
	}}, cbor.Member{Key: "softwareAgent", Value: "Old Editor"}))
	list.label = "c2pa.actions"
	r := f.read(f.one(draft{version: 1, parts: []part{in, list}}))
	require.Equal(t, []c2pa.Action{{
		Name: "c2pa.opened", Agent: "Old Editor", Description: "Opened", Ingredients: []string{"c2pa.ingredient"},
	}}, r.Manifests[0].Actions)
}
