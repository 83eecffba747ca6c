package probe

import (
	"bytes"
	"encoding/binary"
)

// HeadBytes is how much of a file [Sniff] needs to see to know any format.
const HeadBytes = 4096

// Sniff tells a file's format by its first bytes. Fewer than [HeadBytes] serve when the file is no longer than that.
// Neither names nor declared types count. A format that merely resembles a known one (Matroska that is not WebM, AAC
// frames, JPEG 2000) is Unknown.
func Sniff(head []byte) Format {
	for _, s := range signatures {
		if len(head) >= len(s.mask) && s.matches(head) {
			return s.format
		}
	}
	switch {
	case len(head) >= 8 && string(head[4:8]) == "ftyp":
		return sniffBrands(head)
	case isWebM(head):
		return WebM
	case isOldQuickTime(head):
		return MOV
	case isMP3(head):
		return MP3
	}
	return Unknown
}

// signature is a fixed beginning. A '?' in mask is a byte that may have any value.
type signature struct {
	mask   string
	magic  string
	format Format
}

func (s signature) matches(head []byte) bool {
	for i := range s.mask {
		if s.mask[i] != '?' && head[i] != s.magic[i] {
			return false
		}
	}
	return true
}

func exact(magic string, f Format) signature { return signature{magic, magic, f} }

func riff(id, form string, f Format) signature {
	return signature{id + "????" + form, id + "\x00\x00\x00\x00" + form, f}
}

// BMP is told by its reserved fields and known header sizes as well, since two letters alone are too weak.
var signatures = []signature{
	exact("\xFF\xD8\xFF", JPEG),
	exact("\x89PNG\r\n\x1A\n", PNG),
	exact("GIF87a", GIF),
	exact("GIF89a", GIF),
	riff("RIFF", "WEBP", WebP),
	riff("RIFF", "WAVE", WAV),
	riff("RF64", "WAVE", WAV),
	riff("BW64", "WAVE", WAV),
	exact("II*\x00", TIFF),
	exact("MM\x00*", TIFF),
	exact("II+\x00\x08\x00\x00\x00", TIFF),
	exact("MM\x00+\x00\x08\x00\x00", TIFF),
	bmp(12), bmp(40), bmp(52), bmp(56), bmp(64), bmp(108), bmp(124),
}

func bmp(headerSize byte) signature {
	return signature{
		mask:   "BM????\x00\x00\x00\x00????" + string([]byte{headerSize}) + "\x00\x00\x00",
		magic:  "BM\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + string([]byte{headerSize}) + "\x00\x00\x00",
		format: BMP,
	}
}

// isWebM reads the EBML header (RFC 8794): WebM and Matroska differ in its DocType element alone.
func isWebM(head []byte) bool {
	const docType = "\x42\x82"
	if !bytes.HasPrefix(head, []byte("\x1A\x45\xDF\xA3")) {
		return false
	}
	body := head[4:min(len(head), 128)]
	at := bytes.Index(body, []byte(docType))
	if at < 0 {
		return false
	}
	rest := body[at+len(docType):]
	return len(rest) > 0 && rest[0]&0x80 != 0 && bytes.HasPrefix(rest[1:], []byte("webm"))
}

// isOldQuickTime knows files from before ftyp: they start with one of the classic atoms.
func isOldQuickTime(head []byte) bool {
	if len(head) < 16 {
		return false
	}
	size := binary.BigEndian.Uint32(head)
	inner := string(head[12:16])
	switch string(head[4:8]) {
	case "moov":
		return size >= 16 && (inner == "mvhd" || inner == "cmov" || inner == "rmra")
	case "wide":
		return size == 8 && inner == "mdat"
	case "mdat":
		return size == 1 || size >= 16
	}
	return false
}
