package binding_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/probe"
)

var labels = map[int]string{1: "c2pa.hash.bmff", 2: "c2pa.hash.bmff.v2", 3: "c2pa.hash.bmff.v3"}

func TestBMFFHashHoldsInEveryVersionAndAlgorithm(t *testing.T) {
	t.Parallel()
	parts := movie()
	for version, label := range labels {
		for _, alg := range []string{"sha256", "sha384", "sha512"} {
			assertion := with(bmffHash(sum(alg, content(parts, version, 0, nil))), "alg", alg)
			require.Equal(t, []status.Code{status.BMFFHashMatch}, check(t, fileOf(parts), probe.MP4, label, assertion), "%s %s", label, alg)
		}
	}
}

func TestOneBitAnywhereInABoxThatCountsIsAMismatch(t *testing.T) {
	t.Parallel()
	parts := movie()
	for version, label := range labels {
		assertion := bmffHash(sum("sha256", content(parts, version, 0, nil)))
		at := 0
		for _, p := range parts {
			for i := 8; i < len(p.bytes) && !p.out; i += 5 {
				got := check(t, flipped(fileOf(parts), at+i), probe.MP4, label, assertion)
				require.Equal(t, []status.Code{status.BMFFHashMismatch}, got, "%s at %d", label, at+i)
			}
			at += len(p.bytes)
		}
	}
}

func TestBoxesThatMoveOrJoinAreAMismatch(t *testing.T) {
	t.Parallel()
	parts := movie()
	assertion := bmffHash(sum("sha256", content(parts, 3, 0, nil)))
	insert := func(i int, box []byte) []byte { return fileOf(slices.Insert(slices.Clone(parts), i, part{bytes: box})) }
	tests := map[string]struct {
		file []byte
		want status.Code
	}{
		"padding at the end":               {insert(6, carriertest.Box("free", []byte("x"))), status.BMFFHashMatch},
		"an update box at the end":         {insert(6, carriertest.BMFFBox("merkle", nil)), status.BMFFHashMatch},
		"padding before the media":         {insert(3, carriertest.Box("free", nil)), status.BMFFHashMismatch},
		"another moov":                     {insert(6, parts[2].bytes), status.BMFFHashMismatch},
		"another mdat":                     {insert(6, carriertest.Box("mdat", nil)), status.BMFFHashMismatch},
		"another uuid":                     {insert(6, carriertest.Box("uuid", make([]byte, 24))), status.BMFFHashMismatch},
		"bytes that are no box":            {insert(6, []byte("xyz")), status.BMFFHashMismatch},
		"a box of C2PA inside another one": {insert(6, carriertest.Box("udta", carriertest.BMFFBox("merkle", nil))), status.BMFFHashMismatch},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []status.Code{tt.want}, check(t, tt.file, probe.MP4, labels[3], assertion))
		})
	}
}

// TestExclusionOfBoxesThatMatterNeverPasses leaves out what is shown and heard, with a hash that agrees.
func TestExclusionOfBoxesThatMatterNeverPasses(t *testing.T) {
	t.Parallel()
	parts := movie()
	whole := fileOf(parts)
	moov, mdat := parts[2].bytes, parts[4].bytes
	trak := bytes.Index(moov, []byte("trak")) - 4
	trakEnd := trak + int(moov[trak+2])<<8 + int(moov[trak+3])
	stco := bytes.Index(moov, []byte("stco")) - 4
	tests := []struct {
		name string
		not  cbor.Members
		cut  map[int][]int
		gone int
	}{
		{"mdat", xpath("/mdat"), nil, 4},
		{"mdat by position", xpath("/mdat[1]"), nil, 4},
		{"mdat by length", xpath("/mdat", cbor.Member{Key: "length", Value: len(mdat)}), nil, 4},
		{"mdat by what it holds", xpath("/mdat", cbor.Member{Key: "data", Value: []any{cbor.Members{
			{Key: "offset", Value: 4}, {Key: "value", Value: []byte("mdat")},
		}}}), nil, 4},
		{"the rest of mdat", xpath("/mdat", subset(16, 0)), map[int][]int{4: {16, len(mdat)}}, -1},
		{"a byte of mdat", xpath("/mdat", subset(100, 1)), map[int][]int{4: {100, 101}}, -1},
		{"moov", xpath("/moov"), nil, 2},
		{"a track", xpath("/moov/trak[1]"), map[int][]int{2: {trak, trakEnd}}, -1},
		{"a table of chunks", xpath("/moov/trak[1]/mdia/minf/stbl/stco", subset(16, 0)), map[int][]int{2: {stco + 16, stco + 28}}, -1},
		{"the movie's header", xpath("/moov/mvhd"), map[int][]int{2: {8, 116}}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hashed := slices.Clone(parts)
			if tt.gone >= 0 {
				hashed[tt.gone].out = true
			}
			assertion := bmffHash(sum("sha256", content(hashed, 3, 0, tt.cut)), tt.not)
			require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, whole, probe.MP4, labels[3], assertion))
		})
	}
}

func TestBoxesOfC2PAWithinOthersMatterLikeAnyOther(t *testing.T) {
	t.Parallel()
	parts := movie()
	hidden := carriertest.BMFFBox("merkle", []byte("anything"))
	parts[2].bytes = carriertest.Box("moov", parts[2].bytes[8:], hidden)
	n := len(parts[2].bytes)
	assertion := bmffHash(sum("sha256", content(parts, 3, 0, map[int][]int{2: {n - len(hidden), n}})), xpath("/moov/uuid"))
	require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, fileOf(parts), probe.MP4, labels[3], assertion))
}

func TestMetadataBoxesMayBeLeftOutAndAreTold(t *testing.T) {
	t.Parallel()
	parts := movie()
	moov := parts[2].bytes
	udta := bytes.Index(moov, []byte("udta")) - 4
	assertion := bmffHash(sum("sha256", content(parts, 3, 0, map[int][]int{2: {udta, len(moov)}})), xpath("/moov/udta"))
	parts[2].bytes = flipped(moov, len(moov)-1)
	require.Equal(t, []status.Code{status.AdditionalExclusions, status.BMFFHashMatch},
		check(t, fileOf(parts), probe.MP4, labels[3], assertion))
	parts[2].bytes = flipped(moov, udta-1)
	require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, fileOf(parts), probe.MP4, labels[3], assertion))
}

// TestExclusionsMatchAsTheSpecificationSays uses boxes whose worth is none, so that all that counts is the match.
func TestExclusionsMatchAsTheSpecificationSays(t *testing.T) {
	t.Parallel()
	full := func(version, flags byte) []byte {
		return carriertest.Box("emsg", append([]byte{version, 0, 0, flags}, "event"...))
	}
	parts := append(movie(), part{bytes: full(1, 5)}, part{bytes: full(0, 4)}, part{bytes: carriertest.Box("skip", []byte("0123456789"))})
	first, second, skip := 6, 7, 8
	flags := func(b byte) cbor.Member { return cbor.Member{Key: "flags", Value: []byte{0, 0, b}} }
	tests := []struct {
		name string
		not  cbor.Members
		gone []int
		cut  map[int][]int
	}{
		{"all of a kind", xpath("/emsg"), []int{first, second}, nil},
		{"the second", xpath("/emsg[2]"), []int{second}, nil},
		{"a third", xpath("/emsg[3]"), nil, nil},
		{"of a version", xpath("/emsg", cbor.Member{Key: "version", Value: 1}), []int{first}, nil},
		{"of flags", xpath("/emsg", flags(4)), []int{second}, nil},
		{"of flags and more", xpath("/emsg", flags(4), cbor.Member{Key: "exact", Value: false}), []int{first, second}, nil},
		{"of other flags", xpath("/emsg", flags(2), cbor.Member{Key: "exact", Value: false}), nil, nil},
		{"of a length", xpath("/emsg", cbor.Member{Key: "length", Value: 17}), []int{first, second}, nil},
		{"of another length", xpath("/emsg", cbor.Member{Key: "length", Value: 18}), nil, nil},
		{"of another content", xpath("/emsg", cbor.Member{Key: "data", Value: []any{cbor.Members{
			{Key: "offset", Value: 12}, {Key: "value", Value: []byte("evens")},
		}}}), nil, nil},
		{"of content behind its end", xpath("/emsg", cbor.Member{Key: "data", Value: []any{cbor.Members{
			{Key: "offset", Value: 16}, {Key: "value", Value: []byte("ts")},
		}}}), nil, nil},
		{"a version of what has none", xpath("/skip", cbor.Member{Key: "version", Value: 0x30}), nil, nil},
		{"a part", xpath("/skip", subset(10, 3)), nil, map[int][]int{skip: {10, 13}}},
		{"a part beyond the end", xpath("/skip", subset(17, 100)), nil, map[int][]int{skip: {17, 18}}},
		{"a part behind the end", xpath("/skip", subset(18, 0)), nil, nil},
		{"the rest", xpath("/skip", subset(9, 0)), nil, map[int][]int{skip: {9, 18}}},
		{"two parts", xpath("/skip", cbor.Member{Key: "subset", Value: []any{
			cbor.Members{{Key: "offset", Value: 8}, {Key: "length", Value: 2}}, cbor.Members{{Key: "offset", Value: 12}, {Key: "length", Value: 0}},
		}}), nil, map[int][]int{skip: {8, 10, 12, 18}}},
		{"a path that leads nowhere", xpath("/emsg/free"), nil, nil},
		{"null for what is left out", xpath("/emsg[2]", cbor.Member{Key: "subset", Value: cbor.Encoded{0xF6}},
			cbor.Member{Key: "length", Value: cbor.Encoded{0xF6}}, cbor.Member{Key: "exact", Value: cbor.Encoded{0xF6}}), []int{second}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hashed := slices.Clone(parts)
			for _, i := range tt.gone {
				hashed[i].out = true
			}
			got := check(t, fileOf(parts), probe.MP4, labels[3], bmffHash(sum("sha256", content(hashed, 3, 0, tt.cut)), tt.not))
			require.Equal(t, status.BMFFHashMatch, got[len(got)-1])
		})
	}
}

func TestBMFFHashesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	parts := movie()
	hash := sum("sha256", content(parts, 3, 0, nil))
	good := bmffHash(hash)
	more := func(x ...cbor.Member) cbor.Members { return bmffHash(hash, xpath("/free", x...)) }
	list := func(numbers ...int) []any {
		var out []any
		for i := 0; i < len(numbers); i += 2 {
			out = append(out, cbor.Members{{Key: "offset", Value: numbers[i]}, {Key: "length", Value: numbers[i+1]}})
		}
		return out
	}
	tests := []struct {
		name      string
		assertion cbor.Members
		want      status.Code
	}{
		{"no exclusions", with(good, "exclusions", nil), status.BMFFHashMalformed},
		{"none in the list", with(good, "exclusions", []any{}), status.BMFFHashMalformed},
		{"no list", with(good, "exclusions", "/uuid"), status.BMFFHashMalformed},
		{"nothing that is bound", with(good, "hash", nil), status.BMFFHashMalformed},
		{"no path", bmffHash(hash, cbor.Members{{Key: "length", Value: 1}}), status.BMFFHashMalformed},
		{"a path from anywhere", bmffHash(hash, xpath("//free")), status.BMFFHashMalformed},
		{"a path without root", bmffHash(hash, xpath("free")), status.BMFFHashMalformed},
		{"a path with a position of 0", bmffHash(hash, xpath("/free[0]")), status.BMFFHashMalformed},
		{"a path with a wild card", bmffHash(hash, xpath("/*")), status.BMFFHashMalformed},
		{"overlapping parts", more(cbor.Member{Key: "subset", Value: list(8, 4, 11, 2)}), status.BMFFHashMalformed},
		{"a part behind the rest", more(cbor.Member{Key: "subset", Value: list(8, 0, 11, 2)}), status.BMFFHashMalformed},
		{"a negative part", more(cbor.Member{Key: "subset", Value: list(-8, 4)}), status.BMFFHashMalformed},
		{"two bytes of flags", more(cbor.Member{Key: "flags", Value: []byte{0, 0}}), status.BMFFHashMalformed},
		{"an unknown algorithm", with(good, "alg", "md5"), status.AlgorithmUnsupported},
		{"the claim's algorithm", with(good, "alg", nil), status.BMFFHashMatch},
		{"the hash of something else", with(good, "hash", make([]byte, 32)), status.BMFFHashMismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []status.Code{tt.want}, check(t, fileOf(parts), probe.MP4, labels[3], tt.assertion))
		})
	}
}

// oldTables are the tables of chunks that versions 1 and 2 left out.
func oldTables(parts []part, version int) cbor.Members {
	moov := parts[2].bytes
	first := bytes.Index(moov, []byte("stco")) - 4
	second := bytes.LastIndex(moov, []byte("stco")) - 4
	cut := map[int][]int{2: {first + 16, first + 28, second + 16, second + 24}}
	return bmffHash(sum("sha256", content(parts, version, 0, cut)), xpath("/moov/trak/mdia/minf/stbl/stco", subset(16, 0)),
		xpath("/moov/trak/mdia/minf/stbl/co64", subset(16, 0)), xpath("/meta/iloc"), xpath("/moof/traf/tfhd"))
}

func TestOldBindingsPassWhereTheirTablesLeaveNoRoom(t *testing.T) {
	t.Parallel()
	for _, version := range []int{1, 2} {
		parts := movie()
		assertion := oldTables(parts, version)
		require.Equal(t, []status.Code{status.AdditionalExclusions, status.BMFFHashMatch},
			check(t, fileOf(parts), probe.MP4, labels[version], assertion))

		moov := bytes.Clone(parts[2].bytes)
		entries := moov[bytes.Index(moov, []byte("stco"))+12:]
		sound := bytes.LastIndex(entries, []byte("stco")) + 12
		for name, change := range map[string]func([]byte){
			"two chunks change places": func(b []byte) { copy(b, slices.Concat(b[4:8], b[:4])) },
			"two of one length do": func(b []byte) {
				copy(b[sound:], slices.Concat(b[sound+4:sound+8], b[sound:sound+4]))
			},
			"a chunk is shown twice":       func(b []byte) { copy(b[4:8], b[:4]) },
			"a chunk moves over another":   func(b []byte) { b[7]-- },
			"a chunk lies behind the file": func(b []byte) { b[8] = 1 },
			"a chunk lies in the store":    func(b []byte) { copy(b[:4], []byte{0, 0, 0, 60}) },
		} {
			b := bytes.Clone(entries)
			change(b)
			parts[2].bytes = slices.Concat(moov[:len(moov)-len(entries)], b)
			require.Equal(t, []status.Code{status.AlgorithmUnsupported}, check(t, fileOf(parts), probe.MP4, labels[version], assertion), name)
		}
	}
	// Bytes that belong to no chunk leave room to show others.
	roomy := movie()
	roomy[4].bytes = carriertest.Box("mdat", roomy[4].bytes[8:], make([]byte, 20))
	require.Equal(t, []status.Code{status.AlgorithmUnsupported}, check(t, fileOf(roomy), probe.MP4, labels[2], oldTables(roomy, 2)))
	// Version 3 has them hashed.
	parts := movie()
	require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, fileOf(parts), probe.MP4, labels[3], oldTables(parts, 3)))
}

func TestOldBindingsOfItemsCannotBeChecked(t *testing.T) {
	t.Parallel()
	meta := carriertest.Box("meta", make([]byte, 4), carriertest.Box("hdlr", make([]byte, 24)), carriertest.Box("iloc", make([]byte, 20)))
	parts := slices.Insert(movie(), 6, part{bytes: meta})
	assertion := bmffHash(sum("sha256", content(parts, 2, 0, map[int][]int{6: {44, 72}})), xpath("/meta/iloc"))
	require.Equal(t, []status.Code{status.AlgorithmUnsupported}, check(t, fileOf(parts), probe.MP4, labels[2], assertion))
	require.Equal(t, []status.Code{status.BMFFHashMismatch}, check(t, flipped(fileOf(parts), len(fileOf(parts[:2]))+9), probe.MP4, labels[2], assertion))
}
