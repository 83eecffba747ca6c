package provenance

import (
	"regexp"
	"strings"

	"veracity/engine/provenance/exif"
)

var (
	uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	// xaiSignature is what Grok's downloads have as ImageDescription: 64 characters of Base64 at the least.
	xaiSignature = regexp.MustCompile(`^Signature: [A-Za-z0-9+/]{64,}={0,2}$`)
	// graphPrefix opens a graph that a saver for ComfyUI put into an EXIF text: the PNG keyword and a colon.
	graphPrefix = regexp.MustCompile(`^(?:[Pp]rompt|[Ww]orkflow):\s?(?:\{)`)
)

// exif adds what an EXIF block states. where is the block's place.
func (f *finder) exif(where string, tags exif.Tags) {
	f.record(where+":UserComment", tags.UserComment)
	f.novelAI(where+":Software", tags.Software, tags.Software, tags.UserComment)
	for _, t := range []struct{ name, value string }{
		{"ImageDescription", tags.ImageDescription}, {"Make", tags.Make}, {"Model", tags.Model},
	} {
		if prefix := graphPrefix.FindString(t.value); prefix != "" {
			f.graph(where+":"+t.name, t.value, t.value[len(prefix)-1:])
		}
	}
	f.midjourney(where+":ImageDescription", tags.ImageDescription)
	f.label(where+":UserComment", tags.UserComment)
	f.label(where+":ImageDescription", tags.ImageDescription)
	f.makers(where, tags)
	if tags.Exposure && tags.Make != "" && tags.Model != "" {
		camera := strings.TrimSpace(tags.Make + " " + tags.Model)
		f.add(Camera, where+":Make", finding{generator: camera, ai: No}, camera)
	}
}

func (f *finder) graph(where, value, json string) {
	if found, ok := graph(json); ok {
		f.add(Parameters, where, found, value)
	}
}

// makers adds the tags by which generators name or sign themselves.
func (f *finder) makers(where string, tags exif.Tags) {
	// black-forest-labs/flux, src/flux/cli.py and its kin: "AI generated;txt2img;flux", and the company as maker.
	if words := strings.Split(tags.Software, ";"); words[0] == "AI generated" && len(words) > 1 && tags.Make != "" {
		f.add(Tool, where+":Software", finding{generator: tags.Make, ai: Full}, tags.Software)
	}
	// Downloads of Ideogram carry this maker and nothing else.
	if tags.Make == "Ideogram AI" {
		f.add(Tool, where+":Make", finding{generator: "Ideogram", ai: Full}, tags.Make)
	}
	// Civitai's marker of its own generator (civitai/civitai, src/utils/metadata/index.ts: isMadeOnSite), with the
	// job's id beside it.
	if tags.Artist == "ai" && uuidPattern.MatchString(tags.Software) {
		f.add(Tool, where+":Artist", finding{generator: "Civitai", ai: Full}, tags.Artist)
	}
	// Grok: the signature and the picture's id, each of which alone could be anybody's.
	if xaiSignature.MatchString(tags.ImageDescription) && uuidPattern.MatchString(tags.Artist) {
		f.add(Signature, where+":ImageDescription", finding{generator: "xAI", ai: Full}, tags.ImageDescription)
	}
}
