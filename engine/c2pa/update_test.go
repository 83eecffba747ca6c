package c2pa_test

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
)

// updated makes a file of a standard manifest with an update manifest on top, which puts store and binding apart: the
// binding knows the store as it was before.
func (f *forge) updated(over func(source part) draft) []byte {
	f.tb.Helper()
	first := f.generated(2)
	box, err := jumbf.Parse(storeIn(first))
	require.NoError(f.tb, err)
	source := box.Children[0].Raw
	d := over(ingredient("c2pa.ingredient.v3", "parentOf", source))
	d.label = "urn:c2pa:update"
	if d.uuid == [16]byte{} {
		d.uuid = jumbf.UpdateManifest
	}
	return replace(first, storeOf(source, f.manifest(d)))
}

func opened(source part) draft {
	return draft{parts: []part{source, actions(action("c2pa.opened", names(source)), action("c2pa.edited.metadata"))}}
}

func TestAnUpdateManifestIsBoundByItsParent(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.updated(opened)
	r := f.read(png)
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.True(t, r.Manifests[0].Update)
	require.False(t, r.Manifests[1].Update)
	require.Equal(t, "c2pa.hash.data", r.Manifests[0].Binding)
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
	require.True(t, has(r.Statuses, status.DataHashMatch))

	png[len(png)-20] ^= 1
	altered(t, f.read(png), status.DataHashMismatch)
}

func TestAnUpdateManifestChangesNothingOfTheFile(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	with := func(p ...part) func(part) draft {
		return func(source part) draft {
			d := opened(source)
			d.parts = append(d.parts, p...)
			return d
		}
	}
	sum := sha256.Sum256(mediatest.PNG(t, 16, 16))
	hash := part{label: "c2pa.hash.data", value: cbor.Members{{Key: "alg", Value: "sha256"}, {Key: "hash", Value: sum[:]}}}
	tests := map[string]struct {
		over func(part) draft
		code status.Code
	}{
		"a binding":   {with(hash), status.ManifestUpdateInvalid},
		"parts":       {with(part{label: "c2pa.hash.multi-asset", value: cbor.Members{}}), status.ManifestUpdateInvalid},
		"a thumbnail": {with(part{label: "c2pa.thumbnail.claim", json: `{}`}), status.ManifestUpdateInvalid},
		"an edit": {func(source part) draft {
			return draft{parts: []part{source, actions(action("c2pa.opened", names(source)), action("c2pa.edited"))}}
		}, status.ManifestUpdateInvalid},
		"two ingredients": {with(ingredient("c2pa.ingredient.v3__1", "componentOf", nil)), status.ManifestUpdateWrongParents},
		"no ingredient": {func(part) draft {
			return draft{parts: []part{actions(action("c2pa.published"))}}
		}, status.ManifestUpdateWrongParents},
		"a component": {func(source part) draft {
			source.value = dedupe(append(cbor.Members{{Key: "relationship", Value: "componentOf"}}, source.value.(cbor.Members)...))
			return draft{parts: []part{source}}
		}, status.ManifestUpdateWrongParents},
		"a standard one without binding": {func(source part) draft {
			d := opened(source)
			d.uuid = jumbf.Manifest
			return d
		}, status.ClaimHardBindingsMissing},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.updated(tt.over))
			require.Contains(t, failures(r.Statuses), tt.code)
			require.Equal(t, "invalid", r.State)
			require.NotEqual(t, c2pa.Intact, r.Manifests[0].Integrity)
		})
	}
}

func TestAStandardManifestRetaggedAsUpdateDoesNotPass(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	altered(t, f.read(f.one(draft{uuid: jumbf.UpdateManifest})),
		status.ManifestUpdateInvalid, status.ManifestUpdateWrongParents, status.ManifestUpdateInvalid, status.ClaimHardBindingsMissing)
}

// redactable is a manifest with a note, and one over it that took the note out.
func (f *forge) redacted(kept func(note part) [][]byte, label string, more ...string) []byte {
	f.tb.Helper()
	note := part{label: label, json: `{"where":"here"}`}
	switch label {
	case "c2pa.actions.v2":
		note = created(aiMedia)
	case "c2pa.hash.data":
		note = part{label: label, value: cbor.Members{}}
	}
	parts := []part{note}
	if label != "c2pa.actions.v2" {
		parts = append(parts, created(aiMedia))
	}
	if label != "c2pa.hash.data" {
		parts = append(parts, part{label: "c2pa.hash.data", value: cbor.Members{}})
	}
	whole := f.manifest(draft{label: "urn:c2pa:below", parts: parts})
	box, err := jumbf.Parse(whole)
	require.NoError(f.tb, err)
	var store [][]byte
	for _, a := range box.Children[0].Children {
		if a.Label != label {
			store = append(store, a.Raw)
			continue
		}
		store = append(store, kept(note)...)
	}
	reduced := jumbf.Super(jumbf.Manifest, "urn:c2pa:below", nil,
		jumbf.Super(jumbf.AssertionStore, "c2pa.assertions", nil, store...), box.Children[1].Raw, box.Children[2].Raw)
	uris := []any{}
	for _, uri := range append([]string{"self#jumbf=/c2pa/urn:c2pa:below/c2pa.assertions/" + label}, more...) {
		uris = append(uris, uri)
	}
	return f.file(func(binding part) []byte {
		in := ingredient("c2pa.ingredient.v3", "parentOf", whole)
		return storeOf(reduced, f.manifest(draft{
			label: "urn:c2pa:over",
			claim: append(claimOf(2), cbor.Member{Key: "redacted_assertions", Value: uris}),
			parts: []part{in, actions(action("c2pa.opened", names(in)), action("c2pa.redacted", cbor.Member{
				Key: "parameters", Value: cbor.Members{{Key: "redacted", Value: uris[0]}},
			})), binding},
		}))
	})
}

func gone(part) [][]byte { return nil }

func emptied(note part) [][]byte {
	uuid := []byte{0xCA, 0xA9, 0x8E, 0xEE, 0x9D, 0x4D, 0xF8, 0x0E, 0x86, 0xAD, 0x4D, 0xFF, 0xCA, 0x26, 0x39, 0x73}
	return [][]byte{jumbf.Super(jumbf.JSONContent, note.label, nil, jumbf.Leaf("uuid", append(uuid, make([]byte, 20)...)))}
}

func still(note part) [][]byte { return [][]byte{note.superbox()} }

func TestRedactionIsAllowedWhereItIs(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for name, kept := range map[string]func(part) [][]byte{"gone": gone, "emptied": emptied} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.redacted(kept, "com.example.note"))
			require.Equal(t, "trusted", r.State, r.Statuses)
			require.True(t, has(r.Statuses, status.IngredientClaimSignatureValidated))
			require.Equal(t, c2pa.Intact, r.Manifests[1].Integrity)
			require.Equal(t, c2pa.Assertion{Label: "com.example.note", Redacted: true}, r.Manifests[1].Assertions[0])
		})
	}
}

func TestRedactionIsRefusedWhereItIsNot(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	tests := map[string]struct {
		png  []byte
		code status.Code
	}{
		"actions":       {f.redacted(gone, "c2pa.actions.v2"), status.ActionRedacted},
		"the binding":   {f.redacted(gone, "c2pa.hash.data"), status.DataHashRedacted},
		"still there":   {f.redacted(still, "com.example.note"), status.AssertionNotRedacted},
		"other content": {f.redacted(func(n part) [][]byte { return [][]byte{part{label: n.label, json: `{"x":1}`}.superbox()} }, "com.example.note"), status.AssertionNotRedacted},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(tt.png)
			require.Equal(t, "invalid", r.State)
			require.Contains(t, failures(r.Manifests[1].Statuses), tt.code)
			require.Equal(t, c2pa.Altered, r.Manifests[1].Integrity)
		})
	}
}

func TestNobodyRedactsHisOwn(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.redacted(gone, "com.example.note", "self#jumbf=c2pa.assertions/c2pa.hash.data"))
	require.Equal(t, []status.Code{status.AssertionSelfRedacted}, failures(r.Statuses))
}

func TestOnlyThoseAboveRedact(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	note := part{label: "com.example.note", json: `{}`}
	hash := part{label: "c2pa.hash.data", value: cbor.Members{}}
	first := f.manifest(draft{label: "urn:c2pa:first", parts: []part{created(aiMedia), {label: note.label, json: note.json, absent: true}, hash}})
	second := f.manifest(draft{
		label: "urn:c2pa:second", parts: []part{created(aiMedia), hash},
		claim: append(claimOf(2), cbor.Member{Key: "redacted_assertions", Value: []any{"self#jumbf=/c2pa/urn:c2pa:first/c2pa.assertions/com.example.note"}}),
	})
	r := f.read(f.file(func(binding part) []byte {
		a, b := ingredient("c2pa.ingredient.v3", "componentOf", first), ingredient("c2pa.ingredient.v3__1", "componentOf", second)
		return storeOf(first, second, f.manifest(draft{
			label: "urn:c2pa:over", parts: []part{a, b, actions(action("c2pa.created"), action("c2pa.placed", names(a, b))), binding},
		}))
	}))
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.AssertionMissing}, failures(r.Manifests[1].Statuses))
}
