package provenance

import (
	"bytes"
	"encoding/json"
	"strings"
)

const comfyTool = "ComfyUI"

// States in which the editor leaves a node out of the run (litegraph's LGraphEventMode).
const (
	nodeNever    = 2
	nodeBypassed = 4
)

// remoteNodes are nodes that have a picture made by a service, and so need no sampler (ComfyUI, comfy_api_nodes).
var remoteNodes = map[string]bool{
	"ByteDanceSeedreamNode":         true,
	"FluxProUltraImageNode":         true,
	"GeminiImageNode":               true,
	"GrokImageNode":                 true,
	"KlingImageGenerationNode":      true,
	"LumaImageNode":                 true,
	"OpenAIDalle3":                  true,
	"OpenAIGPTImage1":               true,
	"RecraftTextToImageNode":        true,
	"StabilityStableImageUltraNode": true,
}

// comfyUI recognises a ComfyUI graph: as the prompt that ran (nodes by id, each with class_type and inputs), as the
// editor's workflow (a list of typed nodes), or an object that holds either under its name. A graph that only loads,
// scales and saves pictures is a record, but not of generation.
func comfyUI(obj object) (finding, bool) {
	if types := promptNodes(obj); len(types) > 1 {
		return graphFinding(types), true
	}
	if types := workflowNodes(obj); len(types) > 1 {
		return graphFinding(types), true
	}
	for _, key := range []string{"prompt", "workflow"} {
		inner, ok := obj.object(key)
		if !ok {
			continue
		}
		if types := append(promptNodes(inner), workflowNodes(inner)...); len(types) > 1 {
			return graphFinding(types), true
		}
	}
	return finding{}, false
}

// promptNodes lists the classes of a prompt's nodes; nil when half of the members are none.
func promptNodes(obj object) []string {
	var types []string
	for _, raw := range obj {
		var node struct {
			Class  string          `json:"class_type"`
			Inputs json.RawMessage `json:"inputs"`
		}
		if json.Unmarshal(raw, &node) == nil && node.Class != "" && bytes.HasPrefix(node.Inputs, []byte("{")) {
			types = append(types, node.Class)
		}
	}
	if 2*len(types) < len(obj) {
		return nil
	}
	return types
}

// workflow is the editor's form of a graph. Subgraphs lie in the definitions.
type workflow struct {
	Nodes []struct {
		Type string `json:"type"`
		Mode int    `json:"mode"`
	} `json:"nodes"`
}

// workflowNodes lists the types of a workflow's nodes that take part in a run.
func workflowNodes(obj object) []string {
	if !obj.has("nodes") || !obj.has("links") || !obj.has("last_node_id") {
		return nil
	}
	types := obj.nodeTypes("nodes")
	if definitions, ok := obj.object("definitions"); ok {
		var subgraphs []workflow
		if json.Unmarshal(definitions["subgraphs"], &subgraphs) == nil {
			for _, g := range subgraphs {
				types = append(types, g.types()...)
			}
		}
	}
	return types
}

func (o object) nodeTypes(key string) []string {
	var w workflow
	if json.Unmarshal(o[key], &w.Nodes) != nil {
		return nil
	}
	return w.types()
}

func (w workflow) types() []string {
	var types []string
	for _, node := range w.Nodes {
		if node.Type != "" && node.Mode != nodeNever && node.Mode != nodeBypassed {
			types = append(types, node.Type)
		}
	}
	return types
}

// graphFinding tells generation by a sampler or a service. A sampler that has no empty canvas but a loaded picture to
// start from changes that picture.
func graphFinding(types []string) finding {
	generates, loads, blank := false, false, false
	for _, t := range types {
		generates = generates || strings.Contains(t, "Sampler") || remoteNodes[t]
		loads = loads || strings.Contains(t, "LoadImage")
		blank = blank || strings.Contains(t, "Empty") && strings.Contains(t, "Latent")
	}
	switch {
	case !generates:
		return finding{generator: comfyTool, ai: No}
	case loads && !blank:
		return finding{generator: comfyTool, ai: Partly}
	}
	return finding{generator: comfyTool, ai: Full}
}
