package certs_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

var (
	oidSHA1   = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidSHA384 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}
	oidMGF1   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
	oidPSS    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
)

type oidOnly struct{ Algorithm asn1.ObjectIdentifier }

type maskGenerator struct {
	Algorithm asn1.ObjectIdentifier
	Hash      oidOnly
}

type pssParams struct {
	Hash    oidOnly       `asn1:"explicit,tag:0"`
	Mask    maskGenerator `asn1:"explicit,tag:1"`
	Salt    int           `asn1:"explicit,tag:2,optional"`
	Trailer int           `asn1:"explicit,tag:3,optional"`
}

func pssAlgorithm(t *testing.T, params any) []byte {
	t.Helper()
	der, err := asn1.Marshal(struct {
		Algorithm asn1.ObjectIdentifier
		Params    any
	}{oidPSS, params})
	require.NoError(t, err)
	return der
}

func shortRSA(t *testing.T) *rsa.PublicKey {
	t.Helper()
	n, err := rand.Prime(rand.Reader, 1024)
	require.NoError(t, err)
	return &rsa.PublicKey{N: n, E: 65537}
}

func TestPSSVerifiesWithTheParametersThatItStatesAlone(t *testing.T) {
	t.Parallel()
	key := certstest.Key(t, certstest.PSS)
	message := []byte("a claim")
	digest := sha256.Sum256(message)
	sign := func(salt int) []byte {
		s, err := key.Sign(rand.Reader, digest[:], &rsa.PSSOptions{SaltLength: salt, Hash: crypto.SHA256})
		require.NoError(t, err)
		return s
	}
	stated := func(salt int) pssParams {
		return pssParams{Hash: oidOnly{oidSHA256}, Mask: maskGenerator{oidMGF1, oidOnly{oidSHA256}}, Salt: salt}
	}
	a, err := certs.ParseAlgorithm(pssAlgorithm(t, stated(32)))
	require.NoError(t, err)
	require.NoError(t, a.Verify(key.Public(), message, sign(32)))
	require.ErrorIs(t, a.Verify(key.Public(), message, sign(20)), certs.ErrSignature)
	require.ErrorIs(t, a.Verify(key.Public(), []byte("another"), sign(32)), certs.ErrSignature)

	byDefault, err := certs.ParseAlgorithm(pssAlgorithm(t, stated(0)))
	require.NoError(t, err)
	require.NoError(t, byDefault.Verify(key.Public(), message, sign(20)))
}

func TestPSSParametersThatC2PAForbidsAreRefused(t *testing.T) {
	t.Parallel()
	good := func() pssParams {
		return pssParams{Hash: oidOnly{oidSHA256}, Mask: maskGenerator{oidMGF1, oidOnly{oidSHA256}}, Salt: 32}
	}
	for name, change := range map[string]func(*pssParams){
		"SHA-1":            func(p *pssParams) { p.Hash.Algorithm, p.Mask.Hash.Algorithm = oidSHA1, oidSHA1 },
		"two hashes":       func(p *pssParams) { p.Mask.Hash.Algorithm = oidSHA384 },
		"no mask function": func(p *pssParams) { p.Mask.Algorithm = oidSHA256 },
		"a negative salt":  func(p *pssParams) { p.Salt = -1 },
		"a huge salt":      func(p *pssParams) { p.Salt = 1 << 30 },
		"another trailer":  func(p *pssParams) { p.Trailer = 2 },
	} {
		p := good()
		change(&p)
		_, err := certs.ParseAlgorithm(pssAlgorithm(t, p))
		require.ErrorIs(t, err, certs.ErrAlgorithm, name)
	}
	_, err := certs.ParseAlgorithm(pssAlgorithm(t, struct{}{}))
	require.ErrorIs(t, err, certs.ErrAlgorithm, "defaults mean SHA-1")
	_, err = certs.ParseAlgorithm(pssAlgorithm(t, good()))
	require.NoError(t, err)
}

func TestAlgorithmsGoWithKeysOfTheirKind(t *testing.T) {
	t.Parallel()
	message := []byte("a claim")
	digest := sha512.Sum384(message)
	edKey, ecKey, rsaKey := certstest.Key(t, certstest.Ed25519), certstest.Key(t, certstest.P384), certstest.Key(t, certstest.RSA)
	sign := func(key crypto.Signer, message []byte, o crypto.SignerOpts) []byte {
		s, err := key.Sign(rand.Reader, message, o)
		require.NoError(t, err)
		return s
	}
	parse := func(oid ...int) certs.Algorithm {
		der, err := asn1.Marshal(oidOnly{oid})
		require.NoError(t, err)
		a, err := certs.ParseAlgorithm(der)
		require.NoError(t, err)
		return a
	}
	ed, ec, pkcs1 := parse(1, 3, 101, 112), parse(1, 2, 840, 10045, 4, 3, 3), parse(1, 2, 840, 113549, 1, 1, 12)
	for want, key := range map[certs.Algorithm]asn1.ObjectIdentifier{
		pkcs1: {1, 2, 840, 113549, 1, 1, 1}, ec: {1, 2, 840, 10045, 2, 1}, ed: {1, 3, 101, 112},
	} {
		der, err := asn1.Marshal(oidOnly{key})
		require.NoError(t, err)
		got, err := certs.ParseCMSAlgorithm(der, crypto.SHA384)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	edSigned, ecSigned := sign(edKey, message, crypto.Hash(0)), sign(ecKey, digest[:], crypto.SHA384)
	rsaSigned := sign(rsaKey, digest[:], crypto.SHA384)
	require.NoError(t, ed.Verify(edKey.Public(), message, edSigned))
	require.NoError(t, ec.Verify(ecKey.Public(), message, ecSigned))
	require.NoError(t, pkcs1.Verify(rsaKey.Public(), message, rsaSigned))
	require.ErrorIs(t, ed.Verify(ecKey.Public(), message, ecSigned), certs.ErrAlgorithm)
	require.ErrorIs(t, ec.Verify(rsaKey.Public(), message, rsaSigned), certs.ErrAlgorithm)
	require.ErrorIs(t, pkcs1.Verify(edKey.Public(), message, edSigned), certs.ErrAlgorithm)
	require.ErrorIs(t, pkcs1.Verify(shortRSA(t), message, rsaSigned), certs.ErrAlgorithm)
	require.ErrorIs(t, ed.Verify(edKey.Public(), message, edSigned[:63]), certs.ErrSignature)
	even := &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 2047), E: 65537}
	require.ErrorIs(t, pkcs1.Verify(even, message, rsaSigned), certs.ErrSignature)
}

func TestWeakAlgorithmsAreRefused(t *testing.T) {
	t.Parallel()
	for name, oid := range map[string]asn1.ObjectIdentifier{
		"MD5 with RSA": {1, 2, 840, 113549, 1, 1, 4}, "SHA-1 with RSA": {1, 2, 840, 113549, 1, 1, 5},
		"SHA-1 with ECDSA": {1, 2, 840, 10045, 4, 1}, "Ed448": {1, 3, 101, 113},
	} {
		der, err := asn1.Marshal(oidOnly{oid})
		require.NoError(t, err)
		_, err = certs.ParseAlgorithm(der)
		require.ErrorIs(t, err, certs.ErrAlgorithm, name)
	}
	_, err := certs.ParseAlgorithm([]byte{0x30, 0x80})
	require.ErrorIs(t, err, certs.ErrAlgorithm)
}

func p224(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	require.NoError(t, err)
	return key
}
