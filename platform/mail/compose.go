package mail

import (
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
)

// maxSubject is the longest subject in bytes; a line of a header holds 998 (RFC 5322, section 2.1.1).
const maxSubject = 300

// maxPart is the longest text or HTML in bytes, far over any mail of ours and far under any server's limit.
const maxPart = 512 << 10

var idForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// validate refuses what could never be sent, and above all a line break in a header, by which a value from outside would
// become a header of its own (CWE-93).
func (m Message) validate() error {
	switch {
	case m.ID != "" && !idForm.MatchString(m.ID):
		return errors.New("the id has other characters than letters, digits, dots, dashes and underscores")
	case !bare(m.To):
		return errors.New("the recipient is no e-mail address")
	case m.ReplyTo != "" && !bare(m.ReplyTo):
		return errors.New("the address for answers is no e-mail address")
	case m.Subject == "" || len(m.Subject) > maxSubject || broken(m.Subject):
		return fmt.Errorf("the subject is empty, over %d bytes, or holds a control character", maxSubject)
	case m.Text == "" || len(m.Text) > maxPart || len(m.HTML) > maxPart:
		return fmt.Errorf("the text is empty, or a part over %d bytes", maxPart)
	}
	return nil
}

// broken tells whether a header's value holds a control character, or is no UTF-8.
func broken(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f })
}

// bare tells whether s is an address and nothing else.
func bare(s string) bool {
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && parsed.Name == "" && len(s) <= 254 && !broken(s)
}

// compose makes the message as it travels.
func compose(from *mail.Address, m Message) (*gomail.Msg, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := msg.FromFormat(from.Name, from.Address); err != nil {
		return nil, errors.New("the sender is no e-mail address")
	}
	if err := msg.To(m.To); err != nil {
		return nil, errors.New("the recipient is no e-mail address")
	}
	if m.ReplyTo != "" {
		if err := msg.ReplyTo(m.ReplyTo); err != nil {
			return nil, errors.New("the address for answers is no e-mail address")
		}
	}
	id := m.ID
	if id == "" {
		id = uuid.NewString()
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	msg.SetMessageIDWithValue(id + "@" + domain)
	msg.SetDate()
	msg.Subject(m.Subject)
	// Nobody's out-of-office note should answer (RFC 3834, section 5; the second is Exchange's).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg, nil
}
