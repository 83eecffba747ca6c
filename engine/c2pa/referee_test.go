package c2pa_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/referee"
	"veracity/engine/mediatest"
)

// allFailures are the codes that count against a file, sorted, each once: of the active manifest and its ingredients.
func allFailures(r c2pa.Report) []string {
	codes := []string{}
	for _, m := range r.Manifests {
		for _, code := range failures(m.Statuses) {
			codes = append(codes, string(code))
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestC2PARSAgrees has c2pa-rs read what is read here. Where it says something else, other tells what, and the name of
// the case why.
func TestC2PARSAgrees(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.room = 4 << 10
	stranger := newForge(t)
	late := newForge(t)
	late.authority, late.lists = f.authority, f.lists
	late.expired()
	note := part{label: "com.example.note", json: `{}`}
	absent, hidden, wrong := note, note, note
	absent.absent, hidden.hidden, wrong.hash = true, true, make([]byte, 32)
	tampered := f.generated(2)
	tampered[len(tampered)-20] ^= 1
	changed := f.chain(draft{}, nil)
	changed = replace(changed, []byte(strings.Replace(string(storeIn(changed)), aiMedia, aiMedia[:len(aiMedia)-1]+"X", 1)))
	edit := func(source part) draft {
		return draft{parts: []part{source, actions(action("c2pa.opened", names(source)), action("c2pa.edited"))}}
	}
	unbound := f.file(func(part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia)}}))
	})
	tests := map[string]struct {
		png []byte
		// other are its failures where they are not ours; nothing for files that it refuses as a whole.
		other []string
	}{
		"version 2":            {png: f.generated(2)},
		"version 1":            {png: f.generated(1)},
		"an unknown signer":    {png: stranger.generated(2)},
		"an ingredient":        {png: f.chain(draft{}, nil)},
		"an update":            {png: f.updated(opened)},
		"an edit in an update": {png: f.updated(edit)},
		"a redaction":          {png: f.redacted(gone, "com.example.note")},
		"a bad ingredient":     {png: f.chain(bad(), nil)},
		"a changed picture":    {png: tampered},
		"a missing assertion":  {png: f.one(draft{parts: []part{created(aiMedia), absent}})},
		"another assertion":    {png: f.one(draft{parts: []part{created(aiMedia), wrong}})},
		"no beginning":         {png: f.one(draft{parts: []part{actions(action("c2pa.edited"))}})},
		"opened nothing":       {png: f.one(draft{parts: []part{actions(action("c2pa.opened"))}})},
		"a changed ingredient, of which it goes on to read what nobody signed": {
			changed, []string{"assertion.hashedURI.mismatch", "ingredient.manifest.mismatch"},
		},
		"an expired certificate, by the code of version 1.4": {
			late.generated(2), []string{"signingCredential.expired", "signingCredential.untrusted"},
		},
		"an unknown algorithm, taken for one that does not match": {
			f.one(draft{claim: append(cbor.Members{{Key: "alg", Value: "md5"}}, claimOf(2)...)}), []string{"assertion.hashedURI.mismatch"},
		},
		"two claims, refused as a whole":              {f.one(draft{changed: func(b *boxes) { b.more = append(b.more, b.claim) }}), []string{}},
		"an undeclared assertion, refused as a whole": {f.one(draft{parts: []part{created(aiMedia), hidden}}), []string{}},
		"no binding, refused as a whole":              {unbound, []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			path := filepath.Join(t.TempDir(), "a.png")
			require.NoError(t, os.WriteFile(path, tt.png, 0o600))
			theirs := referee.Read(t, path, string(certstest.PEM(f.authority)))
			ours := f.read(tt.png)
			if tt.other != nil {
				require.Equal(t, tt.other, theirs.Failures())
				require.Equal(t, "invalid", ours.State)
				require.Equal(t, len(tt.other) == 0, theirs.Error != "")
				return
			}
			require.Empty(t, theirs.Error)
			require.Equal(t, theirs.Failures(), allFailures(ours))
			require.Equal(t, strings.ToLower(theirs.State), ours.State)
		})
	}
}

// TestWhatC2PARSMakesIsRead reads what c2pa-rs signs: a picture with an ingredient that it signed before.
func TestWhatC2PARSMakesIsRead(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	key, err := x509.MarshalPKCS8PrivateKey(f.signer.Key)
	require.NoError(t, err)
	order := referee.Order{
		Certificates: string(certstest.PEM(f.signer)), Key: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		Manifest: `{"claim_generator_info":[{"name":"Referee","version":"1"}],"title":"made.png"}`,
		Intent:   `{"create":"` + aiMedia + `"}`,
	}
	dir := t.TempDir()
	plain, made, edited := filepath.Join(dir, "plain.png"), filepath.Join(dir, "made.png"), filepath.Join(dir, "edited.png")
	require.NoError(t, os.WriteFile(plain, mediatest.PNG(t, 16, 16), 0o600))
	referee.Sign(t, plain, made, order)
	order.Intent = `"edit"`
	order.Ingredients = []referee.Ingredient{{Path: made, JSON: `{"relationship":"parentOf","title":"made.png"}`}}
	referee.Sign(t, made, edited, order)

	png, err := os.ReadFile(edited)
	require.NoError(t, err)
	r := f.read(png)
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Len(t, r.Manifests, 2)
	require.Equal(t, "c2pa.opened", r.Manifests[0].Actions[0].Name)
	require.Equal(t, []string{r.Manifests[0].Ingredients[0].Label}, r.Manifests[0].Actions[0].Ingredients)
	require.Equal(t, r.Manifests[1].Label, r.Manifests[0].Ingredients[0].Manifest)
	require.Equal(t, aiMedia, r.Manifests[1].Actions[0].SourceType)
	for _, m := range r.Manifests {
		require.Equal(t, c2pa.Intact, m.Integrity)
		require.True(t, strings.HasPrefix(m.Generator, "Referee"), m.Generator)
	}
}
