package letter_test

import (
	"context"
	"errors"
	"html"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
	"veracity/letter"
	"veracity/platform/fault"
	"veracity/platform/mail"
	"veracity/quota"
)

const base = "https://veracity.example"

// token has characters that a query must escape.
const token = "a+b/c=&d"

// desk is a Post that lays letters into an outbox, with people, accounts and balances of the test's own.
type desk struct {
	*letter.Post
	box      *mail.Outbox
	registry *prometheus.Registry

	gone    bool
	known   bool
	err     error
	account account.Account
	balance quota.Balance
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	box, err := mail.OpenOutbox(t.TempDir(), "Veracity <no-reply@veracity.example>")
	require.NoError(t, err)
	resets, closes := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	d := &desk{
		box: box, registry: prometheus.NewRegistry(),
		account: account.Account{ID: uuid.New(), Name: "Acme", Plan: "pro", ClosesAt: &closes},
		balance: quota.Balance{Granted: 10000, Spent: 8000, Held: 50, Available: 1950, ResetsAt: &resets},
	}
	d.Post = &letter.Post{
		People: d, Accounts: d, Mail: box, BaseURL: base, Support: "help@veracity.example",
		Balance: func(context.Context, uuid.UUID) (quota.Balance, error) { return d.balance, d.err },
		Holds:   letter.Holds{SignUp: 24 * time.Hour, Reset: 30 * time.Minute, Invite: 7 * 24 * time.Hour, EmailChange: 24 * time.Hour},
		Metrics: letter.NewMetrics(d.registry), Log: slog.New(slog.DiscardHandler),
	}
	return d
}

func (d *desk) MintSignUp(context.Context, uuid.UUID) (signin.SignUpLetter, bool, error) {
	return signin.SignUpLetter{Email: "ada@example.com", Name: "Visit http://evil.example", Token: token, Known: d.known}, !d.gone, d.err
}

func (d *desk) MintReset(_ context.Context, email string) (signin.ResetLetter, bool, error) {
	return signin.ResetLetter{Email: email, Token: token}, !d.gone, d.err
}

func (d *desk) MintInvite(context.Context, uuid.UUID) (signin.InviteLetter, bool, error) {
	return signin.InviteLetter{Email: "ada@example.com", AccountName: "Acme", InvitedBy: "Bob", Role: access.Billing, Token: token}, !d.gone, d.err
}

func (d *desk) MintEmailChange(context.Context, uuid.UUID) (signin.EmailChangeLetter, bool, error) {
	return signin.EmailChangeLetter{Email: "ada@example.com", Token: token}, !d.gone, d.err
}

func (d *desk) Get(context.Context, uuid.UUID) (account.Account, error) {
	if d.gone {
		return account.Account{}, fault.New(fault.UnknownAccount, "gone")
	}
	return d.account, d.err
}

var asked = time.Date(2026, 3, 1, 14, 5, 0, 0, time.UTC)

// send demands that a letter is sent and reads it.
func (d *desk) send(t *testing.T, l account.Letter) mail.Received {
	t.Helper()
	require.NoError(t, d.Send(t.Context(), l, "letter-1-2", asked))
	list, err := d.box.List(2)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// counted is what the metric has: "letter outcome" for each try.
func (d *desk) counted(t *testing.T) []string {
	t.Helper()
	families, err := d.registry.Gather()
	require.NoError(t, err)
	var tries []string
	for _, family := range families {
		require.Equal(t, "veracity_letters_total", family.GetName())
		for _, metric := range family.GetMetric() {
			try := metric.GetLabel()[0].GetValue() + " " + metric.GetLabel()[1].GetValue()
			tries = append(tries, slices.Repeat([]string{try}, int(metric.GetCounter().GetValue()))...)
		}
	}
	return tries
}

func TestEveryLetterSaysTheSameInBothParts(t *testing.T) {
	t.Parallel()
	link := func(page string) string { return base + page + "?token=" + url.QueryEscape(token) }
	for name, row := range map[string]struct {
		letter account.Letter
		change func(*desk)
		links  []string
		says   []string
	}{
		"sign-up": {
			account.Letter{Name: account.LetterSignUp, To: "ada@example.com"},
			nil,
			[]string{link("/verify")},
			[]string{"for 24 hours", "no account is made"},
		},
		"sign-up of a known address": {
			account.Letter{Name: account.LetterSignUp, To: "ada@example.com"},
			func(d *desk) { d.known = true },
			[]string{base + "/login", base + "/forgot"},
			[]string{"has an account already", "nothing was changed"},
		},
		"reset": {
			account.Letter{Name: account.LetterReset, To: "ada@example.com"},
			nil,
			[]string{link("/reset")},
			[]string{"for 30 minutes", "your password stays as it is"},
		},
		"invite": {
			account.Letter{Name: account.LetterInvite, To: "ada@example.com"},
			nil,
			[]string{link("/invite")},
			[]string{"Bob invites you", "“Acme” as a billing member", "for 7 days"},
		},
		"e-mail change": {
			account.Letter{Name: account.LetterEmailChange, To: "ada@example.com"},
			nil,
			[]string{link("/email")},
			[]string{"for 24 hours", "nothing changes"},
		},
		"e-mail changed": {
			account.Letter{Name: account.LetterEmailChanged, To: "ada@example.com", Detail: "new@example.com"},
			nil,
			[]string{base + "/account/security"},
			[]string{"to new@example.com on 1 March 2026 at 14:05 UTC", "tell us at once"},
		},
		"security": {
			account.Letter{Name: account.LetterSecurity, To: "ada@example.com", Detail: "password"},
			nil,
			[]string{base + "/account/security", base + "/forgot"},
			[]string{"password of your Veracity account was changed", "1 March 2026 at 14:05 UTC"},
		},
		"credits": {
			account.Letter{Name: account.LetterCredits, To: "ada@example.com", Detail: "80"},
			nil,
			[]string{base + "/account/usage"},
			[]string{"80% of your", "plan pro", "8,050 of the 10,000", "1 April 2026 at 00:00 UTC", "once a period"},
		},
		"all credits": {
			account.Letter{Name: account.LetterCredits, To: "ada@example.com", Detail: "100"},
			func(d *desk) { d.balance.Available = 0 },
			[]string{base + "/account/usage"},
			[]string{"credits are used up", "10,000 of the 10,000", "larger plan"},
		},
		"closing": {
			account.Letter{Name: account.LetterClosing, To: "ada@example.com", Detail: "Acme"},
			nil,
			[]string{base + "/account/settings"},
			[]string{"“Acme” was closed", "15 March 2026 at 12:00 UTC", "choose to keep it"},
		},
		"closed": {
			account.Letter{Name: account.LetterClosed, To: "ada@example.com", Detail: "Acme"},
			func(d *desk) { d.gone = true },
			[]string{base + "/"},
			[]string{"“Acme” has been deleted", "cannot be undone"},
		},
		"failed payment": {
			account.Letter{Name: account.LetterPaymentFailed, To: "ada@example.com"},
			func(d *desk) { d.account.State = account.PaymentFailed },
			[]string{base + "/account/plan"},
			[]string{"“Acme” could not be renewed", "the plan pro failed", "calls answer payment_failed"},
		},
		"cancelled plan": {
			account.Letter{Name: account.LetterSubscriptionCanceled, To: "ada@example.com", Detail: "2026-04-01T00:00:00Z"},
			nil,
			[]string{base + "/account/plan"},
			[]string{"“Acme” is cancelled", "works until 1 April 2026 at 00:00 UTC", "the plan can be kept"},
		},
		"ended plan": {
			account.Letter{Name: account.LetterSubscriptionCanceled, To: "ada@example.com"},
			nil,
			[]string{base + "/account/plan"},
			[]string{"“Acme” has ended", "plan_required from now on"},
		},
		"changed plan": {
			account.Letter{Name: account.LetterPlanChanged, To: "ada@example.com", Detail: "starter"},
			func(d *desk) { d.account.Limits.Credits = 10_000 },
			[]string{base + "/account/plan"},
			[]string{"from the plan starter to pro", "10,000 credits a month"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if row.change != nil {
				row.change(d)
			}
			m := d.send(t, row.letter)
			require.Equal(t, []string{"ada@example.com", "letter-1-2@veracity.example"}, []string{m.To, m.MessageID})
			require.NotEmpty(t, m.Subject)
			text, page := strings.Join(strings.Fields(m.Text), " "), html.UnescapeString(m.HTML)
			for _, link := range row.links {
				require.Contains(t, m.Text, "\n"+link+"\n")
				require.Contains(t, page, `href="`+link+`"`)
			}
			for _, said := range append(row.says, "You get this", "help@veracity.example", base+"/") {
				require.Contains(t, text, said)
				require.Contains(t, page, said)
			}
			require.NotContains(t, text+page, "evil.example", "a stranger's words do not go to a new address")
			require.Equal(t, []string{string(row.letter.Name) + " sent"}, d.counted(t))
		})
	}
}

func TestPointlessLetterIsDropped(t *testing.T) {
	t.Parallel()
	gone := func(d *desk) { d.gone = true }
	for name, row := range map[string]struct {
		letter account.Letter
		change func(*desk)
	}{
		"sign-up that is done":         {account.Letter{Name: account.LetterSignUp}, gone},
		"reset of an unknown address":  {account.Letter{Name: account.LetterReset, To: "ada@example.com"}, gone},
		"withdrawn invite":             {account.Letter{Name: account.LetterInvite}, gone},
		"e-mail change that is done":   {account.Letter{Name: account.LetterEmailChange}, gone},
		"credits of a deleted account": {account.Letter{Name: account.LetterCredits, Detail: "80"}, gone},
		"credits of a new period":      {account.Letter{Name: account.LetterCredits, Detail: "80"}, func(d *desk) { d.balance.Available = 9000 }},
		"credits without a period":     {account.Letter{Name: account.LetterCredits, Detail: "80"}, func(d *desk) { d.balance = quota.Balance{} }},
		"account that was kept":        {account.Letter{Name: account.LetterClosing}, func(d *desk) { d.account.ClosesAt = nil }},
		"account that is gone":         {account.Letter{Name: account.LetterClosing}, gone},
		"payment that was mended":      {account.Letter{Name: account.LetterPaymentFailed}, func(d *desk) { d.account.State = account.Active }},
		"payment of a deleted account": {account.Letter{Name: account.LetterPaymentFailed}, gone},
		"end of a deleted account":     {account.Letter{Name: account.LetterSubscriptionCanceled}, gone},
		"plan that was changed back":   {account.Letter{Name: account.LetterPlanChanged, Detail: "pro"}, func(d *desk) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			row.change(d)
			require.NoError(t, d.Send(t.Context(), row.letter, "letter-1-2", asked))
			list, err := d.box.List(1)
			require.NoError(t, err)
			require.Empty(t, list)
			require.Equal(t, []string{string(row.letter.Name) + " dropped"}, d.counted(t))
		})
	}
}

func TestFailureTellsWhetherAnotherTryHelps(t *testing.T) {
	t.Parallel()
	broken := errors.New("database is away")
	d := newDesk(t)
	d.err = broken
	for _, name := range []account.LetterName{
		account.LetterSignUp, account.LetterReset, account.LetterInvite, account.LetterEmailChange, account.LetterClosing,
		account.LetterPaymentFailed, account.LetterSubscriptionCanceled, account.LetterPlanChanged,
	} {
		err := d.Send(t.Context(), account.Letter{Name: name, To: "ada@example.com"}, "letter-1-2", asked)
		require.ErrorIs(t, err, broken, name)
		require.NotErrorIs(t, err, mail.ErrPermanent, name)
	}

	d = newDesk(t)
	require.ErrorIs(t, d.Send(t.Context(), account.Letter{Name: account.LetterReset, To: "nobody"}, "letter-1-2", asked), mail.ErrPermanent)
	require.Equal(t, []string{"reset refused"}, d.counted(t))
	d = newDesk(t)
	require.ErrorIs(t, d.Send(t.Context(), account.Letter{Name: account.LetterCredits, Detail: "most"}, "letter-1-2", asked), mail.ErrPermanent)
	d = newDesk(t)
	require.ErrorIs(t, d.Send(t.Context(), account.Letter{Name: account.LetterSubscriptionCanceled, Detail: "soon"}, "letter-1-2", asked), mail.ErrPermanent)

	d = newDesk(t)
	err := d.Send(t.Context(), account.Letter{Name: "newer", To: "ada@example.com"}, "letter-1-2", asked)
	require.ErrorContains(t, err, `no letter "newer"`)
	require.NotErrorIs(t, err, mail.ErrPermanent, "a worker of a newer release may know it")
	require.Equal(t, []string{"newer failed"}, d.counted(t))
}
