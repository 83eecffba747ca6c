package provenance

import "strings"

// record recognises a generator's record of parameters, whatever field holds it: text or JSON in the shape of one of
// the known tools. A text that only talks of generators is not one.
func record(value string) (finding, bool) {
	value = strings.TrimSpace(value)
	if len(value) > maxRecord {
		return finding{}, false
	}
	if !strings.HasPrefix(value, "{") {
		return infotext(value)
	}
	obj, ok := parseObject(value)
	if !ok {
		return finding{}, false
	}
	for _, recognise := range []func(object) (finding, bool){swarmUI, civitai, comfyUI, diffusion} {
		if found, ok := recognise(obj); ok {
			return found, true
		}
	}
	return finding{}, false
}

// swarmUI recognises "sui_image_params" (SwarmUI, docs/Image Metadata Format.md).
func swarmUI(obj object) (finding, bool) {
	params, ok := obj.object("sui_image_params")
	if !ok || !params.has("prompt") || !params.number("seed") && params.str("model") == "" {
		return finding{}, false
	}
	return finding{generator: "SwarmUI", ai: Full}, true
}

// civitai recognises the graphs of Civitai's own generator, which carry the request as "extraMetadata" beside the
// nodes (civitai/civitai, src/utils/metadata/comfy.metadata.ts).
func civitai(obj object) (finding, bool) {
	extra, ok := obj.object("extraMetadata")
	if !ok || !extra.has("prompt") || !extra.number("seed", "steps", "cfgScale") {
		return finding{}, false
	}
	return finding{generator: "Civitai", ai: Full}, true
}

// diffusion recognises the flat JSON of Fooocus, RuinedFooocus, Easy Diffusion, Draw Things, Stability Matrix,
// Tensor.Art and spaces on Hugging Face: a prompt, a seed, the number of steps, and how sampling was steered. One of
// them alone, such as a prompt, is everybody's word; all four together are a record of a diffusion run.
func diffusion(obj object) (finding, bool) {
	prompt := obj.has("prompt") || obj.has("Prompt") || obj.has("PositivePrompt") || obj.has("positive_prompt") || obj.has("c")
	steered := obj.str("sampler", "sampler_name", "Sampler", "scheduler") != "" ||
		obj.number("guidance_scale", "cfg", "cfg_scale", "cfgScale", "CfgScale", "scale")
	if !prompt || !steered || !obj.number("seed", "Seed") || !obj.number("steps", "num_inference_steps", "Steps") {
		return finding{}, false
	}
	return finding{generator: diffusionTool(obj), ai: Full}, true
}

// diffusionTool names the writer by the member that only it writes; empty when any could have.
func diffusionTool(obj object) string {
	switch {
	case obj.str("software") == "RuinedFooocus":
		return "RuinedFooocus"
	case strings.HasPrefix(obj.str("version"), "Fooocus"), obj.has("adm_guidance"):
		return "Fooocus"
	case obj.has("use_stable_diffusion_model"):
		return "Easy Diffusion"
	case obj.has("PositivePrompt"):
		return "Stability Matrix"
	case obj.has("c") && obj.has("uc"):
		return "Draw Things"
	case obj.has("noise_schedule"), obj.has("v4_prompt"):
		return "NovelAI"
	}
	return ""
}
