// Package mail holds the mails of the service, and the pages that show them to a developer. A letter is written once
// and rendered twice, as text and as HTML, so that both parts say the same and carry the same links.
package mail

import (
	"context"
	"fmt"
	"strings"
)

// Letter is a mail. All of it is plain text.
type Letter struct {
	Subject string
	// Heading says in one line what the mail is about.
	Heading string
	// Before and After are the paragraphs around the links.
	Before []string
	// Links are what the reader may do, the likeliest first: it is shown as a button.
	Links []Link
	After []string
	// Why says why the mail was sent, and what to do when it was not expected.
	Why string
	// Home is the address of the portal, Support one that answers questions; it may be empty.
	Home    string
	Support string
}

// Link is an act with its address.
type Link struct {
	Label string
	URL   string
}

// RenderHTML is the HTML part.
func RenderHTML(ctx context.Context, l Letter) (string, error) {
	var b strings.Builder
	if err := page(l).Render(ctx, &b); err != nil { //nolint:contextcheck // a component has its context from Render
		return "", fmt.Errorf("render mail: %w", err)
	}
	return b.String(), nil
}

// columns is how wide the text part is; a longer word, such as a link, has a line of its own.
const columns = 72

// RenderText is the text part.
func RenderText(l Letter) string {
	var b strings.Builder
	paragraph := func(text string) { b.WriteString(wrap(text) + "\n\n") }
	paragraph(l.Heading)
	for _, p := range l.Before {
		paragraph(p)
	}
	for _, link := range l.Links {
		b.WriteString(wrap(link.Label+":") + "\n" + link.URL + "\n\n")
	}
	for _, p := range l.After {
		paragraph(p)
	}
	b.WriteString(strings.Repeat("-", columns) + "\n\n")
	paragraph(l.Why)
	if l.Support != "" {
		paragraph(questions + l.Support)
	}
	b.WriteString(signature + "\n" + l.Home + "\n")
	return b.String()
}

const (
	questions = "Questions? Write to "
	signature = "Veracity"
)

// wrap breaks a paragraph into lines of at most columns characters.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case width == 0:
		case width+1+n > columns:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}
