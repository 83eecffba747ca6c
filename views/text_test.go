package views_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/views"
)

func TestNumbersHaveSeparators(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1_000: "1,000", 75_000: "75,000", 1_234_567: "1,234,567", -1_000: "-1,000", -100: "-100"} {
		require.Equal(t, want, views.Count(n))
	}
}

func TestPricesReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int64]string{0: "$0", 1_900: "$19", 1_950: "$19.50", 1_905: "$19.05", 123_400: "$1,234"} {
		require.Equal(t, want, views.Dollars(cents))
	}
	require.Equal(t, "1 credit", views.Credits(1))
	require.Equal(t, "75,000 credits", views.Credits(75_000))
	require.Equal(t, "1 credit for each started 5 s", views.CreditsPer(1, 5))
	require.Equal(t, "2 credits for each started second", views.CreditsPer(2, 1))
}

func TestTimesReadInTheirLargestWholeUnit(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		7 * 24 * time.Hour: "7 days", 24 * time.Hour: "1 day", 36 * time.Hour: "36 hours", time.Hour: "1 hour",
		90 * time.Minute: "90 minutes", 90 * time.Second: "90 seconds", time.Second: "1 second", 1500 * time.Millisecond: "1.5s",
	} {
		require.Equal(t, want, views.Long(d))
	}
}
