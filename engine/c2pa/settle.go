package c2pa

import (
	"bytes"
	"strings"

	"veracity/engine/c2pa/binding"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
)

// redactionUUID begins the box that stands in for redacted content (specification 2.2, section 6.8).
var redactionUUID = []byte{0xCA, 0xA9, 0x8E, 0xEE, 0x9D, 0x4D, 0xF8, 0x0E, 0x86, 0xAD, 0x4D, 0xFF, 0xCA, 0x26, 0x39, 0x73}

// settle tells of each assertion whether it is as the claim has it (specification 2.2, section 15.10.3.1).
func (m *manifest) settle() {
	for _, a := range m.assertions {
		if m.redactions[a.target.path] {
			m.settleRedacted(a)
			continue
		}
		switch {
		case a.box == nil:
			m.add(status.AssertionMissing, m.claim.uri, "The assertion "+a.label+" is missing.")
		case a.verdict == matches:
			m.add(status.HashedURIMatch, a.uri, "")
		case a.verdict == unsupported:
			m.add(status.AlgorithmUnsupported, a.uri, "The hash of the assertion has no known algorithm.")
		default:
			m.add(status.HashedURIMismatch, a.uri, "The assertion is not the one that was signed.")
		}
	}
	m.undeclared()
}

// settleRedacted checks that an assertion may be redacted, and that its content is gone (sections 15.10.3.1 and
// 15.11.3.3.1).
func (m *manifest) settleRedacted(a *assertion) {
	a.redacted = true
	switch {
	case versioned(a.base, actionsLabel):
		m.add(status.ActionRedacted, a.uri, "Actions must not be redacted.")
	case binding.IsHard(a.label):
		m.add(status.DataHashRedacted, a.uri, "The binding to the file must not be redacted.")
	case a.box != nil && !emptied(a.box):
		m.add(status.AssertionNotRedacted, a.uri, "The assertion is redacted by the claim and still there.")
	}
}

// emptied tells redacted assertions whose box was kept: nothing but zeros, behind the redaction's UUID.
func emptied(box *jumbf.Box) bool {
	for i := range box.Children {
		child := &box.Children[i]
		content := child.Content
		if child.Type == "uuid" {
			content = bytes.TrimPrefix(content, redactionUUID)
		}
		if child.Type == superbox || len(bytes.Trim(content, "\x00")) > 0 {
			return false
		}
	}
	return true
}

// undeclared tells of assertions in the store that the claim does not name. The type of the box that holds them is not
// signed, so that a second store counts whatever its label is.
func (m *manifest) undeclared() {
	declared := map[string]bool{}
	for _, a := range m.assertions {
		declared[a.target.path] = true
	}
	for i := range m.box.Children {
		box := &m.box.Children[i]
		if box.Type != superbox || box.UUID != jumbf.AssertionStore && box.Label != assertionsLabel {
			continue
		}
		for j := range box.Children {
			path := box.Label + "/" + box.Children[j].Label
			if box.Children[j].Type == superbox && !declared[path] {
				m.add(status.AssertionUndeclared, m.uri(path), "The claim does not name the assertion.")
			}
		}
	}
}

// followRefers checks the hashed references that assertions make (specification 2.2, section 15.10.3.3). In claims of
// version 1 those to other assertions are left alone: producers hashed them in ways of their own, and their own claims
// bind them.
func (r *reader) followRefers(m *manifest) {
	for _, u := range m.claim.icons {
		if !u.external() {
			m.refers = append(m.refers, referral{m.claim.uri, u})
		}
	}
	for _, ref := range m.refers {
		t, ok := parseURI(ref.url, m.label)
		other := r.store.labelled[t.manifest]
		if t.manifest == m.label {
			other = m
		}
		if ok && other != nil && other.redactions[t.path] ||
			m.claim.version == 1 && strings.HasPrefix(t.path, assertionsLabel+"/") {
			continue
		}
		if !ok || other == nil {
			m.add(status.HashedURIMissing, ref.from, "A reference of the assertion leads nowhere.")
			continue
		}
		box, ok := other.find(t.path)
		if !ok {
			m.add(status.HashedURIMissing, ref.from, "A reference of the assertion leads nowhere.")
			continue
		}
		switch r.digests.check(ref.hashedURI, m.claim.alg, box.Body) {
		case differs:
			m.add(status.HashedURIInvalid, ref.from, "What a reference of the assertion leads to is not what was signed.")
		case unsupported:
			m.add(status.AlgorithmUnsupported, ref.from, "The hash of a reference has no known algorithm.")
		case matches:
		}
	}
}

// checkKind checks that a manifest has the assertions of its kind (specification 2.2, section 15.10.1).
func (m *manifest) checkKind() {
	if m.kind == update {
		m.checkUpdate()
		return
	}
	hard, created := m.hardBindings()
	switch {
	case len(hard) == 0 || !created:
		m.add(status.ClaimHardBindingsMissing, m.claim.uri, "Nothing binds the manifest to a file.")
	case len(hard) > 1:
		m.add(status.MultipleHardBindings, m.uri(assertionsLabel), "The manifest is bound to a file several times.")
	}
	parents := 0
	for _, in := range m.ingredients {
		if in.Relationship == "parentOf" {
			parents++
		}
	}
	if parents > 1 {
		m.add(status.ManifestMultipleParents, m.claim.uri, "The manifest has several parents.")
	}
}

// hardBindings are the assertions that bind the manifest to a file. created tells whether the signer made the first,
// as claims of version 2 must (section 10.2.2).
func (m *manifest) hardBindings() (hard []*assertion, created bool) {
	for _, a := range m.assertions {
		if binding.IsHard(a.label) {
			hard = append(hard, a)
		}
	}
	return hard, len(hard) > 0 && hard[0].created
}

// updateActions are those that leave the file as it is (specification 2.2, section 11.2.3).
var updateActions = map[string]bool{
	"c2pa.edited.metadata": true, actionOpened: true, "c2pa.published": true, actionRedacted: true,
}

// checkUpdate checks an update manifest (specification 2.2, section 15.10.1.3).
func (m *manifest) checkUpdate() {
	ingredients := 0
	for _, a := range m.assertions {
		switch {
		case versioned(a.base, ingredientLabel):
			ingredients++
		case binding.IsHard(a.label), strings.HasPrefix(a.base, multiAssetLabel), strings.HasPrefix(a.base, thumbnailLabel):
			m.add(status.ManifestUpdateInvalid, m.claim.uri, "An update manifest must not have the assertion "+a.label+".")
		}
	}
	if ingredients != 1 || len(m.ingredients) != 1 || m.ingredients[0].Relationship != "parentOf" {
		m.add(status.ManifestUpdateWrongParents, m.claim.uri, "An update manifest must have one ingredient, its parent.")
	}
	for _, act := range m.actions {
		if !updateActions[act.Name] {
			m.add(status.ManifestUpdateInvalid, m.claim.uri, "An update manifest must not have the action "+act.Name+".")
			return
		}
	}
}
