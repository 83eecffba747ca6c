package provenance_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

// Records as the tools write them into clips.
const (
	vhs = `{"prompt": {"3": {"class_type": "KSampler", "inputs": {}}, "5": {"class_type": "EmptyHunyuanLatentVideo", "inputs": {}}},` +
		` "workflow": ` + comfyWorkflow + `}`
	suno = "made with suno; created=2026-02-25T03:57:12Z; id=" + uuid
)

// clipFile is a clip and what probe.Sniff takes it for.
type clipFile struct {
	format probe.Format
	bytes  []byte
}

func (c clipFile) read() provenance.Report {
	return provenance.ReadClip(bytes.NewReader(c.bytes), int64(len(c.bytes)), c.format)
}

func mp4(boxes ...[]byte) clipFile { return clipFile{probe.MP4, sample.MP4("isom", boxes...)} }
func mov(boxes ...[]byte) clipFile { return clipFile{probe.MOV, sample.MP4("qt  ", boxes...)} }
func m4a(boxes ...[]byte) clipFile { return clipFile{probe.M4A, sample.MP4("M4A ", boxes...)} }
func webm(elements ...[]byte) clipFile {
	return clipFile{probe.WebM, sample.WebM("libwebm", elements...)}
}
func mp3(tags ...[]byte) clipFile { return clipFile{probe.MP3, sample.MP3(tags...)} }
func wav(chunks ...[]byte) clipFile {
	return clipFile{probe.WAV, sample.RIFF("WAVE", append([][]byte{sample.RIFFChunk("data", make([]byte, 33))}, chunks...)...)}
}

func info(id, text string) []byte {
	return sample.RIFFChunk("LIST", sample.Join([]byte("INFO"), sample.RIFFChunk(id, []byte(text+"\x00"))))
}

// wide is a text of ID3 in little-endian UTF-16 after its byte order mark.
func wide(text string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

func TestOneRecordIsReadFromEveryFieldOfAClip(t *testing.T) {
	t.Parallel()
	wideNote := sample.Join([]byte{1}, wide("prompt"), []byte{0, 0}, wide(comfyPrompt))
	ixml := `<?xml version="1.0"?><BWFXML><PROJECT>x</PROJECT><NOTE>` + vhs + `</NOTE></BWFXML>`
	for where, c := range map[string]clipFile{
		"bmff:moov:udta:meta:©cmt":                    mp4(sample.UserData(sample.ItemList(sample.TextItem("\xA9cmt", vhs)))),
		"bmff:moov:udta:meta:desc":                    m4a(sample.UserData(sample.ItemList(sample.TextItem("desc", vhs)))),
		"bmff:moov:udta:meta:prompt":                  mp4(sample.UserData(sample.Keys("encoder", "Lavf", "prompt", comfyPrompt))),
		"bmff:moov:udta:meta:workflow":                mp4(sample.UserData(sample.Keys("workflow", comfyWorkflow))),
		"bmff:moov:meta:com.apple.quicktime.comment":  mov(sample.Box("moov", sample.QuickTimeKeys("com.apple.quicktime.comment", vhs))),
		"bmff:moov:udta:meta:com.apple.iTunes:prompt": m4a(sample.UserData(sample.ItemList(sample.FreeItem("com.apple.iTunes", "prompt", comfyPrompt)))),
		"bmff:moov:udta:©cmt":                         mov(sample.UserData(sample.QuickTimeText("\xA9cmt", vhs))),
		"bmff:moov:udta:dscp":                         mp4(sample.UserData(sample.Box("dscp", []byte("\x00\x00\x00\x00\x15\xC7"+vhs)))),
		"bmff:moov:trak:udta:©des":                    mov(sample.Box("moov", sample.Track(1, "vide", sample.Box("udta", sample.QuickTimeText("\xA9des", vhs))))),
		"bmff:moov:trak:meta:comment":                 mp4(sample.Box("moov", sample.Track(1, "vide", sample.Keys("comment", vhs)))),
		"bmff:meta:comment":                           mp4(sample.Keys("comment", vhs)),
		"bmff:udta:©inf":                              mov(sample.Box("udta", sample.QuickTimeText("\xA9inf", vhs))),
		"webm:Tags:PROMPT":                            webm(sample.Tags("DURATION", "00:01", "PROMPT", comfyPrompt)),
		"webm:Tags:comment":                           webm(sample.Tags("comment", vhs)),
		"webm:Tags:ORIGIN:PARAMETERS":                 webm(sample.Element(sample.EBMLTags, sample.Element(sample.EBMLTag, sample.SimpleTag("ORIGIN", "x", sample.SimpleTag("PARAMETERS", vhs))))),
		"mp3:id3:TXXX:prompt":                         mp3(sample.ID3(4, 0, sample.ID3Text("prompt", comfyPrompt))),
		"mp3:id3:TXXX:Workflow":                       mp3(sample.ID3(3, 0, sample.ID3Frame(3, "TXXX", []byte("\x00Workflow\x00"+comfyWorkflow)))),
		"mp3:id3:TXX:prompt":                          mp3(sample.ID3(2, 0, sample.ID3Frame(2, "TXX", wideNote))),
		"mp3:id3:COMM":                                mp3(sample.ID3(3, 0, sample.ID3Frame(3, "COMM", []byte("\x00eng\x00"+vhs)))),
		"mp3:id3:COM":                                 mp3(sample.ID3(2, 0, sample.ID3Frame(2, "COM", []byte("\x00engAbout it\x00"+vhs)))),
		"mp3:id3:TIT3":                                mp3(sample.ID3(4, 0, sample.ID3Frame(4, "TIT3", []byte("\x03"+vhs)))),
		"wav:INFO:ICMT":                               wav(info("ICMT", vhs)),
		"wav:bext:Description":                        wav(sample.RIFFChunk("bext", append([]byte(infotext), make([]byte, 602)...))),
		"wav:iXML:NOTE":                               wav(sample.RIFFChunk("iXML", []byte(ixml))),
		"wav:id3:TXXX:prompt":                         wav(sample.RIFFChunk("id3 ", sample.ID3(4, 0, sample.ID3Text("prompt", comfyPrompt)))),
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			r := c.read()
			require.Equal(t, engine.AI, r.Verdict)
			require.Len(t, r.Statements, 1)
			require.Equal(t, where, r.Statements[0].Where)
			require.Equal(t, provenance.Parameters, r.Statements[0].Kind)
			require.Equal(t, provenance.Full, r.Statements[0].AI)
			require.NotNil(t, r.Issuer)
		})
	}
}

func TestXMPOfEveryClipIsRead(t *testing.T) {
	t.Parallel()
	packet := sample.XMP(`photoshop:Credit="Made with Google AI"`, "")
	private := []byte("XMP\x00" + packet)
	for where, c := range map[string]clipFile{
		"bmff:uuid:xmp":       mp4(sample.UUIDBox("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", []byte(packet))),
		"bmff:moov:udta:XMP_": mov(sample.UserData(sample.Box("XMP_", []byte(packet)))),
		"mp3:id3:PRIV:xmp":    mp3(sample.ID3(3, 0, sample.ID3Frame(3, "PRIV", private))),
		"wav:_PMX":            wav(sample.RIFFChunk("_PMX", []byte(packet))),
		"wav:id3:PRIV:xmp":    wav(sample.RIFFChunk("ID3 ", sample.ID3(4, 0, sample.ID3Frame(4, "PRIV", private)))),
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []provenance.Statement{{
				Kind: provenance.Credit, Where: where + ":photoshop:Credit", Generator: "Google", AI: provenance.Full,
				Value: "Made with Google AI",
			}}, c.read().Statements)
		})
	}
}

func TestTheAIGCLabelOfEveryClipIsRead(t *testing.T) {
	t.Parallel()
	for where, c := range map[string]clipFile{
		"bmff:moov:udta:meta:AIGC":                  mp4(sample.UserData(sample.Keys("AIGC", aigc))),
		"bmff:moov:meta:AIGC":                       mov(sample.Box("moov", sample.QuickTimeKeys("AIGC", `{"AIGC":`+aigc+`}`))),
		"bmff:moov:udta:meta:com.apple.iTunes:AIGC": m4a(sample.UserData(sample.ItemList(sample.FreeItem("com.apple.iTunes", "AIGC", aigc)))),
		"webm:Tags:AIGC":                            webm(sample.Tags("AIGC", aigc)),
		"mp3:id3:TXXX:AIGC":                         mp3(sample.ID3(4, 0, sample.ID3Text("AIGC", aigc))),
		"wav:AIGC":                                  wav(sample.RIFFChunk("AIGC", []byte(aigc))),
		"wav:INFO:AIGC":                             wav(info("AIGC", aigc)),
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			r := c.read()
			require.Equal(t, engine.AI, r.Verdict)
			require.Len(t, r.Statements, 1)
			require.Equal(t, provenance.Label, r.Statements[0].Kind)
			require.Equal(t, where, r.Statements[0].Where)
			require.Equal(t, "001191110102MACQD9K64010000", *r.Issuer)
		})
	}
}

func TestContentCredentialsOfEveryClipAreReportedAndDecideNothing(t *testing.T) {
	t.Parallel()
	store := sample.ManifestStore()
	object := func(media string) []byte { return append([]byte("\x00"+media+"\x00c2pa\x00store\x00"), store...) }
	wideObject := sample.Join([]byte("\x01application/c2pa\x00"), wide("ā"), []byte{0, 0}, wide("store"), []byte{0, 0}, store)
	box := func(purpose string) []byte {
		return sample.UUIDBox("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81",
			sample.Join([]byte("\x00\x00\x00\x00"+purpose+"\x00"), make([]byte, 8), store))
	}
	tests := map[string]struct {
		clip  clipFile
		where string
	}{
		"MP4":                       {mp4(sample.ManifestBox()), "bmff:uuid:c2pa"},
		"MP4 of an update":          {mp4(box("update")), "bmff:uuid:c2pa"},
		"MP4's hashes alone":        {mp4(box("merkle")), ""},
		"MP3":                       {mp3(sample.ID3(4, 0, sample.ID3Frame(4, "GEOB", object("application/c2pa")))), "mp3:id3:GEOB:c2pa"},
		"MP3, older type":           {mp3(sample.ID3(3, 0, sample.ID3Frame(3, "GEOB", object("application/x-c2pa-manifest-store")))), "mp3:id3:GEOB:c2pa"},
		"MP3 in UTF-16":             {mp3(sample.ID3(3, 0, sample.ID3Frame(3, "GEOB", wideObject))), "mp3:id3:GEOB:c2pa"},
		"MP3, another object":       {mp3(sample.ID3(4, 0, sample.ID3Frame(4, "GEOB", object("text/plain")))), ""},
		"MP3, no store":             {mp3(sample.ID3(4, 0, sample.ID3Frame(4, "GEOB", []byte("\x00application/c2pa\x00\x00\x00text")))), ""},
		"WAV":                       {wav(sample.RIFFChunk("C2PA", store)), "wav:C2PA"},
		"WAV, a chunk of that name": {wav(sample.RIFFChunk("C2PA", []byte("nothing"))), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tt.clip.read()
			require.Equal(t, engine.None, r.Verdict)
			require.Empty(t, r.Statements)
			if tt.where == "" {
				require.Nil(t, r.ContentCredentials)
				return
			}
			require.Equal(t, &provenance.ContentCredentials{Present: true, Where: tt.where}, r.ContentCredentials)
		})
	}
}

func TestARemoteManifestOfAClipIsReported(t *testing.T) {
	t.Parallel()
	packet := sample.XMP(`dcterms:provenance="https://example.com/manifest"`, "")
	require.Equal(t, &provenance.ContentCredentials{Where: "wav:_PMX:dcterms:provenance", Remote: "https://example.com/manifest"},
		wav(sample.RIFFChunk("_PMX", []byte(packet))).read().ContentCredentials)
}

// TestWhatEncodersWriteIsRead holds the samples of the other tests against files of a real writer.
func TestWhatEncodersWriteIsRead(t *testing.T) {
	t.Parallel()
	prompt := "prompt=" + comfyPrompt
	for name, tt := range map[string]struct {
		spec  clips.Spec
		where string
	}{
		"MP4":                {clips.Spec{Format: probe.MP4, Frames: 2, Tags: "comment=" + vhs}, "bmff:moov:udta:meta:©cmt"},
		"MP4 with keys":      {clips.Spec{Format: probe.MP4, Frames: 2, Tags: prompt, Keys: true}, "bmff:moov:udta:meta:prompt"},
		"MP4 in fragments":   {clips.Spec{Format: probe.MP4, Frames: 2, Tags: prompt, Keys: true, Fragmented: true}, "bmff:moov:udta:meta:prompt"},
		"MOV":                {clips.Spec{Format: probe.MOV, Frames: 2, Tags: "comment=" + vhs}, "bmff:moov:udta:©cmt"},
		"MOV with keys":      {clips.Spec{Format: probe.MOV, Frames: 2, Tags: prompt, Keys: true}, "bmff:moov:udta:meta:prompt"},
		"M4A":                {clips.Spec{Format: probe.M4A, Seconds: 0.2, Tags: "comment=" + vhs, Cover: true}, "bmff:moov:udta:meta:©cmt"},
		"WebM":               {clips.Spec{Format: probe.WebM, Frames: 2, Tags: prompt}, "webm:Tags:PROMPT"},
		"MP3 with a picture": {clips.Spec{Format: probe.MP3, Seconds: 0.2, Tags: prompt, Cover: true}, "mp3:id3:TXXX:prompt"},
		"WAV":                {clips.Spec{Format: probe.WAV, Seconds: 0.2, Tags: "comment=" + vhs}, "wav:INFO:ICMT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := clipFile{tt.spec.Format, clips.Make(t, tt.spec)}.read()
			require.Equal(t, engine.AI, r.Verdict)
			require.NotEmpty(t, r.Statements)
			require.Equal(t, tt.where, r.Statements[0].Where)
			require.Equal(t, "ComfyUI", *r.Issuer)
		})
	}
}
