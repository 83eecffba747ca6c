package c2pa_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
)

// one makes a file of one manifest.
func (f *forge) one(d draft) []byte {
	f.tb.Helper()
	parts := d.parts
	if parts == nil {
		parts = []part{created(aiMedia)}
	}
	return f.file(func(binding part) []byte {
		d.label = "urn:c2pa:one"
		d.parts = slices.Concat(parts, []part{binding})
		return storeOf(f.manifest(d))
	})
}

// altered checks that a file is not the one that was signed, and nothing else is wrong with it.
func altered(t *testing.T, r c2pa.Report, codes ...status.Code) {
	t.Helper()
	require.Equal(t, "invalid", r.State)
	require.Equal(t, codes, failures(r.Statuses))
	require.Equal(t, c2pa.Altered, r.Manifests[0].Integrity)
}

func TestAManifestOnAnotherPictureDoesNotCount(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	store := storeIn(f.generated(2))
	altered(t, f.read(withStore(mediatest.PNG(t, 16, 17), store)), status.DataHashMismatch)
}

func TestAChangedPictureIsTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	png[len(png)-20] ^= 1
	altered(t, f.read(png), status.DataHashMismatch)
}

func TestEveryByteOfAManifestCounts(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	store := storeIn(png)
	box, err := jumbf.Parse(store)
	require.NoError(t, err)
	signature, ok := box.Children[0].Find("c2pa.signature")
	require.True(t, ok)
	inSignature := bytes.Index(store, signature.Raw)
	for i := 0; i < inSignature; i++ {
		changed := bytes.Clone(store)
		changed[i] ^= 0x20
		r := f.read(replace(png, changed))
		for _, m := range r.Manifests {
			if m.Label != "urn:c2pa:one" {
				continue // The label is no part of what is signed.
			}
			require.NotEqual(t, c2pa.Intact, m.Integrity, "byte %d", i)
		}
		if len(r.Manifests) == 1 && r.Manifests[0].Label == "urn:c2pa:one" {
			require.Equal(t, "invalid", r.State, "byte %d", i)
		}
	}
}

func TestAssertionsMustBeThoseOfTheClaim(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	a := part{label: "com.example.a", json: `{"a":1}`}
	b := part{label: "com.example.b", json: `{"b":1}`}
	swapped := func(label string, with part) part {
		return part{label: label, box: jumbf.Super(jumbf.JSONContent, label, nil, jumbf.Leaf("json", []byte(with.json))), hash: hashOf(part{label: label, json: a.json + b.json}.superbox())}
	}
	tests := map[string]struct {
		parts []part
		codes []status.Code
	}{
		"undeclared": {[]part{{label: a.label, json: a.json, hidden: true}}, []status.Code{status.AssertionUndeclared}},
		"missing":    {[]part{{label: a.label, json: a.json, absent: true}}, []status.Code{status.AssertionMissing}},
		"another":    {[]part{{label: a.label, json: a.json, hash: hashOf(b.superbox())}}, []status.Code{status.HashedURIMismatch}},
		"swapped":    {[]part{swapped(a.label, b), swapped(b.label, a)}, []status.Code{status.HashedURIMismatch, status.HashedURIMismatch}},
		"twice in the store": {
			[]part{a, {label: a.label, json: b.json, hidden: true}},
			[]status.Code{status.AssertionMissing},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			altered(t, f.read(f.one(draft{parts: append([]part{created(aiMedia)}, tt.parts...)})), tt.codes...)
		})
	}
}

func TestAnAssertionThatWasNotSignedSaysNothing(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	forged := created(aiMedia)
	forged.hash = hashOf(created("http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture").superbox())
	r := f.read(f.one(draft{version: 1, parts: []part{forged}}))
	altered(t, r, status.HashedURIMismatch)
	require.Empty(t, r.Manifests[0].Actions)
	require.False(t, r.Manifests[0].Assertions[0].Intact)
}

func TestReferencesOfAClaimStayInItsManifest(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	claim := append(claimOf(2), cbor.Member{Key: "gathered_assertions", Value: []any{
		cbor.Members{{Key: "url", Value: "self#jumbf=/c2pa/urn:c2pa:two/c2pa.assertions/c2pa.metadata"}, {Key: "hash", Value: []byte("x")}},
	}})
	altered(t, f.read(f.one(draft{claim: claim})), status.AssertionOutsideManifest)
}

func TestTheBoxesOfAManifestMustBeWhatTheyAre(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	retag := func(box []byte, letters string) []byte {
		out := bytes.Clone(box)
		copy(out[16:], letters) // The type begins behind two box headers.
		return out
	}
	rename := func(box []byte, from, to string) []byte {
		return bytes.Replace(box, []byte(from+"\x00"), []byte(to+"\x00"), 1)
	}
	tests := map[string]struct {
		change func(*boxes)
		code   status.Code
	}{
		"two claims":                 {func(b *boxes) { b.more = append(b.more, b.claim) }, status.ClaimMultiple},
		"a claim of another version": {func(b *boxes) { b.more = append(b.more, rename(b.claim, "c2pa.claim.v2", "c2pa.claim.v1")) }, status.ClaimMultiple},
		"a second claim retagged":    {func(b *boxes) { b.more = append(b.more, retag(b.claim, "json")) }, status.ClaimMultiple},
		"the claim retagged":         {func(b *boxes) { b.claim = retag(b.claim, "json") }, status.ClaimMissing},
		"the claim renamed":          {func(b *boxes) { b.claim = rename(b.claim, "c2pa.claim.v2", "c2pa.claim.v9") }, status.ClaimMissing},
		"no claim":                   {func(b *boxes) { b.claim = nil }, status.ClaimMissing},
		"no signature":               {func(b *boxes) { b.signature = nil }, status.ClaimSignatureMissing},
		"two signatures":             {func(b *boxes) { b.more = append(b.more, b.signature) }, status.ClaimSignatureMissing},
		"a second signature renamed": {func(b *boxes) { b.more = append(b.more, rename(b.signature, "c2pa.signature", "c2pa.signaturf")) }, status.ClaimSignatureMissing},
		"the signature retagged":     {func(b *boxes) { b.signature = retag(b.signature, "json") }, status.ClaimSignatureMissing},
		"the assertions renamed":     {func(b *boxes) { b.assertions = rename(b.assertions, "c2pa.assertions", "c2pa.assertionz") }, status.AssertionMissing},
		"a second store": {
			func(b *boxes) {
				extra := jumbf.Super(jumbf.JSONContent, "c2pa.metadata", nil, jumbf.Leaf("json", []byte(`{}`)))
				b.more = append(b.more, jumbf.Super(jumbf.AssertionStore, "c2pa.more", nil, extra))
			}, status.AssertionUndeclared,
		},
		"a version 1 label": {
			func(b *boxes) {
				claim, err := jumbf.Parse(b.claim)
				require.NoError(t, err)
				b.claim = jumbf.Super(jumbf.Claim, "c2pa.claim", nil, claim.Children[0].Raw)
			}, status.ClaimMalformed,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.one(draft{changed: tt.change}))
			require.Contains(t, failures(r.Statuses), tt.code)
			require.Equal(t, "invalid", r.State)
			require.NotEqual(t, c2pa.Intact, r.Manifests[0].Integrity)
		})
	}
}

func TestASignatureOfAnotherClaimDoesNotCount(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	other := f.sign(draft{}, []byte("another claim"))
	r := f.read(f.one(draft{changed: func(b *boxes) {
		b.signature = jumbf.Super(jumbf.Signature, "c2pa.signature", nil, jumbf.Leaf("cbor", other))
	}}))
	altered(t, r, status.ClaimSignatureMismatch)
	require.Equal(t, "Maker", r.Manifests[0].Signer.Organization, "it is named")
	require.False(t, r.Manifests[0].Signer.Trust.Trusted, "and not trusted")
	require.Nil(t, r.Manifests[0].Signer.SignedAt)
}

// attach puts a payload into a detached signature.
func attach(t *testing.T, signature, payload []byte) []byte {
	t.Helper()
	v, err := cbor.Decode(signature)
	require.NoError(t, err)
	number, content, ok := v.Tagged()
	require.True(t, ok)
	parts := content.Elements()
	require.Len(t, parts, 4)
	return cbor.Encode(cbor.TagOf{Number: number, Content: []any{parts[0], parts[1], payload, parts[3]}})
}

func TestAnAttachedPayloadMustBeTheClaim(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for _, same := range []bool{true, false} {
		r := f.read(f.one(draft{changed: func(b *boxes) {
			claim, err := jumbf.Parse(b.claim)
			require.NoError(t, err)
			content, _ := claim.First("cbor")
			signature := f.sign(draft{}, content)
			payload := bytes.Clone(content)
			if !same {
				payload[len(payload)-1] ^= 1
			}
			b.signature = jumbf.Super(jumbf.Signature, "c2pa.signature", nil, jumbf.Leaf("cbor", attach(t, signature, payload)))
		}}))
		if same {
			require.Equal(t, "trusted", r.State, r.Statuses)
			continue
		}
		altered(t, r, status.ClaimSignatureMismatch)
	}
}

func TestClaimsMustSayWhatTheSpecificationAsks(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	without := func(key string) cbor.Members { return append(cbor.Members{{Key: key, Value: nil}}, claimOf(2)...) }
	for _, key := range []string{"instanceID", "claim_generator_info"} {
		r := f.read(f.one(draft{claim: without(key)}))
		require.Equal(t, []status.Code{status.ClaimMalformed}, failures(r.Statuses), key)
	}
	r := f.read(f.one(draft{claim: without("signature")}))
	require.Equal(t, []status.Code{status.ClaimSignatureMissing}, failures(r.Statuses))
	r = f.read(f.one(draft{claim: append(cbor.Members{{Key: "signature", Value: "self#jumbf=/c2pa/urn:c2pa:two/c2pa.signature"}}, claimOf(2)...)}))
	require.Equal(t, []status.Code{status.ClaimSignatureMissing}, failures(r.Statuses))
}

func TestAnAlgorithmThatIsNotKnownIsNoAlteration(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for _, alg := range []any{"md5", nil} {
		r := f.read(f.one(draft{claim: append(cbor.Members{{Key: "alg", Value: alg}}, claimOf(2)...)}))
		require.Equal(t, "invalid", r.State)
		require.Contains(t, failures(r.Statuses), status.AlgorithmUnsupported)
		require.NotEqual(t, c2pa.Intact, r.Manifests[0].Integrity)
	}
}

func TestAStandardManifestHasOneHardBinding(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	none := f.file(func(part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia)}}))
	})
	r := f.read(none)
	require.Contains(t, failures(r.Statuses), status.ClaimHardBindingsMissing)
	require.Equal(t, c2pa.Altered, r.Manifests[0].Integrity)

	two := f.file(func(binding part) []byte {
		second := binding
		second.label += "__1"
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia), binding, second}}))
	})
	altered(t, f.read(two), status.MultipleHardBindings)

	gathered := f.file(func(binding part) []byte {
		binding.gathered = true
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia), binding}}))
	})
	altered(t, f.read(gathered), status.ClaimHardBindingsMissing)
}

func TestACompressedManifestIsRefused(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.file(func(part) []byte {
		return storeOf(jumbf.Super(jumbf.CompressedMark, "urn:c2pa:one", nil, jumbf.Leaf("brob", bytes.Repeat([]byte{0xFF}, 64))))
	})
	r := f.read(png)
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.GeneralError}, failures(r.Statuses))
	require.Equal(t, c2pa.Unchecked, r.Manifests[0].Integrity)
}

func TestUnknownBoxesArePassedOver(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	strange := jumbf.Super([16]byte{1, 2, 3}, "com.example.box", nil, jumbf.Leaf("json", []byte("{}")))
	r := f.read(f.one(draft{changed: func(b *boxes) { b.more = append(b.more, strange, jumbf.Leaf("free", make([]byte, 9))) }}))
	require.Equal(t, "trusted", r.State, r.Statuses)

	png := f.file(func(binding part) []byte {
		return storeOf(strange, f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia), binding}}), strange)
	})
	require.Equal(t, "trusted", f.read(png).State)
}
