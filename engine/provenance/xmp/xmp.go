// Package xmp reads XMP packets (ISO 16684-1): the properties of the described resource itself, in every RDF form that
// the standard allows. Properties of structures, of ingredients and of history entries belong to other resources or
// acts and are left out. It judges nothing.
package xmp

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// Namespaces of the properties that callers ask for.
const (
	NSDublinCore = "http://purl.org/dc/elements/1.1/"
	NSTerms      = "http://purl.org/dc/terms/"
	NSNote       = "http://ns.adobe.com/xmp/note/"
	NSPhotoshop  = "http://ns.adobe.com/photoshop/1.0/"
	NSExif       = "http://ns.adobe.com/exif/1.0/"
	NSIptcExt    = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
	NSTC260      = "http://www.tc260.org.cn/ns/AIGC/1.0/"

	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsXML = "http://www.w3.org/XML/1998/namespace"
)

// Limits of one packet. Photoshop writes packets of some hundred kilobytes; labels sit near their start.
const (
	maxBytes      = 4 << 20
	maxDepth      = 64
	maxAttributes = 1024
	maxValues     = 8192
)

// Packet holds the properties of one packet.
type Packet struct {
	values map[xml.Name][]string
	n      int
}

// Get lists the values of a property: one for a simple property, the items of an array in order.
func (p Packet) Get(space, local string) []string {
	return p.values[xml.Name{Space: space, Local: local}]
}

// First is the first value of a property that is not blank, trimmed; empty when there is none.
func (p Packet) First(space, local string) string {
	for _, v := range p.Get(space, local) {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}

func (p *Packet) add(name xml.Name, value string) {
	if p.n < maxValues {
		p.values[name] = append(p.values[name], value)
		p.n++
	}
}

// Parse reads a packet up to its first fault or limit, and keeps what was whole by then. tokens is how many XML tokens
// it may spend; Parse takes from it what it used, so that several packets share one allowance. Document types, and so
// entities of a packet's own, end the reading.
func Parse(packet []byte, tokens *int) Packet {
	packet = bytes.TrimPrefix(packet, []byte("\xEF\xBB\xBF"))
	packet = bounded(packet[:min(len(packet), maxBytes)])
	r := &reader{
		decoder: xml.NewDecoder(bytes.NewReader(packet)),
		tokens:  tokens,
		packet:  Packet{values: map[xml.Name][]string{}},
	}
	r.document()
	return r.packet
}

// bounded cuts a packet before the first tag with too many attributes: the XML reader would hold all of them at once.
// Quotes are counted instead of attributes, which needs no parsing and never undercounts them.
func bounded(packet []byte) []byte {
	start, quotes := -1, 0
	for i, c := range packet {
		switch {
		case c == '<':
			start, quotes = i, 0
		case c == '>':
			start = -1
		case start >= 0 && (c == '"' || c == '\''):
			// Quotes in comments, CDATA and instructions open no attributes.
			if next := packet[start+1]; next == '!' || next == '?' {
				continue
			}
			if quotes++; quotes > 2*maxAttributes {
				return packet[:start]
			}
		}
	}
	return packet
}
