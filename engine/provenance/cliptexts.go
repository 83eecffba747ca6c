package provenance

import (
	"strings"

	"veracity/engine"
	"veracity/engine/provenance/clip"
)

// clipTexts reads the fields of a clip that the known tools write. As in images, what a field is for and the structure of
// its text count, never the words in it.
func (f *finder) clipTexts(media engine.Media) {
	record := func(value string) (finding, bool) { return clipRecord(value, media) }
	for _, field := range []string{clip.Comment, clip.Description, clip.Parameters} {
		f.keyword(field, record)
		for _, t := range f.texts[field] {
			f.midjourney(t.where, t.String())
			f.suno(t.where, t.String())
		}
	}
	// As in images: the workflow is the canvas, the prompt what ran of it.
	graph := func(value string) (finding, bool) { return clipGraph(value, media) }
	if !f.keyword(clip.Prompt, graph) {
		f.keyword(clip.Workflow, graph)
	}
	for _, t := range f.texts[clip.Encoder] {
		f.clipTool(t.where, t.String())
	}
	for _, t := range f.texts[clip.Source] {
		f.sunoPage(t.where, t.String())
	}
	for _, field := range []string{clip.Credit, clip.Copyright} {
		for _, t := range f.texts[field] {
			f.credit(t.where, t.String())
		}
	}
	for _, t := range f.texts[clip.AIGC] {
		f.label(t.where, t.String())
	}
	f.clipCamera()
}

// clipCamera adds the maker and the model of a camera or phone. It decides nothing.
func (f *finder) clipCamera() {
	maker, model := f.texts.first(clip.Make), f.texts.first(clip.Model)
	if maker == "" || model == "" {
		return
	}
	camera := strings.TrimSpace(maker + " " + model)
	f.add(Camera, f.texts[clip.Make][0].where, finding{generator: camera, ai: No}, camera)
}
