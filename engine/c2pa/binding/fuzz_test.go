package binding_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"veracity/engine/c2pa/binding"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

var fuzzed = []struct {
	format probe.Format
	label  string
}{
	{probe.PNG, "c2pa.hash.data"},
	{probe.JPEG, "c2pa.hash.data"},
	{probe.PNG, "c2pa.hash.boxes"},
	{probe.JPEG, "c2pa.hash.boxes"},
	{probe.MP4, "c2pa.hash.bmff"},
	{probe.MP4, "c2pa.hash.bmff.v2"},
	{probe.MP4, "c2pa.hash.bmff.v3"},
}

// FuzzCheck asks that nothing crashes, and that no file passes twice with different bytes outside of what may be left out.
func FuzzCheck(f *testing.F) {
	png := carriertest.InPNG(mediatest.PNG(f, 8, 8), carriertest.Chunk("caBX", carriertest.Store(20)))
	chunk := len(carriertest.Chunk("caBX", carriertest.Store(20)))
	parts, jpeg := movie(), jpegParts()
	opening, fragments := stream(3)
	add := func(kind byte, at uint16, file []byte, assertion cbor.Members) {
		f.Add(kind, at, file, cbor.Encode(assertion))
	}
	add(0, 100, png, dataHash("sha256", png, 33, 33+chunk))
	add(2, 100, png, boxHash("sha256", named{"PNGh IHDR", png[:33]}, named{"C2PA", nil}, named{"IDAT IEND", png[33+chunk:]}))
	add(3, 9, file(jpeg...), boxHash("sha256", jpeg...))
	add(4, 9, fileOf(parts), oldTables(parts, 1))
	add(5, 9, fileOf(parts), oldTables(parts, 2))
	add(6, 900, fileOf(parts), treeHash(parts, tree(0, 5, blocks(parts[4].bytes[16:], 40), fixed(40))))
	add(6, 900, fileOfStream(opening, fragments), streamHash(opening, fragments))
	f.Fuzz(func(t *testing.T, kind byte, at uint16, file, assertion []byte) {
		v, err := cbor.Decode(assertion)
		if err != nil {
			t.Skip()
		}
		what := fuzzed[int(kind)%len(fuzzed)]
		source := open(file, what.format)
		found, err := carrier.Find(source)
		if err != nil || found == nil {
			found = &carrier.Found{}
		}
		passes := func(b []byte) bool {
			told, err := binding.Check(context.Background(), open(b, what.format), *found, what.label, v, "sha256")
			if err != nil || len(told) == 0 {
				t.Fatalf("%v, %v", told, err)
			}
			return slices.ContainsFunc(told, func(s status.Status) bool { return s.Code.Kind() == status.Success })
		}
		if !passes(file) || len(file) == 0 {
			return
		}
		pos := int64(at) % int64(len(file))
		pieces, ok, err := carrier.Pieces(source)
		if !ok || err != nil {
			return
		}
		in := func(r carrier.Range) bool { return pos >= r.Start && pos < r.End }
		if slices.ContainsFunc(found.Ranges, in) || slices.ContainsFunc(pieces, func(p carrier.Piece) bool { return in(p.Metadata) }) {
			return
		}
		changed := bytes.Clone(file)
		changed[pos] ^= 0xFF
		if pos >= 8 && passes(changed) { // A PNG's signature need not be listed.
			t.Fatalf("another byte at %d passes", pos)
		}
	})
}
