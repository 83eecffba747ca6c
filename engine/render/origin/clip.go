package origin

import (
	"encoding/binary"
	"io"
	"slices"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/probe"
	"veracity/engine/provenance/clip"
	"veracity/engine/provenance/container"
	"veracity/engine/render/atom"
)

// creatorFields name the maker, as [clip.Field] spells what QuickTime and Matroska have.
var creatorFields = []string{"artist", "author", "creator", "\u00a9art", "\u00a9aut"}

// keySpellings has the key that TC260-PG-20257A sets for the AIGC label in MP4, in its own letters.
var keySpellings = map[string]string{clip.AIGC: "AIGC"}

// openClip reads the blocks of a clip.
func openClip(r io.ReaderAt, size int64, format probe.Format) cargo {
	file := clip.Open(r, size, format)
	ask := newJudge()
	found := newGathered(ask)
	for _, p := range packets(file.Blocks) {
		found.packet(p)
	}
	var kept []text
	count := map[string]int{}
	for _, b := range file.Blocks {
		if b.Kind != container.Text {
			continue
		}
		value := string(b.Data)
		t := text{key: b.Key, value: value}
		if spelling, ok := keySpellings[t.key]; ok {
			t.key = spelling
		}
		if count[b.Key]++; count[b.Key] <= maxSameKey && ask.clipStates(t) {
			kept = append(kept, t)
			continue
		}
		switch {
		case b.Key == clip.Copyright:
			found.missing(rightsKind, value)
		case b.Key == clip.Credit:
			found.missing(creditKind, value)
		case slices.Contains(creatorFields, b.Key):
			found.missing(creatorKind, value)
		}
	}
	if file.Manifest != "" {
		found.add(storeKind, storeNote(carrier.File{R: r, Size: size, Format: format}))
	}
	return cargo{properties: found.sorted(), texts: kept}
}

// previewClip is an MP4 without tracks that carries c: what provenance reads of it, it reads of the output.
func previewClip(c cargo) []byte {
	file := atom.Box("ftyp", []byte("isom\x00\x00\x02\x00isommp41"))
	file = append(file, atom.Box("moov", c.userData())...)
	return append(file, c.xmpBox()...)
}

// userData is the udta box of the texts: a list of items named by keys (QuickTime File Format, Metadata), in the place
// where TC260-PG-20257A looks for the label. Nil: there are none.
func (c cargo) userData() []byte {
	if len(c.texts) == 0 {
		return nil
	}
	const namespace, utf8 = "mdta", 1
	big := binary.BigEndian
	keys := big.AppendUint32(make([]byte, 4), uint32(len(c.texts))) //nolint:gosec // 512 at most.
	var items []byte
	for i, t := range c.texts {
		keys = append(big.AppendUint32(keys, uint32(8+len(t.key))), namespace+t.key...) //nolint:gosec // As above.
		value := append([]byte{0, 0, 0, utf8, 0, 0, 0, 0}, t.value...)
		items = append(items, atom.Box(string(big.AppendUint32(nil, uint32(i+1))), atom.Box("data", value))...)
	}
	handler := append(make([]byte, 8), namespace...)
	handler = append(handler, make([]byte, 12+1)...)
	return atom.Box("udta", atom.Box("meta", make([]byte, 4), atom.Box("hdlr", handler), atom.Box("keys", keys), atom.Box("ilst", items)))
}

// xmpBox is the box that XMP specification part 3 gives to MPEG-4. Nil: there is no XMP.
func (c cargo) xmpBox() []byte {
	p := c.properties.packet()
	if p == nil {
		return nil
	}
	return atom.Box("uuid", []byte(container.XMPBox), p)
}
