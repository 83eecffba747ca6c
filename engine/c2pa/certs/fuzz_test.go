package certs_test

import (
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/crypto/ocsp"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

func FuzzParse(f *testing.F) {
	root := certstest.Root(f, "Root")
	for _, k := range []certstest.Kind{certstest.P256, certstest.P521, certstest.Ed25519, certstest.RSA, certstest.PSS} {
		f.Add(certstest.Root(f, "Root", certstest.Of(k)).Certificate.Raw)
	}
	f.Add(root.Stamper(f, "TSA").Certificate.Raw)
	lists, err := certs.Read(fstest.MapFS{certs.InterimFile: {Data: certstest.PEM(root)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, der []byte) {
		c, err := certs.Parse(der)
		if err != nil {
			if !errors.Is(err, certs.ErrInvalid) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		if c.Key == nil {
			t.Fatal("a certificate without a key")
		}
		if err := certs.CheckProfile(c, certs.Claims); err != nil && !errors.Is(err, certs.ErrProfile) {
			t.Fatalf("error of no kind: %v", err)
		}
		chain := []certs.Certificate{c, c, root.Certificate}
		lists.Judge(chain, time.Now(), certs.Claims)
		if certs.Stapled([][]byte{der}, chain, time.Now()) != certs.NotStated {
			t.Fatal("a certificate is no OCSP response")
		}
		_ = c.Organization()
	})
}

func FuzzRead(f *testing.F) {
	root := certstest.PEM(certstest.Root(f, "Root"))
	for _, name := range []string{certs.AnchorsFile, certs.AllowedFile, certs.UsagesFile, "x.local.pem"} {
		f.Add(name, root)
		f.Add(name, []byte("1.3.6.1.5.5.7.3.4 // email\n2.999.1\n"))
	}
	f.Add(certs.AllowedFile, []byte("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		lists, err := certs.Read(fstest.MapFS{name: {Data: data}})
		if err == nil && lists.Anchors+lists.StampAnchors+lists.Allowed > len(data) {
			t.Fatal("more entries than bytes")
		}
	})
}

func FuzzStapled(f *testing.F) {
	issuer := certstest.Root(f, "Root")
	signer := issuer.Signer(f, "Signer")
	chain := append(signer.Chain(), issuer.Certificate)
	now := time.Now()
	for _, responder := range []*certstest.Identity{issuer, issuer.Responder(f, "OCSP")} {
		der, err := ocsp.CreateResponse(issuer.Certificate.Certificate, responder.Certificate.Certificate, ocsp.Response{
			Status: ocsp.Good, SerialNumber: signer.Certificate.SerialNumber, ThisUpdate: now, NextUpdate: now.Add(time.Hour),
			Certificate: responder.Certificate.Certificate,
		}, responder.Key)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(der)
	}
	f.Fuzz(func(t *testing.T, der []byte) {
		if certs.Stapled([][]byte{der}, chain, now) == certs.Revoked {
			t.Fatal("nobody revoked it")
		}
	})
}
