package c2pa

import (
	"encoding/json"

	"veracity/engine/c2pa/status"
)

// report puts what was found into a report, within its bounds.
func (r *reader) report() Report {
	active := r.active()
	report := Report{
		Present: true, Where: r.found.Where, State: r.state(), Active: clean(active.label), Statuses: active.list,
	}
	if r.free {
		report.Statuses = append(report.Statuses[:len(report.Statuses):len(report.Statuses)],
			status.Status{Code: status.ManifestUnreferenced, Explanation: "Manifests that nothing leads to were passed over."})
	}
	for _, m := range r.loaded {
		report.Manifests = append(report.Manifests, m.report(m == active))
	}
	report.fit()
	return report
}

// maxReport bounds a report as JSON, in bytes, but for the statuses of the store.
const maxReport = 2 << 20

// fit leaves out what manifests say for which there is no room, and has them count as not checked.
func (r *Report) fit() {
	room := maxReport
	for i := range r.Manifests {
		m := &r.Manifests[i]
		written, err := json.Marshal(m)
		if room -= len(written); err == nil && room >= 0 {
			continue
		}
		room, r.State = 0, invalid
		bare := Manifest{Label: m.Label, Version: m.Version, Update: m.Update, Signer: m.Signer, Integrity: m.Integrity}
		if bare.Integrity == Intact {
			bare.Integrity = Unchecked
		}
		bare.Statuses = []status.Status{{Code: status.GeneralError, Explanation: "The manifest has more to say than can be reported."}}
		*m = bare
	}
}

func (m *manifest) report(active bool) Manifest {
	out := Manifest{
		Label: clean(m.label), Update: m.kind == update, Binding: m.binding, Signer: m.signer, Integrity: m.integrity(active),
		Statuses: m.list,
	}
	if m.claim == nil {
		return out
	}
	out.Version, out.Generator, out.InstanceID = m.claim.version, m.claim.generator, m.claim.instanceID
	out.Title, out.Format = m.claim.title, m.claim.format
	for _, a := range m.actions {
		a.Ingredients = m.labelsOf(a)
		out.Actions = append(out.Actions, a.Action)
	}
	for _, in := range m.ingredients {
		if in.ok {
			in.Manifest = clean(in.to.manifest)
		}
		out.Ingredients = append(out.Ingredients, in.Ingredient)
	}
	for _, a := range m.assertions {
		out.Assertions = append(out.Assertions, Assertion{
			Label: clean(a.label), Redacted: a.redacted, Intact: a.intact, SourceType: a.sourceType, Watermark: a.watermark,
		})
	}
	return out
}

// labelsOf are the labels of the ingredients that an action names, by reference or, in early versions, by instance.
func (m *manifest) labelsOf(a action) []string {
	var labels []string
	for _, ref := range a.refs {
		t, ok := parseURI(ref.url, m.label)
		if in := m.store.ingredient(m, t); ok && in != nil && len(labels) < maxNames {
			labels = append(labels, in.Label)
		}
	}
	if len(labels) > 0 || a.instance == "" {
		return labels
	}
	for _, in := range m.ingredients {
		if in.instance == a.instance && len(labels) < maxNames {
			labels = append(labels, in.Label)
		}
	}
	return labels
}

// trim cuts the lists of a manifest to what a report has room for. What may tell of AI stays: of like actions the first,
// ingredients with a manifest and parents, assertions that state a source type. A manifest with more of these than there
// is room for is not judged.
func (m *manifest) trim() {
	seen := map[[2]string]bool{}
	var all [3]bool
	m.actions, all[0] = keep(m.actions, maxActions, func(a action) bool {
		like := [2]string{a.Name, a.SourceType}
		first := !seen[like]
		seen[like] = true
		return first
	})
	m.ingredients, all[1] = keep(m.ingredients, maxIngredients, func(in *ingredient) bool {
		return in.manifest != nil || in.Relationship == "parentOf"
	})
	m.assertions, all[2] = keep(m.assertions, maxAssertions, func(a *assertion) bool {
		return a.sourceType != "" || a.watermark != ""
	})
	if all != [3]bool{true, true, true} {
		m.skip(status.GeneralError, m.uri(""), "The manifest has more actions, ingredients or assertions than can be reported.")
	}
}
