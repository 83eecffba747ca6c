package cose_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/cose"
)

var otherRSA = sync.OnceValue(func() crypto.Signer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// signed writes a COSE_Sign1 of the claim by hand: sign answers the signature of the structure.
func signed(t *testing.T, signer *certstest.Identity, algorithm int, sign func(structure []byte) []byte) cose.Signature {
	t.Helper()
	protected := cbor.Encode(cbor.Members{{Key: 1, Value: algorithm}, {Key: 33, Value: signer.Certificate.Raw}})
	structure := cbor.Encode([]any{"Signature1", protected, []byte{}, claim})
	s, err := cose.Parse(made(func(p *parts) { p.bytes, p.signature = protected, sign(structure) }))
	require.NoError(t, err)
	return s
}

func digestOf(h crypto.Hash, data []byte) []byte {
	state := h.New()
	state.Write(data)
	return state.Sum(nil)
}

// raw signs with ECDSA, and writes both numbers in so many bytes each.
func raw(t *testing.T, key crypto.Signer, h crypto.Hash, half int) func([]byte) []byte {
	t.Helper()
	return func(structure []byte) []byte {
		der, err := key.Sign(rand.Reader, digestOf(h, structure), h)
		require.NoError(t, err)
		var numbers struct{ R, S *big.Int }
		_, err = asn1.Unmarshal(der, &numbers)
		require.NoError(t, err)
		return slices.Concat(numbers.R.FillBytes(make([]byte, half)), numbers.S.FillBytes(make([]byte, half)))
	}
}

func TestEveryCurveGoesWithEveryHashOfECDSA(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	for kind, half := range map[certstest.Kind]int{certstest.P256: 32, certstest.P384: 48, certstest.P521: 66} {
		signer := root.Signer(t, "Signer", certstest.Of(kind))
		for algorithm, h := range map[int]crypto.Hash{-7: crypto.SHA256, -35: crypto.SHA384, -36: crypto.SHA512} {
			s := signed(t, signer, algorithm, raw(t, signer.Key, h, half))
			require.NoError(t, s.Verify(claim, signer.Certificate))
		}
	}
}

func TestECDSASignaturesHaveExactlyTheirLength(t *testing.T) {
	t.Parallel()
	signer := certstest.Root(t, "Root").Signer(t, "Signer")
	for name, sign := range map[string]func([]byte) []byte{
		"longer": raw(t, signer.Key, crypto.SHA256, 33),
		"DER": func(structure []byte) []byte {
			der, err := signer.Key.Sign(rand.Reader, digestOf(crypto.SHA256, structure), crypto.SHA256)
			require.NoError(t, err)
			return der
		},
		"none":  func([]byte) []byte { return []byte{} },
		"zeros": func([]byte) []byte { return make([]byte, 64) },
		"ones":  func([]byte) []byte { return slices.Repeat([]byte{0xFF}, 64) },
	} {
		require.ErrorIs(t, signed(t, signer, -7, sign).Verify(claim, signer.Certificate), cose.ErrMismatch, name)
	}
}

func TestPSSTakesASaltAsLongAsTheHash(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	for _, kind := range []certstest.Kind{certstest.RSA, certstest.PSS} {
		signer := root.Signer(t, "Signer", certstest.Of(kind))
		sign := func(h crypto.Hash, salt int) func([]byte) []byte {
			return func(structure []byte) []byte {
				s, err := signer.Key.Sign(rand.Reader, digestOf(h, structure), &rsa.PSSOptions{SaltLength: salt, Hash: h})
				require.NoError(t, err)
				return s
			}
		}
		for algorithm, h := range map[int]crypto.Hash{-37: crypto.SHA256, -38: crypto.SHA384, -39: crypto.SHA512} {
			require.NoError(t, signed(t, signer, algorithm, sign(h, h.Size())).Verify(claim, signer.Certificate))
			require.ErrorIs(t, signed(t, signer, algorithm, sign(h, 20)).Verify(claim, signer.Certificate), cose.ErrMismatch)
		}
		plain := func(structure []byte) []byte {
			s, err := signer.Key.Sign(rand.Reader, digestOf(crypto.SHA256, structure), crypto.SHA256)
			require.NoError(t, err)
			return s
		}
		require.ErrorIs(t, signed(t, signer, -37, plain).Verify(claim, signer.Certificate), cose.ErrMismatch, "PKCS #1 v1.5")
	}
}

func TestAlgorithmsOfOtherKindsOfKeysDoNotVerify(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	ec, ed, rs := root.Signer(t, "S"), root.Signer(t, "S", certstest.Of(certstest.Ed25519)), root.Signer(t, "S", certstest.Of(certstest.RSA))
	edSigns := func(structure []byte) []byte {
		s, err := ed.Key.Sign(rand.Reader, structure, crypto.Hash(0))
		require.NoError(t, err)
		return s
	}
	rsaSigns := func(structure []byte) []byte {
		s, err := rs.Key.Sign(rand.Reader, digestOf(crypto.SHA256, structure), &rsa.PSSOptions{SaltLength: 32, Hash: crypto.SHA256})
		require.NoError(t, err)
		return s
	}
	for algorithm, want := range map[int]error{-7: nil, -37: cose.ErrMismatch, -8: cose.ErrMismatch} {
		require.ErrorIs(t, signed(t, ec, algorithm, raw(t, ec.Key, crypto.SHA256, 32)).Verify(claim, ec.Certificate), want)
	}
	for algorithm, want := range map[int]error{-8: nil, -7: cose.ErrMismatch, -37: cose.ErrMismatch} {
		require.ErrorIs(t, signed(t, ed, algorithm, edSigns).Verify(claim, ed.Certificate), want)
	}
	for algorithm, want := range map[int]error{-37: nil, -7: cose.ErrMismatch, -8: cose.ErrMismatch} {
		require.ErrorIs(t, signed(t, rs, algorithm, rsaSigns).Verify(claim, rs.Certificate), want)
	}
}

func TestAnAttachedPayloadIsTheClaim(t *testing.T) {
	t.Parallel()
	signer := certstest.Root(t, "Root").Signer(t, "Signer")
	protected := cbor.Encode(cbor.Members{{Key: 1, Value: -7}, {Key: 33, Value: signer.Certificate.Raw}})
	structure := cbor.Encode([]any{"Signature1", protected, []byte{}, claim})
	signature := raw(t, signer.Key, crypto.SHA256, 32)(structure)
	for _, payload := range [][]byte{claim, []byte("another"), {}} {
		s, err := cose.Parse(made(func(p *parts) { p.bytes, p.signature, p.payload = protected, signature, payload }))
		require.NoError(t, err)
		require.Equal(t, payload, s.Payload)
		if bytes.Equal(payload, claim) {
			require.NoError(t, s.Verify(claim, signer.Certificate))
			continue
		}
		require.ErrorIs(t, s.Verify(claim, signer.Certificate), cose.ErrMismatch)
	}
}

func TestACountersignatureIsNoSignature(t *testing.T) {
	t.Parallel()
	signer := certstest.Root(t, "Root").Signer(t, "Signer")
	protected := cbor.Encode(cbor.Members{{Key: 1, Value: -7}, {Key: 33, Value: signer.Certificate.Raw}})
	structure := cbor.Encode([]any{"CounterSignature", protected, []byte{}, claim})
	signature := raw(t, signer.Key, crypto.SHA256, 32)(structure)
	s, err := cose.Parse(made(func(p *parts) { p.bytes, p.signature = protected, signature }))
	require.NoError(t, err)
	require.ErrorIs(t, s.Verify(claim, signer.Certificate), cose.ErrMismatch)
}

func TestWhatIsProtectedCannotBeChanged(t *testing.T) {
	t.Parallel()
	data, signer := signs(t, certstest.P256)
	whole, err := cose.Parse(data)
	require.NoError(t, err)
	for i := range data {
		broken := slices.Clone(data)
		broken[i] ^= 1 << (i % 8)
		s, err := cose.Parse(broken)
		if err != nil || s.Verify(claim, signer) != nil {
			continue
		}
		require.Equal(t, whole.Algorithm, s.Algorithm, "byte %d", i)
		require.Equal(t, whole.Chain, s.Chain, "byte %d", i)
	}
}
