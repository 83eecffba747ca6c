package provenance

// Record says whether a text from another place than metadata, such as the lowest bits of pixels, is a generator's record
// of how it made a picture, and whose. What it recognises is what it would in a field of any name: text or JSON in the
// shape of a known tool, NovelAI's with the software's name in it. generator is empty when it cannot be told.
func Record(text string) (generator string, ai bool) {
	found, ok := record(text)
	if !ok {
		found, ok = novelAIRecord(text)
	}
	return found.generator, ok && (found.ai == Full || found.ai == Partly)
}

// novelAIRecord recognises the object in which NovelAI hides what its PNG texts say.
func novelAIRecord(text string) (finding, bool) {
	obj, ok := parseObject(text)
	if !ok {
		return finding{}, false
	}
	comment := obj.str("Comment")
	if comment == "" {
		comment = string(obj["Comment"])
	}
	f := finder{}
	f.novelAI("", obj.str("Software"), obj.str("Source"), comment)
	if len(f.statements) == 0 {
		return finding{}, false
	}
	return finding{generator: f.statements[0].Generator, ai: Full}, true
}
