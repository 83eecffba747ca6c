package views

import (
	"slices"
	"strings"
)

// What the reference is called, and one sentence on it.
const (
	ReferenceTitle   = "API reference"
	ReferenceSummary = "Every call, field, answer and error code, with examples in four languages."
)

// Reference is the page of all calls of the API. In its examples {{key}} stands for a key.
type Reference struct {
	Docs
	// Version is the document's, Intro its opening words.
	Version, Intro string
	Groups         []CallGroup
	Webhooks       []Call
	// Errors are the objects that errors come as, Headers those of all answers.
	Errors  []Shape
	Headers []CallField
}

// CallGroup are calls that belong together.
type CallGroup struct {
	Name, About string
	Calls       []Call
}

// Call is one call of the API, or one that the API makes.
type Call struct {
	ID, Method, Path, Title, About string
	// Open: it needs no key.
	Open       bool
	Parameters []CallField
	// Fields are the body's, Bodies examples of it. BodyAbout is what holds for all of it.
	BodyAbout string
	Fields    []CallField
	Bodies    []Example
	Answers   []Answer
	// Samples are the call in several languages, with the first of Bodies.
	Samples []Example
}

// CallLink is the way to a call.
type CallLink struct{ ID, Title string }

// CallField is one parameter, field or header.
type CallField struct {
	// Place is path, query or header; empty for fields.
	Name, Place, Type, About string
	Required                 bool
}

// Shape is an object with its fields.
type Shape struct {
	About  string
	Fields []CallField
}

// Answer is one status that a call answers with.
type Answer struct {
	Status, About string
	// Types are the media types of its body, Codes the error codes that it may have.
	Types, Codes []string
	// SameAs is the call that lists the same fields; its ID is empty when Fields has them.
	SameAs      CallLink
	FieldsAbout string
	Fields      []CallField
	Examples    []Example
}

// Example is a text with its name.
type Example struct {
	Title, Text string
	// Line is the text on one line, where it has such a form.
	Line string
}

// filled is an example with the start of the visitor's key in it.
func (r Reference) filled(text string) string { return strings.ReplaceAll(text, "{{key}}", r.key()) }

// binary are the types of an answer that is no JSON.
func (a Answer) binary() string {
	if slices.Contains(a.Types, "application/json") {
		return ""
	}
	return strings.Join(a.Types, " or ")
}

// refusals are the answers with an error, outcomes all others.
func (c Call) refusals() []Answer { return c.answers(true) }

func (c Call) outcomes() []Answer { return c.answers(false) }

func (c Call) answers(refused bool) []Answer {
	var list []Answer
	for _, a := range c.Answers {
		if (a.Status[0] == '4' || a.Status[0] == '5') == refused {
			list = append(list, a)
		}
	}
	return list
}

// span is a piece of prose: plain, code or strong.
type span struct{ kind, text string }

// prose splits a description into paragraphs of spans. The descriptions use backticks for code, two stars for what is
// strong, and blank lines between paragraphs; a single line break is a space.
func prose(text string) [][]span {
	var paragraphs [][]span
	for _, p := range strings.Split(text, "\n\n") {
		p = strings.Join(strings.Fields(p), " ")
		if p == "" {
			continue
		}
		var spans []span
		for i, part := range strings.Split(p, "`") {
			if i%2 == 1 {
				spans = append(spans, span{"code", part})
				continue
			}
			for k, piece := range strings.Split(part, "**") {
				kind := "plain"
				if k%2 == 1 {
					kind = "strong"
				}
				if piece != "" {
					spans = append(spans, span{kind, piece})
				}
			}
		}
		paragraphs = append(paragraphs, spans)
	}
	return paragraphs
}

// errorAnchor is where the errors guide explains a code; empty when it does not.
func errorAnchor(code string) string {
	for _, c := range CallErrors() {
		if c.Code == code {
			return "/docs/errors#" + c.Anchor
		}
	}
	return ""
}

// kind is the type of the field, before it the place of a parameter, after it that an answer may lack it.
func (f CallField) kind(answered bool) string {
	words := f.Type
	if f.Place != "" {
		words = f.Place + ", " + words
	}
	if answered && !f.Required {
		words += ", may be missing"
	}
	return words
}

// lowerFirst is a title within a sentence.
func lowerFirst(title string) string {
	return strings.ToLower(title[:min(1, len(title))]) + title[min(1, len(title)):]
}
