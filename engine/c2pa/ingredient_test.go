package c2pa_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
)

// chain makes a file whose active manifest was opened from another, which more may be wrong with.
func (f *forge) chain(below draft, over func(source part, binding part) draft) []byte {
	f.tb.Helper()
	below.label = "urn:c2pa:below"
	if below.parts == nil {
		below.parts = []part{created(aiMedia), {label: "c2pa.hash.data", value: cbor.Members{{Key: "alg", Value: "sha256"}}}}
	}
	source := f.manifest(below)
	return f.file(func(binding part) []byte {
		in := ingredient("c2pa.ingredient.v3", "parentOf", source)
		d := draft{parts: []part{in, actions(action("c2pa.opened", names(in)), action("c2pa.transcoded")), binding}}
		if over != nil {
			d = over(in, binding)
		}
		d.label = "urn:c2pa:over"
		return storeOf(source, f.manifest(d))
	})
}

func TestWhatAnIngredientClaimsIsReportedWithIt(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.chain(draft{}, nil))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.True(t, has(r.Statuses, status.IngredientManifestValidated))
	require.Len(t, r.Manifests, 2)
	over, below := r.Manifests[0], r.Manifests[1]
	require.Equal(t, []c2pa.Ingredient{{
		Label: "c2pa.ingredient.v3", Relationship: "parentOf", Title: "source", Manifest: "urn:c2pa:below",
	}}, over.Ingredients)
	require.Equal(t, []c2pa.Action{
		{Name: "c2pa.opened", Ingredients: []string{"c2pa.ingredient.v3"}}, {Name: "c2pa.transcoded"},
	}, over.Actions)
	require.Equal(t, c2pa.Intact, over.Integrity)
	require.Equal(t, c2pa.Intact, below.Integrity, "its file is not there, and not asked for")
	require.Equal(t, aiMedia, below.Actions[0].SourceType)
	require.Empty(t, failures(below.Statuses))
}

func TestAChangedIngredientIsTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.chain(draft{}, nil)
	store := bytes.Replace(storeIn(png), []byte(aiMedia), []byte(aiMedia[:len(aiMedia)-1]+"X"), 1)
	r := f.read(replace(png, store))
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.IngredientManifestMismatch}, failures(r.Statuses))
	require.Equal(t, c2pa.Altered, r.Manifests[0].Integrity)
	require.Equal(t, []status.Code{status.HashedURIMismatch}, failures(r.Manifests[1].Statuses)[:1])
	require.Equal(t, c2pa.Altered, r.Manifests[1].Integrity)
	require.Empty(t, r.Manifests[1].Actions)
}

func TestAnIngredientThatWasReplacedIsTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.chain(draft{}, nil)
	other := f.manifest(draft{label: "urn:c2pa:below", parts: []part{created(aiMedia), {label: "c2pa.hash.data", value: cbor.Members{{Key: "alg", Value: "sha512"}}}}})
	box, err := jumbf.Parse(storeIn(png))
	require.NoError(t, err)
	require.Len(t, other, len(box.Children[0].Raw))
	r := f.read(replace(png, storeOf(other, box.Children[1].Raw)))
	altered(t, r, status.IngredientManifestMismatch)
	require.Empty(t, failures(r.Manifests[1].Statuses), "in itself it is as it was signed")
	require.Equal(t, c2pa.Altered, r.Manifests[1].Integrity, "and not the one that was taken in")
}

func TestEarlyIngredientsHaveTheHashOfAClaim(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for _, url := range []string{"self#jumbf=/c2pa/urn:c2pa:below", "self#jumbf=/c2pa/urn:c2pa:below/c2pa.claim"} {
		for _, version := range []int{1, 2} {
			source := f.manifest(draft{label: "urn:c2pa:below", version: version, parts: []part{created(aiMedia), {label: "c2pa.hash.data", value: cbor.Members{}}}})
			box, err := jumbf.Parse(source)
			require.NoError(t, err)
			sum := sha256.Sum256(box.Children[1].Children[0].Content)
			r := f.read(f.file(func(binding part) []byte {
				in := part{label: "c2pa.ingredient", value: cbor.Members{
					{Key: "relationship", Value: "parentOf"},
					{Key: "c2pa_manifest", Value: cbor.Members{{Key: "url", Value: url}, {Key: "hash", Value: sum[:]}}},
				}}
				return storeOf(source, f.manifest(draft{label: "urn:c2pa:over", version: 1, parts: []part{in, created(aiMedia), binding}}))
			}))
			require.Equal(t, version == 1, r.State == "trusted", r.Statuses)
			require.Equal(t, version == 2, has(r.Statuses, status.IngredientManifestMismatch))
		}
	}
}

func TestWhatIsWrittenDownHidesNoOtherFailure(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	known := cbor.Member{Key: "validationResults", Value: cbor.Members{{Key: "activeManifest", Value: cbor.Members{
		{Key: "failure", Value: []any{cbor.Members{
			{Key: "code", Value: "assertion.hashedURI.mismatch"}, {Key: "url", Value: "self#jumbf=/c2pa/urn:c2pa:below/c2pa.assertions/x"},
		}}},
	}}}}
	for extra, state := range map[bool]string{false: "trusted", true: "invalid"} {
		parts := []part{created(aiMedia), {label: "c2pa.hash.data", value: cbor.Members{}}}
		n := 90
		if extra {
			n = 150
			parts = append(parts, part{label: "com.example.hidden", json: `{}`, hidden: true})
		}
		for i := range n {
			parts = append(parts, part{label: fmt.Sprintf("com.example.n__%d", i), json: `{}`, hash: make([]byte, 32)})
		}
		r := f.read(f.chain(draft{parts: parts}, func(in, binding part) draft {
			in.value = dedupe(append(cbor.Members{known}, in.value.(cbor.Members)...))
			return draft{parts: []part{in, actions(action("c2pa.opened", names(in))), binding}}
		}))
		require.Equal(t, state, r.State)
	}
}

func TestAMissingIngredientIsTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.chain(draft{}, nil)
	box, err := jumbf.Parse(storeIn(png))
	require.NoError(t, err)
	png = replace(png, storeOf(box.Children[1].Raw, jumbf.Leaf("free", box.Children[0].Content)))
	r := f.read(png)
	require.Contains(t, failures(r.Statuses), status.IngredientManifestMissing)
	require.Equal(t, "invalid", r.State)
	require.Equal(t, c2pa.Altered, r.Manifests[0].Integrity)
}

func TestWhatNothingLeadsToIsPassedOver(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.file(func(binding part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:loose", parts: []part{created(aiMedia), binding}}),
			f.manifest(draft{label: "urn:c2pa:one", parts: []part{created("http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"), binding}}))
	})
	r := f.read(png)
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Len(t, r.Manifests, 1)
	require.True(t, has(r.Statuses, status.ManifestUnreferenced))
}

func TestIngredientsWithoutManifestsAreOfUnknownProvenance(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for relationship, want := range map[string]bool{"parentOf": true, "inputTo": false} {
		r := f.read(f.one(draft{parts: []part{created(aiMedia), ingredient("c2pa.ingredient.v3", relationship, nil)}}))
		require.Equal(t, "trusted", r.State, r.Statuses)
		require.Equal(t, want, has(r.Statuses, status.IngredientUnknownProvenance))
	}
}

func TestMalformedIngredientsAreTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for name, in := range map[string]part{
		"no relationship":      {label: "c2pa.ingredient.v3", value: cbor.Members{{Key: "dc:title", Value: "x"}}},
		"another relationship": ingredient("c2pa.ingredient.v3", "uncleOf", nil),
	} {
		r := f.read(f.one(draft{parts: []part{created(aiMedia), in}}))
		require.Equal(t, []status.Code{status.IngredientMalformed}, failures(r.Statuses), name)
		require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity, "it is as it was signed")
	}
	without := cbor.Member{Key: "validationResults", Value: nil}
	r := f.read(f.chain(draft{}, func(in, binding part) draft {
		in.value = dedupe(append(cbor.Members{without}, in.value.(cbor.Members)...))
		return draft{parts: []part{in, actions(action("c2pa.opened", names(in))), binding}}
	}))
	require.Equal(t, []status.Code{status.IngredientMalformed}, failures(r.Statuses))
}

func TestSeveralParentsAreTooMany(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	first, second := ingredient("c2pa.ingredient.v3", "parentOf", nil), ingredient("c2pa.ingredient.v3__1", "parentOf", nil)
	r := f.read(f.one(draft{parts: []part{actions(action("c2pa.opened", names(first))), first, second}}))
	require.Equal(t, []status.Code{status.ManifestMultipleParents}, failures(r.Statuses))
}

// bad is a manifest that was signed with a hash that does not match.
func bad() draft {
	wrong := part{label: "com.example.note", json: `{}`, hash: make([]byte, 32)}
	return draft{parts: []part{created(aiMedia), wrong, {label: "c2pa.hash.data", value: cbor.Members{}}}}
}

func TestAFailureThatItsSignerWroteDownDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	record := func(code, manifest string) cbor.Member {
		return cbor.Member{Key: "validationResults", Value: cbor.Members{{Key: "activeManifest", Value: cbor.Members{
			{Key: "success", Value: []any{}},
			{Key: "informational", Value: []any{}},
			{Key: "failure", Value: []any{cbor.Members{
				{Key: "code", Value: code}, {Key: "url", Value: "self#jumbf=/c2pa/" + manifest + "/c2pa.assertions/com.example.note"},
			}}},
		}}}}
	}
	tests := []struct {
		record cbor.Member
		state  string
	}{
		{record("assertion.hashedURI.mismatch", "urn:c2pa:below"), "trusted"},
		{record("assertion.hashedURI.mismatch", "urn:c2pa:other"), "invalid"},
		{record("claimSignature.mismatch", "urn:c2pa:below"), "invalid"},
	}
	for _, tt := range tests {
		r := f.read(f.chain(bad(), func(in, binding part) draft {
			in.value = dedupe(append(cbor.Members{tt.record}, in.value.(cbor.Members)...))
			return draft{parts: []part{in, actions(action("c2pa.opened", names(in))), binding}}
		}))
		require.Equal(t, tt.state, r.State, r.Statuses)
		require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
		require.Equal(t, c2pa.Altered, r.Manifests[1].Integrity, "written down or not")
		require.Len(t, r.Manifests[0].Ingredients[0].Recorded, 1)
	}
	require.Equal(t, "invalid", f.read(f.chain(bad(), nil)).State, "nobody knew")
}

func TestEarlyIngredientsRecordTheirFailuresInAList(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	source := bad()
	source.version = 1
	r := f.read(f.chain(source, func(in, binding part) draft {
		fields := in.value.(cbor.Members)
		old := part{label: "c2pa.ingredient", value: cbor.Members{
			{Key: "relationship", Value: "componentOf"},
			{Key: "dc:title", Value: "x"},
			{Key: "dc:format", Value: "image/png"},
			{Key: "c2pa_manifest", Value: fields[2].Value},
			{Key: "validationStatus", Value: []any{
				cbor.Members{{Key: "code", Value: "assertion.hashedURI.mismatch"}, {Key: "url", Value: "self#jumbf=c2pa.assertions/com.example.note"}},
				cbor.Members{{Key: "code", Value: "com.example.strange"}, {Key: "success", Value: true}},
			}},
		}}
		return draft{version: 1, parts: []part{old, created(aiMedia), binding}}
	}))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Equal(t, []string{"assertion.hashedURI.mismatch"}, r.Manifests[0].Ingredients[0].Recorded)
}

func TestAnUnknownSignerBelowDoesNotSpoilTheFile(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.chain(draft{signer: newForge(t).signer}, nil))
	require.Equal(t, "trusted", r.State, "it is the active manifest's signer who counts")
	require.False(t, r.Manifests[1].Signer.Trust.Trusted)
	require.Equal(t, c2pa.Intact, r.Manifests[1].Integrity)
}

func TestIngredientsInACircleEnd(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	hash := part{label: "c2pa.hash.data", value: cbor.Members{}}
	back := part{label: "c2pa.ingredient.v3", value: cbor.Members{
		{Key: "relationship", Value: "parentOf"},
		{Key: "validationResults", Value: cbor.Members{}},
		{Key: "activeManifest", Value: cbor.Members{{Key: "url", Value: "self#jumbf=/c2pa/urn:c2pa:over"}, {Key: "hash", Value: make([]byte, 32)}}},
	}}
	r := f.read(f.chain(draft{parts: []part{back, actions(action("c2pa.opened", names(back))), hash}}, nil))
	require.Equal(t, "invalid", r.State)
	require.Len(t, r.Manifests, 2)
	require.Contains(t, failures(r.Statuses), status.IngredientMalformed)
	require.Contains(t, failures(r.Manifests[1].Statuses), status.IngredientManifestMismatch)
}

func TestLongLineagesAreFollowedSoFarAndNoFurther(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for _, tt := range []struct {
		depth, reported int
		state           string
	}{{5, 5, "trusted"}, {40, 32, "invalid"}} {
		r := f.read(f.file(func(binding part) []byte {
			var store [][]byte
			for i := range tt.depth {
				parts := []part{created(aiMedia), binding}
				if i > 0 {
					in := ingredient("c2pa.ingredient.v3", "parentOf", store[i-1])
					parts = []part{in, actions(action("c2pa.opened", names(in))), binding}
				}
				store = append(store, f.manifest(draft{label: fmt.Sprintf("urn:c2pa:%d", i), parts: parts}))
			}
			return storeOf(store...)
		}))
		require.Equal(t, tt.state, r.State)
		require.Len(t, r.Manifests, tt.reported)
	}
}

func TestTwoManifestsOfOneLabelCannotBeReferredTo(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.chain(draft{}, nil)
	box, err := jumbf.Parse(storeIn(png))
	require.NoError(t, err)
	r := f.read(replace(png, storeOf(box.Children[0].Raw, box.Children[0].Raw, box.Children[1].Raw)))
	require.Contains(t, failures(r.Statuses), status.IngredientManifestMissing)
	require.Len(t, r.Manifests, 1)
}
