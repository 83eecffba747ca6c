package mail

import (
	_ "embed"
	"net/url"
	"regexp"
)

// OutboxPath is where the outbox's pages lie.
const OutboxPath = "/dev/outbox"

// OutboxStyle is the style sheet of the outbox's pages, served at OutboxPath + "/outbox.css".
//
//go:embed outbox.css
var OutboxStyle string

// OutboxRow is a message in the list.
type OutboxRow struct {
	Name    string
	At      string
	To      string
	Subject string
}

// OutboxMessage is a message in full.
type OutboxMessage struct {
	OutboxRow
	From string
	// Headers are the others, as "Name: value".
	Headers []string
	Text    string
	HasHTML bool
}

func messageURL(name string) string { return OutboxPath + "/" + url.PathEscape(name) }

// run is a stretch of text, or an address when link is set.
type run struct {
	text string
	link bool
}

var address = regexp.MustCompile(`https?://[^\s<>"]+`)

// runs cuts a text at the addresses in it.
func runs(text string) []run {
	var cut []run
	from := 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		cut = append(cut, run{text: text[from:at[0]]}, run{text: text[at[0]:at[1]], link: true})
		from = at[1]
	}
	return append(cut, run{text: text[from:]})
}
