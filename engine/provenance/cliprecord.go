package provenance

import (
	"strings"

	"veracity/engine"
)

// remoteClips are nodes that have a video or a sound made by a service, and so need no sampler (ComfyUI,
// comfy_api_nodes).
var remoteClips = map[string]bool{
	"ByteDanceFirstLastFrameNode": true,
	"ByteDanceImageToVideoNode":   true,
	"ByteDanceTextToVideoNode":    true,
	"ElevenLabsTextToSpeech":      true,
	"KlingAvatarNode":             true,
	"KlingCameraControlI2VNode":   true,
	"KlingCameraControlT2VNode":   true,
	"KlingImage2VideoNode":        true,
	"KlingImageToVideoWithAudio":  true,
	"KlingStartEndFrameNode":      true,
	"KlingTextToVideoNode":        true,
	"KlingTextToVideoWithAudio":   true,
	"LtxvApiImageToVideo":         true,
	"LtxvApiTextToVideo":          true,
	"LumaImageToVideoNode":        true,
	"LumaVideoNode":               true,
	"MinimaxHailuoVideoNode":      true,
	"MinimaxImageToVideoNode":     true,
	"MinimaxTextToVideoNode":      true,
	"MoonvalleyImg2VideoNode":     true,
	"MoonvalleyTxt2VideoNode":     true,
	"OpenAIVideoSora2":            true,
	"PikaImageToVideoNode2_2":     true,
	"PikaTextToVideoNode2_2":      true,
	"PixverseImageToVideoNode":    true,
	"PixverseTextToVideoNode":     true,
	"RunwayFirstLastFrameNode":    true,
	"RunwayImageToVideoNodeGen3a": true,
	"RunwayImageToVideoNodeGen4":  true,
	"StabilityTextToAudio":        true,
	"Veo3FirstLastFrameNode":      true,
	"Veo3VideoGenerationNode":     true,
	"VeoVideoGenerationNode":      true,
	"ViduImageToVideoNode":        true,
	"ViduTextToVideoNode":         true,
	"WanImageToVideoApi":          true,
	"WanTextToVideoApi":           true,
}

// clipRecord recognises a record of parameters in a clip: what images carry, read for a clip, and that of WanGP.
func clipRecord(value string, media engine.Media) (finding, bool) {
	if obj, ok := parseObject(value); ok {
		if found, ok := wanGP(obj); ok {
			return found, true
		}
		if found, ok := clipNodes(obj, media); ok {
			return found, true
		}
	}
	return record(value)
}

// clipGraph recognises the texts "prompt" and "workflow" that ComfyUI's nodes store in videos and in sound (SaveVideo,
// SaveWEBM and SaveAudioMP3; comfy_api/latest, comfy_extras/nodes_video.py). Video Helper Suite puts both as one object
// into the comment.
func clipGraph(value string, media engine.Media) (finding, bool) {
	obj, ok := parseObject(value)
	if !ok {
		return finding{}, false
	}
	if found, ok := civitai(obj); ok {
		return found, true
	}
	return clipNodes(obj, media)
}

// clipNodes judges a ComfyUI graph by the clip that comes of it: a sampler or a service makes the whole of it, unless a
// clip of the same kind was loaded to be changed. A still that is set in motion, or a voice that a portrait is made to
// speak, leaves no frame that was captured.
func clipNodes(obj object, media engine.Media) (finding, bool) {
	types := graphNodes(obj)
	if len(types) < 2 {
		return finding{}, false
	}
	loader := "LoadVideo"
	if media == engine.Audio {
		loader = "LoadAudio"
	}
	generates, loads, blank := false, false, false
	for _, t := range types {
		generates = generates || strings.Contains(t, "Sampler") || remoteNodes[t] || remoteClips[t]
		loads = loads || strings.Contains(t, loader)
		blank = blank || strings.Contains(t, "Empty") && strings.Contains(t, "Latent")
	}
	switch {
	case !generates:
		return finding{generator: comfyTool, ai: No}, true
	case loads && !blank:
		return finding{generator: comfyTool, ai: Partly}, true
	}
	return finding{generator: comfyTool, ai: Full}, true
}

// graphNodes lists the types of a graph's nodes, in every form that [comfyUI] knows: what ran before what was drawn.
func graphNodes(obj object) []string {
	graphs := []object{obj}
	for _, key := range []string{"prompt", "workflow"} {
		if inner, ok := obj.object(key); ok {
			graphs = append(graphs, inner)
		}
	}
	for _, g := range graphs {
		for _, types := range [][]string{promptNodes(g), workflowNodes(g)} {
			if len(types) > 1 {
				return types
			}
		}
	}
	return nil
}

// wanGP recognises the settings that WanGP stores as comment of its videos (deepbeepmeep/Wan2GP,
// shared/utils/video_metadata.py): the tool with its version as type, and the prompt.
func wanGP(obj object) (finding, bool) {
	if !strings.HasPrefix(obj.str("type"), "WanGP v") || !obj.has("prompt") {
		return finding{}, false
	}
	return finding{generator: "WanGP", ai: Full}, true
}
