package webhook

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// begin enters n attempts of the account and gives those that were let in.
func begin(s *shares, account uuid.UUID, n int) []*visit {
	var in []*visit
	for range n {
		if v := s.enter(account); v != nil {
			in = append(in, v)
		}
	}
	return in
}

// pass lets the test's own clock go on.
func pass(d time.Duration) { <-time.After(d) }

// answered lets an attempt of the account end after took.
func answered(t *testing.T, s *shares, account uuid.UUID, took time.Duration) {
	t.Helper()
	v := s.enter(account)
	require.NotNil(t, v)
	pass(took)
	s.leave(v, true)
}

func TestNewAccountsThatHangLeaveWorkersToThoseThatAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShares(DefaultConfig())
		prompt := uuid.New()
		answered(t, s, prompt, time.Second)
		in := 0
		for range 100 {
			in += len(begin(s, uuid.New(), 20))
		}
		require.Equal(t, 15, in)
		require.Len(t, begin(s, prompt, 20), 4, "its whole share")
	})
}

func TestSlowAccountsHaveHalfOfTheWorkersAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShares(DefaultConfig())
		slow := make([]uuid.UUID, 6)
		for i := range slow {
			slow[i] = uuid.New()
			answered(t, s, slow[i], 3*time.Second)
		}
		in := 0
		for _, account := range slow {
			in += len(begin(s, account, 20))
		}
		require.Equal(t, 10, in)
		require.Len(t, begin(s, uuid.New(), 20), 4, "nobody waits behind them who has never been slow")
	})
}

func TestAttemptIsSlowBeforeItEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShares(DefaultConfig())
		accounts := make([]uuid.UUID, 5)
		for i := range accounts {
			accounts[i] = uuid.New()
			answered(t, s, accounts[i], time.Second)
		}
		for _, account := range accounts[:3] {
			require.Len(t, begin(s, account, 4), 4)
		}
		pass(slowAfter)
		require.Empty(t, begin(s, accounts[0], 1), "it has its share")
		require.Len(t, begin(s, accounts[3], 4), 4)
		last := begin(s, accounts[4], 4)
		pass(slowAfter)
		for _, v := range last {
			s.leave(v, true)
		}
		require.Empty(t, begin(s, accounts[4], 1), "it has become slow, and more than half are with slow ones")
	})
}

func TestAnswersInTimeDoNotBuyAnAccountItsNextSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.AtOnce, cfg.PerAccount = 2, 2
		s := newShares(cfg)
		account := uuid.New()
		answered(t, s, account, 5*time.Second)
		answered(t, s, account, time.Second)
		other := uuid.New()
		answered(t, s, other, 5*time.Second)
		in := begin(s, other, 1)
		require.Len(t, in, 1)
		require.Empty(t, begin(s, account, 1), "slow for a while yet")
		s.leave(in[0], true)
		pass(slowFor)
		in = begin(s, other, 1)
		require.Len(t, in, 1)
		require.Len(t, begin(s, account, 1), 1)
	})
}

func TestOneAccountHasHalfOfASmallProcessAtMost(t *testing.T) {
	t.Parallel()
	for atOnce, want := range map[int]int{1: 1, 2: 1, 3: 1, 5: 2, 8: 4, 100: 4} {
		cfg := DefaultConfig()
		cfg.AtOnce = atOnce
		require.Len(t, begin(newShares(cfg), uuid.New(), 100), want, "%d workers", atOnce)
	}
}

func TestAttemptThatWasNotMadeSaysNothingOfTheAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShares(DefaultConfig())
		s.leave(s.enter(uuid.New()), false)
		require.Empty(t, s.known)
	})
}

func TestStandingsAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShares(DefaultConfig())
		for range 50 {
			answered(t, s, uuid.New(), time.Second)
			answered(t, s, uuid.New(), 5*time.Second)
		}
		pass(2 * promptFor)
		answered(t, s, uuid.New(), time.Second)
		require.Len(t, s.known, 1)
		require.Empty(t, s.under)
	})
}
