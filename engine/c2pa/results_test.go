package c2pa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
)

// taken is what a file is as an ingredient.
func (f *forge) taken(png []byte) (store []byte, active string, results cbor.Value) {
	f.tb.Helper()
	store, active, value, err := c2pa.ReadIngredient(f.tb.Context(), fileOf(png), c2pa.Options{Lists: f.lists, Now: f.now})
	require.NoError(f.tb, err)
	if value != nil {
		results, err = cbor.Decode(cbor.Encode(value))
		require.NoError(f.tb, err)
	}
	return store, active, results
}

// codesOf are the codes under a kind in a status-codes-map.
func codesOf(t *testing.T, v cbor.Value, kind string) []status.Code {
	t.Helper()
	require.Equal(t, cbor.Array, v.Get(kind).Kind(), kind)
	codes := []status.Code{}
	for _, item := range v.Get(kind).Elements() {
		code, ok := item.Get("code").Text()
		require.True(t, ok)
		_, ok = item.Get("url").Text()
		require.True(t, ok)
		codes = append(codes, status.Code(code))
	}
	return codes
}

func TestAFileSaysWhatAnIngredientAssertionRecords(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	store, active, results := f.taken(png)
	require.Equal(t, storeIn(png), store)
	require.Equal(t, "urn:c2pa:one", active)
	m := results.Get("activeManifest")
	require.Equal(t, []status.Code{
		status.ClaimSignatureValidated, status.ClaimSignatureInsideValidity, status.SigningCredentialTrusted,
		status.HashedURIMatch, status.HashedURIMatch, status.DataHashMatch,
	}, codesOf(t, m, "success"))
	require.Equal(t, []status.Code{status.OCSPSkipped}, codesOf(t, m, "informational"))
	require.Empty(t, codesOf(t, m, "failure"))
	require.Equal(t, cbor.Array, results.Get("ingredientDeltas").Kind())
	require.Empty(t, results.Get("ingredientDeltas").Elements())
}

func TestAnIngredientWithRecordedFailuresIsValidInTheNextFile(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	png[len(png)-20] ^= 1 // The source was changed after it was signed.
	store, active, results := f.taken(png)
	require.Equal(t, []status.Code{status.DataHashMismatch}, codesOf(t, results.Get("activeManifest"), "failure"))
	box, err := jumbf.Parse(store)
	require.NoError(t, err)
	require.Equal(t, active, box.Children[0].Label)
	next := f.file(func(binding part) []byte {
		in := ingredient("c2pa.ingredient.v3", "parentOf", box.Children[0].Raw, cbor.Member{Key: "validationResults", Value: results})
		return storeOf(box.Children[0].Raw, f.manifest(draft{label: "urn:c2pa:next", parts: []part{in, actions(action("c2pa.opened", names(in))), binding}}))
	})
	r := f.read(next)
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Equal(t, []string{"assertion.dataHash.mismatch"}, r.Manifests[0].Ingredients[0].Recorded)
	require.Empty(t, failures(r.Manifests[1].Statuses), "its file is not there any more")
}

func TestDeltasOfIngredientsLeaveOutWhatIsRecorded(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.chain(draft{}, func(in, binding part) draft {
		in.value = dedupe(append(cbor.Members{{Key: "validationResults", Value: cbor.Members{{Key: "activeManifest", Value: cbor.Members{
			{Key: "success", Value: []any{cbor.Members{
				{Key: "code", Value: "claimSignature.validated"}, {Key: "url", Value: "self#jumbf=/c2pa/urn:c2pa:below/c2pa.signature"},
			}}},
		}}}}}, in.value.(cbor.Members)...))
		return draft{parts: []part{in, actions(action("c2pa.opened", names(in))), binding}}
	})
	_, _, results := f.taken(png)
	deltas := results.Get("ingredientDeltas").Elements()
	require.Len(t, deltas, 1)
	uri, _ := deltas[0].Get("ingredientAssertionURI").Text()
	require.Equal(t, "self#jumbf=/c2pa/urn:c2pa:over/c2pa.assertions/c2pa.ingredient.v3", uri)
	success := codesOf(t, deltas[0].Get("validationDeltas"), "success")
	require.NotContains(t, success, status.ClaimSignatureValidated)
	require.Contains(t, success, status.SigningCredentialTrusted)
}

func TestFilesWithoutAStoreThatCanBeReadHaveNothingToRecord(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	plain := mediatest.PNG(t, 16, 16)
	for _, png := range [][]byte{plain, withStore(plain, []byte("no boxes at all"))} {
		store, active, results := f.taken(png)
		require.Nil(t, store)
		require.Empty(t, active)
		require.Equal(t, cbor.Absent, results.Kind())
	}
}
