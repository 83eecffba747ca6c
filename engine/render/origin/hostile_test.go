package origin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/engine/provenance"
	"veracity/engine/render/origin"
)

// tooMany has more statements than provenance keeps, so that what is read of it hangs on their order alone.
func tooMany() []byte {
	var packets [][]byte
	for range 80 {
		packets = append(packets, xmpSegment(xmpPacket(`Iptc4xmpExt:DigitalSourceType="`+captured+strings.Repeat(" ", len(packets))+`"`, "")))
	}
	packets = append(packets, xmpSegment(xmpPacket(`photoshop:Credit="Made with Google AI"`, "")))
	return jpeg(packets...)
}

func TestWhatCannotBeKeptIsRefusedAndNeverLaundered(t *testing.T) {
	t.Parallel()
	source := tooMany()
	require.Len(t, provenance.Read(source).Statements, 64)
	_, err := origin.ReadImage(source).IntoPNG(plain(t))
	require.ErrorIs(t, err, origin.ErrLost)
	require.False(t, origin.ReadImage(source).Empty())
}

func TestTheVerdictStaysWhereTheIssuerCannot(t *testing.T) {
	t.Parallel()
	drawThings := `{"c":"duck","uc":"blur","sampler":"Euler A","seed":4,"steps":20}`
	source := jpeg(
		xmpSegment(xmpPacket("", "<dc:description><rdf:Alt><rdf:li>"+job+"</rdf:li></rdf:Alt></dc:description>")),
		xmpSegment(xmpPacket(`exif:UserComment='`+drawThings+`'`, "")))
	require.Equal(t, ai("Midjourney"), said(provenance.Read(source)))
	out, err := origin.ReadImage(source).IntoPNG(plain(t))
	require.NoError(t, err)
	require.Equal(t, ai("Draw Things"), said(provenance.Read(out)), "two packets that disagree become one, which has an order of its own")
}

// requireKeptOrRefused demands the promise in its weakest form: the same verdict, or no output.
func requireKeptOrRefused(tb testing.TB, source []byte) {
	tb.Helper()
	out, err := origin.ReadImage(source).IntoPNG(plain(tb))
	if err != nil {
		require.ErrorIs(tb, err, origin.ErrLost)
		return
	}
	require.Equal(tb, provenance.Read(source).Verdict, provenance.Read(out).Verdict)
}

func TestHostileFilesTakeLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(infotext+"\n", 2_000)
	graph := `{"prompt":{` + strings.Repeat(`"1":{"class_type":"x","inputs":{}},`, 8_000) + `"2":{}}}`
	texts := []mediatest.Option{}
	for _, key := range []string{"parameters", "prompt", "workflow", "Description", "invokeai_metadata", "sd-metadata", "AIGC"} {
		for range 4 {
			texts = append(texts, mediatest.PNGCompressedText(key, graph))
		}
	}
	blocks := [][]byte{}
	for range 4 {
		blocks = append(blocks, riffChunk("EXIF", tiff([]entry{ascii(tagMake, graph), ascii(tagModel, "Prompt: "+graph), ascii(tagArtist, long), ascii(tagSoftware, long)},
			map[uint16][]entry{tagExifIFD: {{tagUserComment, 7, []byte(graph)}}})))
	}
	for name, source := range map[string][]byte{
		"long texts":    mediatest.PNG(t, 4, 4, texts...),
		"blocks":        webp(blocks...),
		"many packets":  tooMany(),
		"one long text": textPNG(t, "parameters", long),
		"deep XML":      jpeg(xmpSegment(strings.Repeat("<a>", 20_000))),
		"many creators": webp(riffChunk("XMP ", []byte(xmpPacket("", "<dc:creator><rdf:Seq>"+strings.Repeat("<rdf:li>x</rdf:li>", 10_000)+"</rdf:Seq></dc:creator>")))),
		"many captions": webp(riffChunk("XMP ", []byte(xmpPacket("", "<dc:description><rdf:Bag>"+strings.Repeat("<rdf:li>x</rdf:li>", 10_000)+"</rdf:Bag></dc:description>")))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Seconds where the machine is idle; the bound is for what would run for ever.
			start := time.Now()
			requireKeptOrRefused(t, source)
			require.Less(t, time.Since(start), 2*time.Minute)
		})
	}
}

func FuzzReadImage(f *testing.F) {
	block := tiff([]entry{ascii(tagMake, "Ideogram AI"), ascii(tagArtist, "ai"), ascii(tagSoftware, uuid)}, map[uint16][]entry{tagExifIFD: {wide(infotext)}})
	packet := xmpPacket(`photoshop:Credit="Made with Google AI" dcterms:provenance="https://x/"`, "<TC260:AIGC>"+aigc+"</TC260:AIGC>")
	f.Add(jpeg(xmpSegment(packet), exifSegment(block), iimSegment(map[byte]string{110: "x", 120: job})))
	f.Add(jpeg(storeSegments(), exifSegment(block)))
	f.Add(textPNG(f, "parameters", infotext, "prompt", comfyPrompt, "workflow", comfyWorkflow, "Description", job, "AIGC", aigc))
	f.Add(textPNG(f, "Software", "NovelAI", "Source", "NovelAI Diffusion V4.5", "Comment", novelRun, "smproj", "{}", "fooocus_scheme", "a1111"))
	f.Add(webp(riffChunk("EXIF", block), riffChunk("XMP ", []byte(packet)), riffChunk("C2PA", store())))
	f.Add(heif(block, mediatest.Box("uuid", []byte(uuidC2PA+"\x00\x00\x00\x00manifest\x00\x00\x00\x00\x00\x00\x00\x00\x00"), store())))
	f.Add(gif(infotext))
	f.Add(tooMany())
	f.Fuzz(func(t *testing.T, data []byte) { requireKeptOrRefused(t, data) })
}

func FuzzReadClip(f *testing.F) {
	f.Add(join(mediatest.FileType("isom", "isom"), mediatest.Box("uuid", []byte(uuidXMP+xmpPacket(`photoshop:Credit="Made with Google AI"`, "")))))
	f.Add(tagged(f, probe.MP4, "AIGC="+aigc, "comment="+vhs))
	f.Add(tagged(f, probe.WebM, "PROMPT="+comfyPrompt))
	target := join(mediatest.FileType("isom", "isom"), mediatest.Box("moov", mediatest.Box("mvhd", make([]byte, 100))), mediatest.Box("mdat", []byte("media")))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, statements := readClip(t, data)
		path := filepath.Join(t.TempDir(), "clip.mp4")
		require.NoError(t, os.WriteFile(path, target, 0o600))
		if err := statements.IntoMP4(path); err != nil {
			require.ErrorIs(t, err, origin.ErrLost)
			return
		}
		out, err := os.ReadFile(path)
		require.NoError(t, err)
		after, _ := readClip(t, out)
		require.Equal(t, before.Verdict, after.Verdict)
	})
}
