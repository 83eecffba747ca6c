package signin_test

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
	"veracity/platform/fault"
)

func TestSignUpDoesTheSameForAKnownAddress(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	known, err := r.SignUp(t.Context(), signin.NewPerson{Email: " ADA@example.com ", Password: other}, home)
	require.NoError(t, err)
	_, err = r.SignUp(t.Context(), signin.NewPerson{Email: "new@example.com", Password: other}, home)
	require.NoError(t, err)
	require.Len(t, r.queue.named(account.LetterSignUp), 3)
	require.Equal(t, 3, r.count(t, `SELECT count(*) FROM sign_up`))

	letter, send, err := r.MintSignUp(t.Context(), known)
	require.NoError(t, err)
	require.True(t, send)
	require.True(t, letter.Known)
	require.Empty(t, letter.Token, "a sign-up cannot change a known person's password")
	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Equal(t, user, started.User)
}

func TestSignUpRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for name, c := range map[string]struct {
		person signin.NewPerson
		want   fault.Code
	}{
		"no address":      {signin.NewPerson{Email: "ada", Password: password}, fault.InvalidEmail},
		"weak password":   {signin.NewPerson{Email: "ada@example.com", Password: "short"}, fault.WeakPassword},
		"control in name": {signin.NewPerson{Email: "ada@example.com", Name: "a\x00b", Password: password}, fault.InvalidName},
		"endless name":    {signin.NewPerson{Email: "ada@example.com", Name: strings.Repeat("x", 101), Password: password}, fault.InvalidName},
	} {
		_, err := r.SignUp(t.Context(), c.person, home)
		refusedWith(t, c.want, err, name)
	}
	require.Zero(t, r.count(t, `SELECT count(*) FROM sign_up`))
	require.Empty(t, r.queue.all)
}

func TestVerifyMakesUserAndAccountOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id, first := r.begin(t, "ada@example.com")
	second, _, err := r.MintSignUp(t.Context(), id)
	require.NoError(t, err, "the mail was sent twice")
	tokens := []string{first, second.Token}
	won := race(t, 8, func(i int) error {
		_, err := r.Verify(t.Context(), tokens[i%2], signin.Proof{SignUp: id}, home)
		return err
	}, fault.LinkExpired)
	require.Equal(t, 1, won)
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM app_user`))
	require.Equal(t, 1, r.count(t, `
		SELECT count(*) FROM account a JOIN membership m ON m.account_id = a.id WHERE m.role = 'owner' AND a.plan = 'free'`))
	for _, token := range tokens {
		_, err := r.ReadSignUp(t.Context(), token)
		refusedWith(t, fault.LinkExpired, err)
	}
	_, send, err := r.MintSignUp(t.Context(), id)
	require.NoError(t, err)
	require.False(t, send, "a mail that is sent again says nothing any more")
	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Equal(t, 1, r.acts(t, "user.signed_up", started.User))
}

func TestNobodyConfirmsASignUpThatAnotherBegan(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id, token := r.begin(t, "victim@example.com")
	pending, err := r.ReadSignUp(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, signin.Pending{ID: id, Email: "victim@example.com"}, pending)
	for _, proof := range []signin.Proof{{}, {SignUp: uuid.New()}, {Password: other}} {
		_, err := r.Verify(t.Context(), token, proof, home)
		refusedWith(t, fault.WrongPassword, err)
	}
	require.Zero(t, r.count(t, `SELECT count(*) FROM app_user`))
	_, err = r.Verify(t.Context(), token, signin.Proof{Password: password}, home)
	require.NoError(t, err, "on another device, the password proves it")
}

func TestVerifyTriesAreThrottled(t *testing.T) {
	t.Parallel()
	r := setup(t)
	_, token := r.begin(t, "ada@example.com")
	for i := range 10 {
		_, err := r.Verify(t.Context(), token, signin.Proof{Password: other}, from("192.0.2."+strconv.Itoa(i)))
		refusedWith(t, fault.WrongPassword, err)
	}
	_, err := r.Verify(t.Context(), token, signin.Proof{Password: password}, from("192.0.2.99"))
	refusedWith(t, fault.TooManyTries, err)
}

func TestVerifyGivesAnOperatorsUserAPasswordAndKeepsItsAccounts(t *testing.T) {
	t.Parallel()
	r := setup(t)
	acc, err := r.accounts.Create(t.Context(), "Owner@example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	user := r.join(t, "owner@example.com")
	v, err := r.Visit(t.Context(), r.open(t, user).SignIn, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, []signin.Belonging{{ID: acc.ID, Name: acc.Name, Role: access.Owner}}, v.Accounts)
	require.True(t, v.User.HasPassword)
	require.Equal(t, "Owner@example.com", v.User.Email)
}

func TestTheFirstToProveAnAddressHasIt(t *testing.T) {
	t.Parallel()
	r := setup(t)
	first, one := r.begin(t, "ada@example.com")
	second, two := r.begin(t, "Ada@Example.com")
	_, err := r.Verify(t.Context(), two, signin.Proof{SignUp: second}, home)
	require.NoError(t, err)
	_, err = r.Verify(t.Context(), one, signin.Proof{SignUp: first}, home)
	refusedWith(t, fault.LinkExpired, err)
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM app_user`))
}

func TestOnlyTheHashOfATokenIsStoredAndItExpires(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id, token := r.begin(t, "ada@example.com")
	require.Len(t, token, 43, "32 bytes in base64url")
	sum := sha256.Sum256([]byte(token))
	require.Equal(t, 1, r.count(t, `
		SELECT count(*) FROM mail_token WHERE hash = $1 AND expires_at BETWEEN now() + interval '23 hours' AND now() + interval '24 hours'`, sum[:]))
	r.exec(t, `UPDATE mail_token SET expires_at = now()`)
	_, err := r.Verify(t.Context(), token, signin.Proof{SignUp: id}, home)
	refusedWith(t, fault.LinkExpired, err)
	for _, bad := range []string{"", "x", token + "x", strings.ToLower(token)} {
		_, err := r.ReadSignUp(t.Context(), bad)
		refusedWith(t, fault.LinkExpired, err)
	}
}

func TestATokenOfOneKindOpensNothingElse(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.join(t, "ada@example.com")
	reset := r.resetToken(t, "ada@example.com")
	_, err := r.ReadSignUp(t.Context(), reset)
	refusedWith(t, fault.LinkExpired, err)
	_, err = r.ReadInvite(t.Context(), reset)
	refusedWith(t, fault.LinkExpired, err)
	refusedWith(t, fault.LinkExpired, r.ChangeEmail(t.Context(), reset, home))
}

func TestMailsToOneAddressFallSilent(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ids := map[uuid.UUID]bool{}
	for i := range 8 {
		id, err := r.SignUp(t.Context(), signin.NewPerson{Email: "ada@example.com", Password: password}, from("198.51.100."+strconv.Itoa(i)))
		require.NoError(t, err, "the answer tells nothing")
		ids[id] = true
	}
	require.Len(t, ids, 8)
	require.Len(t, r.queue.named(account.LetterSignUp), 5)
	for i := range 8 {
		require.NoError(t, r.AskReset(t.Context(), "ADA@example.com", from("198.51.100."+strconv.Itoa(i))))
	}
	require.Len(t, r.queue.named(account.LetterReset), 5, "sign-ups in a person's name do not silence the way back in")
}

func TestFormsThatMailAreThrottledByClient(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for i := range 20 {
		client := from("2001:db8:1:1::" + strconv.Itoa(i))
		require.NoError(t, r.AskReset(t.Context(), strconv.Itoa(i)+"@example.com", client))
	}
	err := r.AskReset(t.Context(), "last@example.com", from("2001:db8:1:1:ffff::"))
	refusedWith(t, fault.TooManyTries, err, "a /64 is one client")
	require.Positive(t, fault.From(err).RetryAfter)
	require.NoError(t, r.AskReset(t.Context(), "last@example.com", from("2001:db8:1:2::1")))
}

func TestResendIsForOpenSignUps(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id, token := r.begin(t, "ada@example.com")
	require.NoError(t, r.ResendSignUp(t.Context(), id, home))
	require.Len(t, r.queue.named(account.LetterSignUp), 2)
	_, err := r.Verify(t.Context(), token, signin.Proof{SignUp: id}, home)
	require.NoError(t, err)
	require.NoError(t, r.ResendSignUp(t.Context(), id, home))
	require.NoError(t, r.ResendSignUp(t.Context(), uuid.New(), home))
	require.Len(t, r.queue.named(account.LetterSignUp), 2)
}

func TestNothingChangesWithoutItsLetter(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	token, open := r.resetToken(t, "ada@example.com"), r.open(t, user).SignIn
	r.queue.broken = errors.New("queue is gone")
	_, err := r.SignUp(t.Context(), signin.NewPerson{Email: "new@example.com", Password: password}, home)
	require.ErrorIs(t, err, r.queue.broken)
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM sign_up`))
	_, _, err = r.Reset(t.Context(), token, other, home)
	require.ErrorIs(t, err, r.queue.broken)
	require.ErrorIs(t, r.ChangePassword(t.Context(), user, password, other, uuid.Nil, home), r.queue.broken)

	_, err = r.Visit(t.Context(), open, uuid.Nil)
	require.NoError(t, err)
	_, err = r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	_, err = r.ReadReset(t.Context(), token)
	require.NoError(t, err, "the link can be used again")
}
