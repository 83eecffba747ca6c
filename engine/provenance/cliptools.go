package provenance

import (
	"regexp"
	"strings"
)

var (
	// sunoMark is what Suno's downloads have as comment or description: the tool, the time and, but for stems, the song.
	sunoMark = regexp.MustCompile(`(?i)^made with suno( studio)?; created=\d{4}-\d\d-\d\dT[\d:.]+Z(?:; id=` + uuidText + `)?$`)
	// sunoSong is the address of a song, which MP3 downloads name as the page of their source.
	sunoSong = regexp.MustCompile(`^https://suno\.com/song/` + uuidText + `$`)
	// toolVersion is what may follow a tool's name.
	toolVersion = regexp.MustCompile(` v?\d[\d.]*$`)
)

// clipGenerators are products that do nothing but generate.
var clipGenerators = []string{
	"ElevenLabs", "Google Veo", "Hailuo AI", "Kling AI", "OpenAI Sora", "Stable Audio", "Stable Video Diffusion", "Suno",
	"Suno AI", "Udio", "WanGP",
}

const uuidText = `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`

// suno adds Suno's mark. The Studio is where generated stems and recordings are put together.
func (f *finder) suno(where, value string) {
	if m := sunoMark.FindStringSubmatch(value); m != nil {
		found := finding{generator: "Suno", ai: Full}
		if m[1] != "" {
			found.ai = Partly
		}
		f.add(Tool, where, found, value)
	}
}

func (f *finder) sunoPage(where, value string) {
	if sunoSong.MatchString(value) {
		f.add(Tool, where, finding{generator: "Suno", ai: Full}, value)
	}
}

// clipTool adds a generator that stands in the field for the tool that made the file, with or without its version and no
// other word. Names of encoders and of platforms, such as Google's, say nothing of what they encoded.
func (f *finder) clipTool(where, value string) {
	name := toolVersion.ReplaceAllString(value, "")
	for _, generator := range clipGenerators {
		if strings.EqualFold(name, generator) {
			f.add(Tool, where, finding{generator: generator, ai: Full}, value)
		}
	}
}
