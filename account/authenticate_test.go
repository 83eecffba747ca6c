package account_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

func withKey(t *testing.T, rpm int) (*account.Accounts, account.Account, string) {
	t.Helper()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{RPM: ptr(rpm)})
	made, err := a.CreateKey(t.Context(), access.CLI(acc.ID), uuid.NewString())
	require.NoError(t, err)
	return a, acc, made.Key
}

func TestKeyNamesItsAccount(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 60)
	c, err := a.Authenticate(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, acc.ID, c.Account)
	require.Equal(t, 60, c.Rate.Limit)
	require.Equal(t, 59, c.Rate.Remaining)
}

func TestMalformedKeysNeverReachTheDatabase(t *testing.T) {
	t.Parallel()
	a, _, key := withKey(t, 60)
	a.DB.Close() // any query would now be an internal error
	flipped := key[:20] + map[bool]string{true: "A", false: "B"}[key[20] != 'A'] + key[21:]
	for _, bad := range []string{
		"", "svc_live_", "x", key[:len(key)-1], key + "0", strings.ToUpper(key), "sk_live_" + key[9:], flipped,
		key[:9] + strings.Repeat("é", 18), " " + key,
	} {
		_, err := a.Authenticate(t.Context(), bad)
		require.Equal(t, fault.InvalidKey, fault.CodeOf(err), "%q", bad)
	}
}

func TestUnknownKeyIsRefused(t *testing.T) {
	t.Parallel()
	_, _, foreign := withKey(t, 60)
	a := setup(t)
	_, err := a.Authenticate(t.Context(), foreign)
	require.Equal(t, fault.InvalidKey, fault.CodeOf(err))
}

func TestRequestsAMinuteBelongToTheAccount(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 30)
	second, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "second")
	require.NoError(t, err)

	var passed, limited atomic.Int32
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			_, err := a.Authenticate(t.Context(), []string{key, second.Key}[i%2])
			if err == nil {
				passed.Add(1)
			} else if fault.CodeOf(err) == fault.RateLimited {
				limited.Add(1)
			}
		})
	}
	wg.Wait()
	// One more may pass for each two seconds that the sixty took.
	require.GreaterOrEqual(t, passed.Load(), int32(30))
	require.LessOrEqual(t, passed.Load(), int32(35))
	require.Equal(t, int32(60), passed.Load()+limited.Load())

	c, err := a.Authenticate(t.Context(), key)
	f := fault.From(err)
	require.Equal(t, fault.RateLimited, f.Code)
	require.Positive(t, f.RetryAfter)
	require.LessOrEqual(t, f.RetryAfter, 2*time.Second)
	require.Zero(t, c.Rate.Remaining)
}

func TestRefusedRequestsAreNotCounted(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 1)
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.PaymentFailed))
	for range 3 {
		_, err := a.Authenticate(t.Context(), key)
		require.Equal(t, fault.PaymentFailed, fault.CodeOf(err))
	}
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.Active))
	_, err := a.Authenticate(t.Context(), key)
	require.NoError(t, err, "the minute's one request is still there")
	_, err = a.Authenticate(t.Context(), key)
	require.Equal(t, fault.RateLimited, fault.CodeOf(err))
}

func TestRaisedLimitHoldsAtOnce(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 5)
	for range 3 {
		_, err := a.Authenticate(t.Context(), key)
		require.NoError(t, err)
	}
	_, err := a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{RPM: ptr(300)})
	require.NoError(t, err)
	c, err := a.Authenticate(t.Context(), key)
	require.NoError(t, err, "the very next call")
	require.InDelta(t, 299-3, c.Rate.Remaining, 8, "three were used before")

	_, err = a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{RPM: ptr(2)})
	require.NoError(t, err)
	_, err = a.Authenticate(t.Context(), key)
	require.Equal(t, fault.RateLimited, fault.CodeOf(err), "a lowered limit holds at once too")
}

func TestLastUseIsWrittenAtMostOnceAMinute(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 600)
	lastUse := func() time.Time {
		keys, err := a.ListKeys(t.Context(), acc.ID)
		require.NoError(t, err)
		require.NotNil(t, keys[0].LastUsedAt)
		return *keys[0].LastUsedAt
	}
	_, err := a.Authenticate(t.Context(), key)
	require.NoError(t, err)
	first := lastUse()
	_, err = a.Authenticate(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, first, lastUse())

	_, err = a.DB.Exec(t.Context(), `UPDATE api_key SET last_used_at = now() - interval '61 seconds'`)
	require.NoError(t, err)
	_, err = a.Authenticate(t.Context(), key)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), lastUse(), 10*time.Second)
}

func TestThePlaygroundSharesTheAccountsRate(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 3)
	by := member(t, a, acc.ID, access.Developer)
	c, err := a.AuthenticateMember(t.Context(), by)
	require.NoError(t, err)
	require.Equal(t, account.Caller{Account: acc.ID, Plan: "pro", Rate: c.Rate}, c, "no key")
	require.Equal(t, []int{3, 2}, []int{c.Rate.Limit, c.Rate.Remaining})
	c, err = a.Authenticate(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, 1, c.Rate.Remaining)
	_, err = a.AuthenticateMember(t.Context(), by)
	require.NoError(t, err)
	_, err = a.AuthenticateMember(t.Context(), by)
	f := fault.From(err)
	require.Equal(t, fault.RateLimited, f.Code)
	require.Positive(t, f.RetryAfter)

	_, err = a.AuthenticateMember(t.Context(), access.Actor{Account: uuid.New(), Role: access.Owner})
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(err))
}

func TestThePlaygroundMeetsTheSameRefusals(t *testing.T) {
	t.Parallel()
	a, acc, key := withKey(t, 1)
	by := owner(t, a, acc.ID)
	for name, row := range map[string]struct{ put, undo func() error }{
		"payment_failed": {
			func() error { return a.SetState(t.Context(), acc.ID, account.PaymentFailed) },
			func() error { return a.SetState(t.Context(), acc.ID, account.Active) },
		},
		"plan_required": {
			func() error { return a.SetState(t.Context(), acc.ID, account.PlanRequired) },
			func() error { return a.SetState(t.Context(), acc.ID, account.Active) },
		},
		"suspended": {
			func() error { return a.Suspend(t.Context(), access.CLI(acc.ID)) },
			func() error { return a.Resume(t.Context(), access.CLI(acc.ID)) },
		},
		"closing": {
			func() error { _, err := a.Close(t.Context(), by); return err },
			func() error { return a.Reopen(t.Context(), by) },
		},
	} {
		require.NoError(t, row.put(), name)
		_, keys := a.Authenticate(t.Context(), key)
		_, members := a.AuthenticateMember(t.Context(), by)
		require.Equal(t, fault.From(keys), fault.From(members), name)
		require.Contains(t, fault.From(members).Message, `"pro"`, name)
		require.Contains(t, []fault.Code{fault.PaymentFailed, fault.PlanRequired}, fault.CodeOf(members), name)
		require.NoError(t, row.undo(), name)
	}
	_, err := a.AuthenticateMember(t.Context(), by)
	require.NoError(t, err, "the minute's one request is still there")
}
