package origin

import (
	"bytes"
	"maps"
	"slices"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/probe"
	"veracity/engine/provenance/container"
	"veracity/engine/provenance/exif"
	"veracity/engine/provenance/ifd"
	"veracity/engine/provenance/iptc"
)

// Datasets of IIM that name rights (IIM 4.2, section 6), and EXIF's tag for them (Exif 2.32, section 4.6.4).
var (
	byline    = iptc.Dataset{2, 80}
	copyright = iptc.Dataset{2, 116}
)

const (
	tagCopyright = 0x8298
	// maxEXIF bounds the EXIF blocks that are asked for statements; files have one, careless editors leave two.
	maxEXIF = 4
)

// image is what an image file holds that may pass, by the sort of place that held it.
type image struct {
	ask *judge
	// properties come from XMP and from what IIM, EXIF and texts say in its terms.
	properties gathered
	// texts come from PNG, comments from comments and captions that generators wrote.
	texts, comments []text
	// exif is what generators wrote into EXIF, a set for each block.
	exif []tags
}

// openImage reads the blocks of an image. XMP counts before IIM, EXIF and texts where they speak of the same right.
func openImage(data []byte) image {
	file := container.Open(data)
	ask := newJudge()
	found := image{ask: ask, properties: newGathered(ask), texts: generatorTexts(file.Blocks, ask)}
	for _, p := range packets(file.Blocks) {
		found.properties.packet(p)
	}
	for _, b := range file.Blocks {
		switch b.Kind {
		case container.EXIF:
			found.readEXIF(b.Data)
		case container.IPTC:
			found.readIIM(iptc.Parse(b.Data))
		case container.Comment:
			found.read(text{key: parameters, value: ifd.Decode(b.Data)})
		case container.Text:
			found.readRights(b)
		case container.XMP, container.ExtendedXMP:
		}
	}
	if file.Manifest != "" {
		format := probe.Sniff(data[:min(len(data), probe.HeadBytes)])
		source := carrier.File{R: bytes.NewReader(data), Size: int64(len(data)), Format: format}
		found.properties.add(storeKind, storeNote(source))
	}
	return found
}

func (m *image) readEXIF(block []byte) {
	parsed, ok := exif.Parse(block)
	if !ok || len(m.exif) == maxEXIF {
		return
	}
	said := m.ask.stating(tags(parsed))
	if said != (tags{}) && !slices.Contains(m.exif, said) {
		m.exif = append(m.exif, said)
	}
	if said.Artist == "" {
		m.properties.missing(creatorKind, parsed.Artist)
	}
	if f, ok := ifd.Open(block); ok {
		m.properties.missing(rightsKind, f.Directory(f.First())[tagCopyright].Text())
	}
}

func (m *image) readIIM(records iptc.Records) {
	for _, value := range records[iptc.Credit] {
		// A credit that states something counts beside another one; any other is XMP's, which IIM cuts short.
		if credit := (property{kind: passing[creditKind], values: []string{value}}); m.ask.states(cargo{properties: properties{credit}}) {
			m.properties.add(creditKind, value)
		}
		m.properties.missing(creditKind, value)
	}
	for _, value := range records[iptc.Caption] {
		m.read(text{key: description, value: value})
	}
	if len(m.properties.values[creatorKind]) == 0 {
		for _, value := range records[byline] {
			m.properties.add(creatorKind, value)
		}
	}
	for _, value := range records[copyright] {
		m.properties.missing(rightsKind, value)
	}
}

// read keeps a comment or caption that is a generator's, under the keyword that PNG has for it.
func (m *image) read(t text) {
	if len(m.comments) < maxSameKey && m.ask.states(cargo{texts: []text{t}}) {
		m.comments = append(m.comments, t)
	}
}

// readRights takes PNG's own keywords for rights (PNG 3rd edition, section 11.3.3.1).
func (m *image) readRights(b container.Block) {
	switch b.Key {
	case "Author":
		m.properties.missing(creatorKind, string(b.Data))
	case "Copyright":
		m.properties.missing(rightsKind, string(b.Data))
	}
}

// mapped puts what EXIF says under the keywords and properties that a PNG file has for it, so that readers of PNG find
// it. Only what has no other place stays EXIF.
func (m image) mapped() cargo {
	g := gathered{values: maps.Clone(m.properties.values), ask: m.ask}
	var c cargo
	for _, said := range m.exif {
		texts, rest := said.mapped(g)
		c.texts = append(c.texts, texts...)
		if c.tags == (tags{}) {
			c.tags = rest
		}
	}
	c.properties = g.sorted()
	c.texts = append(append(c.texts, m.comments...), m.texts...)
	return c
}

// kept leaves the tags of EXIF as they are: for files in which texts of PNG say something else under the same keywords.
func (m image) kept() cargo {
	c := cargo{properties: m.properties.sorted(), texts: append(m.comments[:len(m.comments):len(m.comments)], m.texts...)}
	if len(m.exif) > 0 {
		c.tags = m.exif[0]
	}
	return c
}
