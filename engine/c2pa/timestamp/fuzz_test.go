package timestamp_test

import (
	"errors"
	"testing"

	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/timestamp"
	"veracity/engine/c2pa/timestamp/tsatest"
)

func FuzzVerify(f *testing.F) {
	root := certstest.Root(f, "Root")
	for _, k := range []certstest.Kind{certstest.P256, certstest.RSA} {
		tsa := tsatest.New(f, root.Sub(f, "Sub"), certstest.Of(k))
		token, err := tsa.Stamp(message)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(token)
		request, err := timestamp.Request(message)
		if err != nil {
			f.Fatal(err)
		}
		response, err := tsa.Answer(request)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(response)
		f.Add(request)
	}
	request, err := timestamp.Request(message)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, der []byte) {
		stamp, err := timestamp.Verify(der, message)
		switch {
		case err == nil && (stamp.Time.IsZero() || len(stamp.Chain) == 0):
			t.Fatal("a stamp without time or authority")
		case err != nil && !errors.Is(err, timestamp.ErrMalformed) && !errors.Is(err, timestamp.ErrMismatch) &&
			!errors.Is(err, timestamp.ErrOutside):
			t.Fatalf("error of no kind: %v", err)
		}
		if _, err := timestamp.Token(der, request, message); err == nil {
			t.Fatal("an answer that nobody gave")
		}
	})
}
