package main

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/signin"
	"veracity/jobs"
	"veracity/platform/mail"
	"veracity/platform/mail/mailtest"
)

// sends makes a service send its mails to a server.
func sends(server *mailtest.Server, user, password string) func(*Settings) {
	return func(s *Settings) {
		u := url.URL{Scheme: "smtp", User: url.UserPassword(user, password), Host: server.Address(), RawQuery: "tls=required"}
		s.Mail.URL, s.Mail.From, s.Mail.RootCAs = u.String(), "Veracity <no-reply@veracity.example>", mailtest.Roots()
		s.Jobs.Queues, s.Jobs.Poll = []string{jobs.QueueLetter}, 100*time.Millisecond
	}
}

func TestLetterReachesItsReaderWithALinkThatWorks(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{TLS: "starttls", User: "post", Password: "hush+hush"})
	s := start(t, sends(server, "post", "hush+hush"))
	require.NoError(t, s.startWorker(t.Context()))
	_, err := s.Accounts.Create(t.Context(), "ada@example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	require.NoError(t, s.People.AskReset(t.Context(), "ada@example.com", signin.Client{Address: "192.0.2.1"}))
	require.NoError(t, s.People.AskReset(t.Context(), "nobody@example.com", signin.Client{Address: "192.0.2.1"}))
	require.Eventually(t, func() bool { return len(server.Taken()) == 1 }, 30*time.Second, 20*time.Millisecond)
	d := server.Taken()[0]
	require.Equal(t, []any{"ada@example.com", "post", true}, []any{d.To, d.User, d.Encrypted})

	link := regexp.MustCompile(regexp.QuoteMeta(s.url) + `/reset\?token=(\S+)`).FindStringSubmatch(textOf(t, d.Data))
	require.NotNil(t, link)
	token, err := url.QueryUnescape(link[1])
	require.NoError(t, err)
	email, err := s.People.ReadReset(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, "ada@example.com", email)
	require.Eventually(t, func() bool {
		var open int
		err := s.DB.QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = 'letter' AND state <> 'completed'`).Scan(&open)
		return err == nil && open == 0
	}, 30*time.Second, 20*time.Millisecond)
	for _, secret := range []string{"hush", token, "nobody@example.com"} {
		require.NotContains(t, s.log.String(), secret)
	}
}

// textOf is the text part of a message.
func textOf(t *testing.T, data []byte) string {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(string(data)))
	require.NoError(t, err)
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextRawPart()
	require.NoError(t, err)
	text, err := io.ReadAll(quotedprintable.NewReader(part))
	require.NoError(t, err)
	return string(text)
}

func TestServiceWithoutAMailServerLaysMailsIntoItsFolder(t *testing.T) {
	t.Parallel()
	s := start(t)
	box, ok := s.Mail.(*mail.Outbox)
	require.True(t, ok)
	require.Equal(t, filepath.Join(s.Settings.Data, "outbox"), box.Dir())
	require.Contains(t, s.log.String(), "VERACITY_MAIL_URL is not set")
}
