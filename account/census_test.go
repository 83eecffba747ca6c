package account_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

func TestCensusCountsAccountsByPlanAndState(t *testing.T) {
	t.Parallel()
	a := setup(t)
	pro := create(t, a, "pro", account.Overrides{})
	create(t, a, "pro", account.Overrides{})
	free := create(t, a, "free", account.Overrides{})
	require.NoError(t, a.Suspend(t.Context(), access.CLI(pro.ID)))
	groups, err := a.Census(t.Context(), access.CLI(uuid.Nil))
	require.NoError(t, err)
	require.Equal(t, []account.Group{
		{Plan: "free", State: account.PlanRequired, Accounts: 1},
		{Plan: "pro", State: account.Active, Accounts: 1},
		{Plan: "pro", State: account.Suspended, Accounts: 1},
	}, groups)

	_, err = a.DB.Exec(t.Context(), `UPDATE account SET name = '' WHERE id = $1`, free.ID)
	require.NoError(t, err)
	names, err := a.Names(t.Context(), access.CLI(uuid.Nil), []uuid.UUID{pro.ID, free.ID, uuid.New()})
	require.NoError(t, err)
	require.Equal(t, map[uuid.UUID]string{pro.ID: pro.Name, free.ID: free.Email}, names)

	member := access.Actor{Account: pro.ID, User: uuid.New(), Role: access.Owner}
	_, err = a.Census(t.Context(), member)
	require.Equal(t, fault.Forbidden, fault.CodeOf(err))
	_, err = a.Names(t.Context(), member, []uuid.UUID{pro.ID})
	require.Equal(t, fault.Forbidden, fault.CodeOf(err))
}
