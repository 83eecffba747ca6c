// Package markdown turns pages of ours into Markdown (CommonMark with tables) for readers that are programs. It knows the
// elements that our pages use and takes nobody else's.
package markdown

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth bounds how deep elements may lie within each other.
const maxDepth = 64

// Convert writes the article of an HTML document as Markdown, or all of its main where it has none. Navigation, buttons and
// forms are left out. Links become absolute: they are relative to page.
func Convert(document string, page *url.URL) (string, error) {
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return "", fmt.Errorf("read page: %w", err)
	}
	article := find(root, atom.Article, 0)
	if article == nil {
		article = find(root, atom.Main, 0)
	}
	if article == nil {
		return "", errors.New("the page has no main part")
	}
	w := writer{page: page}
	return strings.Join(w.blocks(article, 0), "\n\n") + "\n", nil
}

func find(n *html.Node, what atom.Atom, depth int) *html.Node {
	if n.DataAtom == what {
		return n
	}
	if depth > maxDepth {
		return nil
	}
	for c := range n.ChildNodes() {
		if found := find(c, what, depth+1); found != nil {
			return found
		}
	}
	return nil
}

type writer struct{ page *url.URL }

// dropped are elements that say nothing to a program.
var dropped = map[atom.Atom]bool{
	atom.Nav: true, atom.Button: true, atom.Form: true, atom.Script: true, atom.Style: true, atom.Svg: true, atom.Template: true,
}

// flowing are the elements that stand within a line.
var flowing = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Br: true, atom.Code: true, atom.Em: true, atom.I: true, atom.Kbd: true,
	atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true,
}

// tag is the name of an element, "" for all else.
func tag(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	return n.Data
}

func inLine(n *html.Node) bool {
	return n.Type == html.TextNode || n.Type == html.ElementNode && flowing[n.DataAtom]
}

// blocks are the blocks within an element. What stands in it side by side, without an element of a block around, is one paragraph.
func (w writer) blocks(n *html.Node, depth int) []string {
	if depth > maxDepth {
		return nil
	}
	var all, line []string
	flush := func() {
		if text := paragraph(strings.Join(line, "")); text != "" {
			all = append(all, text)
		}
		line = nil
	}
	for c := range n.ChildNodes() {
		switch {
		case inLine(c):
			line = append(line, w.inline(c, depth+1))
		case c.Type == html.ElementNode && !dropped[c.DataAtom]:
			flush()
			all = append(all, w.block(c, depth+1)...)
		}
	}
	flush()
	return all
}

func (w writer) block(n *html.Node, depth int) []string {
	switch tag(n) {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		text := squeeze(w.within(n, depth))
		return []string{strings.Repeat("#", int(n.Data[1]-'0')) + " " + text}
	case "p":
		return one(paragraph(w.within(n, depth)))
	case "summary", "caption", "figcaption":
		return one(strong(paragraph(w.within(n, depth))))
	case "pre":
		return []string{fenced(text(n))}
	case "ul", "ol":
		return one(w.list(n, depth))
	case "dl":
		return one(w.terms(n, depth))
	case "table":
		return one(w.table(n, depth))
	case "hr":
		return []string{"---"}
	}
	return w.blocks(n, depth)
}

func one(block string) []string {
	if block == "" {
		return nil
	}
	return []string{block}
}

// strong marks a line that is not marked in itself.
func strong(line string) string {
	if line == "" || strings.Contains(line, "**") {
		return line
	}
	return "**" + line + "**"
}

// fenced is a block of code, byte for byte. Its fence is longer than any run of backticks in it.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(code, "\n") + "\n" + fence
}

// text is all text of an element as it stands.
func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
