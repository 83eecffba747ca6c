package c2pa_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
)

// longest is how long reading a hostile store of some megabytes may take, with room for slow machines.
const longest = time.Minute

// bounded reads a file and checks that its report stays small, in time.
func (f *forge) bounded(png []byte) c2pa.Report {
	f.tb.Helper()
	begun := time.Now()
	r := f.read(png)
	require.Less(f.tb, time.Since(begun), longest)
	written, err := json.Marshal(r)
	require.NoError(f.tb, err)
	require.Less(f.tb, len(written), 3<<20)
	require.LessOrEqual(f.tb, len(r.Manifests), 64)
	for _, m := range r.Manifests {
		require.LessOrEqual(f.tb, len(m.Actions), 256)
		require.LessOrEqual(f.tb, len(m.Ingredients), 128)
		require.LessOrEqual(f.tb, len(m.Assertions), 256)
		require.LessOrEqual(f.tb, len(m.Statuses), 400)
	}
	return r
}

func TestNothingUnboundedGoesIntoAReport(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	long := strings.Repeat("<ä\x00\u202e", 500)
	text := func(key string) cbor.Member { return cbor.Member{Key: key, Value: long} }
	list := []cbor.Members{action("c2pa.created")}
	for i := range 400 {
		list = append(list, cbor.Members{{Key: "action", Value: fmt.Sprint(i, long)}, text("digitalSourceType"), text("softwareAgent"), text("description"), text("when")})
	}
	parts := []part{actions(list...)}
	for i := range 300 {
		label := fmt.Sprintf("c2pa.ingredient.v3__%d", i)
		parts = append(parts, part{label: label, value: cbor.Members{{Key: "relationship", Value: "inputTo"}, text("dc:title"), text("dc:format")}})
	}
	claim := append(cbor.Members{
		text("dc:title"), text("instanceID"), {Key: "claim_generator_info", Value: cbor.Members{text("name"), text("version")}},
	}, claimOf(2)...)
	r := f.bounded(f.one(draft{parts: parts, claim: claim}))
	m := r.Manifests[0]
	require.NotEqual(t, "trusted", r.State, "what was cut may have said more")
	require.NotEqual(t, c2pa.Intact, m.Integrity)
	require.LessOrEqual(t, len([]rune(m.Title)), 300)
}

func TestManyLikeActionsAreCutAndAIStays(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	list := []cbor.Members{action("c2pa.created")}
	for range 1000 {
		list = append(list, action("c2pa.edited"))
	}
	list = append(list, action("c2pa.edited", cbor.Member{Key: "digitalSourceType", Value: aiMedia}))
	r := f.bounded(f.one(draft{parts: []part{actions(list...)}}))
	require.Equal(t, "trusted", r.State, r.Statuses)
	got := r.Manifests[0].Actions
	require.Len(t, got, 256)
	require.Equal(t, aiMedia, got[255].SourceType)
}

func TestAManifestWithMoreThanCanBeReportedIsNotJudged(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	list := []cbor.Members{action("c2pa.created")}
	for i := range 300 {
		list = append(list, action(fmt.Sprintf("com.example.a%d", i)))
	}
	r := f.bounded(f.one(draft{parts: []part{actions(list...)}}))
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.GeneralError}, failures(r.Statuses))
	require.Equal(t, c2pa.Unchecked, r.Manifests[0].Integrity)
}

func TestManifestsForWhichThereIsNoRoomAreNotJudged(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	long := strings.Repeat("<ä", 200)
	list := []cbor.Members{action("c2pa.created")}
	for i := range 250 {
		act := action(fmt.Sprint(i, long))
		for _, key := range []string{"digitalSourceType", "softwareAgent", "description", "when"} {
			act = append(act, cbor.Member{Key: key, Value: long})
		}
		list = append(list, act)
	}
	r := f.bounded(f.file(func(binding part) []byte {
		var store [][]byte
		parts := []part{created(aiMedia), binding}
		for i := range 4 {
			source := f.manifest(draft{label: fmt.Sprintf("urn:c2pa:%d", i), parts: []part{actions(list...), {label: "c2pa.hash.data", value: cbor.Members{}}}})
			parts = append(parts, ingredient(fmt.Sprintf("c2pa.ingredient.v3__%d", i), "inputTo", source))
			store = append(store, source)
		}
		return storeOf(append(store, f.manifest(draft{label: "urn:c2pa:over", parts: parts}))...)
	}))
	require.Equal(t, "invalid", r.State)
	require.Len(t, r.Manifests, 5)
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
	require.Equal(t, c2pa.Intact, r.Manifests[1].Integrity)
	last := r.Manifests[4]
	require.Equal(t, c2pa.Unchecked, last.Integrity)
	require.Empty(t, last.Actions)
	require.Equal(t, "urn:c2pa:3", last.Label)
}

func TestFailuresAreNotHiddenBehindSuccesses(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	parts := []part{created(aiMedia)}
	for i := range 500 {
		parts = append(parts, part{label: fmt.Sprintf("com.example.n__%d", i), json: `{}`})
	}
	parts = append(parts, part{label: "com.example.last", json: `{}`, hash: make([]byte, 32)})
	r := f.bounded(f.one(draft{parts: parts}))
	require.Contains(t, failures(r.Statuses), status.HashedURIMismatch)
	require.Equal(t, c2pa.Altered, r.Manifests[0].Integrity)
}

func TestHostileStoresCostLittle(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	box := jumbf.Super(jumbf.JSONContent, "com.example.big", nil, jumbf.Leaf("json", make([]byte, 4<<20)))
	refs := make([]any, 4000)
	for i := range refs {
		refs[i] = cbor.Members{
			{Key: "url", Value: fmt.Sprintf("self#jumbf=/c2pa/urn:c2pa:one/c2pa.assertions/com.example.big?%d", i%3)[:60+i%2]},
			{Key: "hash", Value: make([]byte, 32)},
		}
	}
	same := make([]any, 4000)
	for i := range same {
		same[i] = cbor.Members{{Key: "url", Value: "self#jumbf=c2pa.assertions/com.example.big"}, {Key: "hash", Value: []byte{byte(i)}}}
	}
	gathered := func(list []any) draft {
		return draft{
			parts: []part{created(aiMedia), {label: "com.example.big", box: box, hidden: true}},
			claim: append(claimOf(2), cbor.Member{Key: "gathered_assertions", Value: list}),
		}
	}
	bomb := bytes.Repeat([]byte{0x81}, 1<<20)
	wide := append([]byte{0x9A, 0, 1, 0x86, 0xA0}, bytes.Repeat([]byte{0xA0}, 100_000)...)
	deep := []byte(strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000))
	tests := map[string]draft{
		"one box many times":  gathered(same),
		"references nowhere":  gathered(refs),
		"nested CBOR":         {parts: []part{{label: "c2pa.actions.v2", box: jumbf.Super(jumbf.CBORContent, "c2pa.actions.v2", nil, jumbf.Leaf("cbor", bomb))}}},
		"wide CBOR":           {parts: []part{{label: "c2pa.actions.v2", box: jumbf.Super(jumbf.CBORContent, "c2pa.actions.v2", nil, jumbf.Leaf("cbor", wide))}}},
		"nested JSON":         {parts: []part{{label: "c2pa.metadata", json: string(deep)}}},
		"large JSON":          {parts: []part{{label: "c2pa.metadata", json: `{"@context":"` + strings.Repeat("x", 2<<20) + `"}`}}},
		"nested boxes":        {changed: func(b *boxes) { b.more = append(b.more, nested(30)) }},
		"thousands of boxes":  {changed: func(b *boxes) { b.more = append(b.more, bytes.Repeat(jumbf.Leaf("free", nil), 30_000)) }},
		"thousands of labels": {changed: func(b *boxes) { b.assertions = crowded(b.assertions, 5000) }},
	}
	for name, d := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.bounded(f.one(d))
			require.Equal(t, "invalid", r.State)
		})
	}
}

func TestAStoreWithMoreThanIsReadIsNotJudged(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	parts := []part{created(aiMedia)}
	for i := range 60 {
		label := fmt.Sprintf("c2pa.asset-ref__%d", i)
		parts = append(parts, part{label: label, value: make([]byte, 90_000)})
	}
	require.Equal(t, "trusted", f.bounded(f.one(draft{parts: parts[:40]})).State)
	r := f.bounded(f.one(draft{parts: parts}))
	require.Equal(t, "invalid", r.State)
	require.Contains(t, failures(r.Statuses), status.GeneralError)
	require.Equal(t, c2pa.Unchecked, r.Manifests[0].Integrity)
}

func nested(depth int) []byte {
	box := jumbf.Leaf("json", []byte("{}"))
	for range depth {
		box = jumbf.Super(jumbf.JSONContent, "x", nil, box)
	}
	return box
}

func crowded(store []byte, n int) []byte {
	box, err := jumbf.Parse(store)
	if err != nil {
		panic(err)
	}
	var all [][]byte
	for _, c := range box.Children {
		all = append(all, c.Raw)
	}
	for i := range n {
		all = append(all, part{label: fmt.Sprintf("com.example.%d", i), json: "{}"}.superbox())
	}
	return jumbf.Super(jumbf.AssertionStore, "c2pa.assertions", nil, all...)
}

func TestAManifestThatEverybodyRefersToIsReadOnce(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	binding := part{label: "c2pa.hash.data", value: cbor.Members{}}
	var store [][]byte
	for i := range 40 {
		parts := []part{created(aiMedia), binding}
		for j := max(0, i-20); j < i; j++ {
			parts = append(parts, ingredient(fmt.Sprintf("c2pa.ingredient.v3__%d", j), "componentOf", store[j]))
		}
		store = append(store, f.manifest(draft{label: fmt.Sprintf("urn:c2pa:%d", i), parts: parts}))
	}
	r := f.bounded(withStore(mediatest.PNG(t, 16, 16), storeOf(store...)))
	require.Equal(t, "invalid", r.State)
	require.LessOrEqual(t, len(r.Manifests), 64)
}

func TestLabelsThatCannotBeShownAreNotFollowed(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.file(func(binding part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:one\u202e", parts: []part{created(aiMedia), binding}}))
	})
	r := f.read(png)
	require.Equal(t, "invalid", r.State)
	require.Empty(t, r.Manifests)
	require.Equal(t, []status.Code{status.GeneralError}, failures(r.Statuses))
}
