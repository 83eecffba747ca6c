package clip_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/probe"
	"veracity/engine/provenance/clip"
	"veracity/engine/provenance/container"
	"veracity/engine/provenance/internal/sample"
)

func open(format probe.Format, file []byte) container.File {
	return clip.Open(bytes.NewReader(file), int64(len(file)), format)
}

// requirePrompt demands that a file holds the text "x" of the field prompt and nothing else.
func requirePrompt(t *testing.T, format probe.Format, file []byte) {
	t.Helper()
	blocks := open(format, file).Blocks
	require.Len(t, blocks, 1)
	require.Equal(t, container.Text, blocks[0].Kind)
	require.Equal(t, clip.Prompt, blocks[0].Key)
	require.Equal(t, "x", string(blocks[0].Data))
}

func TestTagsAreReadInEveryFormOfID3(t *testing.T) {
	t.Parallel()
	const user = "\x03prompt\x00x"
	size := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	frame4 := func(flags byte, body string) []byte {
		return sample.Join([]byte("TXXX"), sample.Synchsafe(len(body)), []byte{0, flags}, []byte(body))
	}
	frame3 := func(flags byte, body string) []byte {
		return sample.Join([]byte("TXXX"), size(len(body)), []byte{0, flags}, []byte(body))
	}
	cover := sample.ID3Frame(4, "APIC", bytes.Repeat([]byte{0xFF, 0}, 5000))
	whole := func(version byte, frames ...[]byte) []byte {
		body := sample.Unsynchronised(sample.Join(frames...))
		return sample.Join([]byte{'I', 'D', '3', version, 0, 0x80}, sample.Synchsafe(len(body)), body)
	}
	utf16 := "\x01\xFF\xFEp\x00r\x00o\x00m\x00p\x00t\x00\x00\x00\xFF\xFEx\x00"
	long := append([]byte("TXXX\x00\x00\x00\xC8\x00\x00"), append([]byte("\x03other\x00"), make([]byte, 193)...)...)
	for name, tag := range map[string][]byte{
		"version 4":                       sample.ID3(4, 0, frame4(0, user)),
		"behind a picture":                sample.ID3(4, 0, cover, frame4(0, user)),
		"grouped, version 4":              sample.ID3(4, 0, frame4(0x40, "\x01"+user)),
		"with its length":                 sample.ID3(4, 0, frame4(0x01, "\x00\x00\x00\x0A"+user)),
		"unsynchronised frame":            sample.ID3(4, 0, frame4(0x02, string(sample.Unsynchronised([]byte(utf16))))),
		"unsynchronised tag, version 4":   sample.ID3(4, 0x80, frame4(0, string(sample.Unsynchronised([]byte(utf16))))),
		"unsynchronised tag, version 3":   whole(3, sample.ID3Frame(3, "APIC", []byte{0xFF, 0xE0, 0xFF, 0}), frame3(0, utf16)),
		"unsynchronised tag, version 2":   whole(2, sample.ID3Frame(2, "PIC", []byte{0xFF, 0xE0}), sample.ID3Frame(2, "TXX", []byte(utf16))),
		"big-endian":                      sample.ID3(4, 0, frame4(0, "\x02\x00p\x00r\x00o\x00m\x00p\x00t\x00\x00\x00x")),
		"Latin-1":                         sample.ID3(3, 0, frame3(0, "\x00prompt\x00x")),
		"grouped, version 3":              sample.ID3(3, 0, frame3(0x20, "\x01"+user)),
		"extended header, version 3":      sample.ID3(3, 0x40, sample.Join(size(6), make([]byte, 6)), frame3(0, user)),
		"extended header, version 4":      sample.ID3(4, 0x40, sample.Join(sample.Synchsafe(6), []byte{1, 0}), frame4(0, user)),
		"plain length where it is wrong":  sample.ID3(4, 0, long, frame4(0, user)),
		"plain length that looks right":   sample.ID3(4, 0, sample.Join([]byte("TALB"), size(0x200), []byte{0, 0}, make([]byte, 0x200)), frame4(0, user)),
		"second tag":                      sample.Join(sample.ID3(4, 0, cover), sample.ID3(4, 0, frame4(0, user))),
		"second tag behind a footer":      sample.Join(sample.ID3(4, 0x10), []byte("3DI\x04\x00\x10\x00\x00\x00\x10"), sample.ID3(4, 0, frame4(0, user))),
		"frame that is cut, then nothing": sample.ID3(4, 0, frame4(0, user), []byte("TXXX\x00\x00\x7F\x7F\x00\x00")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requirePrompt(t, probe.MP3, sample.MP3(tag))
		})
	}
}

func TestFormsOfID3ThatNobodyWritesAreLeft(t *testing.T) {
	t.Parallel()
	user := sample.ID3Text("prompt", "x")
	for name, tag := range map[string][]byte{
		"compressed tag of version 2": sample.ID3(2, 0x40, sample.ID3Frame(2, "TXX", []byte("\x00prompt\x00x"))),
		"encrypted frame":             sample.ID3(3, 0, []byte("TXXX\x00\x00\x00\x0A\x00\x40\x03prompt\x00xx")),
		"length with top bits":        sample.Join([]byte("ID3\x04\x00\x00\xFF\x00\x00\x00"), user),
		"extended header too long":    sample.ID3(3, 0x40, []byte("\x7F\xFF\xFF\xFF"), user),
		"flags without their fields":  sample.ID3(4, 0, []byte("TXXX\x00\x00\x00\x00\x00\x41")),
		"no text":                     sample.ID3(4, 0, []byte("TXXX\x00\x00\x00\x00\x00\x00"), []byte("COMM\x00\x00\x00\x02\x00\x00\x03e")),
		"lower case":                  sample.ID3(4, 0, bytes.Replace(user, []byte("TXXX"), []byte("txxx"), 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, open(probe.MP3, sample.MP3(tag)).Blocks)
		})
	}
}

func TestLongWAVIsReadBehindItsData(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	note := sample.RIFFChunk("id3 ", sample.ID3(4, 0, sample.ID3Text("prompt", "x")))
	long := func(id string, body []byte) []byte {
		return sample.Join([]byte(id+"\xFF\xFF\xFF\xFF"), body)
	}
	lengths := func(data, junk int) []byte {
		body := sample.Join(make([]byte, 8), le.AppendUint64(nil, uint64(data)), make([]byte, 8), le.AppendUint32(nil, 1),
			[]byte("junk"), le.AppendUint64(nil, uint64(junk)))
		return sample.RIFFChunk("ds64", body)
	}
	file := func(id string, chunks ...[]byte) []byte {
		return sample.Join([]byte(id+"\xFF\xFF\xFF\xFFWAVE"), sample.Join(chunks...))
	}
	requirePrompt(t, probe.WAV, file("RF64", lengths(1000, 50), long("data", make([]byte, 1000)), long("junk", make([]byte, 50)), note))
	requirePrompt(t, probe.WAV, file("BW64", lengths(1000, 0), long("data", make([]byte, 1000)), note))
	requirePrompt(t, probe.WAV, file("RIFF", sample.RIFFChunk("data", make([]byte, 3)), note))
	require.Empty(t, open(probe.WAV, file("RIFF", long("data", make([]byte, 1000)), note)).Blocks, "a stream has nothing behind its data")
	require.Empty(t, open(probe.WAV, file("RF64", lengths(1<<40, 0), long("data", make([]byte, 1000)), note)).Blocks)
	require.Empty(t, open(probe.WAV, file("RF64", long("data", make([]byte, 1000)), lengths(1000, 0), note)).Blocks)
}

func TestMatroskaIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	tags := sample.Tags("PROMPT", "x\x00\x00")
	stream := func(parts ...[]byte) []byte {
		return sample.Join(sample.Element(0x1A45DFA3, nil), sample.OpenElement(0x18538067, sample.Join(parts...)))
	}
	backwards := sample.Element(sample.EBMLTags, sample.Element(sample.EBMLTag, sample.Element(sample.EBMLSimpleTag, sample.Join(
		sample.Element(sample.EBMLTagString, []byte("x")), sample.Element(sample.EBMLTagName, []byte("prompt"))))))
	short := sample.Join([]byte("\x12\x54\xC3\x67\x93\x73\x73\x90\x67\xC8\x8D"), []byte("\x45\xA3\x86prompt\x44\x87\x81x"))
	for name, file := range map[string][]byte{
		"behind the clusters":       stream(sample.Element(sample.EBMLCluster, make([]byte, 5000)), tags),
		"before a live recording":   stream(tags, sample.OpenElement(sample.EBMLCluster, tags)),
		"text before its name":      stream(backwards),
		"lengths of one byte":       stream(short),
		"tags that state no length": stream(sample.OpenElement(sample.EBMLTags, sample.Element(sample.EBMLTag, sample.SimpleTag("prompt", "x")))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requirePrompt(t, probe.WebM, file)
		})
	}
	require.Empty(t, open(probe.WebM, stream(sample.OpenElement(sample.EBMLCluster, nil), tags)).Blocks)
	deep := sample.SimpleTag("prompt", "x")
	for range 6 {
		deep = sample.SimpleTag("a", "b", deep)
	}
	require.Empty(t, open(probe.WebM, stream(sample.Element(sample.EBMLTags, sample.Element(sample.EBMLTag, deep)))).Blocks)
}

func TestTextsAreReadInEveryEncodingOfMP4(t *testing.T) {
	t.Parallel()
	item := func(kind int, value string) []byte {
		return sample.MP4("isom", sample.UserData(sample.ItemList(sample.Box("----", sample.Join(
			sample.Box("mean", []byte("\x00\x00\x00\x00com.apple.iTunes")), sample.Box("name", []byte("\x00\x00\x00\x00PROMPT")), sample.ItemData(kind, []byte(value)))))))
	}
	requirePrompt(t, probe.MP4, item(1, "x"))
	requirePrompt(t, probe.MP4, item(2, "\x00x"))
	requirePrompt(t, probe.MP4, item(0, "x"))
	require.Empty(t, open(probe.MP4, item(0, "\xFE\x00")).Blocks, "an undeclared type that is no text")
	require.Empty(t, open(probe.MP4, item(21, "\x00")).Blocks, "a number")
	terminated := sample.Box("moov", sample.Box("udta", sample.Join(sample.Keys("prompt", "x"), make([]byte, 4))))
	requirePrompt(t, probe.MOV, sample.MP4("qt  ", terminated))
}

func TestNamesInPlacesAreCut(t *testing.T) {
	t.Parallel()
	domain := strings.Repeat("ä", 100)
	file := sample.MP4("isom", sample.UserData(sample.Keys("com.android.prompt"+strings.Repeat(" ", 100), "x")),
		sample.UserData(sample.ItemList(sample.FreeItem(domain, "prompt", "x"))))
	blocks := open(probe.MP4, file).Blocks
	require.Len(t, blocks, 1)
	require.Less(t, len(blocks[0].Where), 120)
}

func TestTruncatedClipsGiveWhatIsWhole(t *testing.T) {
	t.Parallel()
	packet := []byte("<x:xmpmeta/>")
	for format, file := range map[probe.Format][]byte{
		probe.MP4: sample.MP4("isom", sample.UUIDBox(container.XMPBox, packet), sample.UserData(sample.Keys("prompt", "x"))),
		probe.MP3: sample.MP3(sample.ID3(4, 0, sample.ID3Text("prompt", "x"), sample.ID3Frame(4, "PRIV", append([]byte("XMP\x00"), packet...)))),
		probe.WAV: sample.RIFF("WAVE", sample.RIFFChunk("_PMX", packet), sample.RIFFChunk("AIGC", []byte("{}"))),
		probe.WebM: sample.Join(sample.Element(0x1A45DFA3, nil), sample.OpenElement(0x18538067,
			sample.Join(sample.Tags("prompt", "x"), sample.Tags("comment", "y")))),
	} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			before := 0
			for n := range len(file) + 1 {
				blocks := open(format, file[:n]).Blocks
				require.GreaterOrEqual(t, len(blocks), before, "%d bytes", n)
				before = len(blocks)
			}
			require.Equal(t, 2, before)
		})
	}
}

// broken fails to read behind the first bytes.
type broken struct{ io.ReaderAt }

var errDisk = errors.New("disk")

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at > 0 {
		return 0, errDisk
	}
	return b.ReaderAt.ReadAt(p, at)
}

func TestAFileThatCannotBeReadSaysWhatWasRead(t *testing.T) {
	t.Parallel()
	file := sample.MP4("isom", sample.UserData(sample.Keys("prompt", "x")), sample.Box("free", make([]byte, 9000)),
		sample.Keys("comment", "y"))
	got := clip.Open(broken{bytes.NewReader(file)}, int64(len(file)), probe.MP4)
	require.Len(t, got.Blocks, 1)
	require.Empty(t, clip.Open(bytes.NewReader(nil), 1<<20, probe.MP3), "shorter than it was said to be")
	require.Empty(t, clip.Open(bytes.NewReader(file), -1, probe.MP4))
}
