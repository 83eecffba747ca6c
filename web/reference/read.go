// Package reference turns the description of the API (api/openapi) into what the reference page shows: calls with their
// parameters, fields, answers and examples. It knows OpenAPI as far as that document uses it.
package reference

import (
	"maps"
	"slices"
	"strings"

	"veracity/views"
)

// document is the whole description, for references within it.
type document struct{ root *node }

// Read reads an OpenAPI document for the address base. key stands for the visitor's key in examples.
func Read(description []byte, base, key string) (views.Reference, error) {
	root, err := parse(description)
	if err != nil {
		return views.Reference{}, err
	}
	d := document{root}
	ref := views.Reference{
		Version: root.at("info", "version").text(), Intro: root.at("info", "description").text(),
	}
	tags := root.at("tags")
	for _, tag := range tags.items {
		group := views.CallGroup{Name: tag.at("name").text(), About: tag.at("description").text()}
		root.at("paths").each(func(path string, item *node) {
			item.each(func(method string, operation *node) {
				if operation.at("tags").holds(group.Name) {
					call := d.call(strings.ToUpper(method), path, operation)
					call.Samples = samples(call, base, key)
					group.Calls = append(group.Calls, call)
				}
			})
		})
		ref.Groups = append(ref.Groups, group)
	}
	root.at("webhooks").each(func(_ string, item *node) {
		ref.Webhooks = append(ref.Webhooks, d.call("POST", "callback_url", item.at("post")))
	})
	return ref, nil
}

// resolve follows references within the document. Its depth is bounded, since a document may refer to itself.
func (d document) resolve(n *node) *node {
	for range 8 {
		ref := n.at("$ref").text()
		if ref == "" {
			return n
		}
		n = d.root.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

func (d document) call(method, path string, o *node) views.Call {
	c := views.Call{
		ID: o.at("operationId").text(), Method: method, Path: path, Title: o.at("summary").text(), About: o.at("description").text(),
	}
	security := o.at("security")
	c.Open = security != nil && len(security.items) == 0
	if parameters := o.at("parameters"); parameters != nil {
		for _, p := range parameters.items {
			c.Parameters = append(c.Parameters, d.parameter(d.resolve(p)))
		}
	}
	body := o.at("requestBody", "content", "application/json")
	if body != nil {
		c.Fields = d.fields(d.resolve(body.at("schema")), "", 0)
		c.Bodies = d.examples(body)
	}
	o.at("responses").each(func(status string, answer *node) {
		c.Answers = append(c.Answers, d.answer(status, d.resolve(answer)))
	})
	return c
}

func (d document) parameter(p *node) views.CallField {
	schema := d.resolve(p.at("schema"))
	return views.CallField{
		Name: p.at("name").text(), Place: p.at("in").text(), Required: p.at("required").is(),
		Type: d.typeOf(schema), About: firstOf(p.at("description").text(), schema.at("description").text()),
	}
}

// answer is one status with what it carries. Errors are told by their codes alone: the errors guide explains them.
func (d document) answer(status string, a *node) views.Answer {
	out := views.Answer{Status: status, About: a.at("description").text()}
	a.at("content").each(func(kind string, content *node) {
		out.Types = append(out.Types, kind)
		if kind != "application/json" {
			return
		}
		if status >= "400" {
			content.at("examples").each(func(code string, _ *node) { out.Codes = append(out.Codes, code) })
			return
		}
		out.Fields = d.fields(d.resolve(content.at("schema")), "", 0)
		out.Examples = d.examples(content)
	})
	a.at("headers").each(func(name string, _ *node) { out.Headers = append(out.Headers, name) })
	return out
}

func (d document) examples(content *node) []views.Example {
	var list []views.Example
	content.at("examples").each(func(_ string, e *node) {
		e = d.resolve(e)
		list = append(list, views.Example{Title: e.at("summary").text(), Text: e.at("value").json(""), Line: e.at("value").line()})
	})
	return list
}

// maxDepth bounds how far fields within fields are listed.
const maxDepth = 4

// fields lists the members of an object, those within them by dotted names. Of alternatives it lists each member once, as
// required when every alternative demands it.
func (d document) fields(schema *node, prefix string, depth int) []views.CallField {
	if alternatives := schema.at("oneOf"); alternatives != nil {
		return d.alternatives(alternatives.items, prefix, depth)
	}
	var list []views.CallField
	schema.at("properties").each(func(name string, property *node) {
		property = d.resolve(property)
		list = append(list, views.CallField{
			Name: prefix + name, Required: schema.at("required").holds(name), Type: d.typeOf(property), About: property.at("description").text(),
		})
		inner := property
		if items := property.at("items"); items != nil {
			inner, name = d.resolve(items), name+"[]"
		}
		if depth < maxDepth && (inner.at("properties") != nil || inner.at("oneOf") != nil) {
			list = append(list, d.fields(inner, prefix+name+".", depth+1)...)
		}
	})
	return list
}

func (d document) alternatives(schemas []*node, prefix string, depth int) []views.CallField {
	var list []views.CallField
	demanded := map[string]int{}
	for _, s := range schemas {
		for _, f := range d.fields(d.resolve(s), prefix, depth) {
			if f.Required {
				demanded[f.Name]++
			}
			if !slices.ContainsFunc(list, func(known views.CallField) bool { return known.Name == f.Name }) {
				list = append(list, f)
			}
		}
	}
	for i := range list {
		list[i].Required = demanded[list[i].Name] == len(schemas)
	}
	return list
}

// typeOf says in words what a value is: its type, format, range and what it may be.
func (d document) typeOf(s *node) string {
	var words []string
	switch kinds := s.at("type"); {
	case kinds == nil && s.at("oneOf") != nil:
		words = append(words, "object")
	case kinds == nil:
	case kinds.items != nil:
		for _, k := range kinds.items {
			words = append(words, k.text())
		}
		words = []string{strings.Join(words, " or ")}
	default:
		words = append(words, kinds.text())
	}
	if items := s.at("items"); items != nil {
		words = []string{"array of " + d.typeOf(d.resolve(items))}
	}
	if format := s.at("format").text(); format != "" {
		words = append(words, format)
	}
	if low, high := s.at("minimum"), s.at("maximum"); low != nil && high != nil {
		words = append(words, low.word()+" to "+high.word())
	}
	if value := s.at("const"); value != nil {
		words = append(words, "always "+value.word())
	}
	if values := s.at("enum"); values != nil {
		allowed := make([]string, len(values.items))
		for i, v := range values.items {
			allowed[i] = v.word()
		}
		words = append(words, "one of "+strings.Join(allowed, ", "))
	}
	return strings.Join(words, ", ")
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// Codes are the error codes that the document's examples name, sorted.
func Codes(description []byte) ([]string, error) {
	root, err := parse(description)
	if err != nil {
		return nil, err
	}
	codes := map[string]bool{}
	root.at("components", "examples").each(func(_ string, e *node) {
		if code := e.at("value", "code").text(); code != "" {
			codes[code] = true
		}
	})
	return slices.Sorted(maps.Keys(codes)), nil
}
