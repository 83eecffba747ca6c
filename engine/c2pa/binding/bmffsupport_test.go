package binding_test

import (
	"encoding/binary"
	"slices"

	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
)

// part is a box at the top of a file that a test puts together.
type part struct {
	bytes []byte
	// out says that a binding leaves it out.
	out bool
}

// movie is a small MP4 with a store, a track of sound in two chunks and one of pictures in three, and padding.
func movie() []part {
	const media = 8 + 200
	ftyp := carriertest.Box("ftyp", []byte("isom\x00\x00\x02\x00isommp41"))
	store := carriertest.ManifestBox("manifest", carriertest.Store(300))
	build := func(at int) []byte {
		pictures := track([]int{at, at + 60, at + 140}, []int{20, 20, 30, 30, 40}, [][3]int{{1, 2, 1}, {3, 1, 1}})
		sound := track([]int{at + 40, at + 120}, []int{20, 20}, [][3]int{{1, 1, 1}})
		return carriertest.Box("moov", carriertest.Box("mvhd", make([]byte, 100)), pictures, sound,
			carriertest.Box("udta", carriertest.Box("\xA9too", []byte("\x00\x04\x00\x00test"))))
	}
	free := carriertest.Box("free", make([]byte, 20))
	place := len(ftyp) + len(store) + len(build(0)) + len(free)
	sample := make([]byte, media-8-20)
	for i := range sample {
		sample[i] = byte(i)
	}
	return []part{
		{ftyp, true},
		{store, true},
		{build(place + 8), false},
		{free, true},
		{carriertest.Box("mdat", sample), false},
		{carriertest.Box("mfra", make([]byte, 16)), true},
	}
}

// track has chunks at places, samples of sizes, and runs of first chunk, samples a chunk and description.
func track(places, sizes []int, runs [][3]int) []byte {
	table := func(head []int, entries ...int) []byte {
		var b []byte
		for _, n := range slices.Concat([]int{0}, head, entries) {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		return b
	}
	var flat []int
	for _, r := range runs {
		flat = append(flat, r[:]...)
	}
	return carriertest.Box("trak", carriertest.Box("tkhd", make([]byte, 84)), carriertest.Box("mdia", carriertest.Box("minf", carriertest.Box("stbl",
		carriertest.Box("stsz", table([]int{0, len(sizes)}, sizes...)),
		carriertest.Box("stsc", table([]int{len(runs)}, flat...)),
		carriertest.Box("stco", table([]int{len(places)}, places...))))))
}

func fileOf(parts []part) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p.bytes...)
	}
	return out
}

// content is what a BMFF hash covers: from version 2 on the place of each box goes before it. without takes ranges of
// one box out, relative to its start.
func content(parts []part, version int, start int, cut map[int][]int) []byte {
	var out []byte
	at := start
	for i, p := range parts {
		if !p.out {
			if version > 1 {
				out = binary.BigEndian.AppendUint64(out, uint64(at))
			}
			out = append(out, without(p.bytes, cut[i]...)...)
		}
		at += len(p.bytes)
	}
	return out
}

func xpath(path string, more ...cbor.Member) cbor.Members {
	return append(cbor.Members{{Key: "xpath", Value: path}}, more...)
}

func subset(offset, length int) cbor.Member {
	return cbor.Member{Key: "subset", Value: []any{cbor.Members{{Key: "offset", Value: offset}, {Key: "length", Value: length}}}}
}

var provenance = xpath("/uuid", cbor.Member{Key: "data", Value: []any{cbor.Members{
	{Key: "offset", Value: 8}, {Key: "value", Value: []byte("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81")},
}}})

// exclusions are the usual ones and more.
func exclusions(more ...cbor.Members) []any {
	out := []any{provenance, xpath("/ftyp"), xpath("/mfra"), xpath("/free")}
	for _, m := range more {
		out = append(out, m)
	}
	return out
}

func bmffHash(hash []byte, more ...cbor.Members) cbor.Members {
	return cbor.Members{{Key: "exclusions", Value: exclusions(more...)}, {Key: "alg", Value: "sha256"}, {Key: "hash", Value: hash}}
}
