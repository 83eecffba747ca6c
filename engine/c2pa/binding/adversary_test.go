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

// TestPaddingBeforeTheMediaNeverPassesForVersion1 moves the media without a change of any byte that version 1 hashes: the
// tables of chunks then point into the padding.
func TestPaddingBeforeTheMediaNeverPassesForVersion1(t *testing.T) {
	t.Parallel()
	parts := movie()
	assertion := bmffHash(sum("sha256", content(parts, 1, 0, nil)))
	moved := fileOf(slices.Insert(slices.Clone(parts), 1, part{bytes: carriertest.Box("free", bytes.Repeat([]byte("ai"), 200))}))
	require.Equal(t, []status.Code{status.AlgorithmUnsupported}, check(t, moved, probe.MP4, labels[1], assertion))
}

// TestMetadataThatPlayersFollowNeverPass puts tables into metadata that the binding leaves out.
func TestMetadataThatPlayersFollowNeverPass(t *testing.T) {
	t.Parallel()
	parts := movie()
	moov := parts[2].bytes
	udta := bytes.Index(moov, []byte("udta")) - 4
	assertion := bmffHash(sum("sha256", content(parts, 3, 0, map[int][]int{2: {udta, len(moov)}})), xpath("/moov/udta"))
	require.Equal(t, []status.Code{status.AdditionalExclusions, status.BMFFHashMatch}, check(t, fileOf(parts), probe.MP4, labels[3], assertion))
	copy(moov[udta+12:], "stco")
	require.Equal(t, []status.Code{status.BMFFHashMalformed}, check(t, fileOf(parts), probe.MP4, labels[3], assertion))
}

// TestExclusionsThatAllMatchAllBoxesAreBounded has each of 64 exclusions take 256 ranges of each of 4096 boxes.
func TestExclusionsThatAllMatchAllBoxesAreBounded(t *testing.T) {
	t.Parallel()
	var list []any
	for range 64 {
		var parts []any
		for i := range 256 {
			parts = append(parts, cbor.Members{{Key: "offset", Value: 2 * i}, {Key: "length", Value: 1}})
		}
		list = append(list, xpath("/free", cbor.Member{Key: "subset", Value: parts}))
	}
	file := slices.Concat(carriertest.Box("ftyp", []byte("isom\x00\x00\x02\x00isommp41")), bytes.Repeat(carriertest.Box("free", make([]byte, 512)), 4096))
	assertion := cbor.Members{{Key: "exclusions", Value: list}, {Key: "alg", Value: "sha256"}, {Key: "hash", Value: make([]byte, 32)}}
	require.Equal(t, []status.Code{status.AlgorithmUnsupported}, check(t, file, probe.MP4, labels[3], assertion))
}
