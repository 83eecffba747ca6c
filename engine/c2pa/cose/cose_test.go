package cose_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/cose"
)

// parts are those of a COSE_Sign1 in the making.
type parts struct {
	tag                    uint64 // 0 writes none
	protected, unprotected cbor.Members
	bytes                  []byte // instead of protected
	payload                any
	signature              any
	more                   []any
}

// made writes a COSE_Sign1, a good one unless it is changed.
func made(change func(*parts)) []byte {
	p := parts{
		tag: 18, protected: cbor.Members{{Key: 1, Value: -7}, {Key: 33, Value: []any{[]byte("signer"), []byte("issuer")}}},
		signature: []byte("signature"),
	}
	if change != nil {
		change(&p)
	}
	protected := p.bytes
	if protected == nil {
		protected = cbor.Encode(p.protected)
	}
	list := append([]any{protected, p.unprotected, p.payload, p.signature}, p.more...)
	if p.tag == 0 {
		return cbor.Encode(list)
	}
	return cbor.Encode(cbor.TagOf{Number: p.tag, Content: list})
}

func TestParseReadsWhatASignatureSays(t *testing.T) {
	t.Parallel()
	token := func(values ...string) cbor.Members {
		var list []any
		for _, v := range values {
			list = append(list, cbor.Members{{Key: "val", Value: []byte(v)}})
		}
		return cbor.Members{{Key: "tstTokens", Value: list}}
	}
	s, err := cose.Parse(made(func(p *parts) {
		p.unprotected = cbor.Members{
			{Key: "sigTst", Value: token("one", "two")},
			{Key: "sigTst2", Value: token("three")},
			{Key: "rVals", Value: cbor.Members{{Key: "ocspVals", Value: []any{[]byte("good"), "text", []byte("more")}}}},
			{Key: "pad", Value: make([]byte, 100)},
		}
	}))
	require.NoError(t, err)
	require.Equal(t, cose.ES256, s.Algorithm)
	require.Equal(t, "ES256", s.Algorithm.String())
	require.Equal(t, [][]byte{[]byte("signer"), []byte("issuer")}, s.Chain)
	require.Nil(t, s.Payload)
	require.Equal(t, [][]byte{[]byte("one"), []byte("two")}, s.Stamps)
	require.Equal(t, [][]byte{[]byte("three")}, s.Stamps2)
	require.Equal(t, [][]byte{[]byte("good"), []byte("more")}, s.OCSP)
}

func TestParseTakesEveryFormThatC2PAHasHad(t *testing.T) {
	t.Parallel()
	chain := []any{[]byte("signer"), []byte("issuer")}
	both := [][]byte{[]byte("signer"), []byte("issuer")}
	one := [][]byte{[]byte("signer")}
	plain := cbor.Members{{Key: 1, Value: -7}}
	for name, c := range map[string]struct {
		change func(*parts)
		want   [][]byte
	}{
		"untagged":             {func(p *parts) { p.tag = 0 }, both},
		"one certificate":      {func(p *parts) { p.protected[1].Value = []byte("signer") }, one},
		"by name":              {func(p *parts) { p.protected[1].Key = "x5chain" }, both},
		"unprotected":          {func(p *parts) { p.protected, p.unprotected = plain, cbor.Members{{Key: 33, Value: chain}} }, both},
		"unprotected, by name": {func(p *parts) { p.protected, p.unprotected = plain, cbor.Members{{Key: "x5chain", Value: chain}} }, both},
		"the number before the name": {func(p *parts) {
			p.protected = append(slices.Clone(plain), cbor.Member{Key: "x5chain", Value: []byte("other")})
			p.unprotected = cbor.Members{{Key: 33, Value: chain}}
		}, both},
		"what is critical and known":   {func(p *parts) { p.protected = append(p.protected, cbor.Member{Key: 2, Value: []any{1, 33, "x5chain"}}) }, both},
		"what is unknown and does not": {func(p *parts) { p.protected = append(p.protected, cbor.Member{Key: "iat", Value: 1700000000}) }, both},
	} {
		s, err := cose.Parse(made(c.change))
		require.NoError(t, err, name)
		require.Equal(t, c.want, s.Chain, name)
	}
	s, err := cose.Parse(made(func(p *parts) { p.payload = []byte{} }))
	require.NoError(t, err)
	require.NotNil(t, s.Payload, "an empty payload is attached too")
}

func TestParseRefusesWhatC2PADoesNotAllow(t *testing.T) {
	t.Parallel()
	protect := func(key, value any) func(*parts) {
		return func(p *parts) { p.protected = append(p.protected, cbor.Member{Key: key, Value: value}) }
	}
	for name, data := range map[string][]byte{
		"nothing":                   nil,
		"text":                      []byte("text"),
		"a map":                     cbor.Encode(cbor.Members{}),
		"another tag":               made(func(p *parts) { p.tag = 98 }),
		"three parts":               cbor.Encode([]any{[]byte{}, cbor.Members{}, nil}),
		"five parts":                made(func(p *parts) { p.more = []any{1} }),
		"the signature is text":     made(func(p *parts) { p.signature = "signature" }),
		"the payload is text":       made(func(p *parts) { p.payload = "payload" }),
		"the payload is undefined":  made(func(p *parts) { p.payload = cbor.Encoded{0xF7} }),
		"protected is no map":       made(func(p *parts) { p.bytes = []byte{1} }),
		"protected is not readable": made(func(p *parts) { p.bytes = []byte{0xA1} }),
		"nothing is protected":      made(func(p *parts) { p.bytes = []byte{} }),
		"a label twice":             made(protect(33, []byte("other"))),
		"a label of bytes":          made(protect([]byte("x"), 1)),
		"a label in both headers":   made(func(p *parts) { p.unprotected = cbor.Members{{Key: 33, Value: []byte("other")}} }),
		"the same certificate twice": made(func(p *parts) {
			p.protected[1].Key = "x5chain"
			p.unprotected = cbor.Members{{Key: "x5chain", Value: p.protected[1].Value}}
		}),
		"critical and unknown":    made(protect(2, []any{"ours"})),
		"critical of nothing":     made(protect(2, []any{})),
		"critical, but unsigned":  made(func(p *parts) { p.unprotected = cbor.Members{{Key: 2, Value: []any{1}}} }),
		"no certificate":          made(func(p *parts) { p.protected = p.protected[:1] }),
		"an empty chain":          made(func(p *parts) { p.protected[1].Value = []any{} }),
		"a chain of text":         made(func(p *parts) { p.protected[1].Value = []any{"signer"} }),
		"a chain of seventeen":    made(func(p *parts) { p.protected[1].Value = slices.Repeat([]any{[]byte("c")}, 17) }),
		"more behind it":          append(made(nil), 0),
		"cut":                     made(nil)[:20],
		"longer than is sensible": make([]byte, cose.MaxSize+1),
	} {
		_, err := cose.Parse(data)
		require.ErrorIs(t, err, cose.ErrInvalid, name)
	}
}

func TestParseTellsUnknownAlgorithmsApart(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*parts){
		"ES256K":       func(p *parts) { p.protected[0].Value = -47 },
		"RS256":        func(p *parts) { p.protected[0].Value = -257 },
		"by name":      func(p *parts) { p.protected[0].Value = "ES256" },
		"none":         func(p *parts) { p.protected = p.protected[1:] },
		"not signed":   func(p *parts) { p.unprotected, p.protected = p.protected[:1], p.protected[1:] },
		"named by alg": func(p *parts) { p.protected[0].Key = "alg" },
	} {
		s, err := cose.Parse(made(change))
		require.ErrorIs(t, err, cose.ErrAlgorithm, name)
		require.NotErrorIs(t, err, cose.ErrInvalid, name)
		require.Len(t, s.Chain, 2, "the signer can be named: %s", name)
	}
}

func TestATimeStampHeaderWithoutATokenIsNotOverlooked(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"text": "stamp", "no tokens": cbor.Members{}, "an empty list": cbor.Members{{Key: "tstTokens", Value: []any{}}},
		"a token of text":   cbor.Members{{Key: "tstTokens", Value: []any{cbor.Members{{Key: "val", Value: "stamp"}}}}},
		"a token of no map": cbor.Members{{Key: "tstTokens", Value: []any{7}}},
	} {
		s, err := cose.Parse(made(func(p *parts) { p.unprotected = cbor.Members{{Key: "sigTst2", Value: value}} }))
		require.NoError(t, err, name)
		require.Equal(t, [][]byte{{}}, s.Stamps2, name)
		require.Nil(t, s.Stamps, name)
	}
	many := cbor.Members{{Key: "tstTokens", Value: slices.Repeat([]any{cbor.Members{{Key: "val", Value: bytes.Repeat([]byte{1}, 9)}}}, 500)}}
	s, err := cose.Parse(made(func(p *parts) { p.unprotected = cbor.Members{{Key: "sigTst", Value: many}} }))
	require.NoError(t, err)
	require.Len(t, s.Stamps, 4)
}
