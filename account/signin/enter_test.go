package signin_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/signin"
	"veracity/platform/fault"
)

func TestSignInTellsNothingAboutTheAddress(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	_, err := r.accounts.Create(t.Context(), "entered@example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	said := map[string]bool{}
	for _, c := range []struct{ email, password string }{
		{"ada@example.com", other},
		{"nobody@example.com", password},
		{"entered@example.com", ""},
		{"entered@example.com", password},
		{"no address\x00", password},
		{"ada@example.com", strings.Repeat("x", 1<<20)},
	} {
		_, err := r.SignIn(t.Context(), c.email, c.password, home)
		refusedWith(t, fault.SignInFailed, err, c.email)
		said[fault.From(err).Message] = true
	}
	require.Len(t, said, 1)
	require.Equal(t, 2, r.acts(t, "sign_in.failed", user))
	require.Equal(t, 6, r.count(t, `SELECT count(*) FROM audit_log WHERE act = 'sign_in.failed'`), "the same work for all")

	for _, email := range []string{"ada@example.com", "nobody@example.com"} {
		tries := 0
		for {
			_, err := r.SignIn(t.Context(), strings.ToUpper(email), other, from("198.51.100."+strconv.Itoa(len(email))))
			if fault.CodeOf(err) == fault.TooManyTries {
				require.Positive(t, fault.From(err).RetryAfter)
				break
			}
			tries++
		}
		require.Equal(t, 10, tries, email)
	}
}

func TestPasswordIsTheSameFromEveryKeyboard(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id, err := r.SignUp(t.Context(), signin.NewPerson{Email: "zoe@example.com", Password: "cr\u00e8me de la zo\u00eb"}, home)
	require.NoError(t, err)
	letter, _, err := r.MintSignUp(t.Context(), id)
	require.NoError(t, err)
	_, err = r.Verify(t.Context(), letter.Token, signin.Proof{SignUp: id}, home)
	require.NoError(t, err)
	_, err = r.SignIn(t.Context(), "zoe@example.com", "cre\u0300me de la zoe\u0308", home)
	require.NoError(t, err)
}

func TestStrangersLockOutOnlyStrangers(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *signin.Config) { c.Throttles.Strangers.Count = 12 })
	user := r.join(t, "ada@example.com")
	mallory := r.join(t, "mallory@example.com")
	own, foreign := r.open(t, user).Device, r.open(t, mallory).Device
	for i := range 12 {
		_, err := r.SignIn(t.Context(), "ada@example.com", other, from("203.0.113."+strconv.Itoa(i)))
		refusedWith(t, fault.SignInFailed, err)
	}
	try := func(device string) error {
		_, err := r.SignIn(t.Context(), "ada@example.com", password, signin.Client{Address: "203.0.113.200", Device: device})
		return err
	}
	for name, device := range map[string]string{
		"none": "", "another person's": foreign, "altered": own[:len(own)-2] + "AA", "noise": strings.Repeat("x", 5000),
	} {
		refusedWith(t, fault.TooManyTries, try(device), name)
	}
	require.NoError(t, try(own), "the owner's browser has tries of its own")

	_, device, err := r.Reset(t.Context(), r.resetToken(t, "ada@example.com"), other, home)
	require.NoError(t, err)
	_, err = r.SignIn(t.Context(), "ada@example.com", other, signin.Client{Address: "203.0.113.201", Device: device})
	require.NoError(t, err, "and so has one that has reset the password")
	for range 10 {
		_, err = r.SignIn(t.Context(), "ada@example.com", password, signin.Client{Address: "203.0.113.202", Device: device})
		refusedWith(t, fault.SignInFailed, err)
	}
	_, err = r.SignIn(t.Context(), "ada@example.com", other, signin.Client{Address: "203.0.113.203", Device: device})
	refusedWith(t, fault.TooManyTries, err, "a stolen device value is no way to guess either")
}

func TestOneClientIsSlowedOverAllAccounts(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for i := range 20 {
		_, err := r.SignIn(t.Context(), strconv.Itoa(i)+"@example.com", password, home)
		refusedWith(t, fault.SignInFailed, err)
	}
	_, err := r.SignIn(t.Context(), "20@example.com", password, home)
	refusedWith(t, fault.TooManyTries, err)
	_, err = r.SignIn(t.Context(), "20@example.com", password, from("::ffff:192.0.2.1"))
	refusedWith(t, fault.TooManyTries, err, "the same IPv4 address in IPv6's clothes")
	_, err = r.SignIn(t.Context(), "20@example.com", password, from("192.0.2.2"))
	refusedWith(t, fault.SignInFailed, err)
}

func TestThrottleCannotBeRaced(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	race(t, 30, func(i int) error {
		return r.Confirm(t.Context(), user, other, from("198.51.100."+strconv.Itoa(i)))
	}, fault.TooManyTries, fault.WrongPassword)
	require.Equal(t, 10, r.acts(t, "password.refused", user))
}

func TestRightPasswordsUseNothingUp(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	for i := range 12 {
		_, err := r.SignIn(t.Context(), "ada@example.com", password, home)
		require.NoError(t, err)
		require.NoError(t, r.Confirm(t.Context(), user, password, from("198.51.100."+strconv.Itoa(i))))
	}
}

func TestHashesGrowAtSignIn(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	hash := func() (h string) {
		require.NoError(t, r.db.QueryRow(t.Context(), `SELECT password_hash FROM app_user WHERE id = $1`, user).Scan(&h))
		return h
	}
	before := hash()
	_, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Equal(t, before, hash(), "nothing to do")

	cfg := config()
	cfg.Hash.Iterations, cfg.Hash.Memory = 2, 128
	stronger, err := signin.New(cfg, signin.Parts{DB: r.db, Accounts: r.accounts, Seal: r.accounts.Seal, Queue: r.queue, Log: r.accounts.Log})
	require.NoError(t, err)
	_, err = stronger.SignIn(t.Context(), "ada@example.com", other, home)
	refusedWith(t, fault.SignInFailed, err)
	require.Equal(t, before, hash(), "a wrong password changes nothing")
	_, err = stronger.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Contains(t, hash(), "$argon2id$v=19$m=128,t=2,p=1$")
	_, err = stronger.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
}

func TestConfirmAsksForThePassword(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	require.NoError(t, r.Confirm(t.Context(), user, password, home))
	refusedWith(t, fault.WrongPassword, r.Confirm(t.Context(), user, other, home))
	require.Equal(t, 1, r.acts(t, "password.refused", user))
	refusedWith(t, fault.SignInFailed, r.Confirm(t.Context(), uuid.New(), password, home))

	r.exec(t, `UPDATE app_user SET password_hash = NULL`)
	err := r.Confirm(t.Context(), user, "", home)
	refusedWith(t, fault.WrongPassword, err)
	require.Contains(t, fault.From(err).Message, "reset")
}

func TestChangedPasswordEndsWhatTheOldOneOpened(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	keep, lost := r.open(t, user), r.open(t, user)
	reset := r.resetToken(t, "ada@example.com")
	require.NoError(t, r.AskEmailChange(t.Context(), user, "thief@example.com", password, home))
	change, send, err := r.MintEmailChange(t.Context(), r.queue.named(account.LetterEmailChange)[0].Subject)
	require.NoError(t, err)
	require.True(t, send)

	refusedWith(t, fault.WrongPassword, r.ChangePassword(t.Context(), user, other, other, keep.SignIn, home))
	refusedWith(t, fault.WeakPassword, r.ChangePassword(t.Context(), user, password, "ada@example.com1", keep.SignIn, home))
	require.NoError(t, r.ChangePassword(t.Context(), user, password, other, keep.SignIn, home))

	_, err = r.Visit(t.Context(), keep.SignIn, uuid.Nil)
	require.NoError(t, err)
	_, err = r.Visit(t.Context(), lost.SignIn, uuid.Nil)
	refusedWith(t, fault.SignInFailed, err)
	_, err = r.ReadReset(t.Context(), reset)
	refusedWith(t, fault.LinkExpired, err)
	refusedWith(t, fault.LinkExpired, r.ChangeEmail(t.Context(), change.Token, home), "a thief's change of address dies too")
	require.Equal(t, []string{"password"}, r.queue.told())
	require.Equal(t, 1, r.acts(t, "password.changed", user))
	_, err = r.SignIn(t.Context(), "ada@example.com", password, home)
	refusedWith(t, fault.SignInFailed, err)
	_, err = r.SignIn(t.Context(), "ada@example.com", other, home)
	require.NoError(t, err)
}

func TestPasswordChangedTwiceAtOnceCountsOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	won := race(t, 6, func(i int) error {
		return r.ChangePassword(t.Context(), user, password, other+strconv.Itoa(i), uuid.Nil, home)
	}, fault.WrongPassword)
	require.Equal(t, 1, won)
	require.Len(t, r.queue.told(), 1)
}
