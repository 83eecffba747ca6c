package provenance

import (
	"regexp"
	"strconv"
	"strings"
)

// webUI is the tool whose format infotext is; others write it too and name themselves in it.
const webUI = "Stable Diffusion WebUI"

const (
	// maxSettings bounds the fields read of a settings line. Steps and seed stand among the first.
	maxSettings = 64
	// maxSettingsLine bounds the bytes read of it.
	maxSettingsLine = 16 << 10
	// maxSettingsLines bounds the lines of a text that are tried as settings.
	maxSettingsLines = 16
)

var (
	// settingPattern is one field of the settings line: a name, and a value that is quoted or free of commas.
	settingPattern = regexp.MustCompile(`([A-Za-z][\w \-/]*):\s*("(?:[^"\\]|\\.)*"|[^,]*)(?:,|$)`)
	sizePattern    = regexp.MustCompile(`^\d+x\d+$`)
	forgePattern   = regexp.MustCompile(`^(?:f\d|neo|classic)`)
)

// infotext recognises the text that Stable Diffusion WebUI stores as "parameters" in PNG, as UserComment in JPEG, WebP
// and AVIF, and as comment in GIF (modules/images.py, create_infotext in modules/processing.py): the prompt, an optional line "Negative prompt: …", and a line of settings that begins with
// the steps. Forge, SD.Next, Civitai, Fooocus and savers for ComfyUI write the same. Demanded are whole numbers of
// steps and seed, and one more setting of a sampler run.
func infotext(text string) (finding, bool) {
	tried := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "Steps:") {
			continue
		}
		if s := parseSettings(line); s.valid() {
			return finding{generator: s.generator(), ai: Full}, true
		}
		if tried++; tried == maxSettingsLines {
			break
		}
	}
	return finding{}, false
}

// settings are the fields of the line by their names in lower case.
type settings map[string]string

func parseSettings(line string) settings {
	s := settings{}
	line = line[:min(len(line), maxSettingsLine)]
	for _, m := range settingPattern.FindAllStringSubmatch(line, maxSettings) {
		name := strings.ToLower(strings.TrimSpace(m[1]))
		if _, seen := s[name]; !seen {
			s[name] = strings.Trim(strings.TrimSpace(m[2]), `"`)
		}
	}
	return s
}

func (s settings) valid() bool {
	if !isInteger(s["steps"]) || !isInteger(s["seed"]) {
		return false
	}
	_, err := strconv.ParseFloat(s["cfg scale"], 64)
	return err == nil || s["sampler"] != "" || s["model hash"] != "" || sizePattern.MatchString(s["size"])
}

func (s settings) generator() string {
	version := s["version"]
	switch {
	case s["app"] != "":
		return s["app"]
	case strings.HasPrefix(version, "Fooocus"):
		return "Fooocus"
	case version == "ComfyUI":
		return version
	case forgePattern.MatchString(version):
		return webUI + " Forge"
	case version == "" && s["civitai resources"] != "":
		return "Civitai"
	}
	return webUI
}

func isInteger(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return true
	}
	// Seeds may exceed 63 bits.
	_, err = strconv.ParseUint(s, 10, 64)
	return err == nil
}
