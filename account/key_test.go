package account_test

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
)

func TestKeyIsStoredAsAHashAndItsSecretSealed(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	made, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "production")
	require.NoError(t, err)
	require.Regexp(t, `^svc_live_[0-9A-Za-z]{36}$`, made.Key)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.SigningSecret, "whsec_"))
	require.NoError(t, err)
	require.Len(t, raw, 32)

	var row string
	require.NoError(t, a.DB.QueryRow(t.Context(), `SELECT api_key::text FROM api_key WHERE id = $1`, made.ID).Scan(&row))
	require.NotContains(t, row, made.Key)
	require.NotContains(t, row, made.SigningSecret)

	keys, err := a.ListKeys(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.Equal(t, made.Key[:13], keys[0].Start)
	require.Nil(t, keys[0].LastUsedAt)

	secret, err := a.SigningSecret(t.Context(), acc.ID, made.ID)
	require.NoError(t, err)
	require.Equal(t, made.SigningSecret, secret)
}

func TestNamesAreTheSameInAnyLetterCase(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc, other := create(t, a, "pro", account.Overrides{}), create(t, a, "pro", account.Overrides{})
	first, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "  Straße É ")
	require.NoError(t, err)
	for _, name := range []string{"Straße É", "STRASSE É", "straße e\u0301\t"} {
		_, err := a.CreateKey(t.Context(), access.CLI(acc.ID), name)
		require.Equal(t, fault.NameTaken, fault.CodeOf(err), name)
	}
	_, err = a.CreateKey(t.Context(), access.CLI(other.ID), "Straße É")
	require.NoError(t, err, "another account's names are its own")

	require.NoError(t, a.RevokeKey(t.Context(), access.CLI(acc.ID), first.ID))
	_, err = a.CreateKey(t.Context(), access.CLI(acc.ID), "straße é")
	require.NoError(t, err, "a revoked key's name is free")
}

func TestBadNamesAreRefused(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	for _, name := range []string{"", "   ", "a\nb", "a\x00", strings.Repeat("x", 101), "\xff"} {
		_, err := a.CreateKey(t.Context(), access.CLI(acc.ID), name)
		require.Equal(t, fault.InvalidName, fault.CodeOf(err), "%q", name)
	}
}

func TestKeyLimitCannotBeRaced(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "starter", account.Overrides{})
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = a.CreateKey(t.Context(), access.CLI(acc.ID), uuid.NewString()) })
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		require.Equal(t, fault.KeyLimitReached, fault.CodeOf(err))
	}
	require.Equal(t, 2, made)
}

func TestDowngradedAccountKeepsItsKeysButMakesNone(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	first, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "one")
	require.NoError(t, err)
	_, err = a.CreateKey(t.Context(), access.CLI(acc.ID), "two")
	require.NoError(t, err)
	_, err = a.SetLimits(t.Context(), access.CLI(acc.ID), account.Overrides{Keys: ptr(1)})
	require.NoError(t, err)

	_, err = a.Authenticate(t.Context(), first.Key)
	require.NoError(t, err)
	_, err = a.CreateKey(t.Context(), access.CLI(acc.ID), "three")
	require.Equal(t, fault.KeyLimitReached, fault.CodeOf(err))
}

func TestFailedPaymentMakesNoKey(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.PaymentFailed))
	_, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "k")
	require.Equal(t, fault.PaymentFailed, fault.CodeOf(err))
}

func TestRevocationHoldsFromTheNextCall(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc, other := create(t, a, "pro", account.Overrides{}), create(t, a, "pro", account.Overrides{})
	made, err := a.CreateKey(t.Context(), access.CLI(acc.ID), "k")
	require.NoError(t, err)

	require.Equal(t, fault.UnknownKey, fault.CodeOf(a.RevokeKey(t.Context(), access.CLI(other.ID), made.ID)), "a foreign key")
	_, err = a.Authenticate(t.Context(), made.Key)
	require.NoError(t, err)

	require.NoError(t, a.RevokeKey(t.Context(), access.CLI(acc.ID), made.ID))
	_, err = a.Authenticate(t.Context(), made.Key)
	require.Equal(t, fault.InvalidKey, fault.CodeOf(err))
	require.Equal(t, fault.UnknownKey, fault.CodeOf(a.RevokeKey(t.Context(), access.CLI(acc.ID), made.ID)), "twice")

	secret, err := a.SigningSecret(t.Context(), acc.ID, made.ID)
	require.NoError(t, err, "jobs that it started are still signed")
	require.Equal(t, made.SigningSecret, secret)
	_, err = a.SigningSecret(t.Context(), other.ID, made.ID)
	require.Equal(t, fault.UnknownKey, fault.CodeOf(err))
}

func TestTheTrailNamesAKeyAndNeverHoldsIt(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by := owner(t, a, acc.ID)
	made, err := a.CreateKey(t.Context(), by, "production")
	require.NoError(t, err)
	_, err = a.CreateKey(t.Context(), by, "production")
	require.Equal(t, fault.NameTaken, fault.CodeOf(err))
	require.NoError(t, a.RevokeKey(t.Context(), by, made.ID))
	require.Error(t, a.RevokeKey(t.Context(), by, made.ID))
	require.Equal(t, []string{"cli account.created", "user key.created", "user key.revoked"}, acts(t, a, acc.ID), "refusals are no acts")
	entries, err := trail.Read(t.Context(), a.DB, by, trail.Filter{})
	require.NoError(t, err)
	for _, e := range entries[:2] {
		require.Equal(t, "production ("+made.Key[:13]+"…)", e.Subject)
		require.Equal(t, by.User, e.User)
		require.Equal(t, by.Address, e.Address)
	}
	require.NotContains(t, state(t, a, acc.ID), made.Key)
}
