package account_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
)

func createFor(t *testing.T, a *account.Accounts, person uuid.UUID, email, name string) account.Account {
	t.Helper()
	var id uuid.UUID
	require.NoError(t, postgres.Tx(t.Context(), a.DB, func(tx pgx.Tx) (err error) {
		id, err = a.CreateFor(t.Context(), tx, person, email, name)
		return err
	}))
	acc, err := a.Get(t.Context(), id)
	require.NoError(t, err)
	return acc
}

func TestANewPersonHasAnAccountOfTheirOwn(t *testing.T) {
	t.Parallel()
	a := setup(t)
	person := user(t, a, "ada@example.com")
	acc := createFor(t, a, person, "ada@example.com", " Ada Lovelace ")
	require.Equal(t, []string{"ada@example.com", "Ada Lovelace", "free", "plan_required"}, []string{acc.Email, acc.Name, acc.Plan, string(acc.State)})
	require.Equal(t, map[uuid.UUID]access.Role{person: access.Owner}, roles(t, a, acc.ID))
	require.Equal(t, []string{"user account.created"}, acts(t, a, acc.ID))
	acc, err := a.SetPlan(t.Context(), access.CLI(acc.ID), "pro")
	require.NoError(t, err)
	_, err = quota.Hold(t.Context(), a.DB, quota.Request{Account: acc.ID, Amount: 1, Slot: true})
	require.NoError(t, err, "the slot counter is there")

	require.Equal(t, "grace", createFor(t, a, user(t, a, "grace@example.com"), "grace@example.com", "").Name)
	long := strings.Repeat("x", 120) + "@example.com"
	require.Len(t, createFor(t, a, user(t, a, long), long, strings.Repeat("y", 101)).Name, 100)
}

func TestAPersonMayBeginAnewUnderAnAddressThatAnAccountBears(t *testing.T) {
	t.Parallel()
	a := setup(t)
	old := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, old.ID)
	member(t, a, old.ID, access.Owner)
	require.NoError(t, a.RemoveMember(t.Context(), by, by.User))
	acc := createFor(t, a, by.User, old.Email, "")
	require.NotEqual(t, old.ID, acc.ID)
	_, err := a.Create(t.Context(), strings.ToUpper(old.Email), "pro", account.Overrides{})
	require.Equal(t, fault.EmailTaken, fault.CodeOf(err), "an operator makes none twice")
}

func TestAnAddressCannotBeRaced(t *testing.T) {
	t.Parallel()
	a := setup(t)
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = a.Create(t.Context(), "x@example.com", "pro", account.Overrides{}) })
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else {
			require.Equal(t, fault.EmailTaken, fault.CodeOf(err))
		}
	}
	require.Equal(t, 1, made)
}

func TestConfigSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	require.NoError(t, account.DefaultConfig().Validate())
	for name, change := range map[string]func(*account.Config){
		"VERACITY_CLOSE_AFTER":         func(c *account.Config) { c.CloseAfter = 0 },
		"VERACITY_INVITE_TTL":          func(c *account.Config) { c.InviteTTL = -1 },
		"VERACITY_INVITE_RESEND_AFTER": func(c *account.Config) { c.ResendAfter = 0 },
		"VERACITY_INVITE_SENDS":        func(c *account.Config) { c.MaxSends = 0 },
		"VERACITY_OPEN_INVITES":        func(c *account.Config) { c.MaxInvites = 10_001 },
		"VERACITY_MEMBERS":             func(c *account.Config) { c.MaxMembers = 0 },
	} {
		c := account.DefaultConfig()
		change(&c)
		require.ErrorContains(t, c.Validate(), name+" is ")
	}
}

func TestSignUpMayStartOnAPlanWithAccess(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.Config = account.DefaultConfig()
	a.Config.SignUpPlan = "starter"
	acc := createFor(t, a, user(t, a, "ada@example.com"), "ada@example.com", "")
	require.Equal(t, account.Active, acc.State)
	require.Equal(t, int64(1_000), balance(t, a, acc.ID).Available)
}
