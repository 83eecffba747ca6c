package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// maxReply is how much of what a server says is kept, in bytes.
const maxReply = 300

// failure makes an error that may be logged: what the server said in one line, without the credentials, which a server may
// echo, and without the recipient. The library's error is not kept, since it has both.
func (r *relay) failure(ctx context.Context, act string, err error, recipient string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", act, ctx.Err())
	}
	// What follows is the library's list of recipients and ids.
	text, _, _ := strings.Cut(strings.Join(strings.Fields(err.Error()), " "), ", affected ")
	text = r.clean(text, recipient)
	if len(text) > maxReply {
		text = strings.ToValidUTF8(text[:maxReply], "") + "…"
	}
	if permanent(err) {
		return fmt.Errorf("%s: %s: %w", act, text, ErrPermanent)
	}
	return fmt.Errorf("%s: %s", act, text)
}

func (r *relay) clean(text, recipient string) string {
	var hidden []string
	hide := func(secret, shown string) {
		if secret != "" {
			hidden = append(hidden, secret, shown)
		}
	}
	if r.loc.user != "" {
		for _, form := range []string{"\x00" + r.loc.user + "\x00" + r.loc.password, r.loc.password, r.loc.user} {
			hide(base64.StdEncoding.EncodeToString([]byte(form)), "***")
			hide(form, "***")
			// The library quotes what the server said.
			hide(strings.Trim(strconv.Quote(form), `"`), "***")
		}
	}
	hide(recipient, "recipient")
	return strings.NewReplacer(hidden...).Replace(text)
}

// permanent tells a refusal of this message from one of us. A 5xx answer to the recipient or to the content stays what it
// is (RFC 5321, section 4.2.1); one to the sign-in or the sender is about settings, which an operator mends while the
// message waits, and so is 530, which asks for a sign-in (RFC 4954, section 6).
func permanent(err error) bool {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return false
	}
	const signInWanted = 530
	code := refused.ErrorCode()
	if code < 500 || code > 599 || code == signInWanted {
		return false
	}
	switch refused.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return true
	default:
		return false
	}
}
