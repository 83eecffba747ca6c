package signin_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
	"veracity/platform/fault"
)

func TestAPasswordThatWasChangedSinceOpensNothing(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	opened, err := r.OpenStarted(t.Context(), user, started.Stamp, "password", home)
	require.NoError(t, err)
	_, err = r.Visit(t.Context(), opened.SignIn, uuid.Nil)
	require.NoError(t, err)

	_, _, err = r.Reset(t.Context(), r.resetToken(t, "ada@example.com"), other, home)
	require.NoError(t, err)
	for _, stamp := range []string{started.Stamp, ""} {
		_, err = r.OpenStarted(t.Context(), user, stamp, "password", home)
		refusedWith(t, fault.SignInFailed, err)
	}
	_, err = r.OpenStarted(t.Context(), uuid.New(), started.Stamp, "password", home)
	refusedWith(t, fault.SignInFailed, err, "nobody")
	again, err := r.SignIn(t.Context(), "ada@example.com", other, home)
	require.NoError(t, err)
	_, err = r.OpenStarted(t.Context(), user, again.Stamp, "password", home)
	require.NoError(t, err)
}

func TestAResetLeavesNoSignInThatTheOldPasswordOpensAtTheSameTime(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	token := r.resetToken(t, "ada@example.com")
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			if i == len(errs)/2 {
				_, _, errs[i] = r.Reset(t.Context(), token, other, home)
				return
			}
			_, errs[i] = r.OpenStarted(t.Context(), user, started.Stamp, "password", home)
		})
	}
	all.Wait()
	for i, err := range errs {
		if i == len(errs)/2 {
			require.NoError(t, err)
		} else if err != nil {
			refusedWith(t, fault.SignInFailed, err)
		}
	}
	live, err := r.SignIns(t.Context(), user)
	require.NoError(t, err)
	require.Empty(t, live)
}

func TestAHashMadeAnewOpensAsBefore(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	more := setup(t, func(c *signin.Config) { c.Hash.Iterations = 2 })
	more.exec(t, `INSERT INTO app_user (id, email, password_hash) VALUES ($1, 'ada@example.com', $2)`, user, r.hash(t, user))
	started, err := more.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.NotEqual(t, r.hash(t, user), more.hash(t, user))
	_, err = more.OpenStarted(t.Context(), user, started.Stamp, "password", home)
	require.NoError(t, err)
}

func (r *rig) hash(t *testing.T, user uuid.UUID) (hash string) {
	t.Helper()
	require.NoError(t, r.db.QueryRow(t.Context(), `SELECT password_hash FROM app_user WHERE id = $1`, user).Scan(&hash))
	return hash
}

func TestResetsBringNoNewTriesAtTheCodes(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *signin.Config) { c.Throttles.Strangers.Count = 25 })
	user := r.join(t, "ada@example.com")
	secret := r.enrolTOTP(t, user)
	tries := 0
	for i := range 5 {
		_, device, err := r.Reset(t.Context(), r.resetToken(t, "ada@example.com"), []string{password, other}[i%2], home)
		require.NoError(t, err)
		for j := range 10 {
			_, err := r.EnterCode(t.Context(), user, "000000", signin.Client{Address: "203.0.113." + strconv.Itoa(10*i+j), Device: device})
			if fault.CodeOf(err) == fault.WrongCode {
				tries++
			}
		}
	}
	require.Equal(t, 25, tries)
	_, err := r.EnterCode(t.Context(), user, codeAt(t, secret, 1), home)
	refusedWith(t, fault.TooManyTries, err)
}

func TestALaterChangeOfAddressTakesTheEarliersPlace(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	mistyped := r.askChange(t, user, "strnager@example.com")
	meant := r.askChange(t, user, "stranger@example.com")
	refusedWith(t, fault.LinkExpired, r.ChangeEmail(t.Context(), mistyped, home))
	_, err := r.ReadEmailChange(t.Context(), mistyped)
	refusedWith(t, fault.LinkExpired, err)
	require.NoError(t, r.ChangeEmail(t.Context(), meant, home))

	// A later one that sends no mail, since the address has had too many, does the same.
	before := r.askChange(t, user, "third@example.com")
	for range 6 {
		require.NoError(t, r.AskEmailChange(t.Context(), user, "busy@example.com", password, home))
	}
	refusedWith(t, fault.LinkExpired, r.ChangeEmail(t.Context(), before, home))
}

func TestFormsThatSendNoMailSilenceNoSignUp(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for range 6 {
		require.NoError(t, r.AskReset(t.Context(), "ada@example.com", from("203.0.113.9")))
	}
	r.join(t, "ada@example.com")
	require.Len(t, r.queue.named(account.LetterSignUp), 1)
	require.Len(t, r.queue.named(account.LetterReset), 5)
}

func TestARenewedInviteEndsItsEarlierLinks(t *testing.T) {
	t.Parallel()
	r := setup(t)
	acc, id, first := r.invite(t, "ada@example.com")
	later := func() string {
		r.exec(t, `UPDATE invite SET sent_at = now() - interval '2 minutes' WHERE id = $1`, id)
		require.NoError(t, r.accounts.ResendInvite(t.Context(), access.CLI(acc.ID), id))
		letter, send, err := r.MintInvite(t.Context(), id)
		require.NoError(t, err)
		require.True(t, send)
		return letter.Token
	}
	second := later()
	_, err := r.ReadInvite(t.Context(), first)
	refusedWith(t, fault.LinkExpired, err)
	_, err = r.ReadInvite(t.Context(), second)
	require.NoError(t, err)

	r.exec(t, `UPDATE invite SET sent_at = now() - interval '2 minutes' WHERE id = $1`, id)
	same, err := r.accounts.Invite(t.Context(), access.CLI(acc.ID), "ada@example.com", access.Viewer)
	require.NoError(t, err)
	require.Equal(t, id, same)
	_, _, err = r.AcceptInvite(t.Context(), second, uuid.Nil, signin.NewPerson{Password: password}, home)
	refusedWith(t, fault.LinkExpired, err)
}

func TestALetterThatLooksLikeAnotherIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	r := setup(t)
	_, err := r.accounts.Create(t.Context(), "kim@big.example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	r.join(t, "ida@example.com")
	for _, email := range []string{
		"k\u0130m@big.example.com", "kim@b\u0130g.example.com", "\u212Aim@big.example.com", "\uFF4Bim@big.example.com",
	} {
		_, err := r.SignUp(t.Context(), signin.NewPerson{Email: email, Password: password}, home)
		refusedWith(t, fault.InvalidEmail, err, "%q", email)
	}
	_, err = r.SignIn(t.Context(), "\u0130da@example.com", password, home)
	refusedWith(t, fault.SignInFailed, err, "else each way to write an address would have tries of its own")
	_, err = r.SignUp(t.Context(), signin.NewPerson{Email: "jos\u00E9@example.com", Password: password}, home)
	require.NoError(t, err)
}
