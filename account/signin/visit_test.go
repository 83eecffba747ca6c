package signin_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/signin"
	"veracity/platform/fault"
)

func TestVisitLooksAtTheWantedAccountOfThePerson(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	signedIn := r.open(t, user).SignIn
	v, err := r.Visit(t.Context(), signedIn, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, user, v.User.ID)
	require.Equal(t, "Ada", v.User.Name)
	require.True(t, v.User.HasPassword)
	require.False(t, v.User.Operator)
	require.False(t, v.User.SecondFactor)
	require.WithinDuration(t, time.Now(), v.User.CreatedAt, time.Minute)
	own := v.Account
	require.Equal(t, access.Owner, v.Role)

	second, err := r.accounts.Create(t.Context(), "second@example.com", "pro", account.Overrides{})
	require.NoError(t, err)
	r.exec(t, `INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, 'viewer')`, second.ID, user)
	foreign, err := r.accounts.Create(t.Context(), "foreign@example.com", "pro", account.Overrides{})
	require.NoError(t, err)

	v, err = r.Visit(t.Context(), signedIn, second.ID)
	require.NoError(t, err)
	require.Equal(t, second.ID, v.Account)
	require.Equal(t, access.Viewer, v.Role)
	for _, wanted := range []uuid.UUID{uuid.Nil, foreign.ID, uuid.New()} {
		v, err = r.Visit(t.Context(), signedIn, wanted)
		require.NoError(t, err)
		require.Equal(t, own, v.Account, "the longest membership")
		require.Len(t, v.Accounts, 2)
	}

	r.exec(t, `DELETE FROM membership WHERE user_id = $1`, user)
	v, err = r.Visit(t.Context(), signedIn, own)
	require.NoError(t, err)
	require.Equal(t, uuid.Nil, v.Account)
	require.Empty(t, v.Role)
	require.Empty(t, v.Accounts)
}

func TestVisitRefusesWhatHasEnded(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	for name, c := range map[string]struct {
		sql  string
		want fault.Code
	}{
		"seen a week less an hour ago": {`UPDATE sign_in SET seen_at = now() - interval '167 hours' WHERE id = $1`, ""},
		"idle":                         {`UPDATE sign_in SET seen_at = now() - interval '169 hours' WHERE id = $1`, fault.SignInFailed},
		"29 days old":                  {`UPDATE sign_in SET created_at = now() - interval '29 days' WHERE id = $1`, ""},
		"too old":                      {`UPDATE sign_in SET created_at = now() - interval '31 days' WHERE id = $1`, fault.SignInFailed},
		"ended":                        {`UPDATE sign_in SET ended_at = now() WHERE id = $1`, fault.SignInFailed},
		"gone":                         {`DELETE FROM sign_in WHERE id = $1`, fault.SignInFailed},
	} {
		id := r.open(t, user).SignIn
		r.exec(t, c.sql, id)
		_, err := r.Visit(t.Context(), id, uuid.Nil)
		refusedWith(t, c.want, err, name)
		live, err := r.SignIns(t.Context(), user)
		require.NoError(t, err)
		listed := false
		for _, s := range live {
			listed = listed || s.ID == id
		}
		require.Equal(t, c.want == "", listed, "the list says the same: %s", name)
	}
}

func TestVisitIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.open(t, r.join(t, "ada@example.com")).SignIn
	recent := r.count(t, `SELECT (extract(epoch FROM seen_at) * 1e6)::bigint FROM sign_in`)
	_, err := r.Visit(t.Context(), id, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, recent, r.count(t, `SELECT (extract(epoch FROM seen_at) * 1e6)::bigint FROM sign_in`))
	r.exec(t, `UPDATE sign_in SET seen_at = now() - interval '61 seconds'`)
	_, err = r.Visit(t.Context(), id, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM sign_in WHERE seen_at > now() - interval '10 seconds'`))
}

func TestSignInsAreEndedByTheirPersonAlone(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ada, mallory := r.join(t, "ada@example.com"), r.join(t, "mallory@example.com")
	client := signin.Client{Address: "2001:db8::7", Agent: "Fire\x00fox \xff"}
	opened, err := r.Open(t.Context(), ada, "passkey", client)
	require.NoError(t, err)
	one, two := opened.SignIn, r.open(t, ada).SignIn
	require.Equal(t, 2, r.acts(t, "sign_in.opened", ada))

	all, err := r.SignIns(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, two, all[0].ID)
	require.Equal(t, "passkey", all[1].Method)
	require.Equal(t, "2001:db8::7", all[1].Address)
	require.Equal(t, "Firefox ", all[1].Agent)

	refusedWith(t, fault.NotFound, r.End(t.Context(), mallory, one, home))
	_, err = r.Visit(t.Context(), one, uuid.Nil)
	require.NoError(t, err)
	require.NoError(t, r.End(t.Context(), ada, one, home))
	require.NoError(t, r.End(t.Context(), ada, one, home), "twice")
	require.Equal(t, 1, r.acts(t, "sign_in.ended", ada))
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM audit_log WHERE act = 'sign_in.ended' AND address = $1`, home.Address))
	_, err = r.Visit(t.Context(), one, uuid.Nil)
	refusedWith(t, fault.SignInFailed, err)

	three := r.open(t, ada).SignIn
	theirs := r.open(t, mallory).SignIn
	n, err := r.EndOthers(t.Context(), ada, three, home)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for id, want := range map[uuid.UUID]fault.Code{two: fault.SignInFailed, three: "", theirs: ""} {
		_, err = r.Visit(t.Context(), id, uuid.Nil)
		refusedWith(t, want, err)
	}
}

func TestNameMayChange(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	id := r.open(t, user).SignIn
	require.NoError(t, r.SetName(t.Context(), user, "  Ada L. "))
	v, err := r.Visit(t.Context(), id, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, "Ada L.", v.User.Name)
	refusedWith(t, fault.InvalidName, r.SetName(t.Context(), user, "a\nb"))
}

func TestForgetKeepsWhatStillCounts(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	id := r.open(t, user).SignIn
	_, token := r.begin(t, "new@example.com")
	for range 10 {
		refusedWith(t, fault.WrongPassword, r.Confirm(t.Context(), user, other, home))
	}
	_, err := r.Forget(t.Context())
	require.NoError(t, err)
	_, err = r.Visit(t.Context(), id, uuid.Nil)
	require.NoError(t, err)
	_, err = r.ReadSignUp(t.Context(), token)
	require.NoError(t, err)
	refusedWith(t, fault.TooManyTries, r.Confirm(t.Context(), user, password, home))

	r.exec(t, `UPDATE sign_in SET ended_at = now() - interval '25 hours'`)
	r.exec(t, `UPDATE sign_up SET created_at = now() - interval '8 days'`)
	r.exec(t, `UPDATE mail_token SET expires_at = now() - interval '25 hours'`)
	r.exec(t, `UPDATE throttle SET tat = now()`)
	r.exec(t, `INSERT INTO sessions VALUES ('old', '', now() - interval '1 second'), ('live', '', now() + interval '1 hour')`)
	gone, err := r.Forget(t.Context())
	require.NoError(t, err)
	require.Positive(t, gone)
	for _, table := range []string{"sign_in", "sign_up", "mail_token", "throttle"} {
		require.Zero(t, r.count(t, `SELECT count(*) FROM `+table), table)
	}
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM sessions WHERE token = 'live'`))
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM sessions`))
	require.Equal(t, 1, r.count(t, `SELECT count(*) FROM app_user`))
}
