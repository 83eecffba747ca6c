package billing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/billing"
)

func TestCatalogueIsThePriceList(t *testing.T) {
	t.Parallel()
	plans := billing.Plans()
	require.Equal(t, []string{"free", "starter", "pro", "scale"}, plans.Names())
	for name, want := range map[string]struct {
		cents  int64
		api    bool
		limits account.Limits
	}{
		"free":    {0, false, account.Limits{}},
		"starter": {1_900, true, account.Limits{Keys: 2, Credits: 1_000, RPM: 60, Jobs: 2}},
		"pro":     {9_900, true, account.Limits{Keys: 10, Credits: 10_000, RPM: 300, Jobs: 5}},
		"scale":   {49_900, true, account.Limits{Keys: 50, Credits: 75_000, RPM: 1_200, Jobs: 20}},
	} {
		plan, ok := plans.Plan(name)
		require.True(t, ok, name)
		require.Equal(t, account.Plan{Name: name, API: want.api, Limits: want.limits}, plan)
		for _, p := range plans {
			if p.Name == name {
				require.Equal(t, want.cents, p.Cents, name)
			}
		}
	}
	_, ok := plans.Plan("gold")
	require.False(t, ok)
}
