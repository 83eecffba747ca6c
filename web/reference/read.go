// Package reference turns the description of the API (api/openapi) into what the reference page shows: calls with their
// parameters, fields, answers and examples. It knows OpenAPI as far as that document uses it.
package reference

import (
	"slices"
	"strings"

	"veracity/views"
)

// document is the whole description.
type document struct {
	root *node
	// homes are, by schema of an answer, the call that lists its fields: the last one that answers with it, which for
	// a job is the call that reads it. Other calls refer to that one.
	homes map[*node]views.CallLink
}

// Read reads an OpenAPI document of a service that is reached at base. In examples {{key}} stands for a key.
func Read(description []byte, base string) (views.Reference, error) {
	root, err := parse(description)
	if err != nil {
		return views.Reference{}, err
	}
	d := document{root: root, homes: map[*node]views.CallLink{}}
	d.settle()
	ref := views.Reference{
		Version: root.at("info", "version").text(), Intro: root.at("info", "description").text(),
		Errors: d.errorShapes(), Headers: d.headers(),
	}
	for _, tag := range root.at("tags").list() {
		group := views.CallGroup{Name: tag.at("name").text(), About: tag.at("description").text()}
		d.operations(func(method, path string, operation *node) {
			if operation.at("tags").holds(group.Name) {
				call := d.call(method, path, operation)
				call.Samples = samples(call, base)
				group.Calls = append(group.Calls, call)
			}
		})
		ref.Groups = append(ref.Groups, group)
	}
	root.at("webhooks").each(func(_ string, item *node) {
		ref.Webhooks = append(ref.Webhooks, d.call("POST", "callback_url", item.at("post")))
	})
	return ref, nil
}

// operations calls do for every operation in order.
func (d document) operations(do func(method, path string, operation *node)) {
	d.root.at("paths").each(func(path string, item *node) {
		item.each(func(method string, operation *node) { do(strings.ToUpper(method), path, operation) })
	})
}

// answers calls do for every answer of every operation in order.
func (d document) answers(do func(operation *node, status string, answer *node)) {
	d.operations(func(_, _ string, operation *node) {
		operation.at("responses").each(func(status string, answer *node) { do(operation, status, d.resolve(answer)) })
	})
}

// jsonSchema is the schema of a body, nil when it has none or is no JSON.
func (d document) jsonSchema(body *node) *node {
	return d.resolve(body.at("content", "application/json", "schema"))
}

func (d document) settle() {
	d.answers(func(operation *node, _ string, answer *node) {
		if schema := d.jsonSchema(answer); schema != nil {
			d.homes[schema] = views.CallLink{ID: operation.at("operationId").text(), Title: operation.at("summary").text()}
		}
	})
}

// resolve follows references within the document. Their number is bounded, since a document may refer to itself.
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
	for _, p := range o.at("parameters").list() {
		c.Parameters = append(c.Parameters, d.parameter(d.resolve(p)))
	}
	if body := o.at("requestBody"); body != nil {
		schema := d.jsonSchema(body)
		c.BodyAbout, c.Fields = schema.at("description").text(), d.fields(schema)
		c.Bodies = d.examples(body.at("content", "application/json"))
	}
	o.at("responses").each(func(status string, answer *node) {
		c.Answers = append(c.Answers, d.answer(c.ID, status, d.resolve(answer)))
	})
	return c
}

func (d document) parameter(p *node) views.CallField {
	schema := d.resolve(p.at("schema"))
	return views.CallField{
		Name: p.at("name").text(), Place: p.at("in").text(), Required: p.at("required").is(),
		Type: d.typeOf(schema), About: p.at("description").text(),
	}
}

// refuses tells the statuses of errors.
func refuses(status string) bool { return status[0] == '4' || status[0] == '5' }

// answer is one status with what it carries. Errors are told by their codes alone: their shape is the same everywhere, and
// the errors guide explains the codes.
func (d document) answer(call, status string, a *node) views.Answer {
	out := views.Answer{Status: status, About: a.at("description").text()}
	a.at("content").each(func(kind string, _ *node) { out.Types = append(out.Types, kind) })
	content := a.at("content", "application/json")
	if refuses(status) {
		content.at("examples").each(func(code string, _ *node) { out.Codes = append(out.Codes, code) })
		return out
	}
	out.Examples = d.examples(content)
	schema := d.jsonSchema(a)
	if home := d.homes[schema]; schema != nil && home.ID != call {
		out.SameAs = home
		return out
	}
	out.FieldsAbout, out.Fields = schema.at("description").text(), d.fields(schema)
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

// errorShapes are the objects that errors come as, each once.
func (d document) errorShapes() []views.Shape {
	var shapes []views.Shape
	var seen []*node
	d.answers(func(_ *node, status string, answer *node) {
		if !refuses(status) {
			return
		}
		for _, schema := range d.choices(d.jsonSchema(answer)) {
			if schema == nil || slices.Contains(seen, schema) {
				continue
			}
			seen = append(seen, schema)
			shapes = append(shapes, views.Shape{About: schema.at("description").text(), Fields: d.fields(schema)})
		}
	})
	return shapes
}

// headers are those of all answers, each once, with all that is said of it.
func (d document) headers() []views.CallField {
	var all []member
	d.answers(func(_ *node, _ string, answer *node) {
		answer.at("headers").each(func(name string, header *node) {
			header = d.resolve(header)
			all = merge(all, member{name: name, of: 1, about: []string{header.at("description").text()}, schemas: []*node{d.resolve(header.at("schema"))}})
		})
	})
	return d.told(all)
}
