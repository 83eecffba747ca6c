package signin_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/platform/fault"
)

// askChange asks for a change of address, and reads the mailed token.
func (r *rig) askChange(t *testing.T, user uuid.UUID, to string) string {
	t.Helper()
	require.NoError(t, r.AskEmailChange(t.Context(), user, to, password, home))
	asked := r.queue.named(account.LetterEmailChange)
	letter, send, err := r.MintEmailChange(t.Context(), asked[len(asked)-1].Subject)
	require.NoError(t, err)
	require.True(t, send)
	require.Equal(t, to, letter.Email)
	return letter.Token
}

func TestNewAddressIsProvedAndTheOldOneTold(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	refusedWith(t, fault.WrongPassword, r.AskEmailChange(t.Context(), user, "new@example.com", other, home))
	refusedWith(t, fault.InvalidEmail, r.AskEmailChange(t.Context(), user, "new", password, home))
	refusedWith(t, fault.InvalidEmail, r.AskEmailChange(t.Context(), user, "ada@example.com", password, home))
	reset := r.resetToken(t, "ada@example.com")
	token := r.askChange(t, user, "new@example.com")
	to, err := r.ReadEmailChange(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, "new@example.com", to)
	_, err = r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err, "nothing changes before the link")

	won := race(t, 6, func(int) error { return r.ChangeEmail(t.Context(), token, home) }, fault.LinkExpired)
	require.Equal(t, 1, won)
	_, err = r.SignIn(t.Context(), "ada@example.com", password, home)
	refusedWith(t, fault.SignInFailed, err)
	started, err := r.SignIn(t.Context(), "NEW@example.com", password, home)
	require.NoError(t, err)
	require.Equal(t, user, started.User)
	told := r.queue.named(account.LetterEmailChanged)
	require.Equal(t, []account.Letter{{Name: account.LetterEmailChanged, To: "ada@example.com", Subject: user, Detail: "new@example.com"}}, told)
	require.Equal(t, 1, r.acts(t, "email.changed", user))
	_, err = r.ReadReset(t.Context(), reset)
	refusedWith(t, fault.LinkExpired, err, "it lies in the old mailbox")
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM account WHERE email = 'new@example.com'`), "the own account moves along")
}

func TestAddressOfAnotherGetsNoMailAndIsNotTaken(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	r.join(t, "bob@example.com")
	require.NoError(t, r.AskEmailChange(t.Context(), user, "Bob@example.com", password, home), "the answer does not tell")
	_, send, err := r.MintEmailChange(t.Context(), r.queue.named(account.LetterEmailChange)[0].Subject)
	require.NoError(t, err)
	require.False(t, send)

	token := r.askChange(t, user, "free@example.com")
	r.join(t, "free@example.com")
	refusedWith(t, fault.EmailTaken, r.ChangeEmail(t.Context(), token, home), "somebody was faster")
	_, err = r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
}

func TestLetterCaseOfTheOwnAddressMayChange(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	require.NoError(t, r.ChangeEmail(t.Context(), r.askChange(t, user, "Ada@example.com"), home))
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM app_user WHERE email = 'Ada@example.com'`))
}
