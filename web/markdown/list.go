package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// list is a list, numbered or not.
func (w writer) list(n *html.Node, depth int) string {
	var items []string
	for c := range n.ChildNodes() {
		if c.DataAtom != atom.Li {
			continue
		}
		mark := "- "
		if n.DataAtom == atom.Ol {
			mark = strconv.Itoa(len(items)+1) + ". "
		}
		items = append(items, item(mark, w.blocks(c, depth+1)))
	}
	return strings.Join(items, "\n")
}

// item is one item of a list; all its lines but the first stand in as far as its text.
func item(mark string, blocks []string) string {
	in := strings.Repeat(" ", len(mark))
	lines := strings.Split(strings.Join(blocks, "\n\n"), "\n")
	for i, line := range lines {
		switch {
		case i == 0:
			lines[i] = mark + line
		case line != "":
			lines[i] = in + line
		}
	}
	return strings.Join(lines, "\n")
}

// terms is a list of terms as a list of items, each with its term before a colon and what is said of it after.
func (w writer) terms(n *html.Node, depth int) string {
	if depth > maxDepth {
		return ""
	}
	var items, about []string
	term := ""
	flush := func() {
		if term != "" || about != nil {
			items = append(items, item("- ", joined(term, about)))
		}
		term, about = "", nil
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := range n.ChildNodes() {
			switch tag(c) {
			case "dt":
				flush()
				term = termed(strings.Join(w.blocks(c, depth+1), " "))
			case "dd":
				about = append(about, w.blocks(c, depth+1)...)
			case "div":
				walk(c)
			}
		}
	}
	walk(n)
	flush()
	return strings.Join(items, "\n")
}

// termed puts what stands beside a word of code, such as its type, in parentheses.
func termed(term string) string {
	i := strings.LastIndexAny(term, "`)")
	if !strings.HasPrefix(strings.TrimPrefix(term, "["), "`") || i < 0 || strings.TrimSpace(term[i+1:]) == "" {
		return term
	}
	return term[:i+1] + " (" + strings.TrimSpace(term[i+1:]) + ")"
}

// joined puts a term before the first block that is said of it.
func joined(term string, about []string) []string {
	if term == "" {
		return about
	}
	if len(about) == 0 {
		return []string{term}
	}
	if lists := strings.HasPrefix(about[0], "- "); lists || strings.HasPrefix(about[0], "```") {
		return append([]string{term + ":"}, about...)
	}
	return append([]string{term + ": " + about[0]}, about[1:]...)
}

// table is a table with the first row as its head.
func (w writer) table(n *html.Node, depth int) string {
	var rows [][]string
	var caption string
	wide := 0
	for c := range n.Descendants() {
		switch tag(c) {
		case "caption":
			caption = strong(squeeze(w.within(c, depth+1))) + "\n\n"
		case "tr":
			var row []string
			for cell := range c.ChildNodes() {
				if cell.DataAtom == atom.Th || cell.DataAtom == atom.Td {
					row = append(row, w.cell(cell, depth+1))
				}
			}
			rows, wide = append(rows, row), max(wide, len(row))
		}
	}
	if wide == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(caption)
	for i, row := range rows {
		row = append(row, make([]string, wide-len(row))...)
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", wide) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cell is a cell on one line. A bar within it is escaped, in code too (GitHub Flavored Markdown, section 4.10).
func (w writer) cell(n *html.Node, depth int) string {
	return strings.ReplaceAll(squeeze(strings.Join(w.blocks(n, depth), " ")), "|", `\|`)
}
