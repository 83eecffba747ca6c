package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"veracity/engine"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/identity"
)

// identityDir in the data folder has the self-made identity of a development server.
const identityDir = "identity"

func (s *Settings) registerCredentials(fs *pflag.FlagSet) {
	fs.StringVar(&s.Credentials.Cert, "c2pa-cert", "", "PEM file of the certificates that sign the Content Credentials of optimized files")
	fs.StringVar(&s.Credentials.Key, "c2pa-key", "", "PEM file of their private key")
	fs.StringVar(&s.Credentials.TSA, "c2pa-tsa", "", "RFC 3161 time-stamp authority that stamps those signatures, http(s)://…")
}

// signer is who signs what is optimized; nil where nobody does.
func (s *Settings) signer() (engine.Signer, error) {
	if !s.Credentials.Enabled() {
		return nil, nil //nolint:nilnil // Signing is a choice.
	}
	who, err := identity.Open(s.Credentials, time.Now(), newLogger(s))
	if err != nil {
		return nil, usageError{err}
	}
	return who, nil
}

// ownIdentity gives a development server an identity of its own, which it trusts and nobody else does.
func (s *Settings) ownIdentity() error {
	if s.Credentials.Enabled() {
		return nil
	}
	tsa := s.Credentials.TSA
	cfg, root, err := identity.Development(filepath.Join(s.Data, identityDir), time.Now())
	if err != nil {
		return err
	}
	s.Credentials, s.Credentials.TSA = cfg, tsa
	if err := s.makeTrustFolder(); err != nil {
		return err
	}
	path := filepath.Join(s.Trust.Dir, "development"+certs.LocalSuffix)
	if err := os.WriteFile(path, root, 0o644); err != nil { //nolint:gosec // A public certificate.
		return fmt.Errorf("trust the development identity: %w", err)
	}
	return nil
}

// examineIdentity is the doctor's look at who signs.
func (s *Settings) examineIdentity() finding {
	const what = "Content Credentials"
	if !s.Credentials.Enabled() {
		return finding{What: what, OK: true, Says: "optimized files are not signed: VERACITY_C2PA_CERT is not set"}
	}
	who, err := identity.Open(s.Credentials, time.Now(), newLogger(s))
	if err != nil {
		return result(what, "", err, "mend VERACITY_C2PA_CERT and VERACITY_C2PA_KEY")
	}
	left := time.Until(who.Expires())
	says := fmt.Sprintf("signed in the name of %s until %s", who.Organization(), who.Expires().Format(time.DateOnly))
	if left < 30*24*time.Hour {
		return finding{What: what, Says: says, Mend: "renew the certificate"}
	}
	return finding{What: what, OK: true, Says: says}
}
