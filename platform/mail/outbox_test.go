package mail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/mail"
)

func TestOutboxGivesBackWhatWasSent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "box")
	sender := opened(t, "outbox:"+dir)
	box, ok := sender.(*mail.Outbox)
	require.True(t, ok)
	require.Equal(t, dir, box.Dir())
	require.NoError(t, mail.Check(t.Context(), config("outbox:"+dir)))

	first := message()
	second := mail.Message{To: "bob@example.com", Subject: "text alone", Text: "One line.\n"}
	require.NoError(t, box.Send(t.Context(), first))
	require.NoError(t, box.Send(t.Context(), second))

	list, err := box.List(10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []string{"bob@example.com", "ada@example.com"}, []string{list[0].To, list[1].To}, "the newest first")
	require.WithinDuration(t, time.Now(), list[0].At, time.Minute)

	m, err := box.Read(list[1].Name)
	require.NoError(t, err)
	require.Equal(t, []string{first.Subject, first.Text, first.HTML, "letter-7-1@veracity.example"},
		[]string{m.Subject, m.Text, m.HTML, m.MessageID})
	require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
	require.Contains(t, m.From, "Véracity")
	alone, err := box.Read(list[0].Name)
	require.NoError(t, err)
	require.Equal(t, []string{second.Text, ""}, []string{alone.Text, alone.HTML})

	one, err := box.List(1)
	require.NoError(t, err)
	require.Len(t, one, 1)
}

func TestOutboxIsReadByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "box")
	box, err := mail.OpenOutbox(dir, "")
	require.NoError(t, err)
	require.NoError(t, box.Send(t.Context(), message()))
	folder, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), folder.Mode().Perm())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no draft is left behind")
	file, err := entries[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), file.Mode().Perm())
}

func TestOutboxReadsNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box, err := mail.OpenOutbox(filepath.Join(dir, "box"), "")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret-key"), []byte("Subject: hush\r\n\r\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(box.Dir(), "notes.eml"), []byte("Subject: hush\r\n\r\n"), 0o600))
	for _, name := range []string{"", ".", "../secret-key", "notes.eml", "/etc/passwd", "20260101T000000.000000000Z-000000000000.eml"} {
		_, err := box.Read(name)
		require.ErrorIs(t, err, mail.ErrNoMessage, name)
	}
	list, err := box.List(10)
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestOutboxKeepsTheNewestThousand(t *testing.T) {
	t.Parallel()
	box, err := mail.OpenOutbox(t.TempDir(), "")
	require.NoError(t, err)
	for i := range 1005 {
		name := fmt.Sprintf("20260101T000000.%09dZ-000000000000.eml", i)
		require.NoError(t, os.WriteFile(filepath.Join(box.Dir(), name), []byte("Content-Type: text/plain\r\n\r\nold\r\n"), 0o600))
	}
	require.NoError(t, box.Send(t.Context(), message()))
	list, err := box.List(2000)
	require.NoError(t, err)
	require.Len(t, list, 1000)
	require.Equal(t, message().Subject, list[0].Subject)
	require.Contains(t, list[999].Name, "000000006Z", "the oldest went")
}

func TestOutboxThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, mail.Check(t.Context(), config("outbox:"+filepath.Join(file, "box"))), "make the outbox")
}
