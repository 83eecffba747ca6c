package views

import (
	"embed"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// Summary says in one sentence what the product does.
const Summary = "Checks images, videos and voice clips for AI generation over one API, and shows the evidence behind each verdict."

// Guide is one page of the docs.
type Guide struct {
	// Slug is its last part of the path.
	Slug, Title string
	// Summary is one sentence, for the index and for search engines.
	Summary string
	// Group is the heading under which the navigation lists it.
	Group string
	// Sections are its headings in order.
	Sections []Section

	page func(Docs) templ.Component
}

// Section is a heading of a guide, and the anchor by which it is reached.
type Section struct{ ID, Title string }

// Docs is what a page of the docs shows.
type Docs struct {
	Public
	// Guide is the page shown; the zero value is the index.
	Guide Guide
	// BaseURL is the address under which the visitor reaches the API, for the examples.
	BaseURL string
	// KeyStart is the start of one of the account's keys, such as svc_live_ab12; empty for a visitor without any.
	KeyStart string
	Plans    []PlanCard
	Prices   []CreditPrice
	// Sold tells that plans are bought and changed on the account's pages.
	Sold bool
	// Results, Ticket, Job and Attempt are times in words: how long results stay readable, an upload ticket works, a job
	// may take, and a receiver of a webhook may think. Retries are the waits between attempts at one.
	Results, Ticket, Job, Attempt string
	Retries                       []string
}

// Guides are all guides in reading order.
func Guides() []Guide {
	return slices.Concat(firstGuides(), mediaGuides(), reliableGuides())
}

// FindGuide finds the guide of a path's last part.
func FindGuide(slug string) (Guide, bool) {
	all := Guides()
	i := slices.IndexFunc(all, func(g Guide) bool { return g.Slug == slug })
	if i < 0 {
		return Guide{}, false
	}
	return all[i], true
}

// Href is the guide's path.
func (g Guide) Href() string { return "/docs/" + g.Slug }

// guideGroup are the guides under one heading of the navigation.
type guideGroup struct {
	name   string
	guides []Guide
}

func guideGroups() []guideGroup {
	var groups []guideGroup
	for _, g := range Guides() {
		if len(groups) == 0 || groups[len(groups)-1].name != g.Group {
			groups = append(groups, guideGroup{name: g.Group})
		}
		last := &groups[len(groups)-1]
		last.guides = append(last.guides, g)
	}
	return groups
}

// beside are the guides before and after this one; an empty Slug means there is none.
func (g Guide) beside() (before, after Guide) {
	all := Guides()
	i := slices.IndexFunc(all, func(o Guide) bool { return o.Slug == g.Slug })
	if i > 0 {
		before = all[i-1]
	}
	if i >= 0 && i < len(all)-1 {
		after = all[i+1]
	}
	return before, after
}

//go:embed snippets
var snippets embed.FS

// snippet is an example with the visitor's address and the start of his key in it.
func (d Docs) snippet(name string) string { return snippet(name, d.BaseURL, d.key()) }

func snippet(name, base, key string) string {
	b, err := snippets.ReadFile("snippets/" + name)
	if err != nil {
		return "" // a test renders every guide and looks for all snippets
	}
	return strings.TrimRight(strings.NewReplacer("{{base}}", base, "{{key}}", key).Replace(string(b)), "\n")
}

// FirstCall is a call that works as it is: it brings its picture along. Its answer is [ExampleAnswer].
func FirstCall(base, key string) string { return snippet("first.txt", base, key) }

// key stands for the visitor's key in examples.
func (d Docs) key() string {
	if d.KeyStart == "" {
		return "YOUR_KEY"
	}
	return d.KeyStart + "…"
}
