package provenance

import (
	"regexp"
	"strings"
)

// maxPrompt bounds a description in bytes; Midjourney's prompts end at some 6,000 characters.
const maxPrompt = 64 << 10

var (
	midjourneyJob = regexp.MustCompile(`\sJob ID: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	// midjourneyOption is one of the parameters of docs.midjourney.com (Parameter List).
	midjourneyOption = regexp.MustCompile(`(?:^|\s)--(?:v|version|niji|ar|aspect|s|stylize|c|chaos|q|quality|style|sref|cref|` +
		`oref|iw|seed|no|tile|weird|w|raw|p|profile|stop|repeat|r|draft|exp)(?:\s|$)`)
)

// midjourney adds Midjourney's description: the prompt, at least one of its parameters (every download states the
// version), and the job's UUID at the end. It stands in PNG text, EXIF and XMP alike.
func (f *finder) midjourney(where, value string) {
	value = strings.TrimSpace(value)
	if len(value) <= maxPrompt && midjourneyJob.MatchString(value) && midjourneyOption.MatchString(value) {
		f.add(Parameters, where, finding{generator: "Midjourney", ai: Full}, value)
	}
}
