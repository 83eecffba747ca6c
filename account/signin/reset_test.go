package signin_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/signin"
	"veracity/platform/fault"
)

func TestResetTellsNothingAboutTheAddress(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.join(t, "ada@example.com")
	require.NoError(t, r.AskReset(t.Context(), "ADA@example.com", home))
	require.NoError(t, r.AskReset(t.Context(), "nobody@example.com", home))
	require.Len(t, r.queue.named(account.LetterReset), 2, "the queue's work is the same")
	refusedWith(t, fault.InvalidEmail, r.AskReset(t.Context(), "nobody", home))

	_, send, err := r.MintReset(t.Context(), "nobody@example.com")
	require.NoError(t, err)
	require.False(t, send)
	letter, send, err := r.MintReset(t.Context(), "ADA@example.com")
	require.NoError(t, err)
	require.True(t, send)
	require.Equal(t, "ada@example.com", letter.Email)
}

func TestResetEndsSignInsAndSignsNobodyIn(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	open := r.open(t, user).SignIn
	secret := r.enrolTOTP(t, user)
	earlier, token := r.resetToken(t, "ada@example.com"), r.resetToken(t, "ada@example.com")
	email, err := r.ReadReset(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, "ada@example.com", email)

	_, _, err = r.Reset(t.Context(), token, "short", home)
	refusedWith(t, fault.WeakPassword, err, "and the link is not used up")
	got, device, err := r.Reset(t.Context(), token, other, home)
	require.NoError(t, err)
	require.Equal(t, user, got)
	require.NotEmpty(t, device)

	_, err = r.Visit(t.Context(), open, uuid.Nil)
	refusedWith(t, fault.SignInFailed, err)
	live, err := r.SignIns(t.Context(), user)
	require.NoError(t, err)
	require.Empty(t, live)
	for _, used := range []string{token, earlier} {
		_, _, err = r.Reset(t.Context(), used, password, home)
		refusedWith(t, fault.LinkExpired, err)
	}
	require.Contains(t, r.queue.told(), "password")
	require.Equal(t, 1, r.acts(t, "password.reset", user))

	started, err := r.SignIn(t.Context(), "ada@example.com", other, home)
	require.NoError(t, err)
	require.Equal(t, []signin.Factor{signin.FactorTOTP, signin.FactorRecovery}, started.Factors, "a reset does not go round the second step")
	_, err = r.EnterCode(t.Context(), user, codeAt(t, secret, 1), home)
	require.NoError(t, err)
}

func TestResetCountsOnceHoweverManyLinksAreUsedAtOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.join(t, "ada@example.com")
	tokens := []string{r.resetToken(t, "ada@example.com"), r.resetToken(t, "ada@example.com"), r.resetToken(t, "ada@example.com")}
	won := race(t, 9, func(i int) error {
		_, _, err := r.Reset(t.Context(), tokens[i%3], other, home)
		return err
	}, fault.LinkExpired)
	require.Equal(t, 1, won)
	require.Equal(t, []string{"password"}, r.queue.told())
}

func TestResetLinkHoldsHalfAnHour(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.join(t, "ada@example.com")
	token := r.resetToken(t, "ada@example.com")
	require.Equal(t, 1, r.count(t, `
		SELECT count(*) FROM mail_token WHERE kind = 'reset' AND expires_at BETWEEN now() + interval '29 minutes' AND now() + interval '30 minutes'`))
	r.exec(t, `UPDATE mail_token SET expires_at = now() WHERE kind = 'reset'`)
	_, _, err := r.Reset(t.Context(), token, other, home)
	refusedWith(t, fault.LinkExpired, err)
}

func TestResetGivesAnOperatorsUserTheFirstPassword(t *testing.T) {
	t.Parallel()
	r := setup(t)
	_, err := r.accounts.Create(t.Context(), "entered@example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	_, _, err = r.Reset(t.Context(), r.resetToken(t, "entered@example.com"), password, home)
	require.NoError(t, err)
	started, err := r.SignIn(t.Context(), "entered@example.com", password, home)
	require.NoError(t, err)
	require.Empty(t, started.Factors)
}
