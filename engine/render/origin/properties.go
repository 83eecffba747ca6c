package origin

import (
	"slices"
	"strings"
	"unicode/utf8"

	"veracity/engine/provenance/xmp"
)

// Namespaces of properties that provenance does not judge: XMP specification part 2 (rights management), IPTC's way of
// naming PLUS, and Creative Commons' Rights Expression Language. The last is our own.
const (
	nsRights   = "http://ns.adobe.com/xap/1.0/rights/"
	nsPLUS     = "http://ns.useplus.org/ldf/xmp/1.0/"
	nsCC       = "http://creativecommons.org/ns#"
	nsVeracity = "urn:uuid:4a7f1c1e-0c6b-4d8e-9f3a-7d2b5e9c6a10#"
)

// form is how a property's values stand in RDF.
type form int

const (
	// simple is one text. Several values, which contradict each other, stand as a bag, so that none is lost.
	simple form = iota
	// bag and seq are lists.
	bag
	seq
	// alternative is a text in languages; the default one is carried.
	alternative
	// resource is an address as a reference.
	resource
)

// propertyKind is a property that may pass.
type propertyKind struct {
	space, prefix, local string
	form                 form
	// longest is what is carried of a value, in bytes. Values that must stay whole have maxRecord.
	longest int
	// proved: a value passes only where provenance takes it for a statement. The property is everybody's otherwise.
	proved bool
}

const (
	// maxRecord is the longest record of a generator that provenance reads, in bytes.
	maxRecord = 4 << 20
	maxTerms  = 64 << 10
	maxName   = 4 << 10
	// maxValues bounds the values of one property.
	maxValues = 16
)

// passing lists the XMP properties that pass, in the order in which they are written: IPTC Photo Metadata 2025.1 (source
// type, fields for AI, credit and rights), the AIGC label of GB 45438-2025, and records in the two properties where
// generators leave them.
var passing = []propertyKind{
	{xmp.NSIptcExt, "Iptc4xmpExt", "DigitalSourceType", simple, maxName, false},
	{xmp.NSIptcExt, "Iptc4xmpExt", "AISystemUsed", simple, maxName, false},
	{xmp.NSIptcExt, "Iptc4xmpExt", "AISystemVersionUsed", simple, maxName, false},
	{xmp.NSIptcExt, "Iptc4xmpExt", "AIPromptInformation", simple, maxTerms, false},
	{xmp.NSIptcExt, "Iptc4xmpExt", "AIPromptWriterName", simple, maxName, false},
	{xmp.NSTC260, "TC260", "AIGC", simple, maxRecord, true},
	{xmp.NSExif, "exif", "UserComment", alternative, maxRecord, true},
	{xmp.NSDublinCore, "dc", "description", alternative, maxRecord, true},
	{xmp.NSPhotoshop, "photoshop", "Credit", simple, maxName, false},
	{xmp.NSDublinCore, "dc", "creator", seq, maxName, false},
	{xmp.NSDublinCore, "dc", "rights", alternative, maxTerms, false},
	{nsRights, "xmpRights", "Marked", simple, maxName, false},
	{nsRights, "xmpRights", "Owner", bag, maxName, false},
	{nsRights, "xmpRights", "UsageTerms", alternative, maxTerms, false},
	{nsRights, "xmpRights", "WebStatement", simple, maxName, false},
	{nsCC, "cc", "license", resource, maxName, false},
	{nsPLUS, "plus", "DataMining", simple, maxName, false},
	{nsPLUS, "plus", "OtherConstraints", alternative, maxTerms, false},
	{xmp.NSTerms, "dcterms", "provenance", simple, maxName, false},
	{nsVeracity, "veracity", "SourceContentCredentials", bag, maxName, false},
}

// kindOf is the place of a property in the list.
func kindOf(prefix, local string) int {
	return slices.IndexFunc(passing, func(k propertyKind) bool { return k.prefix == prefix && k.local == local })
}

// Properties that other places than XMP speak of as well.
var (
	labelKind   = kindOf("TC260", "AIGC")
	creditKind  = kindOf("photoshop", "Credit")
	creatorKind = kindOf("dc", "creator")
	rightsKind  = kindOf("dc", "rights")
	remoteKind  = kindOf("dcterms", "provenance")
	storeKind   = kindOf("veracity", "SourceContentCredentials")
)

// property is one property with its values.
type property struct {
	kind   propertyKind
	values []string
}

// properties are in the order of the list, without empty ones.
type properties []property

// gathered collects values by the place of their property in the list.
type gathered struct {
	values map[int][]string
	ask    *judge
}

func newGathered(ask *judge) gathered { return gathered{values: map[int][]string{}, ask: ask} }

// add takes a value in. Repetitions, blank ones and those past the limits are dropped; a value that is nothing but words
// is cut to its limit.
func (g gathered) add(kind int, value string) {
	value = strings.TrimSpace(strings.ToValidUTF8(value, ""))
	k := passing[kind]
	if len(value) > k.longest {
		if k.longest == maxRecord {
			return
		}
		value = cut(value, k.longest)
	}
	if value == "" || len(g.values[kind]) == maxValues || slices.Contains(g.values[kind], value) {
		return
	}
	if k.proved && !g.ask.states(cargo{properties: properties{{kind: k, values: []string{value}}}}) {
		return
	}
	g.values[kind] = append(g.values[kind], value)
}

// missing takes a value in when no other place spoke of the property.
func (g gathered) missing(kind int, value string) {
	if len(g.values[kind]) == 0 {
		g.add(kind, value)
	}
}

func (g gathered) sorted() properties {
	var out properties
	for i, kind := range passing {
		values := g.values[i]
		if kind.form == alternative && len(values) > 1 && !kind.proved {
			values = values[:1]
		}
		if len(values) > 0 {
			out = append(out, property{kind: kind, values: values})
		}
	}
	return out
}

// cut shortens a text to at most n bytes without splitting a character.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// packet is a parsed packet.
func (g gathered) packet(p xmp.Packet) {
	for i, kind := range passing {
		for _, value := range p.Get(kind.space, kind.local) {
			if i == remoteKind && !isAddress(value) {
				continue
			}
			g.add(i, value)
		}
	}
	// Some writers declare the label's prefix wrongly or not at all; the reader gives the prefix for the namespace.
	for _, value := range p.Get("TC260", "AIGC") {
		g.add(labelKind, value)
	}
}
