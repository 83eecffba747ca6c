package reference

import (
	"slices"
	"strconv"
	"strings"
)

// typeOf says in words what a value is that one of the schemas describes: its type, format, range and what it may be.
func (d document) typeOf(schemas ...*node) string {
	var kinds, formats, ranges []string
	for _, s := range schemas {
		kinds = add(kinds, d.kinds(s)...)
		formats = add(formats, s.at("format").text())
		ranges = add(ranges, rangeOf(s))
	}
	words := []string{strings.Join(kinds, " or ")}
	if len(formats) == 1 {
		words = append(words, formats[0])
	}
	if len(ranges) == 1 {
		words = append(words, ranges[0])
	}
	return strings.Join(slices.DeleteFunc(append(words, valuesOf(schemas)), func(w string) bool { return w == "" }), ", ")
}

func (d document) kinds(s *node) []string {
	if items := d.resolve(s.at("items")); items != nil {
		return []string{"array of " + d.typeOf(items)}
	}
	if s.at("oneOf") != nil {
		return []string{"object"}
	}
	kind := s.at("type")
	if kind == nil {
		return []string{"anything"}
	}
	if kind.items == nil {
		return []string{kind.text()}
	}
	var all []string
	for _, k := range kind.items {
		all = append(all, k.text())
	}
	return all
}

// rangeOf are the bounds of a number, of a text's length, or of an array's.
func rangeOf(s *node) string {
	switch low, above, high := s.at("minimum"), s.at("exclusiveMinimum"), s.at("maximum"); {
	case low != nil && high != nil:
		return grouped(low) + " to " + grouped(high)
	case above != nil && high != nil:
		return "above " + grouped(above) + ", up to " + grouped(high)
	case low != nil:
		return "at least " + grouped(low)
	case above != nil:
		return "above " + grouped(above)
	}
	if longest := s.at("maxLength"); longest != nil {
		return "up to " + grouped(longest) + " characters"
	}
	if items := s.at("minItems"); items != nil && s.at("maxItems") != nil && items.word() == s.at("maxItems").word() {
		return items.word() + " of them"
	}
	return ""
}

// grouped writes a number with commas between its thousands.
func grouped(n *node) string {
	word := n.word()
	if _, err := strconv.ParseUint(word, 10, 64); err != nil {
		return word
	}
	for i := len(word) - 3; i > 0; i -= 3 {
		word = word[:i] + "," + word[i:]
	}
	return word
}

// valuesOf are the values that are allowed, where each schema names all of its own.
func valuesOf(schemas []*node) string {
	var all []string
	for _, s := range schemas {
		switch value, values := s.at("const"), s.at("enum").list(); {
		case value != nil:
			all = add(all, value.word())
		case values == nil:
			return ""
		default:
			for _, v := range values {
				all = add(all, v.word())
			}
		}
	}
	if len(all) == 1 {
		return "only " + all[0]
	}
	return "one of " + strings.Join(all, ", ")
}

// add appends the words that are new.
func add(words []string, more ...string) []string {
	for _, w := range more {
		if w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}
