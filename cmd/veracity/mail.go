package main

import (
	"context"
	"fmt"
	"net/mail"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"veracity/letter"
	mailer "veracity/platform/mail"
	"veracity/quota"
)

// outboxDir in the data folder has the mails of a server that sends none.
const outboxDir = "outbox"

func (s *Settings) registerMail(fs *pflag.FlagSet) {
	fs.StringVar(&s.Mail.URL, "mail-url", "", "smtp://USER:PASSWORD@HOST:PORT, smtps://USER:PASSWORD@HOST:PORT or outbox:DIR")
	fs.StringVar(&s.Mail.From, "mail-from", "", "sender of mails, NAME <ADDRESS>")
	fs.DurationVar(&s.Mail.Timeout, "mail-timeout", s.Mail.Timeout, "longest step of a conversation with the mail server")
	fs.IntVar(&s.Jobs.LettersAtOnce, "letters-at-once", s.Jobs.LettersAtOnce, "mails sent at once")
}

// outbox is the mail URL of the data folder's outbox.
func (s *Settings) outbox() string { return "outbox:" + filepath.Join(s.Data, outboxDir) }

// validateMail checks what is set. Nothing set lays mails into a folder, see openMail.
func (s *Settings) validateMail() error {
	if support := s.Portal.Support; support != "" {
		if parsed, err := mail.ParseAddress(support); err != nil || parsed.Address != support {
			return fmt.Errorf("VERACITY_SUPPORT_EMAIL is %q: want an e-mail address", support)
		}
	}
	if s.Mail.URL == "" {
		return nil
	}
	return s.Mail.Validate()
}

// openMail makes what sends letters. Without a mail server, mails lie in the data folder.
func (a *App) openMail(ctx context.Context) error {
	cfg := a.Settings.Mail
	if cfg.URL == "" {
		cfg.URL = a.Settings.outbox()
		a.Log.WarnContext(ctx, "mails are not sent but laid into a folder: VERACITY_MAIL_URL is not set", "outbox", cfg.URL)
	}
	sender, err := mailer.Open(cfg)
	if err != nil {
		return usageError{err}
	}
	a.Mail = sender
	links := a.Settings.SignIn
	a.Letters = &letter.Post{
		People: a.People, Accounts: a.Accounts, Mail: sender, BaseURL: a.Settings.BaseURL, Support: a.Settings.Portal.Support,
		Balance: func(ctx context.Context, account uuid.UUID) (quota.Balance, error) {
			return quota.Read(ctx, a.DB, account)
		},
		Holds: letter.Holds{
			SignUp: links.SignUpTTL, Reset: links.ResetTTL, Invite: links.InviteTTL, EmailChange: links.EmailChangeTTL,
		},
		Metrics: letter.NewMetrics(a.Metrics), Log: a.Log,
	}
	return nil
}

func (s *Settings) examineMail(ctx context.Context) finding {
	says := mailer.Redacted(s.Mail.URL) + " answers"
	if dir, ok := strings.CutPrefix(s.Mail.URL, "outbox:"); ok {
		says = "none is sent; they are laid into " + dir
	}
	return result("mail", says, mailer.Check(ctx, s.Mail), "start the mail server, or mend VERACITY_MAIL_URL and VERACITY_MAIL_FROM")
}
