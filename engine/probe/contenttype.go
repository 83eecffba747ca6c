package probe

import (
	"strings"

	"veracity/engine"
)

// aliases are spellings in use beside the canonical type that [Format.ContentType] gives. MP3 is registered as
// audio/mpeg (RFC 3003) and M4A is audio in MP4 (RFC 4337). WAV has no registration of that name; audio/wav is what
// browsers send.
var aliases = map[string]string{
	"audio/mp3":      "audio/mpeg",
	"audio/x-wav":    "audio/wav",
	"audio/wave":     "audio/wav",
	"audio/vnd.wave": "audio/wav",
	"audio/x-m4a":    "audio/mp4",
	"audio/m4a":      "audio/mp4",
}

var mediaOfType = func() map[string]engine.Media {
	m := make(map[string]engine.Media, len(descriptions))
	for _, d := range descriptions {
		m[d.contentType] = d.media
	}
	return m
}()

// CanonicalType finds the supported media type that s names. Case, parameters and space around the type do not count,
// and an alias gives the canonical type: "Audio/MP3; rate=44100" is "audio/mpeg", audio, true. ok is false for a type
// that is not supported.
func CanonicalType(s string) (canonical string, media engine.Media, ok bool) {
	essence, _, _ := strings.Cut(s, ";")
	canonical = strings.ToLower(strings.TrimSpace(essence))
	if c, found := aliases[canonical]; found {
		canonical = c
	}
	media, ok = mediaOfType[canonical]
	if !ok {
		return "", "", false
	}
	return canonical, media, true
}
