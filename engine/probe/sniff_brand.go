package probe

import (
	"encoding/binary"
	"strings"
)

// maxBrands bounds how many compatible brands are read; real files have fewer than twenty.
const maxBrands = 64

// brands gives the major brand and the compatible ones of a file that starts with an ftyp box (ISO/IEC 14496-12, 4.3).
func brands(head []byte) (major string, all []string) {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return "", nil
	}
	major = string(head[8:12])
	end := min(uint64(binary.BigEndian.Uint32(head)), uint64(len(head)))
	all = append(all, major)
	for at := uint64(16); at+4 <= end && len(all) < maxBrands; at += 4 {
		all = append(all, string(head[at:at+4]))
	}
	return major, all
}

// brandFormats maps the brands that settle the format alone.
var brandFormats = map[string]Format{
	"avif": AVIF, "avis": AVIF,
	"heic": HEIC, "heix": HEIC, "hevc": HEIC, "hevx": HEIC, "heim": HEIC, "heis": HEIC, "hevm": HEIC, "hevs": HEIC,
	"qt  ": MOV,
	"M4A ": M4A, "M4B ": M4A, "M4P ": M4A,
}

// sniffBrands tells the formats that share the ftyp box apart. The major brand decides where it is specific; mif1 and
// msf1 say only "HEIF of some codec", so the compatible brands decide there.
func sniffBrands(head []byte) Format {
	major, all := brands(head)
	if f, ok := brandFormats[major]; ok {
		return f
	}
	heif := major == "mif1" || major == "mif2" || major == "msf1" || major == "miaf" || major == "MiHB" || major == "1pic"
	for _, b := range all {
		f, ok := brandFormats[b]
		if heif && ok && (f == AVIF || f == HEIC) {
			return f
		}
	}
	if heif {
		return HEIF
	}
	for _, b := range all {
		if isMP4Brand(b) {
			return MP4
		}
	}
	return Unknown
}

func isMP4Brand(b string) bool {
	switch b {
	case "isom", "avc1", "dash", "mmp4", "MSNV", "XAVC", "f4v ", "F4V ", "NDSC", "NDXC", "kddi", "cmfc":
		return true
	}
	return strings.HasPrefix(b, "iso") || strings.HasPrefix(b, "mp4") || strings.HasPrefix(b, "M4V") ||
		strings.HasPrefix(b, "3gp") || strings.HasPrefix(b, "3g2")
}
