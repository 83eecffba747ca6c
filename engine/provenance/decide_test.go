package provenance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

func sourceType(values ...string) []byte {
	var segments [][]byte
	for _, v := range values {
		segments = append(segments, sample.XMPSegment(sample.XMP(`Iptc4xmpExt:DigitalSourceType="`+v+`"`, "")))
	}
	return sample.JPEG(segments...)
}

// verdictOf is what a source type alone comes to: an edit with AI leaves it open.
var verdictOf = map[provenance.Extent]engine.Verdict{
	provenance.Full: engine.AI, provenance.Partly: engine.Uncertain, provenance.No: engine.None,
}

func TestSourceTypesFollowTheVocabulary(t *testing.T) {
	t.Parallel()
	const vocabulary = "cv.iptc.org/newscodes/digitalsourcetype/"
	terms := map[string]provenance.Extent{
		"trainedAlgorithmicMedia": provenance.Full, "compositeWithTrainedAlgorithmicMedia": provenance.Partly,
		"compositeSynthetic": provenance.Partly,
		"algorithmicMedia":   provenance.No, "softwareImage": provenance.No, "digitalCapture": provenance.No,
		"algorithmicallyEnhanced": provenance.No, "compositeCapture": provenance.No, "computationalCapture": provenance.No,
		"digitalCreation": provenance.No, "dataDrivenMedia": provenance.No, "virtualRecording": provenance.No,
	}
	for term, want := range terms {
		for _, value := range []string{"http://" + vocabulary + term, "https://" + vocabulary + term, "digsrctype:" + term, " " + term + " "} {
			t.Run(value, func(t *testing.T) {
				t.Parallel()
				r := provenance.Read(sourceType(value))
				require.Len(t, r.Statements, 1)
				require.Equal(t, provenance.SourceType, r.Statements[0].Kind)
				require.Equal(t, want, r.Statements[0].AI)
				require.Nil(t, r.Issuer, "a source type names nobody")
				require.Equal(t, verdictOf[want], r.Verdict)
			})
		}
	}
}

func TestSourceTypesAreReadAsElementsToo(t *testing.T) {
	t.Parallel()
	for name, elements := range map[string]string{
		"element":  `<Iptc4xmpExt:DigitalSourceType>` + trained + `</Iptc4xmpExt:DigitalSourceType>`,
		"resource": `<Iptc4xmpExt:DigitalSourceType rdf:resource="` + trained + `"/>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, engine.AI, provenance.Read(xmpFile("", elements)).Verdict)
		})
	}
}

func TestContradictionsAreUncertain(t *testing.T) {
	t.Parallel()
	credit := sample.XMPSegment(sample.XMP(`photoshop:Credit="Made with Google AI"`, ""))
	tests := map[string]struct {
		file []byte
		want engine.Verdict
	}{
		"made by AI and captured":     {sourceType("trainedAlgorithmicMedia", "digitalCapture"), engine.Uncertain},
		"edited with AI and captured": {sourceType("compositeWithTrainedAlgorithmicMedia", "digitalCapture"), engine.Uncertain},
		"the same twice":              {sourceType("trainedAlgorithmicMedia", "trainedAlgorithmicMedia"), engine.AI},
		"a credit against capture":    {sample.Join(sourceType("digitalCapture")[:2], credit, sourceType("digitalCapture")[2:]), engine.AI},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, provenance.Read(tt.file).Verdict)
		})
	}
}

func TestLabelsSayWhatTheStandardDefines(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct {
		verdict engine.Verdict
		ai      provenance.Extent
	}{
		"1": {engine.AI, provenance.Full}, "2": {engine.Uncertain, provenance.Possibly}, "3": {engine.Uncertain, provenance.Possibly},
		"0": {engine.None, provenance.No}, "4": {engine.None, provenance.No}, "": {engine.None, provenance.No},
	} {
		t.Run("Label "+value, func(t *testing.T) {
			t.Parallel()
			r := provenance.Read(textFile("AIGC", `{"Label":"`+value+`","ContentProducer":"maker"}`))
			require.Equal(t, want.verdict, r.Verdict)
			require.Len(t, r.Statements, 1)
			require.Equal(t, want.ai, r.Statements[0].AI)
			require.Equal(t, want.verdict != engine.None, r.Issuer != nil)
		})
	}
}

func TestTheMostTellingStatementNamesTheIssuer(t *testing.T) {
	t.Parallel()
	packet := sample.XMP(`photoshop:Credit="Made with Google AI" Iptc4xmpExt:DigitalSourceType="`+trained+`"`, "")
	r := provenance.Read(sample.PNG(sample.IText("XML:com.adobe.xmp", packet), sample.Text("parameters", infotext)))
	require.Len(t, r.Statements, 3)
	require.NotNil(t, r.Issuer)
	require.Equal(t, "Stable Diffusion WebUI", *r.Issuer)
}

func TestAICountsBesideACamera(t *testing.T) {
	t.Parallel()
	camera := exifFile(map[uint16]string{sample.TagMake: "Canon", sample.TagModel: "EOS R5"}, append(sample.Shot(), comment(infotext))...)
	require.Equal(t, engine.AI, provenance.Read(camera).Verdict)
}
