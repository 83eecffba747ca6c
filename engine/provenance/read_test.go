package provenance_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

func TestOneRecordIsReadFromEveryContainer(t *testing.T) {
	t.Parallel()
	tiff := sample.TIFF(binary.BigEndian, nil, []sample.Entry{comment(infotext)})
	item := sample.Join([]byte{0, 0, 0, 0}, tiff)
	for where, file := range map[string][]byte{
		"jpeg:APP1:exif:UserComment":                  sample.JPEGWithEXIF(tiff),
		"webp:EXIF:UserComment":                       sample.WebP(sample.RIFFChunk("EXIF", tiff)),
		"png:eXIf:UserComment":                        sample.PNG(sample.PNGChunk("eXIf", tiff)),
		"png:zTXt:Raw profile type exif:UserComment":  sample.PNGTail(sample.RawProfile("exif", tiff)),
		"tiff:exif:UserComment":                       tiff,
		"bmff:meta:Exif:UserComment":                  sample.HEIF("avif", []sample.Item{{Type: "Exif", Data: item}}),
		"png:zTXt:parameters":                         sample.PNGTail(sample.ZText("parameters", infotext)),
		"gif:comment":                                 sample.GIF(nil, sample.GIFComment(infotext)),
		"webp:XMP:exif:UserComment":                   sample.WebP(sample.RIFFChunk("XMP ", []byte(xmpComment()))),
		"gif:xmp:exif:UserComment":                    sample.GIF(sample.GIFXMP(xmpComment()), nil),
		"png:iTXt:XML:com.adobe.xmp:exif:UserComment": sample.PNGTail(sample.ZIText("XML:com.adobe.xmp", xmpComment())),
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			requireSays(t, file, says{
				kind: provenance.Parameters, where: where, ai: provenance.Full, issuer: "Stable Diffusion WebUI",
			})
		})
	}
}

func xmpComment() string {
	text := strings.NewReplacer("<", "&lt;", "\n", "&#10;").Replace(infotext)
	return sample.XMP("", "<exif:UserComment>"+text+"</exif:UserComment>")
}

func TestExtendedXMPCountsWhenTheMainPacketNamesIt(t *testing.T) {
	t.Parallel()
	guid := strings.Repeat("4F", 16)
	extended := sample.XMP(`photoshop:Credit="Made with Google AI"`, "")
	part := sample.ExtendedXMPSegment(guid, len(extended), 0, extended)

	named := sample.JPEG(sample.XMPSegment(sample.XMP(`xmpNote:HasExtendedXMP="`+guid+`"`, "")), part)
	requireSays(t, named, says{
		kind: provenance.Credit, where: "jpeg:APP1:xmp-extended:photoshop:Credit", ai: provenance.Full, issuer: "Google",
	})

	other := sample.JPEG(sample.XMPSegment(sample.XMP(`xmpNote:HasExtendedXMP="other"`, "")), part)
	require.Equal(t, engine.None, provenance.Read(other).Verdict)
}

func TestContentCredentialsAreReportedAndDecideNothing(t *testing.T) {
	t.Parallel()
	const address = "https://cai-manifests.adobe.com/manifests/x"
	remote := sample.XMPSegment(sample.XMP(`dcterms:provenance="`+address+`"`, ""))
	tests := map[string]struct {
		file []byte
		want *provenance.ContentCredentials
	}{
		"embedded": {sample.JPEG(sample.ManifestSegment()), &provenance.ContentCredentials{Present: true, Where: "jpeg:APP11"}},
		"remote": {
			sample.JPEG(remote), &provenance.ContentCredentials{Where: "jpeg:APP1:xmp:dcterms:provenance", Remote: address},
		},
		"both": {
			sample.JPEG(remote, sample.ManifestSegment()),
			&provenance.ContentCredentials{Present: true, Where: "jpeg:APP11", Remote: address},
		},
		"reference to the file itself": {xmpFile(`dcterms:provenance="self#jumbf=c2pa/x"`, ""), nil},
		"no address":                   {xmpFile(`dcterms:provenance="bought at an auction"`, ""), nil},
		"script":                       {xmpFile(`dcterms:provenance="javascript://x/"`, ""), nil},
		"none":                         {sample.JPEG(), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := provenance.Read(tt.file)
			require.Equal(t, tt.want, r.ContentCredentials)
			require.Equal(t, engine.None, r.Verdict)
		})
	}
}

func TestReportShowsItsParts(t *testing.T) {
	t.Parallel()
	r := provenance.Read(sample.JPEG(
		sample.XMPSegment(sample.XMP(`photoshop:Credit="Made with Google AI"`, "")), sample.ManifestSegment()))
	shown, err := json.Marshal(r)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"verdict": "ai", "issuer": "Google",
		"statements": [{"kind": "credit", "where": "jpeg:APP1:xmp:photoshop:Credit", "generator": "Google", "ai": "full", "value": "Made with Google AI"}],
		"content_credentials": {"present": true, "where": "jpeg:APP11", "validated": false},
		"explanation": "The file has Content Credentials, which were not checked. Its metadata carries the credit line of Google. Such statements are not signed."
	}`, string(shown))

	shown, err = json.Marshal(provenance.Read(nil))
	require.NoError(t, err)
	require.JSONEq(t, `{"verdict": "none", "issuer": null, "statements": [],
		"explanation": "The file says nothing about how it was made. Most files do not, and copies lose what their originals say."}`, string(shown))

	require.Equal(t, engine.ProvenanceLane{Verdict: engine.AI, Issuer: r.Issuer}, r.Lane())
}

func TestValuesAreCutToTwoHundredCharacters(t *testing.T) {
	t.Parallel()
	prompt := strings.Repeat("ä", 500)
	value := provenance.Read(textFile("parameters", prompt+"\n"+infotext)).Statements[0].Value
	require.Equal(t, 200, utf8.RuneCountInString(value))
	require.Equal(t, strings.Repeat("ä", 199)+"…", value)
}

func FuzzRead(f *testing.F) {
	tiff := sample.TIFF(binary.LittleEndian, sample.Texts(map[uint16]string{sample.TagMake: "Canon"}), []sample.Entry{comment(infotext)})
	packet := sample.XMP(`photoshop:Credit="Made with Google AI" dcterms:provenance="https://x/"`, "<TC260:AIGC>"+aigc+"</TC260:AIGC>")
	f.Add(sample.JPEG(sample.XMPSegment(packet), sample.ManifestSegment(), sample.Segment(sample.APP13, sample.Photoshop(sample.IIM(110, "x")))))
	f.Add(sample.JPEGWithEXIF(tiff))
	f.Add(textFile("parameters", infotext, "prompt", comfyPrompt, "workflow", comfyWorkflow, "Description", job, "AIGC", aigc))
	f.Add(sample.PNG(sample.ZText("parameters", infotext), sample.ZIText("XML:com.adobe.xmp", packet), sample.RawProfile("exif", tiff)))
	f.Add(sample.WebP(sample.RIFFChunk("EXIF", tiff), sample.RIFFChunk("XMP ", []byte(packet))))
	f.Add(tiff)
	f.Add(sample.GIF(sample.GIFXMP(packet), sample.GIFComment(infotext)))
	f.Add(sample.HEIF("avif", []sample.Item{{Type: "Exif", Data: sample.Join([]byte{0, 0, 0, 0}, tiff), Split: true}}, sample.ManifestBox()))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := provenance.Read(data)
		if r.Verdict != engine.AI && r.Verdict != engine.None && r.Verdict != engine.Uncertain {
			t.Fatalf("verdict %q", r.Verdict)
		}
		if len(r.Statements) > 64 {
			t.Fatalf("%d statements", len(r.Statements))
		}
		for _, s := range r.Statements {
			if utf8.RuneCountInString(s.Value) > 200 || !utf8.ValidString(s.Value) || !utf8.ValidString(s.Where) {
				t.Fatalf("statement %+v", s)
			}
		}
	})
}

// FuzzTexts puts texts where recognisers look, which mutated files seldom reach.
func FuzzTexts(f *testing.F) {
	for key, value := range map[string]string{
		"parameters": infotext, "prompt": comfyPrompt, "workflow": comfyWorkflow, "Description": job, "AIGC": aigc,
		"Dream": `"a duck" -s 50 -S 1234`, "invokeai_graph": `{"nodes":{"a":{"type":"t2l"}},"edges":[]}`,
		"sd-metadata": `{"app_id":"invoke-ai/InvokeAI","image":{"prompt":"x"}}`,
	} {
		f.Add(key, value)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		file := sample.Join(textFile(key, value))
		if verdict := provenance.Read(file).Verdict; verdict == engine.Real {
			t.Fatal("real")
		}
		if verdict := provenance.Read(exifFile(map[uint16]string{sample.TagMake: value}, comment(value))).Verdict; verdict == engine.Real {
			t.Fatal("real")
		}
	})
}
