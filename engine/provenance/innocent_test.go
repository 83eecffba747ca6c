package provenance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

// TestWordsAndNearMissesAreNoStatements holds what a photograph may carry without being called AI.
func TestWordsAndNearMissesAreNoStatements(t *testing.T) {
	t.Parallel()
	const mention = "Looks like Stable Diffusion or Midjourney (--v 6), but is not AI generated; trainedAlgorithmicMedia"
	tests := map[string][]byte{
		"caption in EXIF":                exifFile(map[uint16]string{sample.TagImageDescription: mention}),
		"comment in EXIF":                commentFile(mention),
		"caption in XMP":                 xmpFile("", `<dc:description><rdf:Alt><rdf:li>`+mention+`</rdf:li></rdf:Alt></dc:description>`),
		"caption in IPTC":                iptcFile(120, mention),
		"comment in JPEG":                sample.JPEG(sample.Segment(sample.COM, []byte(mention))),
		"comment in GIF":                 sample.GIF(sample.GIFComment(mention), nil),
		"PNG texts":                      textFile("Title", mention, "Comment", mention, "Description", mention, "prompt", mention, "parameters", mention, "workflow", mention),
		"parameters of a measurement":    textFile("parameters", "Exposure: 3, Gain: 5, Seed: none\nSteps: 12 steps of the stage"),
		"parameters as JSON":             textFile("parameters", `{"exposure": 3, "seed": 4, "steps": 10}`),
		"prompt of a shell":              textFile("prompt", "user@host$"),
		"prompt as JSON":                 textFile("prompt", `{"prompt": "say cheese", "seed": 1}`),
		"steps without a seed":           textFile("parameters", "duck\nSteps: 20, Sampler: Euler a, CFG scale: 7"),
		"steps and seed alone":           textFile("parameters", "duck\nSteps: 20, Seed: 7"),
		"steps in words":                 textFile("parameters", "duck\nSteps: twenty, Sampler: Euler a, Seed: 7"),
		"steps within a sentence":        textFile("parameters", "My Steps: 20, Sampler: Euler a, Seed: 7"),
		"record under a common keyword":  textFile("Title", infotext, "Source", comfyPrompt),
		"keyword in another case":        textFile("Parameters", infotext),
		"workflow of another tool":       textFile("workflow", `{"nodes": [{"id": 1, "type": "resize"}, {"id": 2, "type": "save"}], "links": []}`),
		"graph with one node":            textFile("prompt", `{"1": {"class_type": "KSampler", "inputs": {}}}`),
		"graph without inputs":           textFile("prompt", `{"1": {"class_type": "KSampler"}, "2": {"class_type": "SaveImage"}}`),
		"few nodes among other members":  textFile("prompt", `{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "1": {"class_type": "KSampler", "inputs": {}}, "2": {"class_type": "x", "inputs": {}}}`),
		"graph cut short":                textFile("prompt", comfyPrompt[:len(comfyPrompt)-1]),
		"graph with more behind it":      textFile("prompt", comfyPrompt+" {}"),
		"scheme without parameters":      textFile("fooocus_scheme", "fooocus"),
		"Fooocus without a record":       textFile("fooocus_scheme", "fooocus", "parameters", `{"prompt": "duck"}`),
		"SwarmUI without a request":      textFile("parameters", `{"sui_image_params": {"note": "x"}}`),
		"SwarmUI as a word":              textFile("parameters", `sui_image_params`),
		"InvokeAI without generation":    textFile("invokeai_metadata", `{"app_version":"5.0","width":64}`),
		"InvokeAI graph that scales":     textFile("invokeai_graph", `{"nodes":{"a":{"type":"img_scale"}},"edges":[]}`),
		"another application's metadata": textFile("sd-metadata", `{"app_id":"photo-editor","image":{"prompt":"x"}}`),
		"a dream":                        textFile("Dream", `"I had a dream" - Martin`),
		"a dream with one option":        textFile("Dream", `"I had a dream" -s 5`),
		"Tensor.Art without a record":    textFile("generation_data", `{"prompt":"duck"}`),
		"Easy Diffusion without a run":   textFile("use_stable_diffusion_model", "sd-v1-4"),
		"project of another tool":        textFile("smproj", `{"Version":2}`),
		"NovelAI alone":                  textFile("Software", "NovelAI"),
		"NovelAI's record alone":         textFile("Comment", `{"steps": 28, "seed": 20, "sampler": "k_euler"}`),
		"NovelAI as the subject":         textFile("Description", "NovelAI Diffusion V4.5 4BDE2A90"),
		"NovelAI's model, other tool":    textFile("Software", "GIMP", "Source", "NovelAI Diffusion V4.5 4BDE2A90"),
		"job without an option":          textFile("Description", "Invoice scan Job ID: 2b6e053b-9a65-4ca9-9e13-b6f4465164d4"),
		"option without a job":           textFile("Description", "a duck --ar 4:3 --v 6"),
		"job before the end":             textFile("Description", "Job ID: 2b6e053b-9a65-4ca9-9e13-b6f4465164d4 scanned --v 6"),
		"job without a UUID":             textFile("Description", "a duck --v 6 Job ID: 12345"),
		"label without a value":          textFile("AIGC", `{"ContentProducer":"x"}`),
		"label without a producer":       textFile("AIGC", `{"Label":"1"}`),
		"label as a word":                textFile("AIGC", "1"),
		"label in a common keyword":      textFile("Comment", aigc),
		"software that says generated":   exifFile(map[uint16]string{sample.TagSoftware: "AI generated"}),
		"generated without a maker":      exifFile(map[uint16]string{sample.TagSoftware: "AI generated;txt2img;flux"}),
		"not quite generated":            exifFile(map[uint16]string{sample.TagSoftware: "not AI generated;x", sample.TagMake: "Canon"}),
		"maker of models":                exifFile(map[uint16]string{sample.TagMake: "Black Forest Labs"}),
		"artist called Ai":               exifFile(map[uint16]string{sample.TagArtist: "ai", sample.TagSoftware: "Lightroom"}),
		"id as software":                 exifFile(map[uint16]string{sample.TagArtist: "Ai Weiwei", sample.TagSoftware: uuid}),
		"signature without an id":        exifFile(map[uint16]string{sample.TagImageDescription: signature, sample.TagArtist: "somebody"}),
		"id without a signature":         exifFile(map[uint16]string{sample.TagImageDescription: "Signature: me", sample.TagArtist: uuid}),
		"graph prefix without a graph":   exifFile(map[uint16]string{sample.TagMake: `Prompt: {"a": 1}`}),
		"credit that only mentions":      xmpFile(`photoshop:Credit="Photo: J. Doe, not Made with Google AI"`, ""),
		"credit in lower case":           iptcFile(110, "made with google ai"),
		"empty field for the system":     xmpFile(`Iptc4xmpExt:AISystemUsed=" "`, ""),
		"source type that is unknown":    xmpFile(`Iptc4xmpExt:DigitalSourceType="`+trained+`2"`, ""),
		"source type of another host":    xmpFile(`Iptc4xmpExt:DigitalSourceType="http://example.com/trainedAlgorithmicMedia"`, ""),
		"source type in a sentence":      xmpFile(`Iptc4xmpExt:DigitalSourceType="not trainedAlgorithmicMedia"`, ""),
		"source type, other namespace":   xmpFile(`dc:DigitalSourceType="`+trained+`"`, ""),
		"source type of an ingredient": xmpFile("", `<xmpMM:Pantry><rdf:Bag><rdf:li rdf:parseType="Resource"><Iptc4xmpExt:DigitalSourceType>`+
			trained+`</Iptc4xmpExt:DigitalSourceType></rdf:li></rdf:Bag></xmpMM:Pantry>`),
		"XMP as a caption":          exifFile(map[uint16]string{sample.TagImageDescription: sample.XMP(`photoshop:Credit="Made with Google AI"`, "")}),
		"XMP behind the image data": append(sample.JPEG(), sample.XMPSegment(sample.XMP(`photoshop:Credit="Made with Google AI"`, ""))...),
		"nothing":                   sample.PNG(),
		"no image":                  []byte(infotext),
	}
	for name, file := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := provenance.Read(file)
			require.Equal(t, engine.None, r.Verdict, "%+v", r.Statements)
			require.Nil(t, r.Issuer)
			require.Empty(t, r.Statements)
		})
	}
}

func TestGraphsThatOnlyScaleAreShownAndDecideNothing(t *testing.T) {
	t.Parallel()
	bypassed := strings.ReplaceAll(comfyWorkflow, `"type": "KSampler"`, `"type": "KSampler", "mode": 4`)
	bypassed = strings.ReplaceAll(bypassed, `"links"`, `"x": 1, "links"`)
	for name, file := range map[string][]byte{
		"prompt": textFile("prompt", `{"1": {"class_type": "LoadImage", "inputs": {}}, "2": {"class_type": "ImageScale", "inputs": {}}}`),
		"prompt that did not run the sampler of the workflow": textFile(
			"prompt", `{"1": {"class_type": "LoadImage", "inputs": {}}, "2": {"class_type": "ImageScale", "inputs": {}}}`,
			"workflow", comfyWorkflow),
		"workflow with its sampler bypassed": textFile("workflow",
			strings.Replace(bypassed, `{"id": 2`, `{"id": 3, "type": "SaveImage"}, {"id": 2`, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := provenance.Read(file)
			require.Equal(t, engine.None, r.Verdict)
			require.Len(t, r.Statements, 1)
			require.Equal(t, provenance.No, r.Statements[0].AI)
			require.Equal(t, "ComfyUI", r.Statements[0].Generator)
		})
	}
}

func TestCamerasAreShownAndDecideNothing(t *testing.T) {
	t.Parallel()
	camera := map[uint16]string{sample.TagMake: "Canon", sample.TagModel: "EOS R5"}
	r := provenance.Read(exifFile(camera, sample.Shot()...))
	require.Equal(t, engine.None, r.Verdict)
	require.Nil(t, r.Issuer)
	require.Equal(t, []provenance.Statement{{
		Kind: provenance.Camera, Where: "jpeg:APP1:exif:Make", Generator: "Canon EOS R5", AI: provenance.No, Value: "Canon EOS R5",
	}}, r.Statements)

	require.Empty(t, provenance.Read(exifFile(camera)).Statements, "a name without an exposure is no shot")
}
