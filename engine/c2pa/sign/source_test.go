package sign_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/referee"
	"veracity/engine/c2pa/sign"
	"veracity/engine/mediatest"
)

// storeOf cuts the store out of a PNG.
func storeOf(tb testing.TB, png []byte) []byte {
	tb.Helper()
	at := bytes.Index(png, []byte("caBX"))
	require.Positive(tb, at)
	return png[at+4 : at+4+int(binary.BigEndian.Uint32(png[at-4:]))]
}

func parsed(tb testing.TB, store []byte) jumbf.Box {
	tb.Helper()
	box, err := jumbf.Parse(store)
	require.NoError(tb, err)
	return box
}

// labelOf is the label of the active manifest, the last.
func labelOf(tb testing.TB, store []byte) string {
	tb.Helper()
	children := parsed(tb, store).Children
	return children[len(children)-1].Label
}

// ingredient is the ingredient assertion that an order leads to, and the store that it is in.
func ingredient(tb testing.TB, o sign.Order) (cbor.Value, jumbf.Box) {
	tb.Helper()
	file, _, err := sign.IntoPNG(mediatest.PNG(tb, 8, 8), o)
	require.NoError(tb, err)
	store := parsed(tb, storeOf(tb, file))
	box, ok := store.Find(labelOf(tb, store.Raw) + "/c2pa.assertions/c2pa.ingredient.v3")
	require.True(tb, ok)
	content, ok := box.First("cbor")
	require.True(tb, ok)
	v, err := cbor.Decode(content)
	require.NoError(tb, err)
	return v, store
}

func TestManifestsOfTheSourceGoAlongByteForByte(t *testing.T) {
	t.Parallel()
	history := source(t, c2patest.NewAuthority(t))
	before := parsed(t, history.Store).Children
	require.Len(t, before, 2)
	history.Store = storeWith(before[0].Raw, jumbf.Leaf("abcd", []byte("of nobody's knowledge")), before[1].Raw)
	_, store := ingredient(t, order(history))
	require.Len(t, store.Children, len(before)+1)
	for i, b := range before {
		require.Equal(t, b.Raw, store.Children[i].Raw)
	}
}

func TestAManifestThatReachesToTheEndGetsALength(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	history := source(t, a)
	boxes := parsed(t, history.Store).Children
	last := bytes.Clone(boxes[1].Raw)
	copy(last, "\x00\x00\x00\x00")
	history.Store = storeWith(boxes[0].Raw, last)
	requireTrusted(t, a, write(t, "out.png", inPNG(t, a, order(history))), order(history))
}

func TestStoresThatCannotGoAlongStayBehind(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	history := source(t, a)
	boxes := parsed(t, history.Store).Children
	unsigned := jumbf.Super(jumbf.Manifest, history.Label, nil)
	for name, tt := range map[string]struct {
		change func(*sign.Source)
		why    string
	}{
		"too large": {func(s *sign.Source) {
			s.Store = storeWith(boxes[0].Raw, boxes[1].Raw, jumbf.Leaf("free", make([]byte, 8<<20)))
		}, "they are too large"},
		"no results":      {func(s *sign.Source) { s.Results = nil }, "they could not be checked"},
		"no JUMBF":        {func(s *sign.Source) { s.Store = []byte("no JUMBF") }, "they cannot be read"},
		"cut":             {func(s *sign.Source) { s.Store = s.Store[:len(s.Store)-1] }, "they cannot be read"},
		"no store":        {func(s *sign.Source) { s.Store = boxes[1].Raw }, "they cannot be read"},
		"one label twice": {func(s *sign.Source) { s.Store = storeWith(boxes[0].Raw, boxes[1].Raw, boxes[1].Raw) }, "two manifests have one label"},
		"none active":     {func(s *sign.Source) { s.Active = "urn:c2pa:other" }, "the manifest of the file is missing"},
		"no signature":    {func(s *sign.Source) { s.Store = storeWith(boxes[0].Raw, unsigned) }, "the manifest of the file is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := order(history)
			o.Source.InstanceID = "xmp:iid:of its XMP"
			tt.change(&o.Source)
			value, store := ingredient(t, o)
			require.Len(t, store.Children, 1)
			text, _ := value.Get("description").Text()
			require.Equal(t, "Its Content Credentials stayed behind: "+tt.why+".", text)
			id, _ := value.Get("instanceID").Text()
			require.Equal(t, "xmp:iid:of its XMP", id)
			for _, key := range []string{"activeManifest", "claimSignature", "validationResults"} {
				require.Equal(t, cbor.Absent, value.Get(key).Kind())
			}
			report := referee.Read(t, write(t, "out.png", inPNG(t, a, o)), a.PEM)
			require.Equal(t, "Trusted", report.State)
			require.Empty(t, report.Failures())
		})
	}
}

func TestManifestsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	var labels []string
	for range 3 {
		_, store := ingredient(t, order(nil))
		labels = append(labels, store.Children[0].Label)
		require.Regexp(t, `^urn:c2pa:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, labels[len(labels)-1])
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(labels))), 3)
}

func TestOrdersThatLackSomethingAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sign.Order){
		"no generator":   func(o *sign.Order) { o.Generator = "" },
		"no room":        func(o *sign.Order) { o.Room = 0 },
		"room for a lot": func(o *sign.Order) { o.Room = 1<<20 + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := order(nil)
			change(&o)
			_, _, err := sign.IntoPNG(mediatest.PNG(t, 8, 8), o)
			require.Error(t, err)
			_, err = sign.IntoMP4(write(t, "a.mp4", clip(t, true)), o)
			require.Error(t, err)
		})
	}
}

func storeWith(children ...[]byte) []byte { return jumbf.Super(jumbf.Store, "c2pa", nil, children...) }
