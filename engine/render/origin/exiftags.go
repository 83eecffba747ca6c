package origin

import (
	"slices"
	"strings"

	"veracity/engine/provenance"
	"veracity/engine/provenance/exif"
)

// tags are texts of EXIF; those that do not pass are empty.
type tags exif.Tags

// tag names one of them.
type tag struct {
	name string
	of   func(*tags) *string
}

var (
	userComment      = tag{"UserComment", func(t *tags) *string { return &t.UserComment }}
	imageDescription = tag{"ImageDescription", func(t *tags) *string { return &t.ImageDescription }}
	maker            = tag{"Make", func(t *tags) *string { return &t.Make }}
	model            = tag{"Model", func(t *tags) *string { return &t.Model }}
	software         = tag{"Software", func(t *tags) *string { return &t.Software }}
	artist           = tag{"Artist", func(t *tags) *string { return &t.Artist }}
)

// speaking lists the tags by which generators make statements, alone and then in pairs of which neither says enough.
var speaking = [][]tag{
	{userComment},
	{imageDescription},
	{maker},
	{model},
	{software},
	{software, userComment},
	{software, maker},
	{software, artist},
	{imageDescription, artist},
}

// only is t without all other tags; false: one of them is empty.
func (t tags) only(names []tag) (tags, bool) {
	var some tags
	for _, n := range names {
		if *n.of(&t) == "" {
			return tags{}, false
		}
		*n.of(&some) = *n.of(&t)
	}
	return some, true
}

// stating keeps of the tags those that make a statement, and drops camera, owner and all words.
func (j *judge) stating(t tags) tags {
	var kept tags
	alone := map[string]int{}
	for _, names := range speaking {
		some, ok := t.only(names)
		if !ok {
			continue
		}
		n := len(j.said(cargo{tags: some}))
		if len(names) == 1 {
			alone[names[0].name] = n
		} else {
			n -= alone[names[0].name] + alone[names[1].name]
		}
		if n > 0 {
			for _, name := range names {
				*name.of(&kept) = *name.of(&t)
			}
		}
	}
	return kept
}

// names lists the tags that are set.
func (t tags) names() []string {
	var names []string
	for _, n := range []tag{userComment, imageDescription, maker, model, software, artist} {
		if *n.of(&t) != "" {
			names = append(names, "exif:"+n.name)
		}
	}
	return names
}

// mapped gives the texts of PNG that say what the tags say, adds labels and descriptions to g, and leaves in rest what
// can only be said in EXIF.
func (t tags) mapped(g gathered) (texts []text, rest tags) {
	rest = t
	for _, n := range []tag{userComment, imageDescription, maker, model} {
		one, ok := t.only([]tag{n})
		if !ok {
			continue
		}
		value := *n.of(&one)
		for _, s := range g.ask.said(cargo{tags: one}) {
			switch key, graph := graphOf(value); {
			case s.Kind == provenance.Label:
				g.add(labelKind, value)
			case s.Kind != provenance.Parameters:
				continue
			case n.name == userComment.name:
				texts = append(texts, text{key: parameters, value: value})
			case graph != "":
				texts = append(texts, text{key: key, value: graph})
			default:
				texts = append(texts, text{key: description, value: value})
			}
			*n.of(&rest) = ""
		}
	}
	if novel := rest.novelAI(t.UserComment); novel != nil {
		texts = append(texts, novel...)
		rest.Software, rest.UserComment = "", ""
	}
	return texts, rest
}

// graphOf takes a graph from behind the keyword that savers for ComfyUI put before it in EXIF.
func graphOf(value string) (key, graph string) {
	word, rest, ok := strings.Cut(value, ":")
	if word = strings.ToLower(word); ok && (word == prompt || word == workflow) {
		return word, strings.TrimSpace(rest)
	}
	return "", ""
}

// novelAI gives the texts that NovelAI puts into PNG for what its other files have in EXIF: the software's name, which
// there is the model's, and the record of the run.
func (t tags) novelAI(comment string) []text {
	if !strings.HasPrefix(t.Software, "NovelAI") {
		return nil
	}
	texts := []text{{key: softwareKey, value: t.Software}, {key: sourceKey, value: t.Software}}
	if comment != "" {
		texts = append(texts, text{key: commentKey, value: comment})
	}
	return slices.Clip(texts)
}
