package c2pa

import (
	"encoding/json"
	"strings"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
)

// Labels of assertions (specification 2.2, section 18.4).
const (
	actionsLabel    = "c2pa.actions"
	ingredientLabel = "c2pa.ingredient"
	thumbnailLabel  = "c2pa.thumbnail"
	multiAssetLabel = "c2pa.hash.multi-asset"
	cloudLabel      = "c2pa.cloud-data"
	stampLabel      = "c2pa.time-stamp"
	ocspLabel       = "c2pa.certificate-status"
	softLabel       = "c2pa.soft-binding"
	metadataLabel   = "c2pa.metadata"
	hashPrefix      = "c2pa.hash."
)

// assertion is one that the claim names.
type assertion struct {
	label, base string
	uri         string
	target      target
	// box is nil when it is not there.
	box *jumbf.Box
	// created: the claim attributes it to its signer, not to what it gathered.
	created bool
	// intact: its hash is that in the claim. verdict says why not.
	intact   bool
	verdict  verdict
	redacted bool
	// sourceType and watermark are what is reported of its content.
	sourceType, watermark string
}

// baseOf takes the number of an instance off a label (specification 2.2, section 6.4).
func baseOf(label string) string {
	base, number, ok := cutLast(label, "__")
	if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
		return label
	}
	return base
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// versioned tells a label and its later versions, such as c2pa.actions.v2.
func versioned(base, label string) bool {
	rest, ok := strings.CutPrefix(base, label)
	return ok && (rest == "" || strings.HasPrefix(rest, ".v"))
}

// match looks up the assertions that the claim names and compares their hashes. What does not match is told by settle,
// when it is known what was redacted.
func (r *reader) match(m *manifest) {
	seen := map[string]bool{}
	for _, list := range [][]reference{m.claim.created, m.claim.gathered} {
		for _, ref := range list {
			t, ok := parseURI(ref.url, m.label)
			switch {
			case !ok:
				m.add(status.AssertionMissing, m.claim.uri, "The claim names an assertion that no reference leads to.")
				continue
			case t.manifest != m.label:
				m.add(status.AssertionOutsideManifest, m.claim.uri, "The claim names an assertion of another manifest.")
				continue
			}
			a := &assertion{label: t.label(), base: baseOf(t.label()), uri: t.uri(), target: t, created: ref.created}
			if a.box, ok = m.find(t.path); ok {
				a.verdict = r.digests.check(ref.hashedURI, m.claim.alg, a.box.Body)
				a.intact = a.verdict == matches
			}
			if seen[t.path] {
				if !a.intact {
					m.assertions = append(m.assertions, a)
				}
				continue
			}
			seen[t.path] = true
			m.assertions = append(m.assertions, a)
		}
	}
}

// readContents reads the assertions whose hash matches; the others say nothing that anybody signed. Of an ingredient among
// those it is told where its manifest is missing: that is often what was changed.
func (r *reader) readContents(m *manifest) {
	for _, a := range m.assertions {
		if !a.intact {
			if a.verdict == differs && versioned(a.base, ingredientLabel) {
				r.missing(m, a)
			}
			continue
		}
		switch a.box.UUID {
		case jumbf.CBORContent:
			r.readCBOR(m, a)
		case jumbf.JSONContent:
			m.readJSON(a)
		default:
			if inCBOR(a.base) {
				m.add(status.AssertionCBORInvalid, a.uri, "The assertion is not in CBOR.")
			}
		}
	}
}

// inCBOR tells assertions that are checked and so must be in CBOR (specification 2.2, section 18.4).
func inCBOR(base string) bool {
	return versioned(base, actionsLabel) || versioned(base, ingredientLabel) || strings.HasPrefix(base, hashPrefix) ||
		base == cloudLabel || base == stampLabel || base == ocspLabel
}

// missing tells whether the manifest that a changed ingredient assertion names is not in the store.
func (r *reader) missing(m *manifest, a *assertion) {
	content, ok := a.box.First("cbor")
	if !ok || !m.store.afford(content) {
		return
	}
	v, err := cbor.Decode(content)
	if err != nil {
		return
	}
	named := v.Get("activeManifest")
	if named.Kind() == cbor.Absent {
		named = v.Get("c2pa_manifest")
	}
	u, ok := readHashedURI(named)
	if !ok {
		return
	}
	if t, ok := parseURI(u.url, m.label); !ok || r.store.labelled[t.manifest] == nil {
		m.add(status.IngredientManifestMissing, a.uri, "The ingredient's manifest is not there.")
	}
}

// inStandard tells the assertions of C2PA, and those of the Creator Assertions Working Group that identify people.
func inStandard(base string) bool {
	return strings.HasPrefix(base, "c2pa.") || strings.HasPrefix(base, "cawg.")
}

func (r *reader) readCBOR(m *manifest, a *assertion) {
	// Section 15.10.3.1 asks standard assertions to be valid. What others hold is nothing to us.
	if !inStandard(a.base) {
		return
	}
	content, _ := a.box.First("cbor")
	if !m.store.afford(content) {
		m.skip(status.GeneralError, a.uri, "The store has more to say than is read.")
		return
	}
	v, err := cbor.Decode(content)
	if err != nil {
		m.add(status.AssertionCBORInvalid, a.uri, "The assertion is no valid CBOR.")
		return
	}
	switch {
	case versioned(a.base, actionsLabel):
		m.readActions(a, v)
	case versioned(a.base, ingredientLabel):
		m.readIngredient(a, v)
	case a.base == stampLabel:
		r.readStamps(m, a, v)
	case a.base == ocspLabel:
		r.readRevocations(v)
	case a.base == cloudLabel:
		m.checkCloud(a, v)
	case a.base == identityLabel:
		m.checkIdentity(a, v)
	case versioned(a.base, softLabel):
		a.watermark = m.softBinding(v)
	}
}

// identityLabel is that of identity assertions.
const identityLabel = "cawg.identity"

// checkIdentity checks that an identity assertion has its parts (CAWG Identity Assertion 1.1, section 5.2).
func (m *manifest) checkIdentity(a *assertion, v cbor.Value) {
	_, signed := v.Get("signature").Bytes()
	if v.Get("signer_payload").Kind() != cbor.Map || !signed {
		m.add(status.IdentityCBORInvalid, a.uri, "The identity assertion lacks its payload or its signature.")
	}
}

// softBinding names the algorithm of a soft binding assertion (specification 2.2, section 18.10).
func (m *manifest) softBinding(v cbor.Value) string {
	if alg := textOf(v.Get("alg")); alg != "" {
		return alg
	}
	return m.claim.algSoft
}

// maxJSON bounds assertions in JSON that are read; metadata of pictures has some kilobytes.
const maxJSON = 1 << 20

func (m *manifest) readJSON(a *assertion) {
	if inCBOR(a.base) {
		m.add(status.AssertionCBORInvalid, a.uri, "The assertion is not in CBOR.")
		return
	}
	content, _ := a.box.First("json")
	standard := strings.HasPrefix(a.base, "c2pa.") || strings.HasPrefix(a.base, "stds.")
	if !standard && !strings.HasSuffix(a.base, ".metadata") {
		return
	}
	switch {
	case len(content) > maxJSON || !m.store.afford(content):
		m.skip(status.GeneralError, a.uri, "The store has more to say than is read.")
	case standard && !json.Valid(content):
		m.add(status.AssertionJSONInvalid, a.uri, "The assertion is no valid JSON.")
	case strings.HasSuffix(a.base, ".metadata") || strings.HasPrefix(a.base, "stds."):
		a.sourceType = sourceTypeOf(content)
		if m.claim.version == 2 && a.base == metadataLabel {
			m.checkMetadata(a, content)
		}
	}
}

// checkCloud checks an assertion that stands elsewhere. It is not fetched (specification 2.2, section 15.10.3.2.1).
func (m *manifest) checkCloud(a *assertion, v cbor.Value) {
	label, ok := v.Get("label").Text()
	size, sized := v.Get("size").Int()
	_, typed := v.Get("content_type").Text()
	if !ok || !sized || size < 1 || !typed || v.Get("location").Kind() != cbor.Map {
		m.add(status.CloudDataMalformed, a.uri, "The assertion of data elsewhere is incomplete.")
	}
	base := baseOf(label)
	if strings.HasPrefix(base, hashPrefix) {
		m.add(status.CloudDataHardBinding, a.uri, "A hard binding stands elsewhere.")
	}
	if m.kind == update && versioned(base, actionsLabel) {
		m.add(status.CloudDataActions, a.uri, "Actions of an update manifest stand elsewhere.")
	}
}
