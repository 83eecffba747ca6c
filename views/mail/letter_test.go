package mail

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTextStaysWithinItsColumns(t *testing.T) {
	t.Parallel()
	link := "https://veracity.example/verify?token=" + strings.Repeat("a", 60)
	l := Invite("Åbäck & Söhne", "Ada Lovelace", "a developer", link, 7*24*time.Hour)
	l.Home, l.Support = "https://veracity.example/", "help@veracity.example"
	text := RenderText(l)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != link {
			require.LessOrEqual(t, len([]rune(line)), 72, line)
		}
	}
	require.Contains(t, text, "\n"+link+"\n", "a link has a line of its own and is whole")
	require.Contains(t, text, "Write to help@veracity.example")
	require.Contains(t, text, "for 7 days")
}

func TestNamesOfStrangersCarryNoLure(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ account, inviter, heading, first string }{
		"ordinary":    {"Acme", "Ada", "You are invited to the Veracity account “Acme”", "Ada invites you to join"},
		"no names":    {"", "", "You are invited to a Veracity account", "You are invited to join"},
		"address":     {"Free money at http://evil.example", "WWW.evil.example", "You are invited to a Veracity account", "You are invited to join"},
		"line breaks": {"A\r\nBcc: eve@example.com", "A\nB", "You are invited to the Veracity account “A Bcc: eve@example.com”", "A B invites you"},
		"turned":      {"\u202eemcA\u200b", "\x1b[31mAda", "You are invited to the Veracity account “emcA”", "[31mAda invites you"},
		"endless":     {strings.Repeat("ä", 100), "", "You are invited to the Veracity account “" + strings.Repeat("ä", 59) + "…”", "You are invited"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := Invite(row.account, row.inviter, "a viewer", "https://veracity.example/invite?token=t", time.Hour)
			require.Equal(t, row.heading, l.Heading)
			require.True(t, strings.HasPrefix(l.Before[0], row.first), l.Before[0])
			require.NotContains(t, l.Subject, "\n")
			require.Less(t, len(l.Subject), 300)
		})
	}
}

func TestMarkupInANameStaysText(t *testing.T) {
	t.Parallel()
	l := Invite(`<img src=x onerror="a">`, "<b>Ada</b>", "a viewer", "https://veracity.example/invite?token=t&x=<", time.Hour)
	page, err := RenderHTML(t.Context(), l)
	require.NoError(t, err)
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, "<b>")
	require.Contains(t, html.UnescapeString(page), `“<img src=x onerror="a">”`)
}

func TestNumbersAndTimesReadWell(t *testing.T) {
	t.Parallel()
	resets := time.Date(2026, 3, 1, 9, 5, 0, 0, time.FixedZone("", 3600))
	l := Credits(80, "pro", 1234567, 10000000, resets, "https://veracity.example/account")
	require.Contains(t, l.Before[0], "has used 1,234,567 of the 10,000,000 credits")
	require.Contains(t, l.Before[1], "1 March 2026 at 08:05 UTC")
	require.Equal(t, "80% of your Veracity credits are used", l.Subject)
	for d, want := range map[time.Duration]string{
		30 * time.Minute: "for 30 minutes.", time.Hour: "for 1 hour.", 24 * time.Hour: "for 24 hours.", 36 * time.Hour: "for 36 hours.",
		7 * 24 * time.Hour: "for 7 days.", time.Minute: "for 1 minute.", 90 * time.Second: "for 1m30s.",
	} {
		require.Contains(t, Reset("https://veracity.example/", d).After[0], want)
	}
}

func TestOutboxPageShowsTheTextUnchangedWithItsLinks(t *testing.T) {
	t.Parallel()
	text := "Open <this>:\nhttps://veracity.example/verify?token=a&b=c\n\n  indented\n"
	var b strings.Builder
	require.NoError(t, OutboxMessagePage(OutboxMessage{Text: text}).Render(t.Context(), &b))
	_, pre, _ := strings.Cut(b.String(), `<pre tabindex="0">`)
	pre, _, _ = strings.Cut(pre, "</pre>")
	require.Contains(t, pre, `<a href="https://veracity.example/verify?token=a&amp;b=c">`)
	pre = strings.ReplaceAll(pre, `<a href="https://veracity.example/verify?token=a&amp;b=c">`, "")
	require.Equal(t, text, html.UnescapeString(strings.ReplaceAll(pre, "</a>", "")))
	require.NotContains(t, b.String(), "<iframe")
}
