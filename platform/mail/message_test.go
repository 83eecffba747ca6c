package mail_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/mail"
	"veracity/platform/mail/mailtest"
)

func TestNoFieldBecomesAHeader(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{})
	box, err := mail.OpenOutbox(t.TempDir(), "")
	require.NoError(t, err)
	for name, change := range map[string]func(*mail.Message){
		"subject with CR LF":      func(m *mail.Message) { m.Subject = "hi\r\nBcc: eve@example.com" },
		"subject with LF":         func(m *mail.Message) { m.Subject = "hi\nBcc: eve@example.com" },
		"subject with NUL":        func(m *mail.Message) { m.Subject = "hi\x00" },
		"subject that is no text": func(m *mail.Message) { m.Subject = "\xff" },
		"no subject":              func(m *mail.Message) { m.Subject = "" },
		"endless subject":         func(m *mail.Message) { m.Subject = strings.Repeat("a", 301) },
		"recipient with CR LF":    func(m *mail.Message) { m.To = "ada@example.com\r\nBcc: eve@example.com" },
		"two recipients":          func(m *mail.Message) { m.To = "ada@example.com, eve@example.com" },
		"recipient with a name":   func(m *mail.Message) { m.To = "Ada <ada@example.com>" },
		"no recipient":            func(m *mail.Message) { m.To = "" },
		"answers with CR LF":      func(m *mail.Message) { m.ReplyTo = "a@example.com\r\nBcc: eve@example.com" },
		"id with CR LF":           func(m *mail.Message) { m.ID = "a\r\nBcc: eve@example.com" },
		"id with a bracket":       func(m *mail.Message) { m.ID = "a>" },
		"no text":                 func(m *mail.Message) { m.Text = "" },
		"huge text":               func(m *mail.Message) { m.Text = strings.Repeat("a", 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message()
			change(&m)
			for _, sender := range []mail.Sender{opened(t, "smtp://"+server.Address()), box} {
				err := sender.Send(t.Context(), m)
				require.ErrorIs(t, err, mail.ErrPermanent)
				require.NotContains(t, err.Error(), "eve@")
			}
		})
	}
	t.Cleanup(func() {
		require.Empty(t, server.Taken())
		list, err := box.List(10)
		require.NoError(t, err)
		require.Empty(t, list)
	})
}

func TestSettingsThatCannotWorkAreNamedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	for url, says := range map[string]string{
		"":                                        "it is empty",
		"mail.example.com":                        "the scheme is not known",
		"http://u:hush@mail.example.com":          "the scheme is not known",
		"smtp://":                                 "the host is missing",
		"smtp://u:hush@":                          "the host is missing",
		"smtp://u:hush#@mail.example.com":         "it is no URL",
		"smtp://u:hush@mail.example.com/box":      "nothing may follow",
		"smtp://u:hush@mail.example.com:99999":    "the port",
		"smtp://u@mail.example.com":               "user and password come together",
		"smtp://u:hush@mail.example.com?tls=no":   "neither none nor required",
		"smtp://u:hush@mail.example.com?a=hush":   "the only parameter is tls",
		"smtps://u:hush@mail.example.com?tls=":    "takes no parameter",
		"smtp://u:hush@mail.example.com?tls=none": "in the clear",
		"smtp://u:hu%zzsh@mail.example.com":       "it is no URL",
		"outbox:":                                 "the folder is missing",
	} {
		err := config(url).Validate()
		require.ErrorContains(t, err, says, url)
		require.ErrorContains(t, err, "VERACITY_MAIL_URL is", url)
		require.NotContains(t, err.Error(), "hush", url)
	}
	for _, url := range []string{
		"smtp://mail.example.com", "smtp://mail.example.com:25?tls=none", "smtps://u:hush@[::1]:465/", "smtp://u:p@localhost?tls=none", "outbox:box",
	} {
		require.NoError(t, config(url).Validate(), url)
	}

	for says, change := range map[string]func(*mail.Config){
		"VERACITY_MAIL_FROM is not set": func(c *mail.Config) { c.From = "" },
		`VERACITY_MAIL_FROM is "us"`:    func(c *mail.Config) { c.From = "us" },
		"VERACITY_MAIL_FROM is":         func(c *mail.Config) { c.From = "us@example.com\r\nBcc: eve@example.com" },
		"VERACITY_MAIL_TIMEOUT is 0s":   func(c *mail.Config) { c.Timeout = 0 },
	} {
		cfg := config("smtp://mail.example.com")
		change(&cfg)
		require.ErrorContains(t, cfg.Validate(), says)
	}
}

func TestShownURLHasNoSecrets(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"smtp://post:hush@mail.example.com:2525?tls=required": "smtp://***@mail.example.com:2525",
		"smtps://mail.example.com":                            "smtps://mail.example.com",
		"outbox:/var/box":                                     "outbox:/var/box",
		"smtp://post:hu%zzsh@mail.example.com":                "smtp:…",
		"hush":                                                "…",
		"":                                                    "",
	} {
		require.Equal(t, want, mail.Redacted(raw), raw)
	}
}
