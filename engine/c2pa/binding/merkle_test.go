package binding_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/probe"
)

// rows builds a tree of hashes: one without a neighbour goes up as it is.
func rows(leaves [][]byte) [][][]byte {
	out := [][][]byte{leaves}
	for row := leaves; len(row) > 1; {
		var above [][]byte
		for i := 0; i < len(row); i += 2 {
			if i+1 == len(row) {
				above = append(above, row[i])
				continue
			}
			above = append(above, sum("sha256", row[i], row[i+1]))
		}
		out, row = append(out, above), above
	}
	return out
}

func anys(list [][]byte) []any {
	var out []any
	for _, b := range list {
		out = append(out, b)
	}
	return out
}

func tree(local int, leaves int, row [][]byte, more ...cbor.Member) cbor.Members {
	return append(cbor.Members{
		{Key: "uniqueId", Value: 0},
		{Key: "localId", Value: local},
		{Key: "count", Value: leaves},
		{Key: "alg", Value: "sha256"},
		{Key: "hashes", Value: anys(row)},
	}, more...)
}

// treeHash leaves the media from the sixteenth byte of each mdat box on to trees.
func treeHash(parts []part, trees ...cbor.Members) cbor.Members {
	cut := map[int][]int{}
	for i, p := range parts {
		if string(p.bytes[4:8]) == "mdat" {
			cut[i] = []int{16, len(p.bytes)}
		}
	}
	var list []any
	for _, t := range trees {
		list = append(list, t)
	}
	return with(bmffHash(sum("sha256", content(parts, 3, 0, cut)), xpath("/mdat", subset(16, 0))), "merkle", list)
}

// blocks hashes a payload in pieces of a size.
func blocks(payload []byte, size int) [][]byte {
	var out [][]byte
	for b := range slices.Chunk(payload, size) {
		out = append(out, sum("sha256", b))
	}
	return out
}

func fixed(n int) cbor.Member { return cbor.Member{Key: "fixedBlockSize", Value: n} }

func variable(sizes ...any) cbor.Member { return cbor.Member{Key: "variableBlockSizes", Value: sizes} }

func TestTreesOverTheMediaHold(t *testing.T) {
	t.Parallel()
	parts := movie()
	mdat := parts[4].bytes
	payload := mdat[16:]
	whole := fileOf(parts)
	at := len(fileOf(parts[:4]))
	leaves := blocks(payload, 40)
	all := rows(leaves)
	require.Len(t, leaves, 5)
	var own [][]byte // Sizes of their own, from behind the box's own header on.
	for _, b := range [][]byte{mdat[8:18], mdat[18:108], mdat[108:]} {
		own = append(own, sum("sha256", b))
	}
	tests := map[string]cbor.Members{
		"one leaf":                   tree(0, 1, blocks(payload, 1000)),
		"the leaves":                 tree(0, 5, all[0], fixed(40)),
		"a row between":              tree(0, 5, all[1], fixed(40)),
		"the root":                   tree(0, 5, all[3], fixed(40)),
		"sizes of their own":         tree(0, 5, all[0], variable(40, 40, 40, 40, len(payload)-160)),
		"sizes of the whole payload": tree(0, 3, rows(own)[2], variable(10, 90, len(mdat)-108)),
	}
	for name, tr := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertion := treeHash(parts, tr)
			require.Equal(t, []status.Code{status.BMFFHashMatch}, check(t, whole, probe.MP4, labels[3], assertion))
			for i := 8; i < len(mdat); i += 3 {
				require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, flipped(whole, at+i), probe.MP4, labels[3], assertion), i)
			}
		})
	}
}

func TestEachMdatHasATreeOfItsOwn(t *testing.T) {
	t.Parallel()
	second := carriertest.Box("mdat", []byte("eight bytes and some sounds that go on and on"))
	parts := append(movie(), part{bytes: second})
	whole := fileOf(parts)
	a, b := blocks(parts[4].bytes[16:], 50), blocks(second[16:], 10)
	first := func(id int) cbor.Members { return tree(id, len(a), a, fixed(50)) }
	other := func(id int) cbor.Members { return tree(id, len(b), rows(b)[1], fixed(10)) }
	for name, tt := range map[string]struct {
		assertion cbor.Members
		want      status.Code
	}{
		"in order":           {treeHash(parts, first(0), other(1)), status.BMFFHashMatch},
		"by id":              {treeHash(parts, other(1), first(0)), status.BMFFHashMatch},
		"ids of another use": {treeHash(parts, first(7), other(7)), status.BMFFHashMatch},
		"in no order":        {treeHash(parts, other(7), first(7)), status.BMFFHashMalformed},
		"one for both":       {treeHash(parts, first(0)), status.BMFFHashMismatch},
		"one too many":       {treeHash(parts, first(0), other(1), other(2)), status.BMFFHashMismatch},
	} {
		require.Equal(t, []status.Code{tt.want}, check(t, whole, probe.MP4, labels[3], tt.assertion), name)
	}
}

func TestTreesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	parts := movie()
	leaves := blocks(parts[4].bytes[16:], 40)
	n := len(parts[4].bytes) - 16
	tests := map[string]struct {
		tree cbor.Members
		want status.Code
	}{
		"no hashes":                 {tree(0, 5, nil, fixed(40)), status.BMFFHashMalformed},
		"more hashes than leaves":   {tree(0, 4, leaves, fixed(40)), status.BMFFHashMalformed},
		"another number of leaves":  {tree(0, 6, leaves, fixed(40)), status.BMFFHashMalformed},
		"blocks of nothing":         {tree(0, 5, leaves, fixed(0)), status.BMFFHashMalformed},
		"both sorts of blocks":      {tree(0, 5, leaves, fixed(40), variable(40, 40, 40, 40, n-160)), status.BMFFHashMalformed},
		"sizes that do not fill it": {tree(0, 5, leaves, variable(40, 40, 40, 40, n-161)), status.BMFFHashMalformed},
		"sizes that go beyond it":   {tree(0, 5, leaves, variable(40, 40, 40, 40, 1<<40)), status.BMFFHashMalformed},
		"fewer sizes than leaves":   {tree(0, 5, leaves, variable(160, n-160)), status.BMFFHashMalformed},
		"no row of that length":     {tree(0, 5, leaves[:4], fixed(40)), status.BMFFHashMismatch},
		"chunks of samples":         {tree(1, 5, leaves), status.AlgorithmUnsupported},
		"an unknown algorithm":      {with(tree(0, 5, leaves, fixed(40)), "alg", "md5"), status.AlgorithmUnsupported},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []status.Code{tt.want}, check(t, fileOf(parts), probe.MP4, labels[3], treeHash(parts, tt.tree)))
		})
	}
	t.Run("media left out before the trees begin", func(t *testing.T) {
		t.Parallel()
		hash := sum("sha256", content(parts, 3, 0, map[int][]int{4: {9, len(parts[4].bytes)}}))
		assertion := with(bmffHash(hash, xpath("/mdat", subset(9, 0))), "merkle", []any{tree(0, 5, leaves, fixed(40))})
		require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, fileOf(parts), probe.MP4, labels[3], assertion))
	})
}

// stream is what opens a stream, and fragments of two tracks, each with its place in its track's tree before it.
func stream(zeros int) (opening []part, fragments [][]part) {
	opening = movie()[:4]
	for i := range 5 {
		place := cbor.Encode(cbor.Members{
			{Key: "uniqueId", Value: 9}, {Key: "localId", Value: 1 + i%2}, {Key: "location", Value: i / 2},
		})
		fragments = append(fragments, []part{
			{carriertest.BMFFBox("merkle", append(place, make([]byte, zeros)...)), true},
			{carriertest.Box("moof", []byte(fmt.Sprintf("fragment %d", i))), false},
			{carriertest.Box("mdat", []byte(fmt.Sprintf("media of it %d", i))), false},
		})
	}
	return opening, fragments
}

// streamHash is a binding of a stream. A fragment goes on to the next moof box.
func streamHash(opening []part, fragments [][]part) cbor.Members {
	at := len(fileOf(opening))
	initial := sum("sha256", content(opening, 3, 0, nil))
	leaves := make([][][]byte, 2)
	for i, f := range fragments {
		at += len(f[0].bytes)
		leaves[i%2] = append(leaves[i%2], sum("sha256", content(f[1:], 3, at, nil)))
		at += len(fileOf(f[1:]))
	}
	var trees []any
	for i, l := range leaves {
		r := rows(l)
		t := tree(i+1, len(l), r[len(r)-1], cbor.Member{Key: "initHash", Value: initial})
		trees = append(trees, with(t, "uniqueId", 9))
	}
	return with(with(bmffHash(nil), "hash", nil), "merkle", trees)
}

func fileOfStream(opening []part, fragments [][]part) []byte {
	return fileOf(slices.Concat(opening, slices.Concat(fragments...)))
}

func TestFragmentsHold(t *testing.T) {
	t.Parallel()
	opening, fragments := stream(7)
	assertion := streamHash(opening, fragments)
	whole := fileOfStream(opening, fragments)
	require.Equal(t, []status.Code{status.BMFFHashMatch}, check(t, whole, probe.MP4, labels[3], assertion))

	at := 0
	for _, p := range slices.Concat(opening, slices.Concat(fragments...)) {
		for i := 8; i < len(p.bytes) && !p.out; i += 3 {
			require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, flipped(whole, at+i), probe.MP4, labels[3], assertion), at+i)
		}
		at += len(p.bytes)
	}
}

func TestFragmentsThatGoOrMove(t *testing.T) {
	t.Parallel()
	opening, fragments := stream(0)
	assertion := streamHash(opening, fragments)
	swapped := slices.Clone(fragments)
	swapped[0], swapped[2] = swapped[2], swapped[0]
	swappedMedia := slices.Clone(fragments)
	swappedMedia[0] = []part{fragments[0][0], fragments[2][1], fragments[2][2]}
	swappedMedia[2] = []part{fragments[2][0], fragments[0][1], fragments[0][2]}
	bare := slices.Clone(fragments)
	bare[1] = fragments[1][1:]
	elsewhere := slices.Clone(fragments)
	place := cbor.Encode(cbor.Members{{Key: "uniqueId", Value: 9}, {Key: "localId", Value: 1}, {Key: "location", Value: 3}})
	elsewhere[4] = slices.Concat([]part{{carriertest.BMFFBox("merkle", place), true}}, fragments[4][1:])
	require.Len(t, fileOf(elsewhere[4]), len(fileOf(fragments[4])))
	twice := slices.Clone(fragments)
	twice[1] = slices.Concat(fragments[1][:1], fragments[1])
	for name, tt := range map[string]struct {
		fragments [][]part
		want      status.Code
	}{
		"the last is missing":        {fragments[:4], status.BMFFHashMismatch},
		"the first is missing":       {fragments[1:], status.BMFFHashMismatch},
		"one in between is missing":  {slices.Concat(fragments[:2], fragments[3:]), status.BMFFHashMismatch},
		"two change places":          {swapped, status.BMFFHashMismatch},
		"two change their media":     {swappedMedia, status.BMFFHashMismatch},
		"one is there twice":         {slices.Concat(fragments, fragments[4:]), status.BMFFHashMismatch},
		"one says nothing of itself": {bare, status.BMFFHashMalformed},
		"one says it is elsewhere":   {elsewhere, status.BMFFHashMismatch},
		"one says so twice":          {twice, status.BMFFHashMismatch},
	} {
		require.Equal(t, []status.Code{tt.want}, check(t, fileOfStream(opening, tt.fragments), probe.MP4, labels[3], assertion), name)
	}
}

func TestFragmentsAreAsManyAsTheTreeSays(t *testing.T) {
	t.Parallel()
	opening, fragments := stream(0)
	assertion := streamHash(opening, fragments)
	for i, m := range assertion {
		if m.Key == "merkle" {
			trees := slices.Clone(m.Value.([]any))
			trees[0] = with(trees[0].(cbor.Members), "count", 4)
			assertion[i].Value = trees
		}
	}
	require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, fileOfStream(opening, fragments), probe.MP4, labels[3], assertion))
}

func TestOpeningOfAStreamAloneIsWithoutItsMedia(t *testing.T) {
	t.Parallel()
	opening, fragments := stream(0)
	assertion := streamHash(opening, fragments)
	require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, fileOf(opening), probe.MP4, labels[3], assertion))
	bare := with(assertion, "merkle", []any{tree(0, 1, [][]byte{make([]byte, 32)})})
	require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, fileOf(opening), probe.MP4, labels[3], bare))
}

func TestMediaOfFragmentsAreNotLeftOut(t *testing.T) {
	t.Parallel()
	opening, fragments := stream(0)
	assertion := with(streamHash(opening, fragments), "exclusions", exclusions(xpath("/mdat", subset(16, 0))))
	whole := fileOfStream(opening, fragments)
	require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, whole, probe.MP4, labels[3], assertion))

	// With a hash of the file the trees have to be over the media themselves.
	cut := map[int][]int{}
	all := slices.Concat(opening, slices.Concat(fragments...))
	for i, p := range all {
		if string(p.bytes[4:8]) == "mdat" {
			cut[i] = []int{16, len(p.bytes)}
		}
	}
	hash := sum("sha256", content(all, 3, 0, cut))
	require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, whole, probe.MP4, labels[3], with(assertion, "hash", hash)))
	var trees []any
	for i, f := range fragments {
		trees = append(trees, tree(i, 1, blocks(f[2].bytes[16:], 99)))
	}
	require.Equal(t, []status.Code{status.BMFFHashMatch},
		check(t, whole, probe.MP4, labels[3], with(with(assertion, "hash", hash), "merkle", trees)))
}
