package exif_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance/exif"
	"veracity/engine/provenance/internal/sample"
)

func TestTagsOfOriginAreRead(t *testing.T) {
	t.Parallel()
	tiff := sample.TIFF(binary.LittleEndian, sample.Texts(map[uint16]string{
		sample.TagDocumentName: "title", sample.TagImageDescription: "description", sample.TagMake: "Canon",
		sample.TagModel: "EOS", sample.TagSoftware: "firmware", sample.TagArtist: "somebody",
	}), append(sample.Shot(), sample.Comment([]byte("ASCII\x00\x00\x00a comment\x00"))))
	tags, ok := exif.Parse(tiff)
	require.True(t, ok)
	require.Equal(t, exif.Tags{
		DocumentName: "title", ImageDescription: "description", Make: "Canon", Model: "EOS", Software: "firmware",
		Artist: "somebody", UserComment: "a comment", Exposure: true,
	}, tags)
}

func TestUserCommentsAreReadInEveryCharacterCode(t *testing.T) {
	t.Parallel()
	const text = "ein Bild\nSteps: 20, größer"
	long := strings.Repeat("a very long prompt, ", 10000)
	tests := map[string]struct {
		value []byte
		want  string
	}{
		"ASCII":                      {[]byte("ASCII\x00\x00\x00plain\nlines"), "plain\nlines"},
		"ASCII that is UTF-8":        {[]byte("ASCII\x00\x00\x00" + text), text},
		"big-endian":                 {append([]byte("UNICODE\x00"), encode(binary.BigEndian, text)...), text},
		"little-endian":              {append([]byte("UNICODE\x00"), encode(binary.LittleEndian, text)...), text},
		"big-endian with a mark":     {append([]byte("UNICODE\x00\xFE\xFF"), encode(binary.BigEndian, "絵")...), "絵"},
		"little-endian with a mark":  {append([]byte("UNICODE\x00\xFF\xFE"), encode(binary.LittleEndian, "絵")...), "絵"},
		"no Latin letter, as file":   {append([]byte("UNICODE\x00"), encode(binary.BigEndian, "鸟类")...), "鸟类"},
		"UTF-8 under UNICODE":        {[]byte("UNICODE\x00" + text), text},
		"odd number of bytes":        {append([]byte("UNICODE\x00"), append(encode(binary.BigEndian, "ab"), 0)...), "ab"},
		"surrogates":                 {append([]byte("UNICODE\x00"), encode(binary.LittleEndian, "a🐈")...), "a🐈"},
		"longer than 65,536 letters": {append([]byte("UNICODE\x00"), encode(binary.BigEndian, long)...), strings.TrimSpace(long)},
		"JIS":                        {[]byte("JIS\x00\x00\x00\x00\x00\x1b$B3(\x1b(B ok"), "絵 ok"},
		"undefined":                  {[]byte("\x00\x00\x00\x00\x00\x00\x00\x00" + text), text},
		"no code":                    {[]byte(`{"prompt": {}}`), `{"prompt": {}}`},
		"shorter than a code":        {[]byte("short"), "short"},
		"empty":                      {[]byte("UNICODE\x00"), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tags, ok := exif.Parse(sample.TIFF(binary.BigEndian, nil, []sample.Entry{sample.Comment(tt.value)}))
			require.True(t, ok)
			require.Equal(t, tt.want, tags.UserComment)
		})
	}
}

func TestUserCommentInTheMainDirectoryIsRead(t *testing.T) {
	t.Parallel()
	entry := sample.Entry{Tag: sample.TagUserComment, Type: sample.ASCII, Data: []byte("{\"prompt\": {}}\x00")}
	tags, ok := exif.Parse(sample.TIFF(binary.BigEndian, []sample.Entry{entry}, nil))
	require.True(t, ok)
	require.Equal(t, `{"prompt": {}}`, tags.UserComment)
}

func TestDirectoryThatPointsAtItselfEnds(t *testing.T) {
	t.Parallel()
	pointer := sample.Entry{Tag: 0x8769, Type: sample.Long, Data: []byte{0, 0, 0, 8}}
	tags, ok := exif.Parse(sample.TIFF(binary.BigEndian, []sample.Entry{pointer}, nil))
	require.True(t, ok)
	require.Equal(t, exif.Tags{}, tags)
}

func TestOneExposureTagIsNoShot(t *testing.T) {
	t.Parallel()
	tags, ok := exif.Parse(sample.TIFF(binary.BigEndian, nil, sample.Shot()[:1]))
	require.True(t, ok)
	require.False(t, tags.Exposure)
}

func TestOtherBytesAreNoEXIF(t *testing.T) {
	t.Parallel()
	_, ok := exif.Parse([]byte("Exif\x00\x00II*\x00\x08\x00\x00\x00"))
	require.False(t, ok)
}

func FuzzParse(f *testing.F) {
	f.Add(sample.TIFF(binary.LittleEndian, sample.Texts(map[uint16]string{sample.TagMake: "Canon"}),
		append(sample.Shot(), sample.Comment(append([]byte("UNICODE\x00"), encode(binary.BigEndian, "text")...)))))
	f.Add(sample.TIFF(binary.BigEndian, nil, []sample.Entry{sample.Comment([]byte("JIS\x00\x00\x00\x00\x00\x1b$B3("))}))
	f.Fuzz(func(t *testing.T, data []byte) {
		tags, ok := exif.Parse(data)
		if !ok && tags != (exif.Tags{}) {
			t.Fatalf("tags %+v of what is no EXIF", tags)
		}
		if !bytes.Equal([]byte(tags.UserComment), bytes.ToValidUTF8([]byte(tags.UserComment), nil)) {
			t.Fatalf("comment %q is no UTF-8", tags.UserComment)
		}
	})
}

func encode(order binary.AppendByteOrder, text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}
