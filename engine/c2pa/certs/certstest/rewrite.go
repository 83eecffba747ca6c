package certstest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"testing"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

var oidPSS = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}

// rewrite gives a certificate what x509 cannot write, and signs it again.
func rewrite(tb testing.TB, der []byte, t Template, signer *Identity) []byte {
	tb.Helper()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	outer, fields := cryptobyte.String(parsed.RawTBSCertificate), cryptobyte.String(nil)
	if !outer.ReadASN1(&fields, tags.SEQUENCE) {
		tb.Fatal("no certificate")
	}
	b := cryptobyte.NewBuilder(nil)
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		for position := 0; !fields.Empty(); position++ {
			var element cryptobyte.String
			var tag tags.Tag
			if !fields.ReadAnyASN1Element(&element, &tag) {
				tb.Fatal("no certificate")
			}
			// RFC 5280, section 4.1: the seventh field is the key, unique identifiers stand before the extensions.
			switch {
			case position == 6 && t.Kind == PSS:
				addPSSKey(b, parsed.PublicKey.(*rsa.PublicKey))
			case tag == tags.Tag(3).Constructed().ContextSpecific() && t.UniqueID:
				b.AddASN1(tags.Tag(1).ContextSpecific(), func(b *cryptobyte.Builder) { b.AddBytes([]byte{0, 1, 2, 3}) })
				b.AddBytes(element)
			default:
				b.AddBytes(element)
			}
		}
	})
	tbs, err := b.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return reseal(tb, der, tbs, parsed.SignatureAlgorithm, signer)
}

func addPSSKey(b *cryptobyte.Builder, key *rsa.PublicKey) {
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidPSS) })
		b.AddASN1BitString(x509.MarshalPKCS1PublicKey(key))
	})
}

// reseal puts other content into a certificate, signed in the way it was.
func reseal(tb testing.TB, der, tbs []byte, algorithm x509.SignatureAlgorithm, signer *Identity) []byte {
	tb.Helper()
	message, options := tbs, crypto.SignerOpts(crypto.Hash(0))
	switch algorithm {
	case x509.PureEd25519:
	case x509.SHA256WithRSAPSS:
		options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}
	case x509.ECDSAWithSHA256, x509.SHA256WithRSA:
		options = crypto.SHA256
	case x509.ECDSAWithSHA384:
		options = crypto.SHA384
	case x509.ECDSAWithSHA512:
		options = crypto.SHA512
	default:
		tb.Fatalf("cannot sign with %s", algorithm)
	}
	if h := options.HashFunc(); h != 0 {
		state := h.New()
		state.Write(tbs)
		message = state.Sum(nil)
	}
	signature, err := signer.Key.Sign(rand.Reader, message, options)
	if err != nil {
		tb.Fatal(err)
	}
	var old struct {
		TBS       asn1.RawValue
		Algorithm asn1.RawValue
		Signature asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &old); err != nil {
		tb.Fatal(err)
	}
	b := cryptobyte.NewBuilder(nil)
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(tbs)
		b.AddBytes(old.Algorithm.FullBytes)
		b.AddASN1BitString(signature)
	})
	sealed, err := b.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return sealed
}
