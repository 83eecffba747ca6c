package c2pa

import (
	"strings"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
)

// Bounds of a claim.
const (
	maxReferences = 4096
	maxRedactions = 1024
)

// claim is a decoded claim (specification 2.2, section 10.2). content is what is signed.
type claim struct {
	version                   int
	uri                       string
	content                   []byte
	title, format, instanceID string
	generator                 string
	alg, algSoft              string
	signature                 string
	created, gathered         []reference
	redacted                  []string
	icons                     []hashedURI
	// anonymous: claim_generator_info names nobody. unnamed: there is no instanceID. truncated: there are more references
	// than are read.
	anonymous, unnamed, truncated bool
}

// reference is a claim's reference to one of its assertions.
type reference struct {
	hashedURI
	created bool
}

// locateClaim finds the claim box, of which there shall be one (specification 2.2, section 15.6.1). The description of
// the box is not signed: one that bears the label of a claim counts as one too, whatever its type.
func (m *manifest) locateClaim() (*jumbf.Box, bool) {
	var found *jumbf.Box
	for i := range m.box.Children {
		box := &m.box.Children[i]
		named := box.Label == claimLabel || box.Label == claimLabelV2
		if box.Type != superbox || box.UUID != jumbf.Claim && !named {
			continue
		}
		if found != nil {
			m.add(status.ClaimMultiple, m.uri(""), "The manifest has several claims.")
			return nil, false
		}
		if box.UUID == jumbf.Claim && named {
			found = box
		}
	}
	if found == nil {
		m.add(status.ClaimMissing, m.uri(""), "The manifest has no claim.")
	}
	return found, found != nil
}

// readClaim finds and decodes the claim; without one there is nothing more to check.
func (m *manifest) readClaim() bool {
	box, ok := m.locateClaim()
	if !ok {
		return false
	}
	uri := m.uri(box.Label)
	if len(box.Children) != 1 || box.Children[0].Type != "cbor" {
		m.add(status.ClaimMalformed, uri, "The claim is not one box of CBOR.")
		return false
	}
	content := box.Children[0].Content
	if !m.store.afford(content) {
		m.skip(status.GeneralError, uri, "The store has more to say than is read.")
		return false
	}
	v, err := cbor.Decode(content)
	if err != nil {
		m.add(status.ClaimCBORInvalid, uri, "The claim is no valid CBOR.")
		return false
	}
	if v.Kind() != cbor.Map {
		m.add(status.ClaimMalformed, uri, "The claim is no map.")
		return false
	}
	c := &claim{version: 1, uri: uri, content: content}
	if box.Label == claimLabelV2 {
		c.version = 2
	}
	c.read(v)
	m.claim = c
	m.checkClaim()
	return true
}

// read takes the fields of a claim, of either version.
func (c *claim) read(v cbor.Value) {
	c.title = textOf(v.Get("dc:title"))
	c.format = textOf(v.Get("dc:format"))
	c.instanceID = textOf(v.Get("instanceID"))
	c.unnamed = v.Get("instanceID").Kind() != cbor.Text
	c.alg, _ = v.Get("alg").Text()
	c.algSoft = textOf(v.Get("alg_soft"))
	c.signature, _ = v.Get("signature").Text()
	for _, uri := range head(v.Get("redacted_assertions").Elements(), maxRedactions) {
		if s, ok := uri.Text(); ok {
			c.redacted = append(c.redacted, s)
		}
	}
	if c.version == 1 {
		c.created = c.references(v.Get("assertions"), true)
	} else {
		c.created = c.references(v.Get("created_assertions"), true)
		c.gathered = c.references(v.Get("gathered_assertions"), false)
	}
	c.readGenerator(v)
}

func (c *claim) references(list cbor.Value, created bool) []reference {
	var refs []reference
	for _, item := range list.Elements() {
		if len(refs)+len(c.created) == maxReferences {
			c.truncated = true
			break
		}
		u, _ := readHashedURI(item)
		refs = append(refs, reference{u, created})
	}
	return refs
}

// readGenerator takes the name of the claim generator: claim_generator_info is a map, in claims of version 1 a list of
// maps beside the string claim_generator (specification 2.2, section 10.2.3).
func (c *claim) readGenerator(v cbor.Value) {
	info := v.Get("claim_generator_info")
	if list := info.Elements(); len(list) > 0 {
		info = list[0]
	}
	c.generator = agentOf(info)
	c.anonymous = textOf(info.Get("name")) == ""
	if c.generator == "" {
		c.generator = textOf(v.Get("claim_generator"))
	}
	if icon, ok := readHashedURI(info.Get("icon")); ok {
		c.icons = append(c.icons, icon)
	}
}

// checkClaim checks that the fields are there that must be (specification 2.2, section 15.6.2).
func (m *manifest) checkClaim() {
	c := m.claim
	var missing []string
	if len(c.created) == 0 {
		missing = append(missing, "assertions")
	}
	if c.version == 2 && c.unnamed {
		missing = append(missing, "instanceID")
	}
	if c.version == 2 && c.anonymous {
		missing = append(missing, "claim_generator_info")
	}
	if len(missing) > 0 {
		m.add(status.ClaimMalformed, c.uri, "The claim lacks "+strings.Join(missing, ", ")+".")
	}
	if c.truncated {
		m.skip(status.GeneralError, c.uri, "The claim names more assertions than are read.")
	}
}

// agentOf names a generator-info-map, or a plain string: name and version.
func agentOf(v cbor.Value) string {
	if s, ok := v.Text(); ok {
		return clean(s)
	}
	name := textOf(v.Get("name"))
	if version := textOf(v.Get("version")); name != "" && version != "" {
		return clean(name + " " + version)
	}
	return name
}

// textOf is a text string, or that of a tag such as a date's, fit to be shown.
func textOf(v cbor.Value) string {
	if _, content, ok := v.Tagged(); ok {
		v = content
	}
	s, _ := v.Text()
	return clean(s)
}
