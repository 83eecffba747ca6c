package account_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/quota"
)

// use sets how much of the open period is spent and held.
func use(t *testing.T, a *account.Accounts, acc uuid.UUID, spent, held int) {
	t.Helper()
	tag, err := a.DB.Exec(t.Context(), `UPDATE credit_period SET spent = $2, held = $3 WHERE account_id = $1 AND period_end > now()`, acc, spent, held)
	require.NoError(t, err)
	require.Equal(t, int64(1), tag.RowsAffected())
}

func told(t *testing.T, a *account.Accounts) (percents []string) {
	t.Helper()
	_, err := a.NoticeCredits(t.Context())
	require.NoError(t, err)
	for _, l := range letters(t, a) {
		require.Equal(t, account.LetterCredits, l.Name)
		percents = append(percents, l.Detail)
	}
	return percents
}

func TestCreditsAreNoticedOnceAPeriodAtEachMark(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{Credits: ptr(int64(1000))})
	for i, row := range []struct {
		spent, held int
		want        []string
	}{
		{0, 0, nil},
		{700, 99, nil},
		{700, 100, []string{"80"}},
		{700, 0, nil},
		{900, 0, nil},
		{900, 100, []string{"100"}},
		{1000, 0, nil},
		{800, 0, nil},
	} {
		use(t, a, acc.ID, row.spent, row.held)
		require.Equal(t, row.want, told(t, a), strconv.Itoa(i))
		require.Empty(t, told(t, a), i)
	}
	// The next period starts anew.
	_, err := a.DB.Exec(t.Context(), `UPDATE credit_period SET period_end = now() WHERE account_id = $1`, acc.ID)
	require.NoError(t, err)
	require.Empty(t, told(t, a))
	_, err = quota.Open(t.Context(), a.DB, acc.ID, time.Now(), time.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, told(t, a))
	use(t, a, acc.ID, 8, 0)
	require.Equal(t, []string{"80"}, told(t, a))
}

func TestBothMarksAtOnceAreOneMail(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{Credits: ptr(int64(3))})
	use(t, a, acc.ID, 3, 0)
	require.Equal(t, []string{"100"}, told(t, a))
	use(t, a, acc.ID, 2, 1)
	require.Empty(t, told(t, a))
	none := create(t, a, "pro", account.Overrides{Credits: ptr(int64(0))})
	require.Empty(t, told(t, a), "nothing granted, nothing used up: %s", none.ID)
}

func TestOwnersAndBillingMembersHearOfCredits(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc, closing := create(t, a, "pro", account.Overrides{}), create(t, a, "pro", account.Overrides{})
	var want []uuid.UUID
	for _, role := range access.Roles() {
		by := member(t, a, acc.ID, role)
		if role == access.Owner || role == access.Billing {
			want = append(want, by.User)
		}
	}
	want = append(want, owner(t, a, acc.ID).User)
	use(t, a, acc.ID, 10_000, 0)
	use(t, a, closing.ID, 10_000, 0)
	_, err := a.Close(t.Context(), access.CLI(closing.ID))
	require.NoError(t, err)
	letters(t, a)
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { _, errs[i] = a.NoticeCredits(t.Context()) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	var got []uuid.UUID
	for _, l := range letters(t, a) {
		require.Equal(t, acc.ID, l.Account, "an account that is closing hears nothing")
		got = append(got, l.Subject)
	}
	require.ElementsMatch(t, want, got, "each once, whatever the race")
}
