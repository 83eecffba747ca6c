package signin_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/signin"
	"veracity/platform/fault"
)

func (r *rig) enrolPasskey(t *testing.T, user uuid.UUID, key *authenticator) []string {
	t.Helper()
	asked, err := r.BeginPasskeyEnrolment(t.Context(), user, password, home)
	require.NoError(t, err)
	codes, err := r.FinishPasskeyEnrolment(t.Context(), user, "Laptop", asked.State, key.create(t, asked.Options), home)
	require.NoError(t, err)
	return codes
}

func TestPasskeyAloneSignsIn(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	key := newAuthenticator(t)
	require.Len(t, r.enrolPasskey(t, user, key), 10, "the first factor brings recovery codes")
	require.Equal(t, "required", key.asked.ResidentKey)
	require.Equal(t, "required", key.asked.UserVerification)
	require.Equal(t, user[:], key.user)

	asked, err := r.BeginPasskey(t.Context(), uuid.Nil)
	require.NoError(t, err)
	got, err := r.FinishPasskey(t.Context(), uuid.Nil, asked.State, key.get(t, asked.Options), home)
	require.NoError(t, err)
	require.Equal(t, user, got)
	require.Equal(t, "required", key.asked.UserVerification)

	all, err := r.Passkeys(t.Context(), user)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "Laptop", all[0].Name)
	require.Equal(t, key.id, all[0].ID)
	require.WithinDuration(t, time.Now(), *all[0].LastUsedAt, time.Minute)
	require.Equal(t, []string{"passkey_added"}, r.queue.told())
	require.Equal(t, 1, r.acts(t, "passkey.added", user))
}

func TestPasskeyIsASecondStep(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	_, err := r.BeginPasskey(t.Context(), user)
	refusedWith(t, fault.NotFound, err)
	key := newAuthenticator(t)
	r.enrolPasskey(t, user, key)
	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Equal(t, []signin.Factor{signin.FactorPasskey, signin.FactorRecovery}, started.Factors)

	key.verifies = false
	asked, err := r.BeginPasskey(t.Context(), user)
	require.NoError(t, err)
	got, err := r.FinishPasskey(t.Context(), user, asked.State, key.get(t, asked.Options), home)
	require.NoError(t, err, "after the password, a touch is enough")
	require.Equal(t, user, got)

	asked, err = r.BeginPasskey(t.Context(), uuid.Nil)
	require.NoError(t, err)
	_, err = r.FinishPasskey(t.Context(), uuid.Nil, asked.State, key.get(t, asked.Options), home)
	refusedWith(t, fault.SignInFailed, err, "alone it is not")
	require.Equal(t, 1, r.acts(t, "sign_in.failed", user))
}

func TestPasskeyAnswersAreRefused(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ada, eve := r.join(t, "ada@example.com"), r.join(t, "eve@example.com")
	key, foreign := newAuthenticator(t), newAuthenticator(t)
	r.enrolPasskey(t, ada, key)
	r.enrolPasskey(t, eve, foreign)
	begin := func(user uuid.UUID) signin.Challenge {
		asked, err := r.BeginPasskey(t.Context(), user)
		require.NoError(t, err)
		return asked
	}
	for name, c := range map[string]struct {
		user   uuid.UUID
		answer func(options json.RawMessage) []byte
	}{
		"another origin": {uuid.Nil, func(o json.RawMessage) []byte { return key.at("https://veracity.test.evil.example").get(t, o) }},
		"plain http":     {uuid.Nil, func(o json.RawMessage) []byte { return key.at("http://veracity.test").get(t, o) }},
		"another site's": {uuid.Nil, func(o json.RawMessage) []byte { return key.forSite("evil.example").get(t, o) }},
		"another challenge": {uuid.Nil, func(json.RawMessage) []byte {
			return key.get(t, begin(uuid.Nil).Options)
		}},
		"another key": {uuid.Nil, func(o json.RawMessage) []byte { return key.withKeyOf(foreign).get(t, o) }},
		"another user's handle": {uuid.Nil, func(o json.RawMessage) []byte {
			return key.named(eve).get(t, o)
		}},
		"nobody's handle":                    {uuid.Nil, func(o json.RawMessage) []byte { return key.named(uuid.New()).get(t, o) }},
		"another user's key, as second step": {ada, func(o json.RawMessage) []byte { return foreign.get(t, o) }},
		"nonsense":                           {uuid.Nil, func(json.RawMessage) []byte { return []byte(`{"id":7}`) }},
	} {
		asked := begin(c.user)
		_, err := r.FinishPasskey(t.Context(), c.user, asked.State, c.answer(asked.Options), from("192.0.2.77"))
		refusedWith(t, fault.SignInFailed, err, name)
	}
}

func TestChallengeIsForOneAnswer(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	key := newAuthenticator(t)
	key.counts = false // as passkeys that are synced between devices
	r.enrolPasskey(t, user, key)

	asked, err := r.BeginPasskey(t.Context(), uuid.Nil)
	require.NoError(t, err)
	answer := key.get(t, asked.Options)
	won := race(t, 6, func(int) error {
		_, err := r.FinishPasskey(t.Context(), uuid.Nil, asked.State, answer, home)
		return err
	}, fault.SignInFailed)
	require.Equal(t, 1, won, "sent many times at once")

	asked, err = r.BeginPasskey(t.Context(), user)
	require.NoError(t, err)
	_, err = r.FinishPasskey(t.Context(), uuid.Nil, asked.State, key.get(t, asked.Options), home)
	refusedWith(t, fault.SignInFailed, err, "a second step is no sign-in of its own")
	_, err = r.FinishPasskeyEnrolment(t.Context(), user, "", asked.State, key.create(t, asked.Options), home)
	refusedWith(t, fault.SignInFailed, err, "and no enrolment")
	for _, state := range [][]byte{nil, []byte("{}"), []byte("x")} {
		_, err = r.FinishPasskey(t.Context(), uuid.Nil, state, answer, home)
		refusedWith(t, fault.SignInFailed, err)
	}

	asked, err = r.BeginPasskey(t.Context(), uuid.Nil)
	require.NoError(t, err)
	var state struct{ Session struct{ Expires string } }
	require.NoError(t, json.Unmarshal(asked.State, &state))
	until, err := time.Parse(time.RFC3339, state.Session.Expires)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(5*time.Minute), until, time.Minute)
	late := bytes.Replace(asked.State, []byte(state.Session.Expires), []byte("2020-01-01T00:00:00Z"), 1)
	_, err = r.FinishPasskey(t.Context(), uuid.Nil, late, key.get(t, asked.Options), home)
	refusedWith(t, fault.SignInFailed, err, "expired")
}

func TestCopiedPasskeyIsRefused(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	key := newAuthenticator(t)
	r.enrolPasskey(t, user, key)
	copied := *key
	answer := func(key *authenticator) error {
		asked, err := r.BeginPasskey(t.Context(), uuid.Nil)
		require.NoError(t, err)
		_, err = r.FinishPasskey(t.Context(), uuid.Nil, asked.State, key.get(t, asked.Options), home)
		return err
	}
	require.NoError(t, answer(key))
	require.NoError(t, answer(key))
	refusedWith(t, fault.SignInFailed, answer(&copied), "its counter lies behind")
	require.Equal(t, 1, r.acts(t, "sign_in.failed", user))
	require.NoError(t, answer(key))
}

func TestEnrolmentRefusesWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ada, eve := r.join(t, "ada@example.com"), r.join(t, "eve@example.com")
	_, err := r.BeginPasskeyEnrolment(t.Context(), ada, other, home)
	refusedWith(t, fault.WrongPassword, err)
	finish := func(user uuid.UUID, key *authenticator) ([]string, error) {
		asked, err := r.BeginPasskeyEnrolment(t.Context(), ada, password, home)
		require.NoError(t, err)
		return r.FinishPasskeyEnrolment(t.Context(), user, "Key", asked.State, key.create(t, asked.Options), home)
	}
	key := newAuthenticator(t)
	_, err = finish(ada, key.at("https://evil.example"))
	refusedWith(t, fault.SignInFailed, err)
	_, err = finish(ada, key.forSite("evil.example"))
	refusedWith(t, fault.SignInFailed, err)
	_, err = finish(eve, key)
	refusedWith(t, fault.SignInFailed, err, "another person's enrolment")
	key.verifies = false
	_, err = finish(ada, key)
	refusedWith(t, fault.SignInFailed, err, "a passkey that cannot verify its holder")
	key.verifies = true
	_, err = finish(ada, key)
	require.NoError(t, err)

	_, err = finish(ada, key)
	refusedWith(t, fault.InvalidInput, err, "kept already")
	asked, err := r.BeginPasskeyEnrolment(t.Context(), eve, password, home)
	require.NoError(t, err)
	_, err = r.FinishPasskeyEnrolment(t.Context(), eve, "Key", asked.State, key.create(t, asked.Options), home)
	refusedWith(t, fault.InvalidInput, err, "another person's credential")
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM passkey`))
}

func TestLastFactorTakesTheRecoveryCodesAlong(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ada, eve := r.join(t, "ada@example.com"), r.join(t, "eve@example.com")
	r.enrolTOTP(t, ada)
	key := newAuthenticator(t)
	require.Empty(t, r.enrolPasskey(t, ada, key), "the codes are there already")
	f, err := r.Factors(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, signin.Factors{TOTP: true, Passkeys: 1, RecoveryLeft: 10}, f)

	refusedWith(t, fault.NotFound, r.RemovePasskey(t.Context(), eve, key.id, password, home))
	require.NoError(t, r.RemoveTOTP(t.Context(), ada, password, home))
	f, err = r.Factors(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, signin.Factors{Passkeys: 1, RecoveryLeft: 10}, f)
	require.NoError(t, r.RemovePasskey(t.Context(), ada, key.id, password, home))
	refusedWith(t, fault.NotFound, r.RemovePasskey(t.Context(), ada, key.id, password, home))
	f, err = r.Factors(t.Context(), ada)
	require.NoError(t, err)
	require.Zero(t, f)
}

func TestFirstFactorsAtOnceLeaveOneSetOfCodes(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	made, err := r.BeginTOTP(t.Context(), user, password, home)
	require.NoError(t, err)
	asked, err := r.BeginPasskeyEnrolment(t.Context(), user, password, home)
	require.NoError(t, err)
	answer, code := newAuthenticator(t).create(t, asked.Options), codeAt(t, made.Secret, 0)
	sets := make([][]string, 2)
	won := race(t, 2, func(i int) (err error) {
		if i == 0 {
			sets[0], err = r.ConfirmTOTP(t.Context(), user, code, home)
		} else {
			sets[1], err = r.FinishPasskeyEnrolment(t.Context(), user, "", asked.State, answer, home)
		}
		return err
	})
	require.Equal(t, 2, won)
	require.Equal(t, 10, len(sets[0])+len(sets[1]), "the second to come finds codes")
}

func TestPasskeysNeedAHostName(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *signin.Config) { c.BaseURL = "http://127.0.0.1:8080" })
	require.False(t, r.HasPasskeys())
	_, err := r.BeginPasskey(t.Context(), uuid.Nil)
	refusedWith(t, fault.InvalidInput, err)
	_, err = r.FinishPasskey(t.Context(), uuid.Nil, []byte("{}"), nil, home)
	refusedWith(t, fault.InvalidInput, err)
	_, err = r.BeginPasskeyEnrolment(t.Context(), uuid.New(), password, home)
	refusedWith(t, fault.InvalidInput, err)
	require.True(t, setup(t, func(c *signin.Config) { c.BaseURL = "http://localhost:8080" }).HasPasskeys())
}

func TestOriginHasNoPortOfItsOwnScheme(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *signin.Config) { c.BaseURL = "https://veracity.test:443/" })
	r.enrolPasskey(t, r.join(t, "ada@example.com"), newAuthenticator(t))
}
