package sample

import "encoding/binary"

// Elements of WebM.
const (
	EBMLCluster   = 0x1F43B675
	EBMLTags      = 0x1254C367
	EBMLTag       = 0x7373
	EBMLSimpleTag = 0x67C8
	EBMLTagName   = 0x45A3
	EBMLTagString = 0x4487

	ebmlHeader     = 0x1A45DFA3
	ebmlDocType    = 0x4282
	ebmlSegment    = 0x18538067
	ebmlInfo       = 0x1549A966
	ebmlMuxingApp  = 0x4D80
	ebmlWritingApp = 0x5741
)

// WebM is a file whose segment has the elements behind its information and a cluster.
func WebM(writer string, elements ...[]byte) []byte {
	info := Element(ebmlInfo, Join(Element(ebmlMuxingApp, []byte("Lavf")), Element(ebmlWritingApp, []byte(writer))))
	segment := Join(info, Element(EBMLCluster, make([]byte, 64)), Join(elements...))
	return Join(Element(ebmlHeader, Element(ebmlDocType, []byte("webm"))), Element(ebmlSegment, segment))
}

// Tags holds a tag for each pair of name and text.
func Tags(pairs ...string) []byte {
	var tags []byte
	for i := 0; i < len(pairs); i += 2 {
		tags = Join(tags, SimpleTag(pairs[i], pairs[i+1]))
	}
	return Element(EBMLTags, Element(EBMLTag, tags))
}

// SimpleTag has tags within it.
func SimpleTag(name, text string, within ...[]byte) []byte {
	return Element(EBMLSimpleTag, Join(
		Element(EBMLTagName, []byte(name)), Element(EBMLTagString, []byte(text)), Join(within...)))
}

// Element is an element with a length of 8 bytes.
func Element(id uint32, payload []byte) []byte {
	size := size32(binary.BigEndian, len(payload))
	return Join(elementID(id), []byte{1, 0, 0, 0}, size, payload)
}

// OpenElement states no length.
func OpenElement(id uint32, payload []byte) []byte { return Join(elementID(id), []byte{0xFF}, payload) }

func elementID(id uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, id)
	for b[0] == 0 {
		b = b[1:]
	}
	return b
}
