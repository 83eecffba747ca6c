package c2pa

import (
	"slices"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// Bounds of ingredients.
const (
	maxIngredientsRead = 512
	maxRecorded        = 512
	maxRefers          = 4096
)

// relationships of an ingredient (specification 2.2, section 18.15.3).
var relationships = []string{"parentOf", "componentOf", "inputTo"}

// ingredient is an ingredient assertion with what leads to its manifest.
type ingredient struct {
	Ingredient
	a *assertion
	// version is that of the assertion, 1 to 3. Version 3 has activeManifest, claimSignature and validationResults.
	version             int
	instance            string
	manifest, signature *hashedURI
	// to is the manifest that manifest names, ok whether it names one, claimed whether by its claim.
	to          target
	ok, claimed bool
	// validated: it says what the signer found when it took the ingredient in. active are the statuses of the ingredient's
	// own manifest, faults all failures.
	validated bool
	active    map[status.Status]bool
	faults    map[fault]bool
}

// readIngredient reads an ingredient assertion of any version (specification 2.2, section 18.15).
func (m *manifest) readIngredient(a *assertion, v cbor.Value) {
	if len(m.ingredients) == maxIngredientsRead {
		m.skip(status.GeneralError, a.uri, "The manifest has more ingredients than are read.")
		return
	}
	in := &ingredient{a: a, version: versionOf(a.base), Ingredient: Ingredient{
		Label:  a.label,
		Title:  textOf(v.Get("dc:title")),
		Format: textOf(v.Get("dc:format")),
	}}
	in.Relationship = textOf(v.Get("relationship"))
	in.instance = textOf(v.Get("instanceID"))
	if !slices.Contains(relationships, in.Relationship) {
		m.add(status.IngredientMalformed, a.uri, "The ingredient does not say what it is to the file.")
	}
	manifest := v.Get("activeManifest")
	if in.version < 3 {
		manifest = v.Get("c2pa_manifest")
	}
	if u, ok := readHashedURI(manifest); ok {
		in.manifest = &u
		in.to, in.ok = parseURI(u.url, m.label)
		// Early producers refer to the claim where they mean its manifest.
		in.claimed = in.to.path == claimLabel || in.to.path == claimLabelV2
		in.ok = in.ok && (in.to.path == "" || in.claimed)
	}
	if u, ok := readHashedURI(v.Get("claimSignature")); ok {
		in.signature = &u
	}
	m.refer(a, v.Get("thumbnail"))
	m.refer(a, v.Get("data"))
	in.readResults(v)
	if in.version >= 3 && in.manifest != nil && !in.validated {
		m.add(status.IngredientMalformed, a.uri, "The ingredient does not say how its manifest was validated.")
	}
	m.ingredients = append(m.ingredients, in)
	m.ingredientByPath[a.target.path] = in
}

// versionOf is the version at the end of a label; no suffix is version 1.
func versionOf(base string) int {
	switch base {
	case ingredientLabel:
		return 1
	case ingredientLabel + ".v2":
		return 2
	}
	return 3
}

// readResults reads what the signer found of the ingredient: validationStatus of versions 1 and 2, validationResults of
// version 3 (specification 2.2, section 18.15.12.4).
func (in *ingredient) readResults(v cbor.Value) {
	in.active, in.faults = map[status.Status]bool{}, map[fault]bool{}
	for _, item := range v.Get("validationStatus").Elements() {
		s := in.recorded(item)
		good, said := item.Get("success").Bool()
		if s.Code.Kind() == status.Failure && (!said || !good) {
			in.failed(s, true)
		}
		in.found(s)
	}
	results := v.Get("validationResults")
	in.validated = results.Kind() == cbor.Map
	in.readCodes(results.Get("activeManifest"), true)
	for _, delta := range results.Get("ingredientDeltas").Elements() {
		in.readCodes(delta.Get("validationDeltas"), false)
	}
}

// readCodes reads a status-codes-map (specification 2.2, section 15.2.1).
func (in *ingredient) readCodes(codes cbor.Value, active bool) {
	for _, kind := range []string{"success", "informational", "failure"} {
		for _, item := range codes.Get(kind).Elements() {
			s := in.recorded(item)
			if kind == "failure" {
				in.failed(s, active)
			}
			if active {
				in.found(s)
			}
		}
	}
}

// found puts down a status of the ingredient's own manifest.
func (in *ingredient) found(s status.Status) {
	if len(in.active) < maxRecorded {
		in.active[s] = true
	}
}

// failed puts down a failure; active ones are those of the ingredient's own manifest.
func (in *ingredient) failed(s status.Status, active bool) {
	if f, ok := faultOf(s); ok && len(in.faults) < maxRecorded {
		in.faults[f] = true
	}
	if active && len(in.Recorded) < maxNames && !slices.Contains(in.Recorded, string(s.Code)) {
		in.Recorded = append(in.Recorded, string(s.Code))
	}
}

// recorded reads a status-map, its reference made absolute.
func (in *ingredient) recorded(v cbor.Value) status.Status {
	s := status.Status{Code: status.Code(textOf(v.Get("code")))}
	if url, ok := v.Get("url").Text(); ok {
		if t, ok := parseURI(url, in.to.manifest); ok {
			url = t.uri()
		}
		s.URI = clean(url)
	}
	return s
}

// ingredient is the ingredient assertion that a reference in manifest m leads to, nil when it leads to none.
func (s *store) ingredient(m *manifest, t target) *ingredient {
	if t.manifest != m.label {
		m = s.labelled[t.manifest]
	}
	if m == nil {
		return nil
	}
	return m.ingredientByPath[t.path]
}

// refer remembers a hashed reference that an assertion makes, to be checked when all manifests are read.
func (m *manifest) refer(a *assertion, v cbor.Value) {
	u, ok := readHashedURI(v)
	if !ok || u.external() {
		return
	}
	if len(m.refers) == maxRefers {
		m.skip(status.GeneralError, a.uri, "The manifest makes more references than are followed.")
		return
	}
	m.refers = append(m.refers, referral{a.uri, u})
}

// referral is a reference, and the assertion that makes it.
type referral struct {
	from string
	hashedURI
}
