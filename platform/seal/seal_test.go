package seal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/seal"
)

func TestSealedSecretOpensOnlyInItsContext(t *testing.T) {
	t.Parallel()
	ring, err := seal.Parse(seal.NewKey("a"))
	require.NoError(t, err)

	envelope := ring.Seal([]byte("whsec_x"), "api_key/1")
	require.NotContains(t, envelope, "whsec")

	plain, err := ring.Open(envelope, "api_key/1")
	require.NoError(t, err)
	require.Equal(t, "whsec_x", string(plain))

	_, err = ring.Open(envelope, "api_key/2")
	require.Error(t, err)
}

func TestRotationKeepsOldEnvelopesReadable(t *testing.T) {
	t.Parallel()
	oldKey, newKey := seal.NewKey("2026"), seal.NewKey("2027")
	before, err := seal.Parse(oldKey)
	require.NoError(t, err)
	envelope := before.Seal([]byte("s"), "c")

	after, err := seal.Parse(newKey + "," + oldKey)
	require.NoError(t, err)
	plain, err := after.Open(envelope, "c")
	require.NoError(t, err)
	require.Equal(t, "s", string(plain))
	require.True(t, strings.HasPrefix(after.Seal([]byte("s"), "c"), "2027."))

	dropped, err := seal.Parse(newKey)
	require.NoError(t, err)
	_, err = dropped.Open(envelope, "c")
	require.ErrorIs(t, err, seal.ErrUnknownKey)
}

func TestAlteredEnvelopeIsRefused(t *testing.T) {
	t.Parallel()
	ring, err := seal.Parse(seal.NewKey("a"))
	require.NoError(t, err)
	envelope := ring.Seal([]byte("secret"), "c")
	for name, bad := range map[string]string{
		"no key id":  "zzz",
		"not base64": "a.***",
		"too short":  "a.AAAA",
		"bit flipped": envelope[:len(envelope)-2] + map[bool]string{true: "B", false: "A"}[envelope[len(envelope)-2] == 'A'] +
			envelope[len(envelope)-1:],
	} {
		_, err := ring.Open(bad, "c")
		require.Error(t, err, name)
	}
}

func TestBadSettingIsRefusedWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "nocolon", "a:short", "bad id:" + strings.Repeat("A", 44), seal.NewKey("a") + "," + seal.NewKey("a")} {
		_, err := seal.Parse(bad)
		require.Error(t, err, bad)
		if _, secret, ok := strings.Cut(bad, ":"); ok && secret != "" {
			require.NotContains(t, err.Error(), secret)
		}
	}
}
