package provenance_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

// sparse is a file of which only the parts, by their offsets, are not zeros. It counts what is read.
type sparse struct {
	parts map[int64][]byte
	size  int64
	read  int64
}

func (s *sparse) add(part []byte) {
	s.parts[s.size] = part
	s.size += int64(len(part))
}

func (s *sparse) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	s.read += int64(len(p))
	for start, part := range s.parts {
		if from, to := max(start, at), min(start+int64(len(part)), at+int64(len(p))); from < to {
			copy(p[from-at:], part[from-start:to-start])
		}
	}
	if at+int64(len(p)) > s.size {
		return int(max(0, s.size-at)), io.EOF
	}
	return len(p), nil
}

const gigabyte = 1 << 30

// bigClips are clips of about a gigabyte with a label at the end.
func bigClips() map[string]struct {
	format probe.Format
	file   *sparse
} {
	be, le := binary.BigEndian, binary.LittleEndian
	hole := func(s *sparse, size int64) { s.size += size }
	movie := sample.Box("moov", sample.Join(
		sample.Track(1, "vide", sample.Box("free", make([]byte, 300<<10))), sample.Track(2, "soun"),
		sample.Box("udta", sample.Keys("AIGC", aigc))))

	last := &sparse{parts: map[int64][]byte{}}
	last.add(sample.Box("ftyp", []byte("isom\x00\x00\x00\x00isom")))
	last.add(sample.Join([]byte("\x00\x00\x00\x01mdat"), be.AppendUint64(nil, gigabyte+16)))
	hole(last, gigabyte)
	last.add(movie)

	fragments := &sparse{parts: map[int64][]byte{}}
	fragments.add(sample.Box("ftyp", []byte("isom\x00\x00\x00\x00isom")))
	for range 180 {
		fragments.add(sample.Box("moof", make([]byte, 2000)))
		fragments.add(sample.Join(be.AppendUint32(nil, 6<<20), []byte("mdat")))
		hole(fragments, 6<<20-8)
	}
	fragments.add(movie)

	long := &sparse{parts: map[int64][]byte{}}
	long.add([]byte("RF64\xFF\xFF\xFF\xFFWAVEds64\x1C\x00\x00\x00"))
	long.add(sample.Join(make([]byte, 8), le.AppendUint64(nil, gigabyte), make([]byte, 12), []byte("data\xFF\xFF\xFF\xFF")))
	hole(long, gigabyte)
	long.add(sample.RIFFChunk("AIGC", []byte(aigc)))

	clusters := &sparse{parts: map[int64][]byte{}}
	clusters.add(sample.Join(sample.Element(0x1A45DFA3, nil), sample.OpenElement(0x18538067, nil)))
	for range 200 {
		clusters.add(sample.Join([]byte("\x1F\x43\xB6\x75\x01\x00\x00\x00"), be.AppendUint32(nil, 5<<20)))
		hole(clusters, 5<<20)
	}
	clusters.add(sample.Tags("AIGC", aigc))

	picture := &sparse{parts: map[int64][]byte{}}
	picture.add(sample.Join([]byte("ID3\x03\x00\x00"), sample.Synchsafe(200<<20)))
	picture.add(sample.Join([]byte("APIC"), be.AppendUint32(nil, 190<<20), []byte{0, 0}))
	hole(picture, 190<<20)
	picture.add(sample.ID3Frame(3, "TXXX", []byte("\x00AIGC\x00"+aigc)))
	hole(picture, gigabyte)

	type big = struct {
		format probe.Format
		file   *sparse
	}
	return map[string]big{
		"MP4, moov at the end": {probe.MP4, last}, "MP4 in fragments": {probe.MP4, fragments}, "RF64": {probe.WAV, long},
		"WebM": {probe.WebM, clusters}, "MP3 with a large picture": {probe.MP3, picture},
	}
}

func TestAGigabyteCostsSomeHundredKilobytes(t *testing.T) {
	t.Parallel()
	for name, b := range bigClips() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := provenance.ReadClip(b.file, b.file.size, b.format)
			require.Equal(t, engine.AI, r.Verdict)
			require.Less(t, b.file.read, int64(300<<10))
		})
	}
}

// hostileClips are clips of about size bytes, each of which costs a careless reader minutes or gigabytes.
func hostileClips(size int) map[string]clipFile {
	fill := func(piece []byte) []byte { return bytes.Repeat(piece, max(size/len(piece), 1)) }
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	nested := func(kind string) []byte {
		var b []byte
		for range size / 8 {
			b = append(binary.BigEndian.AppendUint32(b, uint32(size)), kind...)
		}
		return b
	}
	packet := []byte(sample.XMP("", many("<dc:a>x</dc:a>")))
	return map[string]clipFile{
		"boxes":                mp4(fill(sample.Box("free", nil))),
		"boxes in moov":        mp4(sample.Box("moov", fill(sample.Box("udta", nil)))),
		"tracks":               mp4(sample.Box("moov", fill(sample.Track(1, "vide", sample.Keys("prompt", comfyPrompt))))),
		"boxes in boxes":       mp4(nested("moov")),
		"metadata in itself":   mp4(nested("meta")),
		"keys":                 mp4(sample.UserData(sample.Box("meta", sample.Join(make([]byte, 4), sample.Box("keys", fill([]byte("\x00\x00\x00\x09mdtaa"))))))),
		"items":                mp4(sample.UserData(sample.ItemList(fill(sample.TextItem("\xA9cmt", "x"))))),
		"values":               mp4(sample.UserData(sample.ItemList(sample.Box("\xA9cmt", fill(sample.ItemData(1, []byte("x"))))))),
		"graph":                mp4(sample.UserData(sample.Keys("prompt", "{"+many(`"a":{"class_type":"x","inputs":{}},`)+`"b":1}`))),
		"graphs in graphs":     mp4(sample.UserData(sample.Keys("comment", many(`{"prompt":`)))),
		"texts of QuickTime":   mov(sample.UserData(sample.Box("\xA9cmt", fill([]byte{0, 1, 0, 0, 'x'})))),
		"packets":              mp4(fill(sample.UUIDBox("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", packet))),
		"elements":             webm(fill([]byte{0xEC, 0x80})),
		"tags":                 webm(sample.Element(sample.EBMLTags, fill(sample.Element(sample.EBMLTag, sample.SimpleTag("a", "b"))))),
		"tags in tags":         webm(sample.OpenElement(sample.EBMLTags, sample.OpenElement(sample.EBMLTag, fill([]byte("\x67\xC8\xFF"))))),
		"frames":               mp3(sample.ID3(4, 0, fill(sample.ID3Frame(4, "TXXX", nil)))),
		"tags in a row":        mp3(fill(sample.ID3(4, 0))),
		"frames that lie":      mp3(sample.ID3(4, 0, fill([]byte("TXXX\x00\x00\x01\x00\x00\x00")))),
		"unsynchronised":       mp3(sample.ID3(3, 0x80, fill([]byte{0xFF, 0}))),
		"chunks":               wav(fill(sample.RIFFChunk("AIGC", nil))),
		"chunks of ID3":        wav(fill(sample.RIFFChunk("id3 ", sample.ID3(3, 0x80, make([]byte, 10))))),
		"lengths":              {probe.WAV, sample.RIFF("WAVE", sample.RIFFChunk("ds64", fill([]byte("data\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"))))},
		"elements of iXML":     wav(sample.RIFFChunk("iXML", []byte("<NOTE>"+strings.Repeat("<a>", 60<<10)))),
		"attributes of iXML":   wav(sample.RIFFChunk("iXML", []byte("<NOTE "+strings.Repeat(`a="" `, 40<<10)+">"))),
		"references of iXML":   wav(sample.RIFFChunk("iXML", []byte("<NOTE>"+strings.Repeat("&amp;", 40<<10)+"</NOTE>"))),
		"a length of all bits": {probe.MP4, sample.Join([]byte("\x00\x00\x00\x01moov"), bytes.Repeat([]byte{0xFF}, 64))},
	}
}

// TestHostileClipsEndSoon allows each clip some hundred times what it takes, to be true on any machine.
func TestHostileClipsEndSoon(t *testing.T) {
	t.Parallel()
	for name, c := range hostileClips(1 << 20) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			s := &sparse{parts: map[int64][]byte{0: c.bytes}, size: int64(len(c.bytes))}
			r := provenance.ReadClip(s, s.size, c.format)
			require.Less(t, time.Since(start), 30*time.Second)
			require.LessOrEqual(t, len(r.Statements), 64)
			require.LessOrEqual(t, s.read, int64(8<<20))
		})
	}
}

func BenchmarkReadHostileClip(b *testing.B) {
	for name, c := range hostileClips(4<<20 - 4096) { // A value of more than 4 MB is not read.
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.read()
			}
		})
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("disk") }

func TestClipsThatCannotBeReadSayNothing(t *testing.T) {
	t.Parallel()
	for _, format := range []probe.Format{probe.MP4, probe.MOV, probe.M4A, probe.WebM, probe.MP3, probe.WAV, probe.PNG, probe.Unknown} {
		r := provenance.ReadClip(failing{}, gigabyte, format)
		require.Equal(t, engine.None, r.Verdict)
		require.Empty(t, r.Statements)
		require.Nil(t, r.ContentCredentials)
	}
}

func FuzzReadClip(f *testing.F) {
	formats := []probe.Format{probe.MP4, probe.MOV, probe.M4A, probe.WebM, probe.MP3, probe.WAV}
	packet := []byte(sample.XMP(`photoshop:Credit="Made with Google AI" dcterms:provenance="https://x/"`, "<TC260:AIGC>"+aigc+"</TC260:AIGC>"))
	object := append([]byte("\x00application/c2pa\x00\x00\x00"), sample.ManifestStore()...)
	seeds := []clipFile{
		mp4(sample.ManifestBox(), sample.UUIDBox("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", packet)),
		mp4(sample.UserData(sample.Keys("prompt", comfyPrompt, "AIGC", aigc, "encoder", "Udio"))),
		mov(sample.UserData(sample.QuickTimeText("\xA9cmt", suno), sample.Box("XMP_", packet)), sample.Box("moov", sample.QuickTimeKeys("comment", vhs))),
		m4a(sample.UserData(sample.ItemList(sample.TextItem("\xA9cmt", infotext), sample.FreeItem("com.apple.iTunes", "AIGC", aigc)))),
		mp4(sample.Box("moov", sample.Track(1, "vide", sample.Box("udta", sample.Box("dscp", []byte("\x00\x00\x00\x00\x00\x00x")))))),
		webm(sample.Tags("PROMPT", comfyPrompt, "COMMENT", suno)),
		{probe.WebM, sample.OpenElement(0x18538067, sample.OpenElement(sample.EBMLTags, nil))},
		mp3(sample.ID3(4, 0, sample.ID3Text("workflow", comfyWorkflow), sample.ID3Frame(4, "GEOB", object))),
		mp3(sample.ID3(3, 0x80, sample.ID3Frame(3, "COMM", sample.Join([]byte("\x01eng\xFF\xFE\x00\x00"), wide(suno))))),
		mp3(sample.ID3(2, 0, sample.ID3Frame(2, "WAS", []byte("https://suno.com/song/"+uuid)))),
		wav(info("ICMT", suno), sample.RIFFChunk("C2PA", sample.ManifestStore()), sample.RIFFChunk("iXML", []byte("<a><NOTE>x</NOTE></a>"))),
		wav(sample.RIFFChunk("bext", []byte(job)), sample.RIFFChunk("id3 ", sample.ID3(4, 0)), sample.RIFFChunk("_PMX", packet)),
	}
	for _, c := range seeds {
		for i, format := range formats {
			if format == c.format {
				f.Add(uint8(i), c.bytes)
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		s := &sparse{parts: map[int64][]byte{0: data}, size: int64(len(data))}
		r := provenance.ReadClip(s, s.size, formats[int(kind)%len(formats)])
		if r.Verdict != engine.AI && r.Verdict != engine.None && r.Verdict != engine.Uncertain {
			t.Fatalf("verdict %q", r.Verdict)
		}
		if len(r.Statements) > 64 || s.read > 8<<20 {
			t.Fatalf("%d statements, %d bytes read", len(r.Statements), s.read)
		}
		for _, statement := range r.Statements {
			if utf8.RuneCountInString(statement.Value) > 200 || !utf8.ValidString(statement.Value) || !utf8.ValidString(statement.Where) {
				t.Fatalf("statement %+v", statement)
			}
		}
	})
}
