package dwtdct

// payload is a message that a known generator writes.
type payload struct {
	// name is the message in letters where it has any, generator who writes it.
	name, generator string
	bits            []bool
	// period is 8 for letters, whose bits are alike from letter to letter, and 1 for others. What goes by that period, such
	// as stripes of 64 pixels, is no evidence for letters.
	period int
}

// payloads are the fixed messages of generators whose code is public. What anybody may choose for himself, such as the
// examples in the library's own manual, names no generator and is left out.
var payloads = []payload{
	// CompVis/stable-diffusion, scripts/txt2img.py.
	text("StableDiffusionV1", "Stable Diffusion 1"),
	// runwayml/stable-diffusion, scripts/inpaint_st.py.
	text("StableDiffusionV1-Inpainting", "Stable Diffusion 1 Inpainting"),
	// Stability-AI/stablediffusion, scripts/txt2img.py and scripts/gradio.
	text("SDV2", "Stable Diffusion 2"),
	// Stability-AI/generative-models, sgm/inference/helpers.py (Stable Diffusion XL, Stable Video Diffusion), and
	// huggingface/diffusers, src/diffusers/pipelines/stable_diffusion_xl/watermark.py.
	digits("SDXL", "Stable Diffusion XL", "101100111110110010010000011110111011000110011110"),
	// black-forest-labs/flux, src/flux/util.py: a number of 48 bits whose two leading zeros are lost on the way.
	digits("FLUX", "FLUX.1", "1010101111111010000111100111001111010100101110"),
	// invoke-ai/InvokeAI, invokeai/backend/image_util/invisible_watermark.py and the nodes that call it.
	text("InvokeAI", "InvokeAI"),
	// mindspore-lab/mindone, mindone/diffusers/pipelines/stable_diffusion_xl/watermark.py.
	digits("MindONE", "MindONE", "10110010100101101001000110011011101100001011000110111010"),
}

// text is a payload of ASCII letters, the highest bit of each first.
func text(letters, generator string) payload {
	p := payload{name: letters, generator: generator, period: 8}
	for _, c := range []byte(letters) {
		for bit := 7; bit >= 0; bit-- {
			p.bits = append(p.bits, c>>bit&1 == 1)
		}
	}
	return p
}

func digits(name, generator, bits string) payload {
	p := payload{name: name, generator: generator, period: 1}
	for _, c := range bits {
		p.bits = append(p.bits, c == '1')
	}
	return p
}
