package binding

import (
	"bytes"
	"slices"
	"strings"

	"veracity/engine/c2pa/carrier"
)

// worth is what a box is to those who watch or hear the file.
type worth int

const (
	// essential: what is shown and heard, or how.
	essential worth = iota
	// framing: the manifest store, and what carries nothing.
	framing
	// metadata: statements about the media.
	metadata
	// media: bytes of mdat that a tree of hashes covers.
	media
	// places: the places of chunks, which earlier versions had to be left out.
	places
	// unsafe: other places that they had to be left out.
	unsafe
)

// xmpBox is the type of uuid boxes with an XMP packet (XMP specification part 3).
const xmpBox = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"

// worths are the boxes that bindings leave out by the specification (2.2, appendix A.5.6 and the examples in section
// 18.6.3: ftyp, mfra, pssh, emsg), and those that hold padding or metadata (ISO/IEC 14496-12; QuickTime File Format).
var worths = map[string]worth{
	"/ftyp": framing, "/mfra": framing, "/free": framing, "/skip": framing, "/wide": framing,
	"/pssh": metadata, "/moov/pssh": metadata, "/moof/pssh": metadata, "/emsg": metadata, "/prft": metadata,
	"/moov/udta": metadata, "/moov/meta": metadata, "/moov/trak/udta": metadata, "/moov/trak/meta": metadata,
	"/udta": metadata,
}

// judge says what an exclusion takes away. What nobody knows is essential.
func (v *bmffCheck) judge(h hit) worth {
	if len(h.ranges) == 0 {
		return framing
	}
	switch h.kind {
	case "free", "skip":
		return framing
	case "uuid":
		return v.uuid(h)
	case "mdat":
		switch {
		case v.coveredByTrees(h):
			return media
		case v.version == "v1" && len(v.trees) > 0:
			return unsafe
		}
	case "stco", "co64", "iloc", "tfhd", "trun":
		if v.version != "v3" {
			return v.oldTable(h)
		}
	}
	for path := h.path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if w, ok := worths[path]; ok {
			if w == metadata && v.hidesTables(h) {
				return essential
			}
			return w
		}
	}
	return essential
}

// structures are boxes that say how media are put together. ffmpeg follows them within udta and meta too
// (libavformat/mov.c, mov_default_parse_table).
var structures = [][]byte{
	[]byte("moov"), []byte("trak"), []byte("mdia"), []byte("stbl"), []byte("stsd"), []byte("stsz"), []byte("stsc"), []byte("stts"),
	[]byte("stco"), []byte("co64"), []byte("ctts"), []byte("edts"), []byte("elst"), []byte("moof"), []byte("traf"), []byte("trun"), []byte("sidx"),
}

// maxMetadata bounds metadata that are searched for structures, in bytes; those with a cover have some hundred kilobytes.
const maxMetadata = 4 << 20

// hidesTables tells metadata that hold, by the look of it, what says how the media are put together.
func (v *bmffCheck) hidesTables(h hit) bool {
	if h.kind != "udta" && h.kind != "meta" {
		return false
	}
	if h.end-h.body > maxMetadata {
		return true
	}
	content, err := v.Bytes(h.body, h.end-h.body)
	return err != nil || slices.ContainsFunc(structures, func(kind []byte) bool { return bytes.Contains(content, kind) })
}

// oldTable judges the tables that versions 1 and 2 were to leave out, which the specification calls insecure by now (2.2,
// appendix A.5.6; c2pa-rs, sdk/src/assertions/bmff_hash.rs, has the list): those of chunks from the entries on.
func (v *bmffCheck) oldTable(h hit) worth {
	switch h.path {
	case "/moov/trak/mdia/minf/stbl/stco", "/moov/trak/mdia/minf/stbl/co64":
		if h.ranges[0].Start >= h.start+16 {
			return places
		}
	case "/meta/iloc", "/moof/traf/tfhd", "/moof/traf/trun":
		return unsafe
	}
	return essential
}

func (v *bmffCheck) uuid(h hit) worth {
	kind, err := v.Bytes(h.body, min(16, h.end-h.body))
	switch {
	case err != nil:
		return essential
	case h.depth == 1 && string(kind) == carrier.ProvenanceBox:
		return framing
	case string(kind) == xmpBox:
		return metadata
	}
	return essential
}

// coveredByTrees says whether an mdat box is left out no further than trees of hashes reach, from the sixteenth byte on
// (specification 2.2, appendix A.5.6). Without a hash of the whole file trees are over fragments, their media included.
func (v *bmffCheck) coveredByTrees(h hit) bool {
	return v.version != "v1" && v.hash != nil && len(v.trees) > 0 && h.depth == 1 && h.ranges[0].Start >= h.start+mdatHead
}
