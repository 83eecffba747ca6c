package provenance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

// says is what a file is expected to say: one statement of AI, and who made it.
type says struct {
	kind   provenance.Kind
	where  string
	ai     provenance.Extent
	issuer string
}

func requireSays(t *testing.T, file []byte, want says) {
	t.Helper()
	r := provenance.Read(file)
	require.NotEmpty(t, r.Statements)
	s := r.Statements[0]
	verdict := engine.AI
	if s.Kind == provenance.Credit && s.AI == provenance.Partly {
		verdict = engine.Uncertain
	}
	require.Equal(t, verdict, r.Verdict)
	require.Equal(t, want, says{kind: s.Kind, where: s.Where, ai: s.AI, issuer: s.Generator})
	if want.issuer == "" {
		require.Nil(t, r.Issuer)
		return
	}
	require.NotNil(t, r.Issuer)
	require.Equal(t, want.issuer, *r.Issuer)
}

func TestGeneratorsInPNGTextsAreRecognised(t *testing.T) {
	t.Parallel()
	const params = provenance.Parameters
	record := func(key, issuer string) says {
		return says{kind: params, where: "png:iTXt:" + key, ai: provenance.Full, issuer: issuer}
	}
	graph := `{"1": {"class_type": "LoadImage", "inputs": {}}, "2": {"class_type": "KSampler", "inputs": {}}}`
	tests := map[string]struct {
		texts []string
		want  says
	}{
		"WebUI":   {[]string{"parameters", infotext}, record("parameters", "Stable Diffusion WebUI")},
		"Forge":   {[]string{"parameters", infotext + ", Version: f2.0.1v1.10.1-previous-304-g394da019"}, record("parameters", "Stable Diffusion WebUI Forge")},
		"SD.Next": {[]string{"parameters", "duck\nSteps: 20, Size: 1024x1024, Seed: 24, CFG scale: 6, App: SD.Next, Version: 56a8aea"}, record("parameters", "SD.Next")},
		"seed of 64 bits": {
			[]string{"parameters", "duck\nSteps: 20, Sampler: DDIM, Seed: 18446744073709551615"},
			record("parameters", "Stable Diffusion WebUI"),
		},
		"text behind the settings": {
			[]string{"parameters", infotext + "\nTemplate: a duck"}, record("parameters", "Stable Diffusion WebUI"),
		},
		"Fooocus": {
			[]string{"parameters", `{"prompt": "duck", "seed": "12", "steps": 30, "sampler": "dpmpp_2m_sde_gpu", "base_model": "x"}`, "fooocus_scheme", "fooocus"},
			record("parameters", "Fooocus"),
		},
		"Fooocus in the WebUI's scheme": {
			[]string{"parameters", infotext + ", Version: Fooocus v2.5.5", "fooocus_scheme", "a1111"}, record("parameters", "Fooocus"),
		},
		"RuinedFooocus": {
			[]string{"parameters", `{"Prompt": "duck", "steps": 30, "cfg": 8, "seed": 20, "software": "RuinedFooocus"}`},
			record("parameters", "RuinedFooocus"),
		},
		"a space on Hugging Face": {
			[]string{"parameters", `{"prompt": "duck", "guidance_scale": 5.5, "num_inference_steps": 24, "seed": 44}`},
			record("parameters", ""),
		},
		"Stability Matrix": {
			[]string{"parameters-json", `{"PositivePrompt":"duck","Steps":20,"Sampler":"Euler","Seed":207}`},
			record("parameters-json", "Stability Matrix"),
		},
		"Stability Matrix by its project": {
			[]string{"parameters", infotext, "smproj", `{"Version":2}`}, record("parameters", "Stability Matrix"),
		},
		"SwarmUI": {
			[]string{"parameters", `{"sui_image_params": {"prompt": "duck", "model": "x", "seed": 5}, "sui_extra_data": {}}`},
			record("parameters", "SwarmUI"),
		},
		"Easy Diffusion": {
			[]string{"use_stable_diffusion_model", "sd-v1-4", "prompt", "duck", "seed", "42", "num_inference_steps", "25"},
			record("use_stable_diffusion_model", "Easy Diffusion"),
		},
		"Tensor.Art": {
			[]string{"generation_data", `{"prompt":"duck","steps":25,"cfgScale":7,"seed":"-1"}`}, record("generation_data", "Tensor.Art"),
		},
		"InvokeAI":                {[]string{"invokeai_metadata", `{"generation_mode":"sdxl_txt2img"}`}, record("invokeai_metadata", "InvokeAI")},
		"InvokeAI without a mode": {[]string{"invokeai_metadata", `{"positive_prompt":"duck","seed":3}`}, record("invokeai_metadata", "InvokeAI")},
		"InvokeAI graph": {
			[]string{"invokeai_graph", `{"id":"g","nodes":{"a":{"type":"denoise_latents"}},"edges":[]}`}, record("invokeai_graph", "InvokeAI"),
		},
		"InvokeAI 2": {
			[]string{"sd-metadata", `{"app_id":"invoke-ai/InvokeAI","image":{"prompt":[{"prompt":"duck"}]}}`}, record("sd-metadata", "InvokeAI"),
		},
		"InvokeAI 1": {[]string{"Dream", `"a "black" duck" -s 50 -S 1234 -W 512 -H 512 -C 7.5 -A k_lms`}, record("Dream", "InvokeAI")},
		"NovelAI by its model": {
			[]string{"Software", "NovelAI", "Source", "NovelAI Diffusion V4.5 4BDE2A90"},
			says{kind: provenance.Tool, where: "png:iTXt:Software", ai: provenance.Full, issuer: "NovelAI"},
		},
		"NovelAI by its record": {
			[]string{"Software", "NovelAI", "Comment", `{"steps": 28, "seed": 20, "sampler": "k_euler"}`},
			says{kind: provenance.Tool, where: "png:iTXt:Software", ai: provenance.Full, issuer: "NovelAI"},
		},
		"Midjourney":       {[]string{"Description", job, "Author", "somebody"}, record("Description", "Midjourney")},
		"ComfyUI prompt":   {[]string{"prompt", comfyPrompt}, record("prompt", "ComfyUI")},
		"ComfyUI workflow": {[]string{"workflow", comfyWorkflow}, record("workflow", "ComfyUI")},
		"ComfyUI workflow in subgraphs": {
			[]string{"workflow", `{"last_node_id": 1, "nodes": [{"id": 1, "type": "SaveImage"}], "links": [],` +
				`"definitions": {"subgraphs": [{"nodes": [{"type": "KSampler"}, {"type": "EmptyLatentImage"}]}]}}`},
			record("workflow", "ComfyUI"),
		},
		"ComfyUI with a service": {
			[]string{"prompt", `{"1": {"class_type": "GeminiImageNode", "inputs": {}}, "2": {"class_type": "SaveImage", "inputs": {}}}`},
			record("prompt", "ComfyUI"),
		},
		"ComfyUI on a picture": {
			[]string{"prompt", graph}, says{kind: params, where: "png:iTXt:prompt", ai: provenance.Partly, issuer: "ComfyUI"},
		},
		"the Chinese label": {
			[]string{"AIGC", aigc},
			says{kind: provenance.Label, where: "png:iTXt:AIGC", ai: provenance.Full, issuer: "001191110102MACQD9K64010000"},
		},
		"the Chinese label wrapped, as a number": {
			[]string{"AIGC", `{"AIGC":{"Label":1,"ContentPropagator":"spreader"}}`},
			says{kind: provenance.Label, where: "png:iTXt:AIGC", ai: provenance.Full, issuer: "spreader"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireSays(t, textFile(tt.texts...), tt.want)
		})
	}
}

func TestGeneratorsInEXIFAreRecognised(t *testing.T) {
	t.Parallel()
	const at = "jpeg:APP1:exif:"
	record := func(tag, issuer string) says {
		return says{kind: provenance.Parameters, where: at + tag, ai: provenance.Full, issuer: issuer}
	}
	tool := func(tag, issuer string) says {
		return says{kind: provenance.Tool, where: at + tag, ai: provenance.Full, issuer: issuer}
	}
	tests := map[string]struct {
		file []byte
		want says
	}{
		"WebUI":   {commentFile(infotext), record("UserComment", "Stable Diffusion WebUI")},
		"SwarmUI": {commentFile(`{"sui_image_params": {"prompt": "duck", "seed": 5}}`), record("UserComment", "SwarmUI")},
		"Easy Diffusion": {
			commentFile(`{"prompt": "duck", "seed": 4, "num_inference_steps": 25, "guidance_scale": 7.5, "use_stable_diffusion_model": "x"}`),
			record("UserComment", "Easy Diffusion"),
		},
		"Civitai's text": {
			commentFile("duck\nSteps: 25, Sampler: Euler a, CFG scale: 5, Seed: 13, Civitai resources: [{\"type\":\"checkpoint\"}]"),
			record("UserComment", "Civitai"),
		},
		"Civitai's graph": {
			commentFile(`{"1": {"class_type": "UpscaleModelLoader", "inputs": {}}, "extraMetadata": "{\"prompt\":\"duck\",\"seed\":1}"}`),
			record("UserComment", "Civitai"),
		},
		"Civitai's mark": {
			exifFile(map[uint16]string{sample.TagArtist: "ai", sample.TagSoftware: uuid}), tool("Artist", "Civitai"),
		},
		"ComfyUI, both graphs in a comment": {
			commentFile(`{"prompt": ` + comfyPrompt + `, "workflow": ` + comfyWorkflow + `}`), record("UserComment", "ComfyUI"),
		},
		"ComfyUI, graph as the maker": {
			exifFile(map[uint16]string{sample.TagMake: "Prompt: " + comfyPrompt}), record("Make", "ComfyUI"),
		},
		"ComfyUI, graph as the model": {
			exifFile(map[uint16]string{sample.TagModel: "prompt:" + comfyPrompt}), record("Model", "ComfyUI"),
		},
		"ComfyUI, workflow as the description": {
			exifFile(map[uint16]string{sample.TagImageDescription: "Workflow: " + comfyWorkflow}), record("ImageDescription", "ComfyUI"),
		},
		"NovelAI": {
			exifFile(map[uint16]string{sample.TagSoftware: "NovelAI Diffusion V4.5 C02D4F98"}), tool("Software", "NovelAI"),
		},
		"NovelAI by its record": {
			exifFile(map[uint16]string{sample.TagSoftware: "NovelAI"},
				comment(`{"Comment":"{\"steps\": 28, \"seed\": 20, \"sampler\": \"k_euler\"}"}`)), tool("Software", "NovelAI"),
		},
		"FLUX": {
			exifFile(map[uint16]string{sample.TagSoftware: "AI generated;txt2img;flux", sample.TagMake: "Black Forest Labs"}),
			tool("Software", "Black Forest Labs"),
		},
		"FLUX 2": {
			exifFile(map[uint16]string{sample.TagSoftware: "AI generated;flux2", sample.TagMake: "Black Forest Labs"}),
			tool("Software", "Black Forest Labs"),
		},
		"Ideogram": {exifFile(map[uint16]string{sample.TagMake: "Ideogram AI"}), tool("Make", "Ideogram")},
		"xAI": {
			exifFile(map[uint16]string{sample.TagImageDescription: signature, sample.TagArtist: uuid}),
			says{kind: provenance.Signature, where: at + "ImageDescription", ai: provenance.Full, issuer: "xAI"},
		},
		"Midjourney": {exifFile(map[uint16]string{sample.TagImageDescription: job}), record("ImageDescription", "Midjourney")},
		"the Chinese label": {
			commentFile(`{"AIGC":` + aigc + `}`),
			says{kind: provenance.Label, where: at + "UserComment", ai: provenance.Full, issuer: "001191110102MACQD9K64010000"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireSays(t, tt.file, tt.want)
		})
	}
}

func TestGeneratorsInOtherPlacesAreRecognised(t *testing.T) {
	t.Parallel()
	const at = "jpeg:APP1:xmp:"
	drawThings := `<xmp:CreatorTool>Draw Things</xmp:CreatorTool><exif:UserComment><rdf:Alt><rdf:li xml:lang="x-default">` +
		`{"c":"duck","uc":"blur","model":"x.ckpt","sampler":"Euler A","seed":4,"steps":20}</rdf:li></rdf:Alt></exif:UserComment>`
	tests := map[string]struct {
		file []byte
		want says
	}{
		"Draw Things in XMP": {
			xmpFile("", drawThings), says{provenance.Parameters, at + "exif:UserComment", provenance.Full, "Draw Things"},
		},
		"Midjourney in XMP": {
			xmpFile("", `<dc:description><rdf:Alt><rdf:li>`+job+`</rdf:li></rdf:Alt></dc:description>`),
			says{provenance.Parameters, at + "dc:description", provenance.Full, "Midjourney"},
		},
		"Midjourney in IPTC": {iptcFile(120, job), says{provenance.Parameters, "jpeg:APP13:iptc:2:120", provenance.Full, "Midjourney"}},
		"Google in XMP": {
			xmpFile(`photoshop:Credit="Made with Google AI"`, ""),
			says{provenance.Credit, at + "photoshop:Credit", provenance.Full, "Google"},
		},
		"Google in IPTC": {iptcFile(110, "Made with Google AI"), says{provenance.Credit, "jpeg:APP13:iptc:2:110", provenance.Full, "Google"}},
		"Google's edit": {
			xmpFile(`photoshop:Credit="Edited with Google AI"`, ""),
			says{provenance.Credit, at + "photoshop:Credit", provenance.Partly, "Google"},
		},
		"the Chinese label in XMP": {
			xmpFile("", `<TC260:AIGC>{&quot;Label&quot;:&quot;1&quot;,&quot;ContentProducer&quot;:&quot;doubao&quot;}</TC260:AIGC>`),
			says{provenance.Label, at + "TC260:AIGC", provenance.Full, "doubao"},
		},
		"the Chinese label as an attribute": {
			xmpFile(`TC260:AIGC='{"Label":"1","ContentProducer":"picwish"}'`, ""),
			says{provenance.Label, at + "TC260:AIGC", provenance.Full, "picwish"},
		},
		"the Chinese label without a namespace": {
			sample.JPEGWithXMP(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>` +
				`<TC260:AIGC>{"Label":"1","ProduceID":"x"}</TC260:AIGC></rdf:Description></rdf:RDF>`),
			says{provenance.Label, at + "TC260:AIGC", provenance.Full, ""},
		},
		"IPTC's field for the system": {
			xmpFile(`Iptc4xmpExt:AISystemUsed="ChatGPT DALL-E"`, ""),
			says{provenance.Disclosure, at + "Iptc4xmpExt:AISystemUsed", provenance.Full, "ChatGPT DALL-E"},
		},
		"IPTC's field for the prompt": {
			xmpFile(`Iptc4xmpExt:AIPromptInformation="a duck"`, ""),
			says{provenance.Disclosure, at + "Iptc4xmpExt:AIPromptInformation", provenance.Full, ""},
		},
		"WebUI in a GIF": {
			sample.GIF(sample.GIFComment(infotext), nil),
			says{provenance.Parameters, "gif:comment", provenance.Full, "Stable Diffusion WebUI"},
		},
		"WebUI in a JPEG comment": {
			sample.JPEG(sample.Segment(sample.COM, []byte(infotext))),
			says{provenance.Parameters, "jpeg:COM", provenance.Full, "Stable Diffusion WebUI"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireSays(t, tt.file, tt.want)
		})
	}
}
