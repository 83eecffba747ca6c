package origin

import (
	"encoding/json"
	"slices"
	"strings"

	"veracity/engine/provenance/container"
)

// Keywords of PNG texts under which generators write.
const (
	parameters  = "parameters"
	prompt      = "prompt"
	workflow    = "workflow"
	description = "Description"
	softwareKey = "Software"
	sourceKey   = "Source"
	commentKey  = "Comment"
)

// maxSameKey bounds the texts of one keyword, as provenance does.
const maxSameKey = 4

// lone are the keywords whose text is a record, label or description by itself.
var lone = []string{
	parameters, "parameters-json", "generation_data", "invokeai_metadata", "invokeai_graph", "sd-metadata", "Dream",
	prompt, workflow, description, "AIGC",
}

// easyDiffusion are the keywords of Easy Diffusion, one a setting (easydiffusion, utils/save_utils.py). The first three
// tell its files.
var easyDiffusion = []string{
	"use_stable_diffusion_model", "seed", "num_inference_steps", prompt, "negative_prompt", "guidance_scale", "sampler_name",
	"width", "height", "prompt_strength", "use_vae_model", "use_lora_model", "lora_alpha", "use_hypernetwork_model",
	"hypernetwork_strength", "use_face_correction", "use_upscale", "upscale_amount",
}

// keyed are the texts of a PNG file in their order, at most [maxSameKey] of a keyword.
type keyed struct {
	texts []text
	keep  []bool
	ask   *judge
}

// generatorTexts keeps the texts of a PNG file that generators wrote. Keywords are everybody's, and so are most texts:
// each passes only where provenance recognises it, by itself or with those that belong to it.
func generatorTexts(blocks []container.Block, ask *judge) []text {
	all := keyed{ask: ask}
	count := map[string]int{}
	for _, b := range blocks {
		if b.Kind != container.Text || len(b.Data) > maxRecord || count[b.Key] == maxSameKey {
			continue
		}
		count[b.Key]++
		all.texts = append(all.texts, text{key: b.Key, value: string(b.Data), packed: strings.HasPrefix(b.Where, "png:zTXt:")})
	}
	all.keep = make([]bool, len(all.texts))
	for i, t := range all.texts {
		all.keep[i] = slices.Contains(lone, t.key) && ask.states(cargo{texts: []text{{key: t.key, value: t.value}}})
	}
	all.keepScheme()
	all.keepGroup(easyDiffusion[:3], easyDiffusion)
	novelAI := []string{softwareKey, sourceKey, commentKey}
	all.keepGroup(novelAI, novelAI)
	return all.kept()
}

// first is the place of a keyword's first text, -1 when there is none.
func (k keyed) first(key string) int {
	return slices.IndexFunc(k.texts, func(t text) bool { return t.key == key })
}

// keepScheme keeps the texts that tell whose parameters are: Fooocus's scheme and the project of Stability Matrix.
func (k keyed) keepScheme() {
	record := slices.ContainsFunc(k.kept(), func(t text) bool { return t.key == parameters })
	if i := k.first("fooocus_scheme"); record && i >= 0 {
		scheme := strings.TrimSpace(k.texts[i].value)
		k.keep[i] = scheme == "fooocus" || scheme == "a1111"
	}
	if i := k.first("smproj"); record && i >= 0 {
		project := strings.TrimSpace(k.texts[i].value)
		k.keep[i] = strings.HasPrefix(project, "{") && json.Valid([]byte(project))
	}
}

func (k keyed) kept() []text {
	var kept []text
	for i, t := range k.texts {
		if k.keep[i] {
			kept = append(kept, t)
		}
	}
	return kept
}

// keepGroup keeps the texts of all keywords where one of the leading keyword states something together with the first of
// the other telling ones.
func (k keyed) keepGroup(telling, all []string) {
	for i, t := range k.texts {
		if t.key != telling[0] {
			continue
		}
		group := []text{{key: t.key, value: t.value}}
		for _, key := range telling[1:] {
			if j := k.first(key); j >= 0 {
				group = append(group, text{key: key, value: k.texts[j].value})
			}
		}
		if !k.ask.states(cargo{texts: group}) {
			continue
		}
		k.keep[i] = true
		for _, key := range all[1:] {
			if j := k.first(key); j >= 0 {
				k.keep[j] = true
			}
		}
	}
}
