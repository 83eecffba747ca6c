package c2pa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetadataStateTheirSourceType(t *testing.T) {
	t.Parallel()
	const ai = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
	tests := map[string]string{
		`{"@context":{"Iptc4xmpExt":"http://x/"},"Iptc4xmpExt:DigitalSourceType":"` + ai + `"}`: ai,
		`{"Iptc4xmpExt:DigitalSourceType":["` + ai + `"]}`:                                      ai,
		`{"http://iptc.org/std/Iptc4xmpExt/2008-02-29/DigitalSourceType":{"@id":"` + ai + `"}}`: ai,
		`{"a":{"b":[{"digitalsourcetype":"` + ai + `"}]}}`:                                      ai,
		`{"DigitalSourceTypes":"x","title":"DigitalSourceType"}`:                                "",
		`{"exif:FNumber":4.0}`:             "",
		`not json`:                         "",
		`{"DigitalSourceType":`:            "",
		`{"DigitalSourceType":"a\u0000b"}`: "ab",
		`{"DigitalSourceType":null,"x":{"DigitalSourceType":"later"}}`:                         "later",
		strings.Repeat(`{"a":`, 20) + `{"DigitalSourceType":"deep"}` + strings.Repeat("}", 20): "",
		strings.Repeat(`[`, 100_000):                                "",
		`{"DigitalSourceType":"` + strings.Repeat("x", 5000) + `"}`: strings.Repeat("x", maxText),
	}
	for content, want := range tests {
		require.Equal(t, want, sourceTypeOf([]byte(content)), content[:min(len(content), 80)])
	}
}

func TestMetadataFieldsAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"@context", "exif:FNumber", "xmp:Anything", "Iptc4xmpExt:DigitalSourceType", "dc:format", "plus:Version"} {
		require.True(t, metadataAllowed(field), field)
	}
	for _, field := range []string{"dc:creator", "exif:UserComment", "com.example:x", "FNumber", ""} {
		require.False(t, metadataAllowed(field), field)
	}
}
