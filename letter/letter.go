// Package letter writes the service's mails and sends them. A letter is asked for as a job that carries no secret; the
// token of its link is minted here, at the moment it is sent.
package letter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"veracity/account"
	"veracity/account/signin"
	"veracity/platform/fault"
	"veracity/platform/mail"
	"veracity/quota"
	views "veracity/views/mail"
)

// People mint the tokens of links. False means that nothing is to be sent any more.
type People interface {
	MintSignUp(ctx context.Context, signUp uuid.UUID) (signin.SignUpLetter, bool, error)
	MintReset(ctx context.Context, email string) (signin.ResetLetter, bool, error)
	MintInvite(ctx context.Context, invite uuid.UUID) (signin.InviteLetter, bool, error)
	MintEmailChange(ctx context.Context, id uuid.UUID) (signin.EmailChangeLetter, bool, error)
}

// Accounts are read for the letters about one.
type Accounts interface {
	Get(ctx context.Context, id uuid.UUID) (account.Account, error)
}

// Post sends the letters. Every field but Support is needed. It is safe for concurrent use.
type Post struct {
	People   People
	Accounts Accounts
	// Balance reads an account's credits in its current period.
	Balance func(ctx context.Context, account uuid.UUID) (quota.Balance, error)
	Mail    mail.Sender
	// BaseURL is the portal's address without a slash at its end; links begin with it.
	BaseURL string
	// Support is the address that answers questions, or empty.
	Support string
	Holds   Holds
	Metrics *Metrics
	Log     *slog.Logger
}

// Holds is how long the links of letters work, as they say.
type Holds struct {
	SignUp, Reset, Invite, EmailChange time.Duration
}

// errNothing is a letter that has become pointless: the sign-up is confirmed, the invite withdrawn, the account kept.
var errNothing = errors.New("nothing to send")

// Send mints what the letter needs, writes it and hands it to the mail server. A letter that has become pointless is
// dropped. Sent again, a letter of the same id is shown once by mail programs; asked is when it was asked for. An error
// that is [mail.ErrPermanent] is not worth another try.
func (p *Post) Send(ctx context.Context, l account.Letter, id string, asked time.Time) error {
	to, written, err := p.write(ctx, l, asked)
	if errors.Is(err, errNothing) {
		p.Metrics.count(l.Name, "dropped")
		p.Log.InfoContext(ctx, "letter dropped: it has become pointless", "letter", l.Name, "id", id)
		return nil
	}
	if err == nil {
		err = p.post(ctx, to, written, id)
	}
	switch {
	case err == nil:
		p.Metrics.count(l.Name, "sent")
		return nil
	case errors.Is(err, mail.ErrPermanent):
		p.Metrics.count(l.Name, "refused")
	default:
		p.Metrics.count(l.Name, "failed")
	}
	return fmt.Errorf("send letter %s: %w", l.Name, err)
}

func (p *Post) post(ctx context.Context, to string, l views.Letter, id string) error {
	l.Home, l.Support = p.BaseURL+"/", p.Support
	html, err := views.RenderHTML(ctx, l)
	if err != nil {
		return err
	}
	return p.Mail.Send(ctx, mail.Message{
		ID: id, To: to, ReplyTo: p.Support, Subject: l.Subject, Text: views.RenderText(l), HTML: html,
	})
}

// write finds out what a letter says, and to whom.
func (p *Post) write(ctx context.Context, l account.Letter, asked time.Time) (string, views.Letter, error) {
	switch l.Name {
	case account.LetterSignUp:
		return p.signUp(ctx, l)
	case account.LetterReset:
		return p.reset(ctx, l)
	case account.LetterInvite:
		return p.invite(ctx, l)
	case account.LetterEmailChange:
		return p.emailChange(ctx, l)
	case account.LetterEmailChanged:
		return l.To, views.EmailChanged(l.Detail, asked, p.BaseURL+"/account/security"), nil
	case account.LetterSecurity:
		subject, what := change(l.Detail)
		return l.To, views.Security(subject, what, asked, p.BaseURL+"/account/security", p.BaseURL+"/forgot"), nil
	case account.LetterCredits:
		return p.credits(ctx, l)
	case account.LetterClosing:
		return p.closing(ctx, l)
	case account.LetterClosed:
		return l.To, views.Closed(l.Detail, p.BaseURL+"/"), nil
	case account.LetterPaymentFailed:
		return p.paymentFailed(ctx, l)
	case account.LetterSubscriptionCanceled:
		return p.subscriptionCanceled(ctx, l)
	case account.LetterPlanChanged:
		return p.planChanged(ctx, l)
	}
	// A worker of an older release met a newer letter; a newer worker sends it within its tries.
	return "", views.Letter{}, fmt.Errorf("there is no letter %q", l.Name)
}

// find reads the account that a letter is about; one that is gone leaves nothing to send.
func (p *Post) find(ctx context.Context, id uuid.UUID) (account.Account, error) {
	found, err := p.Accounts.Get(ctx, id)
	if fault.CodeOf(err) == fault.UnknownAccount {
		return account.Account{}, errNothing
	}
	return found, err
}
