package certs_test

import (
	"crypto/rsa"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
)

// TestKeysThatTakeLongToCheckAreRefused holds the work of one signature down: hostile files bring hundreds.
func TestKeysThatTakeLongToCheckAreRefused(t *testing.T) {
	t.Parallel()
	key := func(bits uint, exponent int) *rsa.PublicKey {
		n := new(big.Int).Lsh(big.NewInt(1), bits-1)
		return &rsa.PublicKey{N: n.Add(n, big.NewInt(1)), E: exponent}
	}
	const long = 1<<31 - 1
	require.NoError(t, certs.CheckKey(key(4096, long)))
	require.NoError(t, certs.CheckKey(key(16384, 65537)))
	require.Error(t, certs.CheckKey(key(4097, long)))
	require.Error(t, certs.CheckKey(key(16384, long)))
	require.Error(t, certs.CheckKey(key(16385, 3)))
}
