// Package identity is who signs the Content Credentials of what we make: a certificate with its key, and the time-stamp
// authority that is asked. It lives in the processes that take orders, never in the one that decodes media.
package identity

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/cose"
)

// Config says who signs. All empty: nothing is signed.
type Config struct {
	// Cert is a PEM file: the signing certificate first, then those above it, the root left out. Key is a PEM file with its
	// private key: ECDSA (P-256, P-384, P-521), RSA of 2048 bits or more, or Ed25519.
	Cert, Key string
	// TSA is the address of an RFC 3161 time-stamp authority, http or https: its answers are signed. Empty asks none.
	TSA string
}

// Enabled says whether anything is signed.
func (c Config) Enabled() bool { return c.Cert != "" || c.Key != "" }

// Validate names the setting that is wrong. It opens no file.
func (c Config) Validate() error {
	if (c.Cert == "") != (c.Key == "") {
		return errors.New("VERACITY_C2PA_CERT and VERACITY_C2PA_KEY belong together: set both, or none to sign nothing")
	}
	if c.TSA == "" {
		return nil
	}
	if u, err := url.Parse(c.TSA); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("VERACITY_C2PA_TSA is no http:// or https:// address")
	}
	if c.Cert == "" {
		return errors.New("VERACITY_C2PA_TSA is set without VERACITY_C2PA_CERT: there is nothing to stamp")
	}
	return nil
}

// Identity signs. It may be used by many at once.
type Identity struct {
	signer cose.Signer
	leaf   certs.Certificate
	tsa    string
	log    *slog.Logger
}

// maxFile bounds a PEM file in bytes.
const maxFile = 256 << 10

// Open reads certificate and key. They must belong together, and the certificate must be one that C2PA lets sign claims
// and that is valid now.
func Open(cfg Config, now time.Time, log *slog.Logger) (*Identity, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	chain, err := readChain(cfg.Cert)
	if err != nil {
		return nil, fmt.Errorf("VERACITY_C2PA_CERT: %w", err)
	}
	key, err := readKey(cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("VERACITY_C2PA_KEY: %w", err)
	}
	leaf, err := certs.Parse(chain[0])
	if err != nil {
		return nil, fmt.Errorf("VERACITY_C2PA_CERT: %w", err)
	}
	if public, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(leaf.Key) {
		return nil, errors.New("VERACITY_C2PA_KEY is not the key of the first certificate in VERACITY_C2PA_CERT")
	}
	if err := certs.CheckProfile(leaf, certs.Claims); err != nil {
		return nil, fmt.Errorf("VERACITY_C2PA_CERT: %w", err)
	}
	if now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
		return nil, fmt.Errorf("VERACITY_C2PA_CERT is valid from %s to %s, not now", leaf.NotBefore.Format(time.DateOnly), leaf.NotAfter.Format(time.DateOnly))
	}
	return &Identity{signer: cose.Signer{Key: key, Chain: chain}, leaf: leaf, tsa: cfg.TSA, log: log}, nil
}

// Room implements engine.Signer.
func (i *Identity) Room() int {
	// Headers, the signature itself (RSA of 4096 bits has 512 bytes), and room to pad.
	room := 1536
	for _, der := range i.signer.Chain {
		room += len(der) + 8
	}
	if i.tsa != "" {
		room += maxToken
	}
	return room
}

// Sign implements engine.Signer. A time-stamp that cannot be had is left out and logged: the signature holds for as long
// as the certificate is valid.
func (i *Identity) Sign(ctx context.Context, claim []byte) ([]byte, error) {
	if i.tsa != "" {
		stamped := i.signer
		stamped.Stamp = func(message []byte) ([]byte, error) { return ask(ctx, i.tsa, message) }
		signature, err := stamped.Sign(claim, i.Room())
		if err == nil {
			return signature, nil
		}
		i.log.WarnContext(ctx, "Content Credentials are signed without a time-stamp", "authority", i.authority(), "error", err)
	}
	signature, err := i.signer.Sign(claim, i.Room())
	if err != nil {
		return nil, fmt.Errorf("sign Content Credentials: %w", err)
	}
	return signature, nil
}

// authority names the time-stamp authority in logs: its address may hold a password or a key.
func (i *Identity) authority() string {
	u, err := url.Parse(i.tsa)
	if err != nil {
		return ""
	}
	return u.Host
}

// Organization is who signs, and Expires until when.
func (i *Identity) Organization() string { return i.leaf.Organization() }

// Expires is the end of the certificate's validity.
func (i *Identity) Expires() time.Time { return i.leaf.NotAfter }

func readChain(path string) ([][]byte, error) {
	data, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	var chain [][]byte
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		if block.Type == "CERTIFICATE" {
			chain = append(chain, block.Bytes)
		}
	}
	if len(chain) == 0 {
		return nil, fmt.Errorf("%s holds no certificate in PEM", path)
	}
	return chain, nil
}

func readKey(path string) (crypto.Signer, error) {
	data, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			return nil, fmt.Errorf("%s holds no private key in PEM", path)
		}
		if key := parseKey(block); key != nil {
			return key, nil
		}
	}
}

// parseKey is nil for a block that is no key which may sign.
func parseKey(block *pem.Block) crypto.Signer {
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		switch key := key.(type) {
		case *ecdsa.PrivateKey:
			return key
		case *rsa.PrivateKey:
			return key
		case ed25519.PrivateKey:
			return key
		}
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key
	}
	return nil
}

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes: more than any certificate or key", path, info.Size())
	}
	return os.ReadFile(path)
}
