package certstest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"sync"
	"testing"
)

// Kind is a kind of key.
type Kind int

// Kinds of keys. PSS is an RSA key whose certificates are for RSASSA-PSS alone, and that signs others with it.
const (
	P256 Kind = iota
	P384
	P521
	Ed25519
	RSA
	PSS
)

// RSA keys take long to make: there are two, made once.
var rsaKeys = [2]func() *rsa.PrivateKey{sync.OnceValue(makeRSA), sync.OnceValue(makeRSA)}

func makeRSA() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

// keyID names a key in certificates.
func keyID(tb testing.TB, key crypto.Signer) []byte {
	tb.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		tb.Fatal(err)
	}
	hash := sha256.Sum256(der)
	return hash[:20]
}

// Key makes a key. Those of RSA and of PSS are one each.
func Key(tb testing.TB, k Kind) crypto.Signer {
	tb.Helper()
	var key crypto.Signer
	var err error
	switch k {
	case P256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case P384:
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case P521:
		key, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case Ed25519:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case RSA:
		key = rsaKeys[0]()
	case PSS:
		key = rsaKeys[1]()
	default:
		tb.Fatalf("no such kind of key: %d", k)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return key
}
