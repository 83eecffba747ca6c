package reference

import (
	"slices"
	"strings"

	"veracity/views"
)

// maxDepth bounds how far fields within fields are listed.
const maxDepth = 4

// member is one field of an object, or of several objects of which a body is one.
type member struct {
	name string
	// demanded counts the objects that demand it, of those that may have it.
	demanded, of int
	about        []string
	schemas      []*node
}

// fields lists the members of an object, those within them by dotted names.
func (d document) fields(schema *node) []views.CallField { return d.told(d.members(schema, "", 0)) }

func (d document) told(members []member) []views.CallField {
	list := make([]views.CallField, len(members))
	for i, m := range members {
		list[i] = views.CallField{Name: m.name, Required: m.demanded == m.of, Type: d.typeOf(m.schemas...), About: strings.Join(m.about, " ")}
	}
	return list
}

// choices are the alternatives of a schema, or itself.
func (d document) choices(schema *node) []*node {
	var list []*node
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, one := range schema.at(key).list() {
			list = append(list, d.resolve(one))
		}
	}
	if list == nil {
		return []*node{schema}
	}
	return list
}

// members are the fields of the schema's alternatives, each once, and after each the fields within it. A field counts as
// demanded when every alternative demands it; one within another, when all do that have the outer one.
func (d document) members(schema *node, prefix string, depth int) []member {
	choices := d.choices(schema)
	var all []member
	for _, choice := range choices {
		choice.at("properties").each(func(name string, property *node) {
			property = d.resolve(property)
			m := member{name: prefix + name, schemas: []*node{property}}
			if about := property.at("description").text(); about != "" {
				m.about = []string{about}
			}
			if choice.at("required").holds(name) {
				m.demanded = 1
			}
			all = merge(all, m)
			if items := d.resolve(property.at("items")); items != nil {
				property, name = items, name+"[]"
			}
			if depth == maxDepth {
				return
			}
			for _, inner := range d.members(property, prefix+name+".", depth+1) {
				inner.demanded, inner.of = inner.demanded/inner.of, 1
				all = merge(all, inner)
			}
		})
	}
	for i := range all {
		if all[i].of == 0 {
			all[i].of = len(choices)
		}
	}
	return all
}

// merge adds a member, or what is new in it to the one of its name.
func merge(all []member, m member) []member {
	i := slices.IndexFunc(all, func(known member) bool { return known.name == m.name })
	if i < 0 {
		return append(all, m)
	}
	known := &all[i]
	known.demanded, known.of = known.demanded+m.demanded, known.of+m.of
	for _, about := range m.about {
		if !slices.Contains(known.about, about) {
			known.about = append(known.about, about)
		}
	}
	for _, s := range m.schemas {
		if !slices.Contains(known.schemas, s) {
			known.schemas = append(known.schemas, s)
		}
	}
	return all
}
