package marktest

// Written is a mark as one generator writes it.
type Written struct {
	// Payload and Generator are the names that the lane has for it.
	Payload, Generator string
	DwtDct
}

// Generators are the marks that generators write, each as its own code does.
func Generators() []Written {
	const (
		sdxl    = "101100111110110010010000011110111011000110011110"
		flux    = "1010101111111010000111100111001111010100101110"
		mindone = "10110010100101101001000110011011101100001011000110111010"
	)
	return []Written{
		{"StableDiffusionV1", "Stable Diffusion 1", DwtDct{Bits: Letters("StableDiffusionV1")}},
		{"StableDiffusionV1-Inpainting", "Stable Diffusion 1 Inpainting", DwtDct{Bits: Letters("StableDiffusionV1-Inpainting")}},
		{"SDV2", "Stable Diffusion 2", DwtDct{Bits: Letters("SDV2")}},
		{"SDXL", "Stable Diffusion XL", DwtDct{Bits: Digits(sdxl), Samples: Floats, Swapped: true}},
		{"SDXL", "Stable Diffusion XL", DwtDct{Bits: Digits(sdxl), Samples: Floats}},
		{"FLUX", "FLUX.1", DwtDct{Bits: Digits(flux), Samples: Floats}},
		{"InvokeAI", "InvokeAI", DwtDct{Bits: Letters("InvokeAI")}},
		{"MindONE", "MindONE", DwtDct{Bits: Digits(mindone), Samples: Floats}},
	}
}

// Letters are the bits of ASCII letters, the highest of each first.
func Letters(text string) []bool {
	var bits []bool
	for _, c := range []byte(text) {
		for mask := byte(0x80); mask != 0; mask >>= 1 {
			bits = append(bits, c&mask != 0)
		}
	}
	return bits
}

// Digits are the bits of a number in writing.
func Digits(text string) []bool {
	bits := make([]bool, len(text))
	for i := range bits {
		bits[i] = text[i] == '1'
	}
	return bits
}
