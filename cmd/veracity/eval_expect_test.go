package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/c2pa"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/status"
	"veracity/engine/provenance"
)

func TestExpectationsOfManifestsAreRead(t *testing.T) {
	t.Parallel()
	tests := map[string]expectation{
		"ai":                          {class: "ai"},
		"c2pa:none":                   {class: "c2pa:none"},
		"c2pa:trusted (ITL); AI full": {class: "c2pa:trusted", says: engine.AI},
		"c2pa:trusted; camera AND an AI edit (partly)":                        {class: "c2pa:trusted", says: engine.Uncertain},
		"c2pa:valid untrusted; algorithmicMedia NOT AI":                       {class: "c2pa:valid", untrusted: true, not: engine.AI},
		"c2pa:valid untrusted (trusted with a root of its own)":               {class: "c2pa:valid", untrusted: true},
		"c2pa:valid (untrusted ingredient)":                                   {class: "c2pa:valid"},
		"c2pa:valid untrusted; claims digitalCapture":                         {class: "c2pa:valid", untrusted: true, not: engine.Real},
		"c2pa:invalid assertion.hashedURI.mismatch + claimSignature.mismatch": {class: "c2pa:invalid", codes: []string{"assertion.hashedURI.mismatch", "claimSignature.mismatch"}, not: engine.AI},
		"c2pa:integrity ok, expired+untrusted":                                {class: "c2pa:integrity", untrusted: true},
		"c2pa:remote only":                                                    {class: "c2pa:remote"},
		"watermark: a mark of others -> our lanes say nothing":                {class: "watermark", silent: true},
		"watermark: SDXL":                 {class: "watermark"},
		"meta:A1111 EXIF UserComment":     {class: "meta"},
		"none (AI image, marks stripped)": {class: "none"},
	}
	for text, want := range tests {
		got, ok := parseExpectation(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "fine", "c2pa:", "c2pa:fine", ":"} {
		_, ok := parseExpectation(text)
		require.False(t, ok, text)
	}
}

func TestWhatWasReadIsHeldAgainstWhatWasExpected(t *testing.T) {
	t.Parallel()
	type lanes = engine.Lanes
	store := func(m c2pa.Manifest, origin provenance.Origin) *provenance.ContentCredentials {
		m.Label = "a"
		return &provenance.ContentCredentials{Present: true, Validated: true, Origin: origin, Validation: &c2pa.Report{Present: true, Active: "a", Manifests: []c2pa.Manifest{m}}}
	}
	signed := func(trusted bool, v c2pa.Validity) *c2pa.Signer {
		return &c2pa.Signer{Validity: v, Trust: certs.Trust{Trusted: trusted}}
	}
	ai := lanes{Provenance: engine.ProvenanceLane{Verdict: engine.AI}}
	none := lanes{Provenance: engine.ProvenanceLane{Verdict: engine.None}}
	intact := c2pa.Manifest{Integrity: c2pa.Intact, Signer: signed(false, c2pa.Valid)}
	trusted := c2pa.Manifest{Integrity: c2pa.Intact, Signer: signed(true, c2pa.Valid)}
	expired := c2pa.Manifest{Integrity: c2pa.Intact, Signer: signed(false, c2pa.Expired)}
	broken := c2pa.Manifest{Integrity: c2pa.Altered, Signer: signed(false, c2pa.Valid), Statuses: []status.Status{{Code: "claimSignature.mismatch"}}}
	tests := []struct {
		expected    string
		lanes       lanes
		credentials *provenance.ContentCredentials
		want        string
	}{
		{"c2pa:valid; AI full", ai, store(intact, provenance.Generated), "c2pa:valid"},
		{"c2pa:valid; AI full", none, store(intact, provenance.Silent), "provenance none"},
		{"c2pa:valid; NOT AI", ai, store(intact, provenance.Generated), "provenance ai"},
		{"c2pa:trusted", ai, store(intact, provenance.Generated), "c2pa:valid"},
		{"c2pa:trusted", ai, store(trusted, provenance.Generated), "c2pa:trusted"},
		{"c2pa:valid untrusted", ai, store(trusted, provenance.Generated), "c2pa:trusted"},
		{"c2pa:integrity ok, expired", none, store(expired, provenance.Silent), "c2pa:integrity"},
		{"c2pa:integrity ok, expired", none, store(intact, provenance.Silent), "c2pa:valid"},
		{"c2pa:invalid claimSignature.mismatch", none, store(broken, provenance.NotOfThisFile), "c2pa:invalid"},
		{"c2pa:invalid assertion.dataHash.mismatch", none, store(broken, provenance.NotOfThisFile), "c2pa without assertion.dataHash.mismatch"},
		{"c2pa:invalid", none, store(intact, provenance.Silent), "c2pa:valid"},
		{"c2pa:error", none, store(broken, provenance.NotOfThisFile), "c2pa:error"},
		{"c2pa:none", none, nil, "c2pa:none"},
		{"c2pa:none", none, store(intact, provenance.Silent), "c2pa"},
		{"c2pa:valid", none, nil, "no Content Credentials"},
		{"c2pa:remote", none, &provenance.ContentCredentials{Remote: "https://example.com"}, "c2pa:remote"},
		{"watermark", lanes{Watermark: engine.Lane{Verdict: engine.AI}}, nil, "watermark"},
		{"watermark -> nothing", lanes{Watermark: engine.Lane{Verdict: engine.None}}, nil, "watermark"},
		{"watermark", lanes{Watermark: engine.Lane{Verdict: engine.None}}, nil, "none"},
	}
	for _, tt := range tests {
		e, ok := parseExpectation(tt.expected)
		require.True(t, ok, tt.expected)
		r, err := newRead(engine.Report{Lanes: tt.lanes, Detail: engine.Detail{Provenance: provenance.Report{ContentCredentials: tt.credentials}}})
		require.NoError(t, err)
		require.Equal(t, tt.want, r.class(e), tt.expected)
	}
}
