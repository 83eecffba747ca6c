package c2pa_test

import (
	"crypto"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ocsp"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
)

func TestAssertionsFollowTheirRules(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	cloud := func(label string, more ...cbor.Member) part {
		return part{label: "c2pa.cloud-data", value: dedupe(append(more, cbor.Members{
			{Key: "label", Value: label},
			{Key: "size", Value: 10},
			{Key: "content_type", Value: "application/json"},
			{Key: "location", Value: cbor.Members{{Key: "url", Value: "https://example.com/a"}, {Key: "alg", Value: "sha256"}, {Key: "hash", Value: make([]byte, 32)}}},
		}...))}
	}
	raw := func(label string, uuid [16]byte, kind, content string) part {
		return part{label: label, box: jumbf.Super(uuid, label, nil, jumbf.Leaf(kind, []byte(content)))}
	}
	tests := map[string]struct {
		add   part
		codes []status.Code
	}{
		"cloud data":            {cloud("c2pa.metadata"), nil},
		"cloud data, no size":   {cloud("c2pa.metadata", cbor.Member{Key: "size", Value: nil}), []status.Code{status.CloudDataMalformed}},
		"cloud data, a binding": {cloud("c2pa.hash.data"), []status.Code{status.CloudDataHardBinding}},
		"metadata":              {part{label: "c2pa.metadata", json: `{"@context":{},"exif:FNumber":4}`}, nil},
		"other metadata":        {part{label: "com.example.metadata", json: `{"com.example:x":4}`}, nil},
		"metadata not allowed":  {part{label: "c2pa.metadata", json: `{"exif:UserComment":"x"}`}, []status.Code{status.MetadataDisallowed}},
		"metadata of no object": {part{label: "c2pa.metadata", json: `[]`}, []status.Code{status.AssertionJSONInvalid}},
		"broken JSON":           {raw("stds.exif", jumbf.JSONContent, "json", `{"a"`), []status.Code{status.AssertionJSONInvalid}},
		"broken CBOR":           {raw("c2pa.asset-ref", jumbf.CBORContent, "cbor", "\xA2\x01"), []status.Code{status.AssertionCBORInvalid}},
		"broken CBOR of others": {raw("com.example.x", jumbf.CBORContent, "cbor", "\xA2\x01"), nil},
		"ingredient in JSON":    {part{label: "c2pa.ingredient.v3", json: `{}`}, []status.Code{status.AssertionCBORInvalid}},
		"ingredient in nothing": {raw("c2pa.ingredient.v3", [16]byte{9}, "bidb", "x"), []status.Code{status.AssertionCBORInvalid}},
		"no time-stamps":        {part{label: "c2pa.time-stamp", value: cbor.Members{}}, []status.Code{status.TimestampMalformed}},
		"time-stamps of text":   {part{label: "c2pa.time-stamp", value: cbor.Members{{Key: "urn:c2pa:x", Value: "y"}}}, []status.Code{status.TimestampMalformed}},
		"a collection":          {part{label: "c2pa.asset-type.v2", value: cbor.Members{}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.one(draft{parts: []part{created(aiMedia), tt.add}}))
			require.Equal(t, append([]status.Code{}, tt.codes...), failures(r.Statuses), r.Statuses)
			require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity, "whatever it is, it was signed")
		})
	}
}

func TestReferencesOfAssertionsAreChecked(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	icon := part{label: "c2pa.icon", json: `{}`}
	box := jumbf.Super(jumbf.CBORContent, "c2pa.data", nil, jumbf.Leaf("cbor", cbor.Encode(cbor.Members{{Key: "data", Value: []byte("x")}})))
	store := func(b *boxes) { b.more = append(b.more, jumbf.Super(jumbf.Databoxes, "c2pa.databoxes", nil, box)) }
	data := func(hash []byte) cbor.Member {
		return cbor.Member{Key: "data", Value: cbor.Members{{Key: "url", Value: "self#jumbf=c2pa.databoxes/c2pa.data"}, {Key: "hash", Value: hash}}}
	}
	claim := func(ref any) cbor.Members {
		return append(cbor.Members{{Key: "claim_generator_info", Value: cbor.Members{{Key: "name", Value: "Forge"}, {Key: "icon", Value: ref}}}}, claimOf(2)...)
	}
	wrong := cbor.Members{{Key: "url", Value: "self#jumbf=c2pa.assertions/c2pa.icon"}, {Key: "hash", Value: make([]byte, 32)}}
	tests := map[string]struct {
		draft draft
		codes []status.Code
	}{
		"an icon":             {draft{claim: claim(icon.reference("")), parts: []part{created(aiMedia), icon}}, nil},
		"an icon elsewhere":   {draft{claim: claim(cbor.Members{{Key: "url", Value: "https://example.com/i.svg"}, {Key: "hash", Value: []byte{1}}})}, nil},
		"an icon of others":   {draft{claim: claim(wrong), parts: []part{created(aiMedia), icon}}, []status.Code{status.HashedURIInvalid}},
		"an icon that is not": {draft{claim: claim(icon.reference(""))}, []status.Code{status.HashedURIMissing}},
		"a data box":          {draft{changed: store, parts: []part{created(aiMedia), ingredient("c2pa.ingredient.v3", "inputTo", nil, data(hashOf(box)))}}, nil},
		"another data box":    {draft{changed: store, parts: []part{created(aiMedia), ingredient("c2pa.ingredient.v3", "inputTo", nil, data(make([]byte, 32)))}}, []status.Code{status.HashedURIInvalid}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.one(tt.draft))
			require.Equal(t, append([]status.Code{}, tt.codes...), failures(r.Statuses), r.Statuses)
		})
	}
}

func TestEarlyReferencesToAssertionsAreLeftToTheClaim(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	in := ingredient("c2pa.ingredient.v3", "componentOf", nil)
	wrong := in
	wrong.hash = make([]byte, 32)
	list := actions(action("c2pa.created"), action("c2pa.placed", names(wrong)))
	r := f.read(f.one(draft{version: 1, parts: []part{in, list}}))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Equal(t, []string{in.label}, r.Manifests[0].Actions[1].Ingredients)
	r = f.read(f.one(draft{version: 2, parts: []part{in, list}}))
	require.Equal(t, []status.Code{status.HashedURIInvalid}, failures(r.Statuses))
}

// answer is an OCSP response on the forge's signer.
func (f *forge) answer(said int, at time.Time) []byte {
	f.tb.Helper()
	response, err := ocsp.CreateResponse(f.authority.Certificate.Certificate, f.authority.Certificate.Certificate, ocsp.Response{
		Status: said, SerialNumber: f.signer.Certificate.SerialNumber, IssuerHash: crypto.SHA256,
		ThisUpdate: at, NextUpdate: at.AddDate(0, 0, 7), RevokedAt: at, RevocationReason: ocsp.KeyCompromise,
	}, f.authority.Key)
	require.NoError(f.tb, err)
	return response
}

func TestARevokedCertificateIsTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for said, want := range map[int]status.Code{ocsp.Good: status.OCSPNotRevoked, ocsp.Revoked: status.OCSPRevoked} {
		answers := part{label: "c2pa.certificate-status", value: cbor.Members{{Key: "ocspVals", Value: []any{
			[]byte("no answer"), f.answer(said, f.now.AddDate(0, 0, -1)),
		}}}}
		r := f.read(f.one(draft{parts: []part{created(aiMedia), answers}}))
		require.True(t, has(r.Statuses, want), r.Statuses)
		require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
		if said == ocsp.Good {
			require.Equal(t, "trusted", r.State)
			continue
		}
		require.Equal(t, "invalid", r.State)
		require.Equal(t, c2pa.Revoked, r.Manifests[0].Signer.Validity)
	}
}
