package mail_test

import (
	"context"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/mail"
	"veracity/platform/mail/mailtest"
)

const (
	user     = "post"
	password = `p@ss/wörd"%\`
	// escaped is password in a URL.
	escaped = "p%40ss%2Fw%C3%B6rd%22%25%5C"
)

func message() mail.Message {
	return mail.Message{
		ID: "letter-7-1", To: "ada@example.com", ReplyTo: "help@example.com", Subject: "Grüße: a link",
		Text: "Open https://example.com/verify?token=a=b\n.\nüber.\n", HTML: `<p><a href="https://example.com/verify?token=a=b">Open</a></p>`,
	}
}

// opened is a sender with test settings by URL.
func opened(t *testing.T, url string) mail.Sender {
	t.Helper()
	sender, err := mail.Open(config(url))
	require.NoError(t, err)
	return sender
}

func config(url string) mail.Config {
	cfg := mail.DefaultConfig()
	cfg.URL, cfg.From, cfg.RootCAs, cfg.Timeout = url, "Véracity <no-reply@veracity.example>", mailtest.Roots(), 5*time.Second
	return cfg
}

// part is one part of a delivered message, read by the standard library as a mail program would.
func part(t *testing.T, parts *multipart.Reader) (kind, body string) {
	t.Helper()
	p, err := parts.NextRawPart()
	require.NoError(t, err)
	require.Equal(t, "quoted-printable", p.Header.Get("Content-Transfer-Encoding"))
	content, err := io.ReadAll(quotedprintable.NewReader(p))
	require.NoError(t, err)
	return p.Header.Get("Content-Type"), string(content)
}

func TestServerGetsTheMessageAsItWasWritten(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		options mailtest.Options
		url     string
	}{
		"plain on this machine":    {mailtest.Options{}, "smtp://ADDRESS"},
		"signed in, this machine":  {mailtest.Options{User: user, Password: password}, "smtp://post:" + escaped + "@ADDRESS"},
		"signed in after STARTTLS": {mailtest.Options{TLS: "starttls", User: user, Password: password}, "smtp://post:" + escaped + "@ADDRESS?tls=required"},
		"signed in, implicit TLS":  {mailtest.Options{TLS: "implicit", User: user, Password: password}, "smtps://post:" + escaped + "@ADDRESS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.Start(t, row.options)
			url := strings.Replace(row.url, "ADDRESS", server.Address(), 1)
			require.NoError(t, mail.Check(t.Context(), config(url)))
			require.NoError(t, opened(t, url).Send(t.Context(), message()))
			taken := server.Taken()
			require.Len(t, taken, 1, "a check sends nothing")
			d := taken[0]
			require.Equal(t, []any{"no-reply@veracity.example", "ada@example.com", row.options.User, row.options.TLS != ""},
				[]any{d.From, d.To, d.User, d.Encrypted})

			read, err := netmail.ReadMessage(strings.NewReader(string(d.Data)))
			require.NoError(t, err)
			subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
			require.NoError(t, err)
			require.Equal(t, "Grüße: a link", subject)
			require.Equal(t, "<letter-7-1@veracity.example>", read.Header.Get("Message-Id"))
			require.Equal(t, "auto-generated", read.Header.Get("Auto-Submitted"))
			require.Contains(t, read.Header.Get("Reply-To"), "help@example.com")
			from, err := netmail.ParseAddress(read.Header.Get("From"))
			require.NoError(t, err)
			require.Equal(t, "Véracity", from.Name)

			kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
			require.NoError(t, err)
			require.Equal(t, "multipart/alternative", kind)
			parts := multipart.NewReader(read.Body, params["boundary"])
			kind, body := part(t, parts)
			require.Equal(t, "text/plain; charset=UTF-8", kind)
			require.Equal(t, message().Text, strings.ReplaceAll(body, "\r\n", "\n"))
			kind, body = part(t, parts)
			require.Equal(t, "text/html; charset=UTF-8", kind)
			require.Equal(t, message().HTML, body)
			_, err = parts.NextRawPart()
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

func TestRepeatedMessageKeepsItsId(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{})
	sender := opened(t, "smtp://"+server.Address())
	other := message()
	other.ID = ""
	for _, m := range []mail.Message{message(), message(), other, other} {
		require.NoError(t, sender.Send(t.Context(), m))
	}
	var ids []string
	for _, d := range server.Taken() {
		read, err := netmail.ReadMessage(strings.NewReader(string(d.Data)))
		require.NoError(t, err)
		ids = append(ids, read.Header.Get("Message-Id"))
	}
	require.Equal(t, ids[0], ids[1])
	require.NotEqual(t, ids[2], ids[3])
}

func TestErrorsTellWhetherAnotherTryHelps(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		verb, says string
		permanent  bool
	}{
		"unknown recipient":        {"RCPT", "550 5.1.1 <ada@example.com> is not known", true},
		"greylisted recipient":     {"RCPT", "450 4.2.0 come back later", false},
		"refused content":          {"CONTENT", "554 5.7.1 spam", true},
		"server out of space":      {"CONTENT", "452 4.3.1 no space", false},
		"sender not allowed":       {"MAIL", "553 5.7.1 not your address", false},
		"sign-in wanted":           {"RCPT", "530 5.7.0 sign in", false},
		"not ready for a message":  {"DATA", "451 4.3.0 try again", false},
		"no message for this list": {"DATA", "554 5.6.0 no", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.Start(t, mailtest.Options{Refuse: func(verb, _ string) string {
				if verb == row.verb {
					return row.says
				}
				return ""
			}})
			err := opened(t, "smtp://"+server.Address()).Send(t.Context(), message())
			require.Error(t, err)
			if row.permanent {
				require.ErrorIs(t, err, mail.ErrPermanent)
			} else {
				require.NotErrorIs(t, err, mail.ErrPermanent)
			}
			code, reason, _ := strings.Cut(row.says, " ")
			require.Contains(t, err.Error(), code+` "`+reason[:5], "the operator learns what the server said")
			require.NotContains(t, err.Error(), "ada@example.com")
			require.Empty(t, server.Taken())
		})
	}
}

func TestCredentialsReachNoError(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{User: user, Password: "other"})
	url := "smtp://" + user + ":" + escaped + "@" + server.Address()
	for _, err := range []error{mail.Check(t.Context(), config(url)), opened(t, url).Send(t.Context(), message())} {
		require.ErrorContains(t, err, `535 "5.7.8`)
		require.NotErrorIs(t, err, mail.ErrPermanent, "an operator may mend the password")
		for _, secret := range []string{"p@ss", escaped, base64.StdEncoding.EncodeToString([]byte("\x00" + user + "\x00" + password))} {
			require.NotContains(t, err.Error(), secret)
		}
	}
}

func TestServerWithoutTheTLSThatIsWantedGetsNothing(t *testing.T) {
	t.Parallel()
	plain := mailtest.Start(t, mailtest.Options{User: user, Password: password})
	for _, form := range []string{"smtp://post:" + escaped + "@ADDRESS?tls=required", "smtps://post:" + escaped + "@ADDRESS"} {
		err := opened(t, strings.Replace(form, "ADDRESS", plain.Address(), 1)).Send(t.Context(), message())
		require.Error(t, err)
		require.NotErrorIs(t, err, mail.ErrPermanent)
	}
	require.Empty(t, plain.Taken())

	strange := mailtest.Start(t, mailtest.Options{TLS: "starttls"})
	cfg := config("smtp://" + strange.Address() + "?tls=required")
	cfg.RootCAs = nil
	require.ErrorContains(t, mail.Check(t.Context(), cfg), "certificate")
	require.Empty(t, strange.Taken())
}

func TestSilentServerIsLeftInTime(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	server := mailtest.Start(t, mailtest.Options{Refuse: func(verb, _ string) string {
		if verb == "RCPT" {
			<-silent
		}
		return ""
	}})
	var once sync.Once
	wake := func() { once.Do(func() { close(silent) }) }
	t.Cleanup(wake)

	cfg := config("smtp://" + server.Address())
	cfg.Timeout = time.Second
	sender, err := mail.Open(cfg)
	require.NoError(t, err)
	require.ErrorContains(t, sender.Send(t.Context(), message()), "timeout")

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.ErrorIs(t, opened(t, "smtp://"+server.Address()).Send(ctx, message()), context.DeadlineExceeded)
	require.Less(t, time.Since(began), 3*time.Second, "the context ends a conversation that has begun")
}

func TestMessageWhoseReceiptIsLostMayBeSentAgain(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{DropAfterContent: true})
	err := opened(t, "smtp://"+server.Address()).Send(t.Context(), message())
	require.Error(t, err)
	require.NotErrorIs(t, err, mail.ErrPermanent)
	require.Len(t, server.Taken(), 1)
}

func TestNobodyListensIsWorthAnotherTry(t *testing.T) {
	t.Parallel()
	err := opened(t, "smtp://127.0.0.1:1").Send(t.Context(), message())
	require.ErrorContains(t, err, "refused")
	require.NotErrorIs(t, err, mail.ErrPermanent)
}
