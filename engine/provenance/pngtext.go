package provenance

import "strings"

// maxSameKey bounds the texts read of one keyword.
const maxSameKey = 4

// text is one text of a PNG file.
type text struct {
	where string
	value []byte
}

// String is the text as it is judged; longer ones than any tool writes are empty.
func (t text) String() string {
	if len(t.value) > maxRecord {
		return ""
	}
	return strings.TrimSpace(string(t.value))
}

// texts are the texts of a PNG file by keyword: the keywords' case counts, as the tools write it.
type texts map[string][]text

func (t texts) add(key, where string, value []byte) {
	if len(t[key]) < maxSameKey {
		t[key] = append(t[key], text{where: where, value: value})
	}
}

// first is the first text of a keyword, empty when there is none.
func (t texts) first(key string) string {
	if all := t[key]; len(all) > 0 {
		return all[0].String()
	}
	return ""
}

// pngTexts reads the texts under the keywords of the known tools. Keywords such as prompt, Comment and Description are
// everybody's; only the structure of the text under them counts.
func (f *finder) pngTexts() {
	f.keyword("parameters", func(value string) (finding, bool) {
		found, ok := record(value)
		if name := f.texts.scheme(); ok && name != "" {
			found.generator = name
		}
		return found, ok
	})
	f.keyword("parameters-json", record)
	f.keyword("generation_data", tensorArt)
	f.keyword("invokeai_metadata", invokeMetadata)
	f.keyword("invokeai_graph", invokeGraph)
	f.keyword("sd-metadata", invokeLegacy)
	f.keyword("Dream", invokeDream)
	// The workflow is the whole canvas of the editor, the prompt what ran of it.
	if !f.keyword("prompt", graph) {
		f.keyword("workflow", graph)
	}
	f.keyword("use_stable_diffusion_model", f.texts.easyDiffusion)
	for _, t := range f.texts["Software"] {
		f.novelAI(t.where, t.String(), f.texts.first("Source"), f.texts.first("Comment"))
	}
	for _, t := range f.texts["Description"] {
		f.midjourney(t.where, t.String())
	}
	for _, t := range f.texts["AIGC"] {
		f.label(t.where, t.String())
	}
}

// keyword adds the texts of a keyword that are recognised, and says whether any was.
func (f *finder) keyword(key string, recognise func(string) (finding, bool)) bool {
	known := false
	for _, t := range f.texts[key] {
		value := t.String()
		if found, ok := recognise(value); ok {
			f.add(Parameters, t.where, found, value)
			known = true
		}
	}
	return known
}

// graph recognises the texts of ComfyUI: a graph and nothing else. Civitai and Tensor.Art write the same.
func graph(value string) (finding, bool) {
	obj, ok := parseObject(value)
	if !ok {
		return finding{}, false
	}
	if found, ok := civitai(obj); ok {
		return found, true
	}
	return comfyUI(obj)
}

// scheme names the tool that says by a keyword of its own how its "parameters" are to be read: Fooocus
// (modules/meta_parser.py) and Stability Matrix, whose project lies beside them.
func (t texts) scheme() string {
	switch t.first("fooocus_scheme") {
	case "fooocus", "a1111":
		return "Fooocus"
	}
	if _, ok := parseObject(t.first("smproj")); ok {
		return "Stability Matrix"
	}
	return ""
}

// easyDiffusion recognises Easy Diffusion's texts, one a setting (easydiffusion, utils/save_utils.py).
func (t texts) easyDiffusion(model string) (finding, bool) {
	if model == "" || !isInteger(t.first("seed")) || !isInteger(t.first("num_inference_steps")) {
		return finding{}, false
	}
	return finding{generator: "Easy Diffusion", ai: Full}, true
}

// tensorArt recognises "generation_data" of Tensor.Art: a record of a diffusion run in the tool's own keyword.
func tensorArt(value string) (finding, bool) {
	obj, ok := parseObject(value)
	if !ok {
		return finding{}, false
	}
	found, ok := diffusion(obj)
	found.generator = "Tensor.Art"
	return found, ok
}
