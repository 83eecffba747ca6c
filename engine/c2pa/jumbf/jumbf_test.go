package jumbf_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/c2pa/jumbf"
)

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// described is a superbox whose description has the toggles and what is given behind them.
func described(toggles byte, behind ...[]byte) []byte {
	return jumbf.Leaf("jumb", join(jumbf.Leaf("jumd", join(jumbf.Manifest[:], []byte{toggles}, join(behind...))), jumbf.Leaf("cbor", []byte{0xF6})))
}

// long is a box whose length stands in eight bytes.
func long(kind string, content []byte) []byte {
	out := append([]byte{0, 0, 0, 1}, kind...)
	return append(binary.BigEndian.AppendUint64(out, uint64(16+len(content))), content...)
}

// store is one as C2PA has it.
func store() []byte {
	return jumbf.Super(jumbf.Store, "c2pa", nil,
		jumbf.Super(jumbf.Manifest, "urn:c2pa:1", nil,
			jumbf.Super(jumbf.AssertionStore, "c2pa.assertions", nil,
				jumbf.Super(jumbf.CBORContent, "c2pa.hash.data", []byte("0123456789abcdef"), jumbf.Leaf("cbor", []byte{0xA0}), jumbf.Leaf("free", make([]byte, 5))),
				jumbf.Super(jumbf.EmbeddedFile, "c2pa.thumbnail", nil, jumbf.Leaf("bfdb", []byte("\x00image/png\x00")), jumbf.Leaf("bidb", []byte("png"))),
				jumbf.Super(jumbf.CBORContent, "twice", nil), jumbf.Super(jumbf.CBORContent, "twice", nil)),
			jumbf.Super(jumbf.Claim, "c2pa.claim.v2", nil, jumbf.Leaf("cbor", []byte{0xA1, 0, 0}))),
		jumbf.Leaf("brob", []byte("compressed")))
}

func TestAStoreIsReadWithItsPlaces(t *testing.T) {
	t.Parallel()
	data := store()
	b, err := jumbf.Parse(data)
	require.NoError(t, err)
	require.Equal(t, data, b.Raw)
	require.Equal(t, data[8:], b.Body)
	require.Equal(t, jumbf.Store, b.UUID)
	require.True(t, b.Requestable)
	require.Nil(t, b.Salt)
	require.Equal(t, []string{"jumb", "brob"}, []string{b.Children[0].Type, b.Children[1].Type})

	hash, ok := b.Find("urn:c2pa:1/c2pa.assertions/c2pa.hash.data")
	require.True(t, ok)
	require.Equal(t, jumbf.CBORContent, hash.UUID)
	require.Equal(t, []byte("0123456789abcdef"), hash.Salt)
	content, ok := hash.First("cbor")
	require.True(t, ok)
	require.Equal(t, []byte{0xA0}, content)
	require.Equal(t, binary.BigEndian.AppendUint32(nil, uint32(len(hash.Raw))), hash.Raw[:4])
	require.Equal(t, hash.Raw[8:], hash.Body)
	_, ok = hash.First("json")
	require.False(t, ok)

	thumbnail, ok := b.Find("urn:c2pa:1/c2pa.assertions/c2pa.thumbnail")
	require.True(t, ok)
	require.Equal(t, jumbf.EmbeddedFile, thumbnail.UUID)
	picture, ok := thumbnail.First("bidb")
	require.True(t, ok)
	require.Equal(t, []byte("png"), picture)

	assertions, ok := b.Find("urn:c2pa:1/c2pa.assertions")
	require.True(t, ok)
	require.Len(t, assertions.Labelled("twice"), 2)
	for _, path := range []string{"", "none", "urn:c2pa:1/none", "urn:c2pa:1/", "/urn:c2pa:1", "urn:c2pa:1/c2pa.assertions/twice"} {
		_, ok = b.Find(path)
		require.False(t, ok, path)
	}
}

func TestAllWaysToFrameABoxAreRead(t *testing.T) {
	t.Parallel()
	about := jumbf.Leaf("jumd", append(jumbf.Store[:], 3, 'a', 0))
	open := append([]byte{0, 0, 0, 0}, "cbor\x01\x02"...)
	for name, data := range map[string][]byte{
		"plain":                  jumbf.Leaf("jumb", join(about, jumbf.Leaf("cbor", []byte{1, 2}))),
		"zeros behind":           join(jumbf.Leaf("jumb", join(about, jumbf.Leaf("cbor", []byte{1, 2}))), make([]byte, 7)),
		"long lengths":           long("jumb", join(long("jumd", about[8:]), long("cbor", []byte{1, 2}))),
		"up to the end":          append([]byte{0, 0, 0, 0}, append([]byte("jumb"), join(about, jumbf.Leaf("cbor", []byte{1, 2}))...)...),
		"the last up to the end": jumbf.Leaf("jumb", join(about, open)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := jumbf.Parse(data)
			require.NoError(t, err)
			require.Equal(t, "a", b.Label)
			content, ok := b.First("cbor")
			require.True(t, ok)
			require.Equal(t, []byte{1, 2}, content)
			require.True(t, bytes.HasSuffix(b.Raw, b.Body))
			require.True(t, bytes.HasSuffix(b.Body, []byte("cbor\x01\x02")) || bytes.HasSuffix(b.Body, []byte{0, 18, 1, 2}))
		})
	}
}

func TestDescriptionsAreReadByTheirToggles(t *testing.T) {
	t.Parallel()
	id, hash, label := []byte("\x00\x00\x00\x07"), make([]byte, 32), []byte("a\x00")
	salt := jumbf.Leaf("c2sh", []byte("salt"))
	for name, tt := range map[string]struct {
		data        []byte
		label       string
		requestable bool
		salt        []byte
	}{
		"nothing":          {described(0), "", false, nil},
		"label":            {described(2, label), "a", false, nil},
		"requestable":      {described(3, label), "a", true, nil},
		"umlauts":          {described(3, []byte("urn:ü:1\x00")), "urn:ü:1", true, nil},
		"empty label":      {described(3, []byte{0}), "", true, nil},
		"id":               {described(7, label, id), "a", true, nil},
		"all":              {described(31, label, id, hash, salt), "a", true, []byte("salt")},
		"private, no C2PA": {described(19, label, jumbf.Leaf("uuid", hash)), "a", true, nil},
		"several":          {described(19, label, jumbf.Leaf("uuid", hash), salt), "a", true, []byte("salt")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := jumbf.Parse(tt.data)
			require.NoError(t, err)
			require.Equal(t, jumbf.Manifest, b.UUID)
			require.Equal(t, tt.label, b.Label)
			require.Equal(t, tt.requestable, b.Requestable)
			require.Equal(t, tt.salt, b.Salt)
		})
	}
}

// nested is a superbox in superboxes, depth of them.
func nested(depth int) []byte {
	b := jumbf.Super(jumbf.Store, "a", nil)
	for range depth - 1 {
		b = jumbf.Super(jumbf.Store, "a", nil, b)
	}
	return b
}

func TestWhatIsNoJUMBFIsRefused(t *testing.T) {
	t.Parallel()
	label, salt := []byte("a\x00"), jumbf.Leaf("c2sh", []byte("salt"))
	about := jumbf.Leaf("jumd", append(jumbf.Store[:], 3, 'a', 0))
	whole := store()
	claimed := func(size uint32) []byte {
		return binary.BigEndian.AppendUint32(nil, size)
	}
	for name, data := range map[string][]byte{
		"nothing": nil, "a few bytes": []byte("abc"), "a leaf": jumbf.Leaf("cbor", []byte{1}), "no description": jumbf.Leaf("jumb", jumbf.Leaf("cbor", nil)),
		"an empty superbox": jumbf.Leaf("jumb", nil), "a description behind": jumbf.Leaf("jumb", join(jumbf.Leaf("cbor", nil), about)),
		"two descriptions": jumbf.Leaf("jumb", join(about, about)), "bytes behind": append(bytes.Clone(whole), 0, 1), "two stores": join(whole, whole),
		"cut": whole[:len(whole)-1], "length 2": join(claimed(2), whole[4:]), "length 7": join(claimed(7), whole[4:]), "too long": join(claimed(1<<31), whole[4:]),
		"a long length cut":      []byte("\x00\x00\x00\x01jumb\x00\x00\x00"),
		"a long length of 15":    append([]byte("\x00\x00\x00\x01jumb\x00\x00\x00\x00\x00\x00\x00\x0f"), about...),
		"a long length too long": append([]byte("\x00\x00\x00\x01jumb\xff\xff\xff\xff\xff\xff\xff\xff"), about...),
		"a child too long":       jumbf.Leaf("jumb", join(about, claimed(100), []byte("cbor"))),
		"bytes behind a child":   jumbf.Leaf("jumb", join(about, []byte{0, 0, 0})),
		"a short description":    jumbf.Leaf("jumb", jumbf.Leaf("jumd", jumbf.Store[:])),
		"unknown toggles":        described(0x23, label), "no end of label": described(3, []byte("a")), "no id": described(7, label, []byte{1}),
		"no hash": described(11, label, make([]byte, 31)), "bytes behind the label": described(3, label, []byte{0}), "a private box cut": described(19, label, salt[:9]),
		"two salts": described(19, label, salt, salt), "no UTF-8": described(3, []byte("\xff\x00")), "a slash": described(3, []byte("a/b\x00")),
		"a semicolon": described(3, []byte("a;b\x00")), "a question mark": described(3, []byte("a?\x00")), "a fragment": described(3, []byte("a#b\x00")),
		"a control": described(3, []byte("a\nb\x00")), "a C1 control": described(3, []byte("a\u0085b\x00")), "a delete": described(3, []byte("\x7f\x00")),
		"a mark of order": described(3, []byte("\uFEFFa\x00")), "no character": described(3, []byte("a\uFFFF\x00")), "a surrogate": described(3, []byte("\xed\xa0\x80\x00")),
		"too deep": nested(16), "far too deep": nested(2_000), "too many": jumbf.Super(jumbf.Store, "a", nil, bytes.Repeat(jumbf.Leaf("free", nil), 20_000)),
		"too many private": described(19, label, bytes.Repeat(jumbf.Leaf("free", nil), 20_000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := jumbf.Parse(data)
			require.ErrorIs(t, err, jumbf.ErrInvalid)
		})
	}
	_, err := jumbf.Parse(nested(15)) // The description is one deeper.
	require.NoError(t, err)
	_, err = jumbf.Parse(jumbf.Super(jumbf.Store, "a", nil, bytes.Repeat(jumbf.Leaf("free", nil), 19_998)))
	require.NoError(t, err)
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	label := rapid.StringMatching(`[a-z][a-z0-9_.:-]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		var build func(depth int) ([]byte, jumbf.Box)
		build = func(depth int) ([]byte, jumbf.Box) {
			want := jumbf.Box{Type: "jumb", Label: label.Draw(t, "label"), Requestable: true}
			copy(want.UUID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid"))
			if rapid.Bool().Draw(t, "salted") {
				want.Salt = rapid.SliceOfN(rapid.Byte(), 1, 32).Draw(t, "salt")
			}
			var parts [][]byte
			for range rapid.IntRange(0, 4).Draw(t, "children") {
				if depth > 0 && rapid.Bool().Draw(t, "super") {
					part, child := build(depth - 1)
					parts, want.Children = append(parts, part), append(want.Children, child)
					continue
				}
				leaf := jumbf.Box{Type: rapid.SampledFrom([]string{"cbor", "json", "free"}).Draw(t, "type"), Content: rapid.SliceOf(rapid.Byte()).Draw(t, "content")}
				parts, want.Children = append(parts, jumbf.Leaf(leaf.Type, leaf.Content)), append(want.Children, leaf)
			}
			return jumbf.Super(want.UUID, want.Label, want.Salt, parts...), want
		}
		data, want := build(4)
		got, err := jumbf.Parse(data)
		require.NoError(t, err)
		require.Equal(t, data, written(t, got))
		requireSame(t, want, got)
	})
}

func requireSame(t require.TestingT, want, got jumbf.Box) {
	require.Equal(t, []any{want.Type, want.UUID, want.Label, want.Requestable, want.Salt}, []any{got.Type, got.UUID, got.Label, got.Requestable, got.Salt})
	require.True(t, bytes.Equal(want.Content, got.Content))
	require.Len(t, got.Children, len(want.Children))
	for i := range want.Children {
		requireSame(t, want.Children[i], got.Children[i])
	}
}

// written is a box put together from what was read of it, and demands that every part lies in its place.
func written(t require.TestingT, b jumbf.Box) []byte {
	require.True(t, bytes.HasSuffix(b.Raw, b.Body))
	if b.Type != "jumb" {
		return jumbf.Leaf(b.Type, b.Content)
	}
	var parts [][]byte
	for _, c := range b.Children {
		parts = append(parts, written(t, c))
	}
	return jumbf.Super(b.UUID, b.Label, b.Salt, parts...)
}

func TestHostileStoresTakeLittle(t *testing.T) { //nolint:paralleltest // Allocations are counted for the whole process.
	for name, data := range map[string][]byte{
		"many boxes":   jumbf.Super(jumbf.Store, "a", nil, bytes.Repeat(jumbf.Leaf("free", nil), 20_000)),
		"deep":         nested(2_000),
		"a long label": jumbf.Super(jumbf.Store, strings.Repeat("ü", 4<<20), nil),
		"zeros":        append(store(), make([]byte, 16<<20)...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := jumbf.Parse(data)
		require.Less(t, time.Since(start), 30*time.Second, name) // Milliseconds where the machine is idle.
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), name)
		if err != nil {
			require.ErrorIs(t, err, jumbf.ErrInvalid)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(store())
	f.Add(nested(15))
	f.Add(described(31, []byte("a\x00\x00\x00\x00\x07"), make([]byte, 32), jumbf.Leaf("c2sh", []byte("salt"))))
	f.Add(long("jumb", join(long("jumd", append(jumbf.Store[:], 3, 'a', 0)), []byte("\x00\x00\x00\x00cbor\x01"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := jumbf.Parse(data)
		if err != nil {
			require.ErrorIs(t, err, jumbf.ErrInvalid)
			return
		}
		require.True(t, bytes.HasPrefix(data, b.Raw))
		again, err := jumbf.Parse(written(t, b))
		require.NoError(t, err)
		require.Equal(t, b.UUID, again.UUID)
		require.Equal(t, b.Label, again.Label)
		require.Len(t, again.Children, len(b.Children))
	})
}
