package origin_test

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/provenance"
	"veracity/engine/render/origin"
)

// says is what a source says: the verdict and who decides it.
type says struct {
	verdict engine.Verdict
	issuer  string
}

func ai(issuer string) says { return says{engine.AI, issuer} }

// fact is a statement without its place, which carrying it over changes.
type fact struct {
	kind      provenance.Kind
	generator string
	ai        provenance.Extent
}

// facts are the different statements of a report. A camera's record is none that passes.
func facts(r provenance.Report) []fact {
	found := []fact{}
	for _, s := range r.Statements {
		f := fact{s.Kind, s.Generator, s.AI}
		if s.Kind != provenance.Camera && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

func said(r provenance.Report) says {
	if r.Issuer == nil {
		return says{r.Verdict, ""}
	}
	return says{r.Verdict, *r.Issuer}
}

// requireKept puts a source's statements into a PNG and demands that it says the same.
func requireKept(t *testing.T, source []byte, want says) []byte {
	t.Helper()
	before := provenance.Read(source)
	require.Equal(t, want, said(before), "the source says what the test takes it to say")
	out, err := origin.ReadImage(source).IntoPNG(plain(t))
	require.NoError(t, err)
	after := provenance.Read(out)
	require.Equal(t, want, said(after))
	require.ElementsMatch(t, facts(before), facts(after))
	_, err = png.Decode(bytes.NewReader(out))
	require.NoError(t, err)
	return out
}

func TestTextsOfGeneratorsKeepTheirVerdict(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		texts []string
		want  says
	}{
		"WebUI":   {[]string{"parameters", infotext}, ai("Stable Diffusion WebUI")},
		"Forge":   {[]string{"parameters", infotext + ", Version: f2.0.1v1.10.1"}, ai("Stable Diffusion WebUI Forge")},
		"SD.Next": {[]string{"parameters", "duck\nSteps: 20, Size: 1024x1024, Seed: 24, CFG scale: 6, App: SD.Next"}, ai("SD.Next")},
		"Fooocus": {[]string{"parameters", diffusionRun, "fooocus_scheme", "fooocus"}, ai("Fooocus")},
		"Fooocus in the WebUI's scheme": {
			[]string{"parameters", infotext + ", Version: Fooocus v2.5.5", "fooocus_scheme", "a1111"}, ai("Fooocus"),
		},
		"RuinedFooocus": {
			[]string{"parameters", `{"Prompt": "duck", "steps": 30, "cfg": 8, "seed": 20, "software": "RuinedFooocus"}`}, ai("RuinedFooocus"),
		},
		"a space on Hugging Face": {
			[]string{"parameters", `{"prompt": "duck", "guidance_scale": 5.5, "num_inference_steps": 24, "seed": 44}`}, ai(""),
		},
		"Stability Matrix": {
			[]string{"parameters-json", `{"PositivePrompt":"duck","Steps":20,"Sampler":"Euler","Seed":207}`}, ai("Stability Matrix"),
		},
		"Stability Matrix by its project": {[]string{"parameters", infotext, "smproj", `{"Version":2}`}, ai("Stability Matrix")},
		"SwarmUI": {
			[]string{"parameters", `{"sui_image_params": {"prompt": "duck", "model": "x", "seed": 5}, "sui_extra_data": {}}`}, ai("SwarmUI"),
		},
		"Easy Diffusion": {
			[]string{"use_stable_diffusion_model", "sd-v1-4", "prompt", "duck", "seed", "42", "num_inference_steps", "25"}, ai("Easy Diffusion"),
		},
		"Tensor.Art":     {[]string{"generation_data", `{"prompt":"duck","steps":25,"cfgScale":7,"seed":"-1"}`}, ai("Tensor.Art")},
		"InvokeAI":       {[]string{"invokeai_metadata", `{"generation_mode":"sdxl_txt2img"}`}, ai("InvokeAI")},
		"InvokeAI graph": {[]string{"invokeai_graph", `{"id":"g","nodes":{"a":{"type":"denoise_latents"}},"edges":[]}`}, ai("InvokeAI")},
		"InvokeAI 2":     {[]string{"sd-metadata", `{"app_id":"invoke-ai/InvokeAI","image":{"prompt":[{"prompt":"duck"}]}}`}, ai("InvokeAI")},
		"InvokeAI 1":     {[]string{"Dream", `"a "black" duck" -s 50 -S 1234 -W 512 -H 512 -C 7.5 -A k_lms`}, ai("InvokeAI")},
		"NovelAI by its model": {
			[]string{"Software", "NovelAI", "Source", "NovelAI Diffusion V4.5 4BDE2A90"}, ai("NovelAI"),
		},
		"NovelAI by its record":       {[]string{"Software", "NovelAI", "Comment", novelRun}, ai("NovelAI")},
		"NovelAI behind another name": {[]string{"Software", "GIMP", "Software", "NovelAI", "Comment", novelRun}, ai("NovelAI")},
		"Midjourney":                  {[]string{"Description", job, "Author", "somebody"}, ai("Midjourney")},
		"ComfyUI prompt":              {[]string{"prompt", comfyPrompt}, ai("ComfyUI")},
		"ComfyUI workflow":            {[]string{"workflow", comfyWorkflow}, ai("ComfyUI")},
		"ComfyUI, both":               {[]string{"prompt", comfyPrompt, "workflow", comfyWorkflow}, ai("ComfyUI")},
		"ComfyUI that only scaled":    {[]string{"prompt", comfyScale}, says{engine.None, ""}},
		"ComfyUI that only scaled, on a canvas that could more": {
			[]string{"prompt", comfyScale, "workflow", comfyWorkflow}, says{engine.None, ""},
		},
		"text in other letters":     {[]string{"parameters", "鸭子\n" + infotext}, ai("Stable Diffusion WebUI")},
		"the label":                 {[]string{"AIGC", aigc}, ai("001191110102MACQD9K64010000")},
		"the label as suspicion":    {[]string{"AIGC", `{"Label":"3","ContentPropagator":"spreader"}`}, says{engine.Uncertain, "spreader"}},
		"the label of another kind": {[]string{"AIGC", `{"Label":"0","ContentProducer":"maker"}`}, says{engine.None, ""}},
		"several, in one order":     {[]string{"Dream", `"duck" -s 50 -S 1234`, "parameters", infotext, "AIGC", aigc}, ai("Stable Diffusion WebUI")},
		"nothing":                   {nil, says{engine.None, ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireKept(t, textPNG(t, tt.texts...), tt.want)
		})
	}
}

func TestTagsOfGeneratorsKeepTheirVerdict(t *testing.T) {
	t.Parallel()
	comment := func(text string) []byte { return exifJPEG(nil, wide(text)) }
	main := func(entries ...entry) []byte { return exifJPEG(entries) }
	tests := map[string]struct {
		file []byte
		want says
	}{
		"WebUI":           {comment(infotext), ai("Stable Diffusion WebUI")},
		"SwarmUI":         {comment(`{"sui_image_params": {"prompt": "duck", "seed": 5}}`), ai("SwarmUI")},
		"Civitai's graph": {comment(`{"1": {"class_type": "UpscaleModelLoader", "inputs": {}}, "extraMetadata": "{\"prompt\":\"duck\",\"seed\":1}"}`), ai("Civitai")},
		"Civitai's mark":  {main(ascii(tagSoftware, uuid), ascii(tagArtist, "ai")), ai("Civitai")},
		"Civitai's mark and text": {
			exifJPEG([]entry{ascii(tagSoftware, uuid), ascii(tagArtist, "ai")},
				wide("duck\nSteps: 25, Sampler: Euler a, CFG scale: 5, Seed: 13, Civitai resources: []")), ai("Civitai"),
		},
		"ComfyUI, both graphs in a comment":    {comment(`{"prompt": ` + comfyPrompt + `, "workflow": ` + comfyWorkflow + `}`), ai("ComfyUI")},
		"ComfyUI, graph as the maker":          {main(ascii(tagMake, "Prompt: "+comfyPrompt)), ai("ComfyUI")},
		"ComfyUI, graph as the model":          {main(ascii(tagModel, "prompt:"+comfyPrompt)), ai("ComfyUI")},
		"ComfyUI, workflow as the description": {main(ascii(tagImageDescription, "Workflow: "+comfyWorkflow)), ai("ComfyUI")},
		"ComfyUI that scaled, on a canvas that could more": {
			main(ascii(tagMake, "Workflow: "+comfyWorkflow), ascii(tagModel, "Prompt: "+comfyScale)), ai("ComfyUI"),
		},
		"NovelAI": {main(ascii(tagSoftware, "NovelAI Diffusion V4.5 C02D4F98")), ai("NovelAI")},
		"NovelAI by its record": {
			exifJPEG([]entry{ascii(tagSoftware, "NovelAI")}, wide(`{"Comment":"{\"steps\": 28, \"seed\": 20, \"sampler\": \"k_euler\"}"}`)), ai("NovelAI"),
		},
		"FLUX":              {main(ascii(tagMake, "Black Forest Labs"), ascii(tagSoftware, "AI generated;txt2img;flux")), ai("Black Forest Labs")},
		"Ideogram":          {main(ascii(tagMake, "Ideogram AI")), ai("Ideogram")},
		"xAI":               {main(ascii(tagImageDescription, signature), ascii(tagArtist, uuid)), ai("xAI")},
		"Midjourney":        {main(ascii(tagImageDescription, job)), ai("Midjourney")},
		"the label":         {comment(`{"AIGC":` + aigc + `}`), ai("001191110102MACQD9K64010000")},
		"label as a title":  {main(ascii(tagImageDescription, aigc)), ai("001191110102MACQD9K64010000")},
		"letters of others": {comment("鸭子\n" + infotext), ai("Stable Diffusion WebUI")},
		"a camera":          {exifJPEG([]entry{ascii(tagMake, "Canon"), ascii(tagModel, "EOS R5")}, shot()...), says{engine.None, ""}},
		"AI beside a camera": {
			exifJPEG([]entry{ascii(tagMake, "Canon"), ascii(tagModel, "EOS R5")}, append(shot(), wide(infotext))...), ai("Stable Diffusion WebUI"),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireKept(t, tt.file, tt.want)
		})
	}
}

func TestPropertiesKeepTheirVerdict(t *testing.T) {
	t.Parallel()
	iptc := func(attribute string) []byte { return xmpJPEG("Iptc4xmpExt:"+attribute, "") }
	drawThings := `<exif:UserComment><rdf:Alt><rdf:li xml:lang="x-default">` +
		`{"c":"duck","uc":"blur","model":"x.ckpt","sampler":"Euler A","seed":4,"steps":20}</rdf:li></rdf:Alt></exif:UserComment>`
	two := func(first, second string) []byte {
		return jpeg(xmpSegment(xmpPacket(first, "")), xmpSegment(xmpPacket(second, "")))
	}
	tests := map[string]struct {
		file []byte
		want says
	}{
		"source type":                  {iptc(`DigitalSourceType="` + trained + `"`), ai("")},
		"source type, short":           {iptc(`DigitalSourceType="digsrctype:compositeWithTrainedAlgorithmicMedia"`), says{engine.Uncertain, ""}},
		"captured":                     {iptc(`DigitalSourceType="` + captured + `"`), says{engine.None, ""}},
		"a contradiction":              {two(`Iptc4xmpExt:DigitalSourceType="`+trained+`"`, `Iptc4xmpExt:DigitalSourceType="`+captured+`"`), says{engine.Uncertain, ""}},
		"the system":                   {iptc(`AISystemUsed="ChatGPT DALL-E"`), ai("ChatGPT DALL-E")},
		"a system with a long name":    {iptc(`AISystemUsed="` + strings.Repeat("ä", 5000) + `"`), ai(strings.Repeat("ä", 199) + "…")},
		"the prompt":                   {iptc(`AIPromptInformation="a duck"`), ai("")},
		"Draw Things":                  {xmpJPEG("", drawThings), ai("Draw Things")},
		"Midjourney":                   {xmpJPEG("", `<dc:description><rdf:Alt><rdf:li>`+job+`</rdf:li></rdf:Alt></dc:description>`), ai("Midjourney")},
		"Google":                       {xmpJPEG(`photoshop:Credit="Made with Google AI"`, ""), ai("Google")},
		"Google's edit":                {xmpJPEG(`photoshop:Credit="Edited with Google AI"`, ""), says{engine.Uncertain, "Google"}},
		"Google in IPTC":               {jpeg(iimSegment(map[byte]string{110: "Made with Google AI"})), ai("Google")},
		"Google in IPTC beside a name": {jpeg(xmpSegment(xmpPacket(`photoshop:Credit="J. Doe"`, "")), iimSegment(map[byte]string{110: "Made with Google AI"})), ai("Google")},
		"Midjourney in IPTC":           {jpeg(iimSegment(map[byte]string{120: job})), ai("Midjourney")},
		"the label":                    {xmpJPEG(`TC260:AIGC='`+aigc+`'`, ""), ai("001191110102MACQD9K64010000")},
		"the label without a namespace": {jpeg(xmpSegment(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>` +
			`<TC260:AIGC>{"Label":"1","ProduceID":"x"}</TC260:AIGC></rdf:Description></rdf:RDF>`)), ai("")},
		"WebUI in a GIF":            {gif(infotext), ai("Stable Diffusion WebUI")},
		"WebUI in a JPEG comment":   {jpeg(segment(0xFE, []byte(infotext))), ai("Stable Diffusion WebUI")},
		"record over a label":       {jpeg(exifSegment(tiff(nil, map[uint16][]entry{tagExifIFD: {wide(infotext)}})), xmpSegment(xmpPacket(`TC260:AIGC='`+aigc+`'`, ""))), ai("Stable Diffusion WebUI")},
		"Midjourney before a WebUI": {jpeg(exifSegment(tiff([]entry{ascii(tagImageDescription, job)}, nil)), segment(0xFE, []byte(infotext))), ai("Midjourney")},
		"not an image":              {[]byte(infotext), says{engine.None, ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireKept(t, tt.file, tt.want)
		})
	}
}

func TestEveryContainerIsRead(t *testing.T) {
	t.Parallel()
	block := tiff(nil, map[uint16][]entry{tagExifIFD: {wide(infotext)}})
	packet := xmpPacket(`photoshop:Credit="Made with Google AI"`, "")
	webUI, google := ai("Stable Diffusion WebUI"), ai("Google")
	tests := map[string]struct {
		file []byte
		want says
	}{
		"EXIF in JPEG":       {jpeg(exifSegment(block)), webUI},
		"EXIF in WebP":       {webp(riffChunk("EXIF", block)), webUI},
		"EXIF in PNG":        {mediatest.PNG(t, 4, 4, mediatest.WithEXIF(block)), webUI},
		"EXIF in AVIF":       {heif(block), webUI},
		"TIFF":               {block, webUI},
		"XMP in JPEG":        {jpeg(xmpSegment(packet)), google},
		"XMP in WebP":        {webp(riffChunk("XMP ", []byte(packet))), google},
		"XMP in PNG":         {mediatest.PNG(t, 4, 4, mediatest.WithXMP(packet)), google},
		"XMP in TIFF":        {tiff([]entry{{tagXMP, 1, []byte(packet)}}, nil), google},
		"compressed PNG":     {mediatest.PNG(t, 4, 4, mediatest.PNGCompressedText("parameters", infotext)), webUI},
		"behind the pixels":  {mediatest.PNG(t, 4, 4, mediatest.PNGTextAfterPixels("parameters", infotext)), webUI},
		"Latin-1 in a PNG":   {mediatest.PNG(t, 4, 4, mediatest.PNGText("parameters", "une m\xE8re\n"+infotext)), webUI},
		"an extended packet": {extended(packet), google},
		"PNG whose EXIF has another record than its scheme": {
			mediatest.PNG(t, 4, 4, mediatest.WithEXIF(block), mediatest.PNGText("parameters", diffusionRun), mediatest.PNGText("fooocus_scheme", "fooocus")), webUI,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireKept(t, tt.file, tt.want)
		})
	}
}

// extended is a JPEG whose main packet names a second one.
func extended(packet string) []byte {
	guid := strings.Repeat("4F", 16)
	part := join([]byte("http://ns.adobe.com/xmp/extension/\x00"+guid), []byte{0, 0, byte(len(packet) >> 8), byte(len(packet)), 0, 0, 0, 0}, []byte(packet))
	return jpeg(xmpSegment(xmpPacket(`xmpNote:HasExtendedXMP="`+guid+`"`, "")), segment(0xE1, part))
}
