package c2patest_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/referee"
	"veracity/engine/c2pa/sign"
	"veracity/engine/mediatest"
)

var (
	generated = []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Generated, Agent: "a model"}}
	edited    = []c2patest.Action{{Name: "c2pa.opened"}, {Name: "c2pa.resized", Description: "smaller"}}
)

// spoil changes what the claim says an assertion's hash is.
func spoil(label string) func(*sign.Store) {
	return func(s *sign.Store) {
		at := bytes.Index(s.Claim, []byte("c2pa.assertions/"+label))
		hash := bytes.Index(s.Claim[at:], []byte("dhash\x58\x20"))
		s.Claim[at+hash+len("dhash")+2] ^= 1
	}
}

func TestTheRefereeSeesWhatManifestsSay(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	leaf := a.Leaf(t, "Test maker")
	source := c2patest.PNG(t, leaf, c2patest.Manifest{Actions: generated})
	parent := []c2patest.Ingredient{{Title: "source", Format: "image/png", Of: &source}}
	of := func(m c2patest.Manifest) c2patest.Made { return c2patest.PNG(t, leaf, m) }
	for name, tt := range map[string]struct {
		made     c2patest.Made
		state    string
		failures []string
	}{
		"good":            {of(c2patest.Manifest{Title: "t", Generator: "g", Actions: generated}), "Trusted", nil},
		"version 1":       {of(c2patest.Manifest{Version: 1, Format: "image/png", Actions: generated}), "Trusted", nil},
		"a parent":        {of(c2patest.Manifest{Ingredients: parent, Actions: edited}), "Trusted", nil},
		"a parent before": {of(c2patest.Manifest{Version: 1, Format: "image/png", Ingredients: parent, Actions: edited}), "Trusted", nil},
		"parts": {of(c2patest.Manifest{Actions: append(generated, c2patest.Action{Name: "c2pa.placed"}), Ingredients: []c2patest.Ingredient{
			{Relationship: "componentOf", Title: "one", Of: &source}, {Relationship: "componentOf", Title: "two"},
		}}), "Trusted", nil},
		"more": {of(c2patest.Manifest{
			Actions: generated,
			Extra: []sign.Assertion{
				{Label: "org.test.cbor", Value: cbor.Members{{Key: "a", Value: 1.5}}},
				{Label: "org.test.json", JSON: []byte(`{"a":1}`)},
				{
					Label: "c2pa.thumbnail.claim", UUID: jumbf.EmbeddedFile,
					Boxes: append(jumbf.Leaf("bfdb", []byte("\x00image/png\x00")), jumbf.Leaf("bidb", mediatest.PNG(t, 2, 2))...),
				},
			},
			Gathered: []sign.Assertion{{Label: "org.test.gathered", Value: cbor.Members{{Key: "a", Value: "b"}}}},
		}), "Trusted", nil},
		"PS256":   {c2patest.PNG(t, a.Leaf(t, "Maker", certstest.Of(certstest.RSA)), c2patest.Manifest{Actions: generated}), "Trusted", nil},
		"Ed25519": {c2patest.PNG(t, a.Leaf(t, "Maker", certstest.Of(certstest.Ed25519)), c2patest.Manifest{Actions: generated}), "Trusted", nil},
		"a stranger": {
			c2patest.PNG(t, c2patest.NewAuthority(t).Leaf(t, "Stranger"), c2patest.Manifest{Actions: generated}),
			"Valid",
			[]string{"signingCredential.untrusted"},
		},
		"expired": {c2patest.PNG(t, a.Leaf(t, "Late", c2patest.Expired()), c2patest.Manifest{Actions: generated}), "Invalid", []string{"signingCredential.expired", "signingCredential.untrusted"}},
		"unfit": {
			c2patest.PNG(t, a.Leaf(t, "Server", c2patest.ForServers()), c2patest.Manifest{Actions: generated}),
			"Invalid",
			[]string{"signingCredential.invalid", "signingCredential.untrusted"},
		},
		"forged":       {of(c2patest.Manifest{Actions: generated, Forged: true}), "Invalid", []string{"claimSignature.mismatch"}},
		"other action": {of(c2patest.Manifest{Actions: generated, Change: spoil("c2pa.actions.v2")}), "Invalid", []string{"assertion.hashedURI.mismatch"}},
		"other file": {of(c2patest.Manifest{Actions: generated, Rebind: func(b *sign.Assertion) {
			b.Value.(cbor.Members)[3].Value = make([]byte, sha256.Size)
		}}), "Invalid", []string{"assertion.dataHash.mismatch"}},
		"other parent": {
			of(c2patest.Manifest{Ingredients: []c2patest.Ingredient{{Title: "source", Of: &source, Changed: true}}, Actions: edited}),
			"Invalid",
			[]string{"ingredient.manifest.mismatch"},
		},
		"unchecked parent": {
			of(c2patest.Manifest{Ingredients: []c2patest.Ingredient{{Title: "source", Of: &source, NoResults: true}}, Actions: edited}),
			"Invalid",
			[]string{"assertion.ingredient.malformed"},
		},
		"a parent that is not there": {of(c2patest.Manifest{Actions: edited}), "Invalid", []string{"assertion.action.ingredientMismatch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := referee.Read(t, tt.made.Path(t, "a.png"), a.PEM)
			require.Empty(t, report.Error)
			require.Equal(t, tt.made.Label, report.Active)
			require.ElementsMatch(t, tt.failures, report.Failures())
			require.Equal(t, tt.state, report.State)
		})
	}
}

func TestAManifestWithoutBindingIsOne(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	made := c2patest.PNG(t, a.Leaf(t, "Test maker"), c2patest.Manifest{Actions: generated, Rebind: func(b *sign.Assertion) { b.Label = "org.test.hash" }})
	require.Contains(t, referee.Read(t, made.Path(t, "a.png"), a.PEM).Error, "ClaimMissingHardBinding")
}

func TestClipsCarryManifests(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	leaf := a.Leaf(t, "Test maker")
	source := c2patest.MP4(t, leaf, c2patest.Manifest{Actions: generated})
	made := c2patest.MP4(t, leaf, c2patest.Manifest{Actions: edited, Ingredients: []c2patest.Ingredient{{Title: "source", Of: &source}}})
	report := referee.Read(t, made.Path(t, "a.mp4"), a.PEM)
	require.Equal(t, "Trusted", report.State)
	require.Empty(t, report.Failures())
	require.Len(t, report.Manifests(t), 2)
}
