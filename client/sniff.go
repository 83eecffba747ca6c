package client

import (
	"bytes"
	"path"
	"strings"
)

// sniffBytes is how much of a file is looked at to guess what it is.
const sniffBytes = 512

// magics are the beginnings of files that tell their type, with '?' for any byte.
var magics = []struct{ begins, contentType string }{
	{"\xff\xd8\xff", "image/jpeg"},
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"GIF8", "image/gif"},
	{"RIFF????WEBP", "image/webp"},
	{"RIFF????WAVE", "audio/wav"},
	{"II*\x00", "image/tiff"},
	{"MM\x00*", "image/tiff"},
	{"BM", "image/bmp"},
	{"\x1a\x45\xdf\xa3", "video/webm"},
	{"ID3", "audio/mpeg"},
}

// brands are major brands of ISO base media files (ISO/IEC 14496-12); any other is taken for MP4.
var brands = map[string]string{
	"avif": "image/avif", "heic": "image/heic", "heix": "image/heic", "heim": "image/heic", "heis": "image/heic",
	"mif1": "image/heif", "qt  ": "video/quicktime", "M4A ": "audio/mp4", "M4B ": "audio/mp4",
}

// endings are those of names that people use.
var endings = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif",
	".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif", ".tif": "image/tiff", ".tiff": "image/tiff",
	".bmp": "image/bmp",
	".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".m4a": "audio/mp4",
}

// guess says what a file most likely is: by its first bytes, else by the ending of its name. An MP4 holds a voice clip
// where the name says so, since its first bytes do not tell. The service finds out by itself; the guess only names the
// field of the call and the type of the upload.
func guess(head []byte, name string) (contentType string, media Media) {
	named := endings[strings.ToLower(path.Ext(name))]
	found := sniff(head)
	switch {
	case found == "", found == "video/mp4" && mediaOf(named) == MediaAudio:
		found = named
	}
	return found, mediaOf(found)
}

func sniff(head []byte) string {
	for _, m := range magics {
		if beginsWith(head, m.begins) {
			return m.contentType
		}
	}
	switch {
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		if t, ok := brands[string(head[8:12])]; ok {
			return t
		}
		return "video/mp4"
	case len(head) >= 2 && head[0] == 0xff && head[1]&0xe6 == 0xe2:
		return "audio/mpeg" // a frame of layer III without a tag (ISO/IEC 11172-3, section 2.4.2.3)
	}
	return ""
}

func beginsWith(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	if any4 := strings.Index(magic, "????"); any4 >= 0 {
		return bytes.HasPrefix(head, []byte(magic[:any4])) && bytes.HasPrefix(head[any4+4:], []byte(magic[any4+4:]))
	}
	return bytes.HasPrefix(head, []byte(magic))
}

func mediaOf(contentType string) Media {
	kind, _, _ := strings.Cut(contentType, "/")
	return Media(kind)
}

// MediaOfName guesses what a file or the path of a URL is by its ending; ok is false where the ending says nothing.
func MediaOfName(name string) (media Media, ok bool) {
	t, ok := endings[strings.ToLower(path.Ext(name))]
	return mediaOf(t), ok
}
