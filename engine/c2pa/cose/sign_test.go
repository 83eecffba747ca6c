package cose_test

import (
	"bytes"
	"crypto"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/timestamp"
	"veracity/engine/c2pa/timestamp/tsatest"
)

var claim = []byte("a claim")

// signs signs the claim with a new certificate of that kind.
func signs(t *testing.T, kind certstest.Kind) (data []byte, signer certs.Certificate) {
	t.Helper()
	made := certstest.Root(t, "Root").Signer(t, "Signer", certstest.Of(kind))
	data, err := cose.Signer{Key: made.Key, Chain: made.DER()}.Sign(claim, 4096)
	require.NoError(t, err)
	require.Len(t, data, 4096)
	return data, made.Certificate
}

var kinds = map[string]struct {
	kind certstest.Kind
	want cose.Algorithm
}{
	"P-256": {certstest.P256, cose.ES256}, "P-384": {certstest.P384, cose.ES384}, "P-521": {certstest.P521, cose.ES512},
	"Ed25519": {certstest.Ed25519, cose.EdDSA}, "RSA": {certstest.RSA, cose.PS256}, "RSASSA-PSS": {certstest.PSS, cose.PS256},
}

func TestWhatEveryKindOfKeySignsVerifiesByItAlone(t *testing.T) {
	t.Parallel()
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, signer := signs(t, k.kind)
			s, err := cose.Parse(data)
			require.NoError(t, err)
			require.Equal(t, k.want, s.Algorithm)
			require.Equal(t, [][]byte{signer.Raw}, s.Chain)
			require.Nil(t, s.Payload)
			require.NoError(t, s.Verify(claim, signer))
			require.ErrorIs(t, s.Verify([]byte("another"), signer), cose.ErrMismatch)
			require.ErrorIs(t, s.Verify(nil, signer), cose.ErrMismatch)
			for other, o := range kinds {
				stranger := certs.Certificate{Key: newKey(t, o.kind).Public()}
				require.ErrorIs(t, s.Verify(claim, stranger), cose.ErrMismatch, other)
			}
			require.ErrorIs(t, s.Verify(claim, certs.Certificate{}), cose.ErrMismatch)
			s.Algorithm = -257
			require.ErrorIs(t, s.Verify(claim, signer), cose.ErrAlgorithm)
		})
	}
}

// newKey is a key that nobody else has, also of RSA, of which the others are shared.
func newKey(t *testing.T, kind certstest.Kind) crypto.Signer {
	t.Helper()
	switch kind {
	case certstest.RSA, certstest.PSS:
		return otherRSA()
	default:
		return certstest.Key(t, kind)
	}
}

func TestASignatureIsFilledToItsSize(t *testing.T) {
	t.Parallel()
	made := certstest.Root(t, "Root").Signer(t, "Signer", certstest.Of(certstest.Ed25519))
	signer := cose.Signer{Key: made.Key, Chain: made.DER()}
	smallest := 0
	for smallest = 1; smallest < 4096; smallest++ {
		if _, err := signer.Sign(claim, smallest); err == nil {
			break
		}
	}
	for missing := range 300 {
		data, err := signer.Sign(claim, smallest+missing)
		if missing > 0 && missing < 5 {
			require.ErrorIs(t, err, cose.ErrInvalid, "no header is that short: %d", missing)
			continue
		}
		require.NoError(t, err, missing)
		require.Len(t, data, smallest+missing)
	}
	// The head of a byte string grows at 24, 256 and 65536 bytes.
	for missing := 65530; missing < 65560; missing++ {
		data, err := signer.Sign(claim, smallest+missing)
		require.NoError(t, err, missing)
		require.Len(t, data, smallest+missing)
	}
	for _, size := range []int{-1, 0, smallest - 1, cose.MaxSize * 2} {
		_, err := signer.Sign(claim, size)
		require.ErrorIs(t, err, cose.ErrInvalid, size)
	}
	data, err := signer.Sign(claim, 1000)
	require.NoError(t, err)
	s, err := cose.Parse(data)
	require.NoError(t, err)
	require.NoError(t, s.Verify(claim, made.Certificate))
}

func TestASignatureIsStampedAsItStands(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	made, tsa := root.Sub(t, "Sub").Signer(t, "Signer"), tsatest.New(t, root)
	data, err := cose.Signer{Key: made.Key, Chain: made.DER(), Stamp: tsa.Stamp}.Sign(claim, 8000)
	require.NoError(t, err)
	require.Len(t, data, 8000)
	s, err := cose.Parse(data)
	require.NoError(t, err)
	require.Len(t, s.Chain, 2)
	require.Empty(t, s.Stamps)
	require.Len(t, s.Stamps2, 1)
	stamp, err := timestamp.Verify(s.Stamps2[0], s.Stamped(2, claim))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), stamp.Time, time.Minute)
	_, err = timestamp.Verify(s.Stamps2[0], s.Stamped(1, claim))
	require.ErrorIs(t, err, timestamp.ErrMismatch)

	broken := errors.New("no authority")
	_, err = cose.Signer{
		Key: made.Key, Chain: made.DER(), Stamp: func([]byte) ([]byte, error) { return nil, broken },
	}.Sign(claim, 8000)
	require.ErrorIs(t, err, broken)
}

// The bytes are those of RFC 9052, section 4.4, written out by hand.
func TestStampedIsTheCountersignaturesStructure(t *testing.T) {
	t.Parallel()
	data := made(nil)
	s, err := cose.Parse(data)
	require.NoError(t, err)
	v, err := cbor.Decode(data)
	require.NoError(t, err)
	_, content, _ := v.Tagged()
	protected, _ := content.Elements()[0].Bytes()
	head := append([]byte{0x84, 0x70}, "CounterSignature"...)
	head = append(append(head, 0x54), protected...)
	require.Len(t, protected, 20)
	head = append(head, 0x40)
	require.Equal(t, append(append(bytes.Clone(head), 0x47), claim...), s.Stamped(1, claim))
	require.Equal(t, append(append(bytes.Clone(head), 0x4A, 0x49), "signature"...), s.Stamped(2, claim),
		"the byte string of the signature with its head, inside a byte string")
}

func TestOtherKeysThanTheCertificatesDoNotSign(t *testing.T) {
	t.Parallel()
	made := certstest.Root(t, "Root").Signer(t, "Signer")
	for name, s := range map[string]cose.Signer{
		"none":             {},
		"no chain":         {Key: made.Key},
		"no key":           {Chain: made.DER()},
		"another key":      {Key: certstest.Key(t, certstest.P256), Chain: made.DER()},
		"a key of RSA":     {Key: certstest.Key(t, certstest.RSA), Chain: made.DER()},
		"no certificate":   {Key: made.Key, Chain: [][]byte{{0x30}}},
		"too many of them": {Key: made.Key, Chain: make([][]byte, 17)},
	} {
		_, err := s.Sign(claim, 4096)
		require.ErrorIs(t, err, cose.ErrInvalid, name)
	}
	for name, answer := range map[string][]byte{"no DER": []byte("no"), "zeros": {0x30, 6, 2, 1, 0, 2, 1, 0}, "a zero": {0x30, 6, 2, 1, 0, 2, 1, 1}} {
		_, err := cose.Signer{Key: faulty{made.Key, answer, nil}, Chain: made.DER()}.Sign(claim, 4096)
		require.Error(t, err, name)
	}
	gone := errors.New("the key is gone")
	_, err := cose.Signer{Key: faulty{made.Key, nil, gone}, Chain: made.DER()}.Sign(claim, 4096)
	require.ErrorIs(t, err, gone)
}

// faulty is a key that answers what it should not.
type faulty struct {
	crypto.Signer
	answer []byte
	err    error
}

func (f faulty) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return f.answer, f.err }
