package mail

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
)

// Received is a message of the outbox as a mail program shows it.
type Received struct {
	// Name is the file's, by which Read finds it again.
	Name string
	At   time.Time
	// From is "Name <address>", To a bare address.
	From string
	To   string
	// Subject is decoded.
	Subject   string
	MessageID string
	// Header are all headers as they stand in the file.
	Header mail.Header
	Text   string
	HTML   string
}

// parse reads a message of RFC 5322 with the parts of MIME that [compose] makes: text, or alternatives of text and HTML.
func parse(text []byte) (Received, error) {
	msg, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return Received{}, err
	}
	m := Received{
		Header: msg.Header, From: decoded(msg.Header.Get("From")),
		To: strings.Trim(msg.Header.Get("To"), "<>"), Subject: decoded(msg.Header.Get("Subject")), MessageID: strings.Trim(msg.Header.Get("Message-Id"), "<>"),
	}
	kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil {
		return Received{}, fmt.Errorf("content type: %w", err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		err := m.add(textproto.MIMEHeader(msg.Header), msg.Body)
		return m, err
	}
	parts := multipart.NewReader(msg.Body, params["boundary"])
	for {
		// Raw, since NextPart would decode by itself and hide how.
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return Received{}, err
		}
		if err := m.add(part.Header, part); err != nil {
			return Received{}, err
		}
	}
}

// add takes a part as the text or the HTML.
func (m *Received) add(header textproto.MIMEHeader, body io.Reader) error {
	switch strings.ToLower(header.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err != nil:
		return fmt.Errorf("content type: %w", err)
	case kind == "text/plain":
		m.Text = text
	case kind == "text/html":
		m.HTML = text
	}
	return nil
}

// decoded is a header's value with its encoded words (RFC 2047) read, or as it stands where they cannot be.
func decoded(value string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(value)
	if err != nil {
		return value
	}
	return text
}
