package access_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/platform/fault"
)

func TestRightsOfTheRoles(t *testing.T) {
	t.Parallel()
	all := []access.Right{
		access.See, access.ManageKeys, access.Spend, access.Redeliver, access.ManagePlan, access.ManageTeam, access.SeeTrail,
		access.EditAccount, access.Close, access.Operate,
	}
	for role, want := range map[access.Role]string{
		access.Owner:     "yes yes yes yes yes yes yes yes yes no",
		access.Developer: "yes yes yes yes no no no no no no",
		access.Billing:   "yes no no no yes no no no no no",
		access.Viewer:    "yes no no no no no no no no no",
		"":               "no no no no no no no no no no",
		"operator":       "no no no no no no no no no no",
	} {
		got := ""
		for _, right := range all {
			by := access.Actor{Account: uuid.New(), User: uuid.New(), Role: role}
			word := " yes"
			if err := by.May(right); err != nil {
				require.Equal(t, fault.Forbidden, fault.CodeOf(err))
				word = " no"
			}
			require.Equal(t, word == " yes", by.Can(right))
			got += word
		}
		require.Equal(t, " "+want, got, role)
	}
	for _, right := range all {
		require.NoError(t, access.Actor{Operator: true, User: uuid.New()}.May(right))
		require.NoError(t, access.CLI(uuid.New()).May(right))
	}
}

func TestTheTrailTellsActorsApart(t *testing.T) {
	t.Parallel()
	require.Equal(t, "cli", access.CLI(uuid.New()).Kind())
	require.Equal(t, "operator", access.Actor{Operator: true, User: uuid.New()}.Kind())
	require.Equal(t, "user", access.Actor{User: uuid.New(), Role: access.Viewer}.Kind())
	require.Equal(t, "system", access.Actor{Account: uuid.New()}.Kind())
}

func TestRolesGoFromTheMostRightsToTheFewest(t *testing.T) {
	t.Parallel()
	require.Equal(t, []access.Role{access.Owner, access.Developer, access.Billing, access.Viewer}, access.Roles())
}
