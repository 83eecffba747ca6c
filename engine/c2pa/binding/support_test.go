package binding_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/binding"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/probe"
)

func open(b []byte, format probe.Format) carrier.File {
	return carrier.File{R: bytes.NewReader(b), Size: int64(len(b)), Format: format}
}

// check checks a binding of a file whose store is looked for first, and answers the codes.
func check(t *testing.T, file []byte, format probe.Format, label string, assertion cbor.Members) []status.Code {
	t.Helper()
	f := open(file, format)
	found, err := carrier.Find(f)
	require.NoError(t, err)
	if found == nil {
		found = &carrier.Found{}
	}
	return codes(t, f, *found, label, assertion)
}

func codes(t *testing.T, f carrier.File, found carrier.Found, label string, assertion cbor.Members) []status.Code {
	t.Helper()
	v, err := cbor.Decode(cbor.Encode(assertion))
	require.NoError(t, err)
	told, err := binding.Check(t.Context(), f, found, label, v, "sha256")
	require.NoError(t, err)
	require.NotEmpty(t, told)
	var out []status.Code
	for _, s := range told {
		require.NotEmpty(t, s.Explanation, s.Code)
		require.Empty(t, s.URI)
		out = append(out, s.Code)
	}
	return out
}

// sum hashes parts as one.
func sum(alg string, parts ...[]byte) []byte {
	all := slices.Concat(parts...)
	switch alg {
	case "sha384":
		s := sha512.Sum384(all)
		return s[:]
	case "sha512":
		s := sha512.Sum512(all)
		return s[:]
	}
	s := sha256.Sum256(all)
	return s[:]
}

// without is a file minus ranges, each a start and an end, which rise.
func without(file []byte, ranges ...int) []byte {
	var out []byte
	at := 0
	for i := 0; i < len(ranges); i += 2 {
		out, at = append(out, file[at:ranges[i]]...), ranges[i+1]
	}
	return append(out, file[at:]...)
}

// flipped is a file with one bit of a byte changed.
func flipped(file []byte, at int) []byte {
	out := bytes.Clone(file)
	out[at] ^= 0x10
	return out
}
