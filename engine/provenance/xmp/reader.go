package xmp

import (
	"encoding/xml"
	"strings"
)

// reader walks a packet's tokens. Once it fails (bad XML, a limit, the end) every step answers nil.
type reader struct {
	decoder *xml.Decoder
	tokens  *int
	depth   int
	failed  bool
	packet  Packet
}

func (r *reader) next() xml.Token {
	if r.failed || *r.tokens <= 0 {
		r.failed = true
		return nil
	}
	*r.tokens--
	token, err := r.decoder.Token()
	if err != nil {
		r.failed = true
		return nil
	}
	switch token.(type) {
	case xml.Directive:
		r.failed = true
		return nil
	case xml.StartElement:
		r.depth++
	case xml.EndElement:
		r.depth--
	}
	if r.depth > maxDepth {
		r.failed = true
		return nil
	}
	return token
}

// children calls visit for each element directly within the one just opened, and text for each run of its text.
// visit must consume its element. Either may be nil: then elements are skipped, text is dropped.
func (r *reader) children(visit func(xml.StartElement), text func(string)) {
	for token := r.next(); token != nil; token = r.next() {
		switch t := token.(type) {
		case xml.StartElement:
			if visit == nil {
				r.children(nil, nil)
				continue
			}
			visit(t)
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		case xml.EndElement:
			return
		}
	}
}

// document finds the RDF element, wherever wrappers put it, and reads its nodes.
func (r *reader) document() {
	for token := r.next(); token != nil; token = r.next() {
		if start, ok := token.(xml.StartElement); ok && is(start.Name, "RDF") {
			r.children(r.node, nil)
			return
		}
	}
}

// node reads one description of the resource: properties as attributes and as elements.
func (r *reader) node(start xml.StartElement) {
	for _, attr := range start.Attr {
		if attr.Name.Space != "" && attr.Name.Space != nsRDF && attr.Name.Space != nsXML && attr.Name.Space != "xmlns" {
			r.packet.add(attr.Name, attr.Value)
		}
	}
	r.children(r.property, nil)
}

// property reads one property element and adds its values, when it closed whole.
func (r *reader) property(start xml.StartElement) {
	values := r.value(start)
	if r.failed {
		return
	}
	for _, v := range values {
		r.packet.add(start.Name, v)
	}
}

// value reads the content of a property or of an array item: text, a reference, an array, or a structure, of which
// only rdf:value counts (the value of a property with qualifiers).
func (r *reader) value(start xml.StartElement) []string {
	var values []string
	for _, attr := range start.Attr {
		if is(attr.Name, "resource") || is(attr.Name, "value") {
			values = append(values, attr.Value)
		}
	}
	var text strings.Builder
	plain := len(values) == 0
	r.children(func(child xml.StartElement) {
		plain = false
		switch {
		case is(child.Name, "Alt"), is(child.Name, "Bag"), is(child.Name, "Seq"):
			r.children(func(item xml.StartElement) { values = append(values, r.value(item)...) }, nil)
		case is(child.Name, "value"), is(child.Name, "Description"):
			values = append(values, r.value(child)...)
		default:
			r.children(nil, nil)
		}
	}, func(s string) { text.WriteString(s) })
	if plain && text.Len() > 0 {
		return []string{text.String()}
	}
	return values
}

func is(name xml.Name, local string) bool { return name.Space == nsRDF && name.Local == local }
