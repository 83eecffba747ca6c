package origin_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/engine/provenance"
	"veracity/engine/provenance/container"
	"veracity/engine/provenance/xmp"
	"veracity/engine/render/origin"
)

// private is in every value that must not pass, whatever holds it.
const private = "PRIVATE"

// privateXMP has private properties of all sorts around one that passes.
func privateXMP() string {
	return xmpPacket(`xmp:CreatorTool="PRIVATE editor" xmp:Label="PRIVATE" xmpMM:DocumentID="PRIVATE" xmpMM:InstanceID="PRIVATE"`+
		` xmpMM:OriginalDocumentID="PRIVATE" aux:SerialNumber="PRIVATE" aux:OwnerName="PRIVATE" aux:LensSerialNumber="PRIVATE"`+
		` exif:GPSLatitude="PRIVATE" exif:GPSLongitude="PRIVATE" exif:UserComment="PRIVATE note"`+
		` photoshop:City="PRIVATE" photoshop:Instructions="PRIVATE" photoshop:DocumentAncestors="PRIVATE"`+
		` dcterms:provenance="PRIVATE" photoshop:Credit="Made with Google AI"`,
		`<dc:description><rdf:Alt><rdf:li xml:lang="x-default">PRIVATE caption</rdf:li></rdf:Alt></dc:description>`+
			`<dc:subject><rdf:Bag><rdf:li>PRIVATE</rdf:li></rdf:Bag></dc:subject>`+
			`<xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType="Resource"><xmp:image>PRIVATE</xmp:image></rdf:li></rdf:Alt></xmp:Thumbnails>`+
			`<xmpMM:History><rdf:Seq><rdf:li stEvt:action="saved" stEvt:softwareAgent="PRIVATE"/></rdf:Seq></xmpMM:History>`+
			`<xmpMM:DerivedFrom rdf:parseType="Resource"><xmpMM:DocumentID>PRIVATE</xmpMM:DocumentID></xmpMM:DerivedFrom>`+
			`<Iptc4xmpExt:LocationCreated rdf:parseType="Resource"><Iptc4xmpExt:City>PRIVATE</Iptc4xmpExt:City></Iptc4xmpExt:LocationCreated>`)
}

// privateEXIF is a camera's block with places, numbers, owner, notes and a thumbnail.
func privateEXIF() []byte {
	main := []entry{
		ascii(tagImageDescription, "PRIVATE caption"), ascii(tagMake, "PRIVATE maker"), ascii(tagModel, "PRIVATE model"),
		ascii(tagSoftware, "PRIVATE software"), ascii(0x013C, "PRIVATE host"),
	}
	detail := append(shot(), entry{tagMakerNote, 7, []byte("PRIVATE notes of the maker")}, wide("PRIVATE comment"),
		ascii(tagOwnerName, "PRIVATE owner"), ascii(tagSerialNumber, "PRIVATE number"))
	return append(tiff(main, map[uint16][]entry{tagExifIFD: detail, tagGPSIFD: {ascii(1, "PRIVATE place")}}), "PRIVATE thumbnail"...)
}

func TestPrivateFieldsNeverSurvive(t *testing.T) {
	t.Parallel()
	iim := map[byte]string{5: "PRIVATE title", 25: "PRIVATE keyword", 90: "PRIVATE city", 120: "PRIVATE caption", 110: "Made with Google AI"}
	texts := []mediatest.Option{mediatest.WithEXIF(privateEXIF()), mediatest.WithXMP(privateXMP())}
	for _, key := range []string{
		"Title", "Comment", "Description", "Software", "Source", "Creation Time", "parameters", "prompt", "workflow", "AIGC",
		"Dream", "smproj", "fooocus_scheme", "seed", "use_stable_diffusion_model", "Raw profile type iptc", "date:create",
	} {
		texts = append(texts, mediatest.PNGText(key, "PRIVATE"), mediatest.PNGCompressedText(key, "PRIVATE"), mediatest.PNGInternationalText(key, "PRIVATE"))
	}
	for name, source := range map[string][]byte{
		"JPEG": jpeg(exifSegment(privateEXIF()), xmpSegment(privateXMP()), iimSegment(iim), segment(0xFE, []byte("PRIVATE comment")), segment(0xE0, []byte("JFXX PRIVATE"))),
		"PNG":  mediatest.PNG(t, 4, 4, texts...),
		"WebP": webp(riffChunk("EXIF", privateEXIF()), riffChunk("XMP ", []byte(privateXMP()))),
		"AVIF": heif(privateEXIF(), mediatest.Box("uuid", []byte(uuidXMP+privateXMP()))),
		"TIFF": append(tiff([]entry{ascii(tagMake, "PRIVATE"), {tagXMP, 1, []byte(privateXMP())}}, nil), "PRIVATE"...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(source), private)
			out := requireKept(t, source, ai("Google"))
			require.NotContains(t, everything(t, out), private)
		})
	}
}

// everything is the bytes of a PNG with all that is compressed or UTF-16 in it as text.
func everything(tb testing.TB, file []byte) string {
	tb.Helper()
	all := string(file) + strings.ReplaceAll(string(file), "\x00", "")
	for _, b := range container.Open(file).Blocks {
		all += string(b.Data) + strings.ReplaceAll(string(b.Data), "\x00", "")
	}
	return all
}

func TestPrivateFieldsOfClipsNeverSurvive(t *testing.T) {
	t.Parallel()
	for name, source := range map[string][]byte{
		"MP4": join(tagged(t, probe.MP4, "AIGC="+aigc, "location=PRIVATE", "com.apple.quicktime.model=PRIVATE", "com.apple.quicktime.make=PRIVATE",
			"com.apple.quicktime.content.identifier=PRIVATE", "comment=PRIVATE", "title=PRIVATE", "encoder=PRIVATE"),
			mediatest.Box("uuid", []byte(uuidXMP+privateXMP()))),
		"WebM": tagged(t, probe.WebM, "AIGC="+aigc, "LOCATION=PRIVATE", "DEVICE=PRIVATE", "TITLE=PRIVATE"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(source), private)
			_, statements := readClip(t, source)
			path := output(t, true)
			require.NoError(t, statements.IntoMP4(path))
			out, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(out), private)
			require.Contains(t, string(out), "ContentProducer")
		})
	}
}

// packetOf is the one XMP packet of a file, well-formed and parsed.
func packetOf(tb testing.TB, file []byte) xmp.Packet {
	tb.Helper()
	for _, b := range container.Open(file).Blocks {
		if b.Kind == container.XMP {
			for d := xml.NewDecoder(bytes.NewReader(b.Data)); ; {
				if _, err := d.Token(); err == io.EOF { //nolint:errorlint // xml answers io.EOF itself
					break
				} else if err != nil {
					require.NoError(tb, err)
				}
			}
			tokens := 1 << 16
			return xmp.Parse(b.Data, &tokens)
		}
	}
	return xmp.Packet{}
}

func TestRightsPass(t *testing.T) {
	t.Parallel()
	source := jpeg(
		exifSegment(tiff([]entry{ascii(tagArtist, "not asked: XMP speaks of it"), ascii(tagCopyright, "nor this")}, nil)),
		xmpSegment(xmpPacket(`photoshop:Credit="Agency &lt;&amp;&gt; &quot;X&quot;" xmpRights:Marked="True" xmpRights:WebStatement="https://example.com/terms?a=1&amp;b=2"`+
			` plus:DataMining="http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED-AIMLTRAINING" Iptc4xmpExt:DigitalSourceType="`+captured+`"`,
			`<dc:creator><rdf:Seq><rdf:li>Jané Doe</rdf:li><rdf:li>John Roe</rdf:li></rdf:Seq></dc:creator>`+
				`<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© 2026 Jané Doe</rdf:li><rdf:li xml:lang="de">© 2026 auf Deutsch</rdf:li></rdf:Alt></dc:rights>`+
				`<xmpRights:Owner><rdf:Bag><rdf:li>Doe Inc.</rdf:li></rdf:Bag></xmpRights:Owner>`+
				`<xmpRights:UsageTerms><rdf:Alt><rdf:li xml:lang="x-default">Ask&#xD;&#xA;first.</rdf:li></rdf:Alt></xmpRights:UsageTerms>`+
				`<cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>`)),
		iimSegment(map[byte]string{80: "nor this", 110: "nor this", 116: "nor this"}))
	out, err := origin.ReadImage(source).IntoPNG(plain(t))
	require.NoError(t, err)
	p := packetOf(t, out)
	const rights = "http://ns.adobe.com/xap/1.0/rights/"
	for _, want := range []struct {
		space, local string
		values       []string
	}{
		{xmp.NSPhotoshop, "Credit", []string{`Agency <&> "X"`}},
		{xmp.NSDublinCore, "creator", []string{"Jané Doe", "John Roe"}},
		{xmp.NSDublinCore, "rights", []string{"© 2026 Jané Doe"}},
		{rights, "Marked", []string{"True"}},
		{rights, "Owner", []string{"Doe Inc."}},
		{rights, "UsageTerms", []string{"Ask\r\nfirst."}},
		{rights, "WebStatement", []string{"https://example.com/terms?a=1&b=2"}},
		{"http://creativecommons.org/ns#", "license", []string{"https://creativecommons.org/licenses/by/4.0/"}},
		{"http://ns.useplus.org/ldf/xmp/1.0/", "DataMining", []string{"http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED-AIMLTRAINING"}},
		{xmp.NSIptcExt, "DigitalSourceType", []string{captured}},
	} {
		require.Equal(t, want.values, p.Get(want.space, want.local), want.local)
	}
}

func TestRightsOfOlderPlacesPassAsXMP(t *testing.T) {
	t.Parallel()
	for name, source := range map[string][]byte{
		"EXIF": exifJPEG([]entry{ascii(tagArtist, "Jane Doe"), ascii(tagCopyright, "© Jane Doe")}),
		"IPTC": jpeg(iimSegment(map[byte]string{80: "Jane Doe", 116: "© Jane Doe"})),
		"PNG":  textPNG(t, "Author", "Jane Doe", "Copyright", "© Jane Doe"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := origin.ReadImage(source).IntoPNG(plain(t))
			require.NoError(t, err)
			p := packetOf(t, out)
			require.Equal(t, []string{"Jane Doe"}, p.Get(xmp.NSDublinCore, "creator"))
			require.Equal(t, []string{"© Jane Doe"}, p.Get(xmp.NSDublinCore, "rights"))
		})
	}
}

func TestRecordsOfEXIFGetPNGsOwnKeywords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		source []byte
		want   []string
	}{
		"record":      {exifJPEG(nil, wide(infotext)), []string{"parameters"}},
		"graph":       {exifJPEG([]entry{ascii(tagMake, "Prompt: "+comfyPrompt)}), []string{"prompt"}},
		"description": {exifJPEG([]entry{ascii(tagImageDescription, job)}), []string{"Description"}},
		"label":       {exifJPEG(nil, wide(aigc)), []string{"TC260:AIGC"}},
		"NovelAI":     {exifJPEG([]entry{ascii(tagSoftware, "NovelAI Diffusion V4.5 C02D4F98")}), []string{"Software", "Source"}},
		"what has no keyword stays": {
			exifJPEG([]entry{ascii(tagMake, "Ideogram AI"), ascii(tagModel, "x")}), []string{"exif:Make"},
		},
		"twice in one file": {
			jpeg(exifSegment(tiff(nil, map[uint16][]entry{tagExifIFD: {wide(infotext)}})), exifSegment(tiff(nil, map[uint16][]entry{tagExifIFD: {wide(infotext)}}))),
			[]string{"parameters"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, origin.ReadImage(tt.source).Names())
		})
	}
}

func TestContentCredentialsAreNotedAndNotCarried(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256(store())
	note := "sha256:" + hex.EncodeToString(digest[:])
	c2paBox := mediatest.Box("uuid", []byte(uuidC2PA+"\x00\x00\x00\x00manifest\x00\x00\x00\x00\x00\x00\x00\x00\x00"), store())
	noted := func(t *testing.T, source []byte) []string {
		t.Helper()
		out, err := origin.ReadImage(source).IntoPNG(plain(t))
		require.NoError(t, err)
		require.NotContains(t, string(out), "thumbnails")
		if r := provenance.Read(out).ContentCredentials; r != nil {
			require.False(t, r.Present)
		}
		return packetOf(t, out).Get("urn:uuid:4a7f1c1e-0c6b-4d8e-9f3a-7d2b5e9c6a10#", "SourceContentCredentials")
	}
	for name, source := range map[string][]byte{
		"JPEG": jpeg(storeSegments()),
		"PNG":  mediatest.PNG(t, 4, 4, mediatest.PNGChunk("caBX", store())),
		"WebP": webp(riffChunk("C2PA", store())),
		"AVIF": heif(tiff(nil, nil), c2paBox),
		"TIFF": tiff([]entry{{0xCD41, 7, store()}}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []string{note}, noted(t, source))
		})
	}
	t.Run("again", func(t *testing.T) {
		t.Parallel()
		once, err := origin.ReadImage(jpeg(storeSegments())).IntoPNG(plain(t))
		require.NoError(t, err)
		require.Equal(t, []string{note}, noted(t, once), "an optimized file that is optimized keeps the note")
	})
	t.Run("MP4", func(t *testing.T) {
		t.Parallel()
		_, statements := readClip(t, join(tagged(t, probe.MP4), c2paBox))
		path := output(t, true)
		require.NoError(t, statements.IntoMP4(path))
		out, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(out), note)
		require.NotContains(t, string(out), "thumbnails")
	})
	t.Run("remote", func(t *testing.T) {
		t.Parallel()
		const address = "https://cai-manifests.adobe.com/manifests/x"
		out, err := origin.ReadImage(xmpJPEG(`dcterms:provenance="`+address+`"`, "")).IntoPNG(plain(t))
		require.NoError(t, err)
		require.Equal(t, address, provenance.Read(out).ContentCredentials.Remote)
	})
	t.Run("one that is no store", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, noted(t, mediatest.PNG(t, 4, 4, mediatest.PNGChunk("caBX", []byte("something else altogether here")))))
	})
}

func TestWritingTwiceGivesTheSame(t *testing.T) {
	t.Parallel()
	source := jpeg(exifSegment(tiff([]entry{ascii(tagArtist, "Jane")}, map[uint16][]entry{tagExifIFD: {wide(infotext)}})),
		xmpSegment(xmpPacket(`photoshop:Credit="Made with Google AI" TC260:AIGC='`+aigc+`'`, "")))
	once, err := origin.ReadImage(source).IntoPNG(plain(t))
	require.NoError(t, err)
	again, err := origin.ReadImage(once).IntoPNG(once)
	require.NoError(t, err)
	require.Equal(t, once, again)
}

func TestMetadataOfTheEncoderGoes(t *testing.T) {
	t.Parallel()
	bare := mediatest.PNG(t, 8, 8)
	noisy := mediatest.PNG(t, 8, 8, mediatest.PNGText("Software", "x"), mediatest.WithEXIF(privateEXIF()), mediatest.PNGChunk("tIME", make([]byte, 7)))
	var nothing origin.Statements
	require.True(t, nothing.Empty())
	out, err := nothing.IntoPNG(noisy)
	require.NoError(t, err)
	require.Equal(t, bare, out)
}

func TestWhatIsNoPNGIsRefused(t *testing.T) {
	t.Parallel()
	whole := plain(t)
	for i, file := range [][]byte{nil, []byte("GIF89a"), whole[:8], whole[:40], whole[:len(whole)-1], whole[:len(whole)-12]} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			_, err := origin.ReadImage(textPNG(t, "parameters", infotext)).IntoPNG(file)
			require.Error(t, err)
		})
	}
}
