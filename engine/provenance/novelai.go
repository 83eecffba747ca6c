package provenance

import "strings"

// novelAI adds NovelAI's mark: the software's name together with the model as source, or with a record of the run as
// comment. PNG texts hold all three; EXIF of its WebP files has the model as software and the record, wrapped once
// more, as UserComment.
func (f *finder) novelAI(where, software, source, comment string) {
	if !strings.HasPrefix(software, "NovelAI") {
		return
	}
	model := strings.HasPrefix(source, "NovelAI Diffusion ") || strings.HasPrefix(source, "Stable Diffusion ")
	if model || isNovelRun(comment) {
		f.add(Tool, where, finding{generator: "NovelAI", ai: Full}, software)
	}
}

func isNovelRun(comment string) bool {
	obj, ok := parseObject(comment)
	if !ok {
		return false
	}
	if inner, ok := obj.object("Comment"); ok {
		obj = inner
	}
	return obj.str("sampler") != "" && obj.number("steps") && obj.number("seed")
}
