package provenance

import (
	"encoding/json"
	"regexp"
	"strings"
)

// maxDream bounds a command line in bytes.
const maxDream = 64 << 10

var invokeFinding = finding{generator: "InvokeAI", ai: Full}

var (
	// dreamPattern is the command line that InvokeAI stored before version 2.3: a quoted prompt and short options.
	dreamPattern = regexp.MustCompile(`(?s)^".*"\s+-`)
	dreamSteps   = regexp.MustCompile(`\s-s\s?\d+\b`)
	dreamSeed    = regexp.MustCompile(`\s-S\s?\d+\b`)
	// invokeDenoises are the types of nodes that make a picture.
	invokeDenoises = regexp.MustCompile(`denoise|^(?:t2l|l2l|txt2img|img2img|inpaint)$`)
)

// invokeMetadata recognises "invokeai_metadata" (InvokeAI 3 and later): the mode of generation, or prompt and seed.
// Pictures that were only uploaded or scaled carry neither.
func invokeMetadata(value string) (finding, bool) {
	obj, ok := parseObject(value)
	if !ok || obj.str("generation_mode") == "" && (!obj.has("positive_prompt") || !obj.number("seed")) {
		return finding{}, false
	}
	return invokeFinding, true
}

// invokeGraph recognises "invokeai_graph": nodes by id, one of which denoises.
func invokeGraph(value string) (finding, bool) {
	obj, ok := parseObject(value)
	if !ok {
		return finding{}, false
	}
	nodes, ok := obj.object("nodes")
	if !ok || !obj.has("edges") {
		return finding{}, false
	}
	for _, raw := range nodes {
		var node struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &node) == nil && invokeDenoises.MatchString(node.Type) {
			return invokeFinding, true
		}
	}
	return finding{}, false
}

// invokeLegacy recognises "sd-metadata" (InvokeAI 2): the application's name and the request.
func invokeLegacy(value string) (finding, bool) {
	obj, ok := parseObject(value)
	if !ok {
		return finding{}, false
	}
	image, ok := obj.object("image")
	app := obj.str("app_id")
	if !ok || !image.has("prompt") || app != "invoke-ai/InvokeAI" && app != "lstein/stable-diffusion" {
		return finding{}, false
	}
	return invokeFinding, true
}

// invokeDream recognises "Dream", the command line of the first versions.
func invokeDream(value string) (finding, bool) {
	if len(value) > maxDream {
		return finding{}, false
	}
	options := value[strings.LastIndexByte(value, '"')+1:]
	if !dreamPattern.MatchString(value) || !dreamSteps.MatchString(options) || !dreamSeed.MatchString(options) {
		return finding{}, false
	}
	return invokeFinding, true
}
