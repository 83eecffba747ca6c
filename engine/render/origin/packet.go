package origin

import (
	"encoding/xml"
	"net/url"
	"strconv"
	"strings"

	"veracity/engine/provenance/container"
	"veracity/engine/provenance/xmp"
)

// Limits of the XMP of a file, as provenance sets them: all its packets together.
const (
	maxXMPBytes  = 8 << 20
	maxXMPTokens = 256 << 10
)

// packets parses the main packets, and then the extended ones that a main packet names, as provenance does.
func packets(blocks []container.Block) []xmp.Packet {
	tokens, size := maxXMPTokens, 0
	var parsed []xmp.Packet
	parse := func(b container.Block) bool {
		if size += len(b.Data); size > maxXMPBytes {
			return false
		}
		parsed = append(parsed, xmp.Parse(b.Data, &tokens))
		return true
	}
	named := map[string]bool{}
	for _, b := range blocks {
		if b.Kind == container.XMP && parse(b) {
			named[parsed[len(parsed)-1].First(xmp.NSNote, "HasExtendedXMP")] = true
		}
	}
	for _, b := range blocks {
		if b.Kind == container.ExtendedXMP && named[b.Key] {
			parse(b)
		}
	}
	return parsed
}

// isAddress tells the address of a remote manifest store from the references that older writers put into the file itself.
func isAddress(value string) bool {
	address, err := url.Parse(strings.TrimSpace(value))
	return err == nil && address.Host != "" && (address.Scheme == "http" || address.Scheme == "https")
}

// packet writes the properties as one XMP packet (ISO 16684-1, section 7), without padding since nobody edits it in
// place. Nil: there are none.
func (p properties) packet() []byte {
	if len(p) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(`<?xpacket begin="` + "\uFEFF" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>` +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about=""`)
	declared := map[string]bool{}
	for _, one := range p {
		if !declared[one.kind.prefix] {
			declared[one.kind.prefix] = true
			b.WriteString(` xmlns:` + one.kind.prefix + `="` + one.kind.space + `"`)
		}
	}
	b.WriteString(`>`)
	for _, one := range p {
		one.write(&b)
	}
	b.WriteString(`</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`)
	return []byte(b.String())
}

func (p property) write(b *strings.Builder) {
	name := p.kind.prefix + ":" + p.kind.local
	list := map[form]string{bag: "Bag", seq: "Seq", alternative: "Alt"}[p.kind.form]
	switch {
	case list == "" && len(p.values) > 1:
		list = "Bag"
	case p.kind.form == resource:
		b.WriteString(`<` + name + ` rdf:resource="`)
		escape(b, p.values[0])
		b.WriteString(`"/>`)
		return
	}
	b.WriteString(`<` + name + `>`)
	if list == "" {
		escape(b, p.values[0])
	} else {
		b.WriteString(`<rdf:` + list + `>`)
		for i, value := range p.values {
			b.WriteString(item(p.kind.form, i))
			escape(b, value)
			b.WriteString(`</rdf:li>`)
		}
		b.WriteString(`</rdf:` + list + `>`)
	}
	b.WriteString(`</` + name + `>`)
}

// item opens an item of a list. Every item of an alternative has a language of its own; the first is the default's.
func item(f form, i int) string {
	switch {
	case f != alternative:
		return `<rdf:li>`
	case i == 0:
		return `<rdf:li xml:lang="x-default">`
	}
	return `<rdf:li xml:lang="x-` + strconv.Itoa(i) + `">`
}

// escape writes a value so that XML gives it back to the letter, line breaks included. What XML cannot hold becomes the
// replacement character.
func escape(b *strings.Builder, value string) {
	// A strings.Builder takes every write.
	_ = xml.EscapeText(b, []byte(value))
}
