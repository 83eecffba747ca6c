package cose_test

import (
	"errors"
	"testing"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/timestamp"
	"veracity/engine/c2pa/timestamp/tsatest"
)

func FuzzParse(f *testing.F) {
	root := certstest.Root(f, "Root")
	tsa := tsatest.New(f, root)
	for _, k := range kinds {
		signer := root.Signer(f, "Signer", certstest.Of(k.kind))
		for _, stamp := range []cose.Stamper{nil, tsa.Stamp} {
			data, err := cose.Signer{Key: signer.Key, Chain: signer.DER(), Stamp: stamp}.Sign(claim, 5000)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add(made(nil))
	stranger := certstest.Root(f, "Stranger").Certificate
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := cose.Parse(data)
		if err != nil {
			if !errors.Is(err, cose.ErrInvalid) && !errors.Is(err, cose.ErrAlgorithm) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		if len(s.Chain) == 0 {
			t.Fatal("a signature without a signer")
		}
		if s.Verify(claim, stranger) == nil {
			t.Fatal("a stranger signed it")
		}
		for i, tokens := range [][][]byte{s.Stamps, s.Stamps2} {
			for _, token := range tokens {
				_, _ = timestamp.Verify(token, s.Stamped(i+1, claim))
			}
		}
		if chain, err := certs.ParseChain(s.Chain); err == nil {
			_ = s.Verify(claim, chain[0])
		}
	})
}
