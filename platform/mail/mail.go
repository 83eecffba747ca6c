// Package mail sends messages by SMTP, or lays them into a folder where a developer reads them. It knows how a message
// travels and nothing of what it says.
package mail

import (
	"context"
	"errors"
)

// ErrPermanent marks a failure that will be the same the next time: a recipient that the server does not know, a message
// that no server takes. Any other failure may pass (a network, a greylist, settings that an operator mends).
var ErrPermanent = errors.New("it is no use to send this message again")

// Message is one mail to one recipient.
type Message struct {
	// ID stays the same when the same message is sent again, so that mail programs show it once: it becomes the
	// Message-ID. Up to 64 letters, digits, dots, dashes and underscores; empty for one that is never repeated.
	ID string
	// To is a bare address (RFC 5322 addr-spec).
	To string
	// ReplyTo is a bare address for answers; empty leaves them to the sender's.
	ReplyTo string
	Subject string
	// Text and HTML say the same. Text is never empty; HTML may be.
	Text string
	HTML string
}

// Sender sends messages. It is safe for concurrent use.
type Sender interface {
	// Send returns once the message is in the server's hands. An error that is [ErrPermanent] is not worth another try.
	// No error tells the credentials or the recipient.
	Send(ctx context.Context, m Message) error
}

// Open makes the Sender that the settings name; nothing is connected to before the first message.
func Open(cfg Config) (Sender, error) {
	loc, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	if loc.dir != "" {
		return OpenOutbox(loc.dir, cfg.From)
	}
	return &relay{cfg: cfg, loc: loc}, nil
}

// Check tells whether mail could be sent now: the SMTP server answers, speaks TLS where that is wanted and takes the
// credentials, or the outbox can be written. No message is sent.
func Check(ctx context.Context, cfg Config) error {
	sender, err := Open(cfg)
	if err != nil {
		return err
	}
	switch s := sender.(type) {
	case *Outbox:
		return s.check()
	case *relay:
		return s.check(ctx)
	}
	return nil
}
