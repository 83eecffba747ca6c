package markdown

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// within is what stands in an element, as one line.
func (w writer) within(n *html.Node, depth int) string {
	if depth > maxDepth {
		return ""
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(w.inline(c, depth+1))
	}
	return b.String()
}

func (w writer) inline(n *html.Node, depth int) string {
	if n.Type == html.TextNode {
		return escape(n.Data)
	}
	if n.Type != html.ElementNode || dropped[n.DataAtom] {
		return ""
	}
	switch tag(n) {
	case "code", "kbd", "samp":
		return code(text(n))
	case "strong", "b":
		return marked("**", w.within(n, depth))
	case "em", "i":
		return marked("*", w.within(n, depth))
	case "br":
		return " "
	case "a":
		return w.link(n, depth)
	}
	return w.within(n, depth)
}

// link is a link with its whole address; the anchor of a heading is its text alone.
func (w writer) link(n *html.Node, depth int) string {
	inner := w.within(n, depth)
	var href, class string
	for _, a := range n.Attr {
		switch a.Key {
		case "href":
			href = a.Val
		case "class":
			class = a.Val
		}
	}
	to, err := w.page.Parse(href)
	if href == "" || class == "anchor" || err != nil {
		return inner
	}
	return "[" + squeeze(inner) + "](" + strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(to.String()) + ")"
}

// marked puts marks around a text, inside the spaces at its ends, as CommonMark wants them.
func marked(mark, inner string) string {
	core := strings.TrimSpace(inner)
	if core == "" {
		return inner
	}
	before, after, _ := strings.Cut(inner, core)
	return before + mark + core + mark + after
}

// code is a span of code. Backticks in it get a longer run of them around (CommonMark 0.31.2, section 6.1).
func code(inner string) string {
	inner = squeeze(inner)
	if inner == "" {
		return ""
	}
	ticks := "`"
	for strings.Contains(inner, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(inner, "`") || strings.HasSuffix(inner, "`") {
		inner = " " + inner + " "
	}
	return ticks + inner + ticks
}

// special are the characters that mean something in a line. An underscore between letters means nothing.
var (
	special    = regexp.MustCompile("[\\\\`*\\[\\]<]|&[#A-Za-z0-9]+;")
	underscore = regexp.MustCompile(`(^|[^\pL\pN_])_|_($|[^\pL\pN_])`)
	// starts are what makes another block of a line that begins with it.
	starts = regexp.MustCompile(`^(#{1,6}\s|>|[-+]\s|=+\s*$|-+\s*$|~~~|\d{1,9}[.)]\s)`)
	number = regexp.MustCompile(`^(\d+)([.)])`)
)

func escape(text string) string {
	text = special.ReplaceAllStringFunc(text, func(s string) string { return `\` + s })
	return underscore.ReplaceAllStringFunc(text, func(s string) string { return strings.Replace(s, "_", `\_`, 1) })
}

// squeeze makes one space of each run of white space, and none of those at the ends.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// paragraph is a line that starts no other kind of block.
func paragraph(line string) string {
	line = squeeze(line)
	switch {
	case !starts.MatchString(line):
		return line
	case number.MatchString(line):
		return number.ReplaceAllString(line, `$1\$2`)
	}
	return `\` + line
}
