package mail

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// relay sends by SMTP, over a connection for each message: mails are few, and a server may close idle ones.
type relay struct {
	cfg Config
	loc location
}

// Send implements Sender.
func (r *relay) Send(ctx context.Context, m Message) error {
	msg, err := compose(r.loc.from, m)
	if err != nil {
		return fmt.Errorf("write mail: %w: %w", err, ErrPermanent)
	}
	err = r.talk(ctx, func(client *gomail.Client, session *smtp.Client) error {
		return client.SendWithSMTPClient(session, msg)
	})
	// Once the server has said that it has the message, what fails afterwards is no failure of the message.
	if err == nil || msg.IsDelivered() {
		return nil
	}
	return r.failure(ctx, "send mail", err, m.To)
}

// check greets the server and signs in, and sends nothing.
func (r *relay) check(ctx context.Context) error {
	err := r.talk(ctx, func(_ *gomail.Client, session *smtp.Client) error { return session.Noop() })
	if err != nil {
		return r.failure(ctx, "greet mail server", err, "")
	}
	return nil
}

// talk runs act on a session that is greeted, encrypted and signed in as the settings demand. It hangs up in the end, and
// at once when ctx ends, since the library heeds ctx while it connects alone.
func (r *relay) talk(ctx context.Context, act func(*gomail.Client, *smtp.Client) error) error {
	hangUp := func() {}
	defer func() { hangUp() }()
	dial := func(dialing context.Context, network, _ string) (net.Conn, error) {
		conn, err := r.dial(dialing, network)
		if err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		hangUp = func() { stop(); _ = conn.Close() }
		return conn, nil
	}
	client, err := gomail.NewClient(r.loc.host, r.options(dial)...)
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := act(client, session); err != nil {
		return err
	}
	_ = session.Quit() // the message is with the server; how the farewell goes does not matter
	return nil
}

func (r *relay) dial(ctx context.Context, network string) (net.Conn, error) {
	address := net.JoinHostPort(r.loc.host, strconv.Itoa(r.loc.port))
	if !r.loc.implicit {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return (&tls.Dialer{Config: r.tls()}).DialContext(ctx, network, address)
}

func (r *relay) tls() *tls.Config {
	return &tls.Config{ServerName: r.loc.host, MinVersion: tls.VersionTLS12, RootCAs: r.cfg.RootCAs}
}

func (r *relay) options(dial gomail.DialContextFunc) []gomail.Option {
	policy := gomail.NoTLS
	if r.loc.startTLS {
		policy = gomail.TLSMandatory
	}
	options := []gomail.Option{
		gomail.WithPort(r.loc.port), gomail.WithTimeout(r.cfg.Timeout), gomail.WithTLSConfig(r.tls()),
		gomail.WithTLSPolicy(policy), gomail.WithDialContextFunc(dial), gomail.WithoutRset(),
	}
	if r.loc.implicit {
		options = append(options, gomail.WithSSL())
	}
	if r.loc.user == "" {
		return options
	}
	ways := []gomail.SMTPAuthType{gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5}
	if !r.loc.implicit && !r.loc.startTLS {
		// Only a server on this machine gets so far, see decideTLS.
		ways = []gomail.SMTPAuthType{gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5}
	}
	return append(options, gomail.WithUsername(r.loc.user), gomail.WithPassword(r.loc.password), gomail.WithOpportunisticSMTPAuth(ways...))
}
