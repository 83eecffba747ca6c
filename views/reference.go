package views

import "strings"

// Reference is the page of all calls of the API.
type Reference struct {
	Docs
	// Version is the document's, Intro its opening words.
	Version, Intro string
	Groups         []CallGroup
	Webhooks       []Call
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
	// Fields are the body's, Bodies examples of it.
	Fields  []CallField
	Bodies  []Example
	Answers []Answer
	// Samples are the call in several languages.
	Samples []Example
}

// CallField is one parameter or field.
type CallField struct {
	// Place is path, query or header; empty for fields.
	Name, Place, Type, About string
	Required                 bool
}

// Answer is one status that a call answers with.
type Answer struct {
	Status, About string
	// Types are the media types of its body, Codes the error codes that it may have.
	Types, Codes, Headers []string
	Fields                []CallField
	Examples              []Example
}

// Example is a text with its name.
type Example struct {
	Title, Text string
	// Line is the text on one line, where it has such a form.
	Line string
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

// proseLine is a description on one line.
func proseLine(text string) []span {
	var line []span
	for _, p := range prose(text) {
		line = append(line, p...)
	}
	return line
}
