package provenance

import (
	"strings"

	"veracity/engine"
	"veracity/engine/c2pa"
)

// Origin is what Content Credentials say of how a file came about.
type Origin string

// Origins. The first three are statements that hold.
const (
	// Generated: a model made it, at its creation or in an earlier form that it was made from.
	Generated Origin = "generated"
	// EditedWithAI: a model made or changed a part of it.
	EditedWithAI Origin = "edited_with_ai"
	// Captured: a trusted signer vouches for a camera or recorder, and nothing generative was done since.
	Captured Origin = "captured"
	// ClaimedCapture: they claim a capture, and nobody who is trusted vouches for all that was done since.
	ClaimedCapture Origin = "claimed_capture"
	// Silent: they hold, and say neither.
	Silent Origin = "silent"
	// NotOfThisFile: file and credentials do not fit each other; one of them was changed, or they belong to another file.
	NotOfThisFile Origin = "altered"
	// NotChecked: what would tell cannot be checked here.
	NotChecked Origin = "unchecked"
)

// maxLineage bounds the generations of ingredients that are followed.
const maxLineage = 32

// lineage walks from a manifest to what it was made from.
type lineage struct {
	manifests map[string]*c2pa.Manifest
	// met are those that were judged, and those that are being judged, which say nothing: nothing is made of itself.
	met map[string]branch
	// found are the statements met on the way.
	found []Statement
}

// branch is what a manifest says of a file's origin, together with all that it was made from.
type branch struct {
	// ai is Full, Partly or No; by is the manifest that says so.
	ai Extent
	by *c2pa.Manifest
	// captured: it goes back to a capture. sure: trusted signers vouch for it, and only harmless things were done since.
	captured, sure bool
}

// judged is what Content Credentials come to.
type judged struct {
	origin  Origin
	verdict engine.Verdict
	// by signed the deciding manifest, nil when none decides.
	by         *c2pa.Manifest
	statements []Statement
}

// judge reads a validated manifest store. A manifest that fails its hashes says nothing. Claims of AI count whoever signed
// them, as unsigned ones do: nobody gains by such a lie. A capture counts when everybody who signed is trusted.
func judge(r c2pa.Report) judged {
	l := lineage{manifests: map[string]*c2pa.Manifest{}, met: map[string]branch{}}
	for i := range r.Manifests {
		l.manifests[r.Manifests[i].Label] = &r.Manifests[i]
	}
	active := l.manifests[r.Active]
	switch {
	case active == nil:
		return judged{origin: NotChecked, verdict: engine.None}
	case active.Integrity == c2pa.Altered:
		return judged{origin: NotOfThisFile, verdict: engine.None, by: active}
	case active.Integrity != c2pa.Intact:
		return judged{origin: NotChecked, verdict: engine.None, by: active}
	}
	b := l.follow(r.Active, 0)
	j := judged{origin: Silent, verdict: engine.None, by: b.by, statements: l.found}
	switch {
	case b.ai == Full:
		j.origin, j.verdict = Generated, engine.AI
	case b.ai == Partly:
		j.origin, j.verdict = EditedWithAI, engine.Uncertain
	case b.captured && b.sure:
		j.origin, j.verdict = Captured, engine.Real
	case b.captured:
		j.origin = ClaimedCapture
	}
	return j
}

// follow judges a manifest and what it was made from, once. One that is missing or not intact says nothing.
func (l *lineage) follow(label string, depth int) branch {
	if b, ok := l.met[label]; ok {
		return b
	}
	m := l.manifests[label]
	if m == nil || depth > maxLineage || m.Integrity != c2pa.Intact {
		return branch{ai: No}
	}
	l.met[label] = branch{ai: No}
	l.met[label] = l.weigh(m, depth)
	return l.met[label]
}

// weigh judges a manifest together with what it was made from.
func (l *lineage) weigh(m *c2pa.Manifest, depth int) branch {
	own := l.deeds(m)
	parents, parts := l.ingredients(m, depth)
	for _, p := range parents {
		if p.ai == Full && own.ai != Full { // Edits do not undo it.
			own.ai, own.by = Full, p.by
		}
	}
	for _, p := range append(parents, parts...) {
		if p.ai != No && own.ai == No {
			own.ai, own.by = Partly, p.by
		}
	}
	sure := trusted(m) && harmless(m)
	switch {
	case own.ai != No:
		own.captured = false
	case !own.captured && len(parents) == 1 && parents[0].captured:
		return branch{ai: No, by: parents[0].by, captured: true, sure: sure && parents[0].sure}
	}
	own.sure = own.captured && sure && len(parents) == 0
	return own
}

// ingredients follows what m was opened from and what was placed into it. What was put into a model, such as a picture to
// go by, is no part of the outcome.
func (l *lineage) ingredients(m *c2pa.Manifest, depth int) (parents, parts []branch) {
	for _, i := range m.Ingredients {
		b := branch{ai: No}
		if i.Manifest != "" && !misfit(i.Recorded) {
			b = l.follow(i.Manifest, depth+1)
		}
		switch i.Relationship {
		case "parentOf":
			parents = append(parents, b)
		case "componentOf":
			parts = append(parts, b)
		}
	}
	return parents, parts
}

// misfit says that the signer itself found, when it took the ingredient in, that manifest and ingredient do not fit. Doubts
// about the ingredient's signer are none of these: whom to trust is judged here.
func misfit(recorded []string) bool {
	for _, code := range recorded {
		if !strings.HasPrefix(code, "signingCredential.") && !strings.HasPrefix(code, "timeStamp.") {
			return true
		}
	}
	return false
}

// trusted says that the lists know the signer, and that its certificate held when it signed.
func trusted(m *c2pa.Manifest) bool {
	return m.Signer != nil && m.Signer.Trust.Trusted && m.Signer.Validity == c2pa.Valid
}

// captures are the source types of a capture by a device (IPTC; C2PA 2.2, section 18.15.4.4, lists the same).
var captures = map[string]bool{"digitalCapture": true, "computationalCapture": true, "multiFrameComputationalCapture": true}

// deeds reads the actions of a manifest, and the source types that its other assertions state of the whole.
func (l *lineage) deeds(m *c2pa.Manifest) branch {
	b := branch{ai: No, by: m}
	note := func(where, value string, ai Extent, whole bool) {
		if ai == Full && !whole {
			ai = Partly
		}
		if ai == Full || ai == Partly && b.ai == No {
			b.ai = ai
		}
		l.state(m, where, value, ai)
	}
	for _, a := range m.Actions {
		whole := a.Name == "c2pa.created" || a.Name == "c2pa.opened"
		switch term := actionTerm(a.SourceType); {
		case term == "" && generatedByName(m, a):
			note(a.Name, a.Description, Full, whole)
		case captures[term] && a.Name == "c2pa.created":
			b.captured = true
			l.state(m, a.Name, a.SourceType, No)
		case term != "":
			if ai, ok := sourceTypes[term]; ok {
				note(a.Name, a.SourceType, ai, whole)
			}
		}
	}
	for _, a := range m.Assertions {
		if ai, ok := sourceTypes[actionTerm(a.SourceType)]; ok && a.Intact && !a.Redacted {
			note(a.Label, a.SourceType, ai, true)
		}
	}
	return b
}

// state adds a statement of a manifest.
func (l *lineage) state(m *c2pa.Manifest, where, value string, ai Extent) {
	if len(l.found) < maxStatements {
		l.found = append(l.found, Statement{
			Kind: Credential, Where: "c2pa:" + m.Label + ":" + where, Generator: shorten(maker(m)), AI: ai, Value: shorten(value),
		})
	}
}

// maker is the organisation in the signing certificate.
func maker(m *c2pa.Manifest) string {
	if m == nil || m.Signer == nil {
		return ""
	}
	return m.Signer.Organization
}

// actionTerm is the bare term of a source type in a manifest: an address of IPTC's vocabulary or of C2PA's own.
func actionTerm(value string) string {
	if term, ok := strings.CutPrefix(value, "http://c2pa.org/digitalsourcetype/"); ok {
		return term
	}
	return sourceTerm(value)
}

// described are generators that name no source type but say in words of their own that a model made the picture.
var described = []struct{ organization, action, description string }{
	// Bing Image Creator and Designer until 2024 (microsoft/c2pa-extension-validator, test/media/bing_creator_*.jpg).
	{"Microsoft Corporation", "c2pa.created", "AI Generated Image"},
}

func generatedByName(m *c2pa.Manifest, a c2pa.Action) bool {
	for _, d := range described {
		if maker(m) == d.organization && a.Name == d.action && a.Description == d.description {
			return true
		}
	}
	return false
}

// harmlessActions make nothing up (C2PA 2.2, section 18.15.4.7). An action of another name may be anything.
var harmlessActions = map[string]bool{
	"c2pa.adjustedColor":     true,
	"c2pa.changedSpeed":      true,
	"c2pa.color_adjustments": true,
	"c2pa.converted":         true,
	"c2pa.created":           true,
	"c2pa.cropped":           true,
	"c2pa.edited.metadata":   true,
	"c2pa.enhanced":          true,
	"c2pa.filtered":          true,
	"c2pa.opened":            true,
	"c2pa.orientation":       true,
	"c2pa.published":         true,
	"c2pa.redacted":          true,
	"c2pa.repackaged":        true,
	"c2pa.resized":           true,
	"c2pa.transcoded":        true,
	"c2pa.trimmed":           true,
	"c2pa.watermarked":       true,
	"c2pa.watermarked.bound": true,
}

// harmless says that nothing was made up. Who names no action says nothing of what was done, unless the manifest is an
// update, which leaves the file as it is.
func harmless(m *c2pa.Manifest) bool {
	if len(m.Actions) == 0 && !m.Update {
		return false
	}
	for _, a := range m.Actions {
		if !harmlessActions[a.Name] {
			return false
		}
	}
	return true
}
