package origin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/provenance"
	"veracity/engine/render/origin"
)

const (
	uuidXMP  = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"
	uuidC2PA = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"
	// vhs is what ComfyUI's Video Helper Suite leaves as comment.
	vhs = `{"prompt": {"3": {"class_type": "KSampler", "inputs": {}}, "5": {"class_type": "EmptyHunyuanLatentVideo", "inputs": {}}},` +
		` "workflow": ` + comfyWorkflow + `}`
)

// tagged is a clip of the format with lines of key=value as its metadata.
func tagged(tb testing.TB, format probe.Format, tags ...string) []byte {
	tb.Helper()
	return clips.Make(tb, clips.Spec{Format: format, Frames: 4, Tags: strings.Join(tags, "\n"), Keys: format != probe.WebM})
}

// withXMP is a clip with a packet where XMP specification part 3 puts it.
func withXMP(tb testing.TB, packet string) []byte {
	tb.Helper()
	return join(tagged(tb, probe.MP4), mediatest.Box("uuid", []byte(uuidXMP+packet)))
}

// output writes what an encoder made: a clip with sound, its index before the media or behind them, with metadata of its
// own that nobody asked for.
func output(tb testing.TB, faststart bool) string {
	tb.Helper()
	return clips.File(tb, clips.Spec{
		Format: probe.MP4, Frames: 12, Sound: clips.Tone, Faststart: faststart, Tags: "location=+59.3293+018.0686/\nmodel=secret phone",
	})
}

// readClip reads a clip in memory.
func readClip(tb testing.TB, data []byte) (provenance.Report, origin.Statements) {
	tb.Helper()
	format := probe.Sniff(data[:min(len(data), probe.HeadBytes)])
	r, size := bytes.NewReader(data), int64(len(data))
	return provenance.ReadClip(r, size, format), origin.ReadClip(r, size, format)
}

// decoded is the digest of every frame and sample of a clip.
func decoded(tb testing.TB, path string) string {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	out, err := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "framemd5", "-").CombinedOutput()
	require.NoError(tb, err, "%s", out)
	return string(out)
}

func TestStatementsOfClipsKeepTheirVerdict(t *testing.T) {
	t.Parallel()
	const producer = "001191110102MACQD9K64010000"
	quickTime := mediatest.Box("moov", mediatest.Box("udta", mediatest.Box("XMP_", []byte(xmpPacket(`photoshop:Credit="Made with Google AI"`, "")))))
	tests := map[string]struct {
		file []byte
		want says
	}{
		"ComfyUI in a comment":       {tagged(t, probe.MP4, "comment="+vhs), ai("ComfyUI")},
		"ComfyUI in its own keys":    {tagged(t, probe.MP4, "prompt="+comfyPrompt, "workflow="+comfyWorkflow), ai("ComfyUI")},
		"ComfyUI that only scaled":   {tagged(t, probe.MP4, "prompt="+comfyScale, "workflow="+comfyWorkflow), says{engine.None, ""}},
		"ComfyUI in WebM":            {tagged(t, probe.WebM, "PROMPT="+comfyPrompt), ai("ComfyUI")},
		"ComfyUI in MOV":             {tagged(t, probe.MOV, "comment="+vhs), ai("ComfyUI")},
		"WebUI in a comment":         {tagged(t, probe.WebM, "COMMENT=Steps: 15, Sampler: UniPC, CFG scale: 5, Seed: 235284042"), ai("Stable Diffusion WebUI")},
		"Midjourney":                 {tagged(t, probe.MP4, "description="+job), ai("Midjourney")},
		"the label":                  {tagged(t, probe.MP4, "AIGC="+aigc), ai(producer)},
		"the label in MOV":           {tagged(t, probe.MOV, "AIGC="+aigc), ai(producer)},
		"the label in WebM":          {tagged(t, probe.WebM, "AIGC="+aigc), ai(producer)},
		"the label in XMP":           {withXMP(t, xmpPacket(`TC260:AIGC='`+aigc+`'`, "")), ai(producer)},
		"a generator as the tool":    {tagged(t, probe.WebM, "COMMENT=made with suno; created=2026-02-25T03:57:12Z; id="+uuid), ai("Suno")},
		"Google's credit":            {tagged(t, probe.MP4, "copyright=Made with Google AI"), ai("Google")},
		"source type":                {withXMP(t, xmpPacket(`Iptc4xmpExt:DigitalSourceType="`+trained+`"`, "")), ai("")},
		"the system":                 {withXMP(t, xmpPacket(`Iptc4xmpExt:AISystemUsed="Sora"`, "")), ai("Sora")},
		"a contradiction":            {join(withXMP(t, xmpPacket(`Iptc4xmpExt:DigitalSourceType="`+trained+`"`, "")), mediatest.Box("uuid", []byte(uuidXMP+xmpPacket(`Iptc4xmpExt:DigitalSourceType="`+captured+`"`, "")))), says{engine.Uncertain, ""}},
		"XMP in QuickTime's place":   {join(mediatest.FileType("qt  ", "qt  "), quickTime), ai("Google")},
		"a record beside a label":    {tagged(t, probe.MP4, "AIGC="+aigc, "comment="+vhs, "title=words"), ai("ComfyUI")},
		"words that mention a model": {tagged(t, probe.MP4, "comment=made with Midjourney, or so I think"), says{engine.None, ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, statements := readClip(t, tt.file)
			require.Equal(t, tt.want, said(before), "the source says what the test takes it to say")
			path := output(t, true)
			require.NoError(t, statements.IntoMP4(path))
			out, err := os.ReadFile(path)
			require.NoError(t, err)
			after, _ := readClip(t, out)
			require.Equal(t, tt.want, said(after))
			require.ElementsMatch(t, facts(before), facts(after))
		})
	}
}

func TestWritingLeavesPictureAndSoundAsTheyWere(t *testing.T) {
	t.Parallel()
	_, much := readClip(t, join(tagged(t, probe.MP4, "AIGC="+aigc, "comment="+vhs), mediatest.Box("uuid", []byte(uuidXMP+xmpPacket(`Iptc4xmpExt:AISystemUsed="Sora"`, "")))))
	var none origin.Statements
	for name, faststart := range map[string]bool{"index before the media": true, "index behind the media": false} {
		for what, statements := range map[string]origin.Statements{"much": much, "none": none} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				path := output(t, faststart)
				before := decoded(t, path)
				require.NoError(t, statements.IntoMP4(path))
				require.Equal(t, before, decoded(t, path))
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, faststart, bytes.Index(file, []byte("moov")) < bytes.Index(file, []byte("mdat")))
				require.NotContains(t, string(file), "+59.3293", "the encoder's own metadata goes")
				require.NotContains(t, string(file), "secret phone")
			})
		}
	}
}

func TestOtherReadersFindTheLabel(t *testing.T) {
	t.Parallel()
	_, statements := readClip(t, tagged(t, probe.MP4, "AIGC="+aigc, "comment="+vhs))
	path := output(t, true)
	require.NoError(t, statements.IntoMP4(path))
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "format_tags", "-of", "json", path).Output()
	require.NoError(t, err)
	var shown struct {
		Format struct{ Tags map[string]string }
	}
	require.NoError(t, json.Unmarshal(out, &shown))
	require.Equal(t, aigc, shown.Format.Tags["AIGC"])
	require.Equal(t, vhs, shown.Format.Tags["comment"])
}

func TestLongOffsetsMoveToo(t *testing.T) {
	t.Parallel()
	tables := func(offsets ...byte) []byte {
		table := mediatest.FullBox("co64", 0, []byte{0, 0, 0, byte(len(offsets))})
		for _, at := range offsets {
			table = append(table, 0, 0, 0, 0, 0, 0, 0, at)
		}
		return table
	}
	build := func(first, second byte) []byte {
		table := tables(first, second)
		table[3] = byte(len(table))
		movie := table
		for _, kind := range []string{"stbl", "minf", "mdia", "trak", "moov"} {
			movie = mediatest.Box(kind, movie)
		}
		return join(mediatest.FileType("isom", "isom"), movie, mediatest.Box("mdat", []byte("first second")))
	}
	place := bytes.Index(build(0, 0), []byte("first"))
	path := clips.Write(t, "clip.mp4", build(byte(place), byte(place+len("first "))))
	_, statements := readClip(t, tagged(t, probe.MP4, "AIGC="+aigc))
	require.NoError(t, statements.IntoMP4(path))
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	entries := file[bytes.Index(file, []byte("co64"))+4+8:]
	for i, want := range []string{"first ", "second"} {
		at := int(entries[8*i+6])<<8 | int(entries[8*i+7])
		require.Equal(t, want, string(file[at:at+len(want)]))
	}
}

func TestFilesThatAreNoPlainMP4AreRefused(t *testing.T) {
	t.Parallel()
	_, statements := readClip(t, tagged(t, probe.MP4, "AIGC="+aigc))
	whole := clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 4, Faststart: true})
	cutTable := bytes.Clone(whole)
	copy(cutTable[bytes.Index(cutTable, []byte("stco"))+8:], "\x7F\xFF\xFF\xFF")
	for name, file := range map[string][]byte{
		"fragments":         clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 4, Fragmented: true}),
		"cut short":         whole[:len(whole)-5],
		"without a movie":   mediatest.FileType("isom", "isom"),
		"two movies":        join(whole, mediatest.Box("moov")),
		"a table cut short": cutTable,
		"no MP4":            []byte("RIFF of some other kind"),
		"empty":             nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Error(t, statements.IntoMP4(clips.Write(t, "clip.mp4", file)))
		})
	}
	require.ErrorIs(t, statements.IntoMP4(t.TempDir()+"/none.mp4"), os.ErrNotExist)
}
