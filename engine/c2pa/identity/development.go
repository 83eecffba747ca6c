package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// Files of a self-made identity.
const (
	rootFile = "root.pem"
	certFile = "cert.pem"
	keyFile  = "key.pem"
)

const (
	developmentLife = 365 * 24 * time.Hour
	// renewBefore is how long before its end a self-made certificate is replaced.
	renewBefore = 30 * 24 * time.Hour
)

// claimSigning is the usage c2pa-kp-claimSigning (C2PA specification 2.2, section 14.5.1).
var claimSigning = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 62558, 2, 1}

// Development gives the identity of a development machine: made on first use in dir, and anew when it is about to expire.
// root is the PEM of its root certificate, which nobody else trusts.
func Development(dir string, now time.Time) (cfg Config, root []byte, err error) {
	cfg = Config{Cert: filepath.Join(dir, certFile), Key: filepath.Join(dir, keyFile)}
	root, err = os.ReadFile(filepath.Join(dir, rootFile))
	if err == nil && lasts(cfg, now) {
		return cfg, root, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Config{}, nil, fmt.Errorf("make a development identity: %w", err)
	}
	made, err := makeIdentity(now)
	if err != nil {
		return Config{}, nil, fmt.Errorf("make a development identity: %w", err)
	}
	// The root comes last: without it the others are made anew.
	for _, f := range []struct {
		name string
		data []byte
	}{{keyFile, made.key}, {certFile, made.cert}, {rootFile, made.root}} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o600); err != nil {
			return Config{}, nil, fmt.Errorf("make a development identity: %w", err)
		}
	}
	return cfg, made.root, nil
}

// lasts says whether the identity is whole and goes on for a while.
func lasts(cfg Config, now time.Time) bool {
	_, err := Open(cfg, now.Add(renewBefore), nil)
	return err == nil
}

// identityFiles are PEM.
type identityFiles struct{ root, cert, key []byte }

func makeIdentity(now time.Time) (identityFiles, error) {
	rootKey, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	key, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(err1, err2); err != nil {
		return identityFiles{}, err
	}
	root := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{Organization: []string{"Veracity development"}, CommonName: "Veracity development root"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(10 * developmentLife), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, SubjectKeyId: keyID(rootKey),
	}
	leaf := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{Organization: []string{"Veracity development"}, CommonName: "Veracity development signer"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(developmentLife), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, UnknownExtKeyUsage: []asn1.ObjectIdentifier{claimSigning},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}, SubjectKeyId: keyID(key),
	}
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, rootKey.Public(), rootKey)
	if err != nil {
		return identityFiles{}, err
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, key.Public(), rootKey)
	if err != nil {
		return identityFiles{}, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return identityFiles{}, err
	}
	encode := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	return identityFiles{
		root: encode("CERTIFICATE", rootDER), cert: encode("CERTIFICATE", leafDER), key: encode("PRIVATE KEY", keyDER),
	}, nil
}

// serial is a random serial number of 127 bits.
func serial() *big.Int {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	raw[0] &= 0x7F
	return new(big.Int).SetBytes(raw[:])
}

func keyID(key *ecdsa.PrivateKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(der)
	return sum[:20]
}
