package binding_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/binding"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// dataHash is a c2pa.hash.data over a file minus ranges, each a start and an end.
func dataHash(alg string, file []byte, ranges ...int) cbor.Members {
	var exclusions []any
	for i := 0; i < len(ranges); i += 2 {
		exclusions = append(exclusions, cbor.Members{{Key: "start", Value: ranges[i]}, {Key: "length", Value: ranges[i+1] - ranges[i]}})
	}
	m := cbor.Members{{Key: "alg", Value: alg}, {Key: "hash", Value: sum(alg, without(file, ranges...))}, {Key: "pad", Value: []byte{}}}
	if exclusions != nil {
		m = append(m, cbor.Member{Key: "exclusions", Value: exclusions})
	}
	return m
}

// with sets a member of an assertion.
func with(m cbor.Members, key string, value any) cbor.Members {
	out := slices.DeleteFunc(slices.Clone(m), func(x cbor.Member) bool { return x.Key == key })
	if value == nil {
		return out
	}
	return append(out, cbor.Member{Key: key, Value: value})
}

// signable has a file of each format with a store, and where the store lies in it.
func signable(t *testing.T) map[probe.Format]struct {
	file       []byte
	start, end int
} {
	t.Helper()
	type place = struct {
		file       []byte
		start, end int
	}
	store := carriertest.Store(900)
	out := map[probe.Format]place{}
	put := func(format probe.Format, file []byte) {
		found, err := carrier.Find(open(file, format))
		require.NoError(t, err)
		require.NotNil(t, found)
		last := found.Ranges[len(found.Ranges)-1]
		out[format] = place{file, int(last.Start), int(last.End)}
	}
	put(probe.JPEG, carriertest.InJPEG(mediatest.JPEG(t, 32, 32), carriertest.Segments(store, 1, 1, 400)...))
	put(probe.PNG, carriertest.InPNG(mediatest.PNG(t, 32, 32), carriertest.Chunk("caBX", store)))
	put(probe.GIF, carriertest.InGIF(mediatest.GIF(t, 32, 32), carriertest.GIFStore(store)))
	put(probe.WAV, carriertest.InRIFF(mediatest.WAV(0.05), carriertest.RIFFChunk("C2PA", store)))
	put(probe.MP3, slices.Concat(carriertest.Tag(4, 0, carriertest.Frame(4, "GEOB", 0, carriertest.Object("application/c2pa", store))), mediatest.MP3(3)))
	put(probe.TIFF, carriertest.TIFF(binary.LittleEndian, false, []carriertest.Entry{{Tag: 700, Type: 1, Data: make([]byte, 99)}},
		[]carriertest.Entry{{Tag: 0xCD41, Type: 7, Data: store}}))
	return out
}

func TestDataHashHoldsForEveryFormatAndAlgorithm(t *testing.T) {
	t.Parallel()
	for format, s := range signable(t) {
		for _, alg := range []string{"sha256", "sha384", "sha512"} {
			require.Equal(t, []status.Code{status.DataHashMatch},
				check(t, s.file, format, "c2pa.hash.data", dataHash(alg, s.file, s.start, s.end)), format)
		}
	}
}

func TestOneBitAnywhereOutsideTheStoreIsAMismatch(t *testing.T) {
	t.Parallel()
	for format, s := range signable(t) {
		assertion := dataHash("sha256", s.file, s.start, s.end)
		f := open(s.file, format)
		found, err := carrier.Find(f)
		require.NoError(t, err)
		for at := 0; at < len(s.file); at += 7 {
			if at >= s.start && at < s.end {
				continue
			}
			f.R = bytes.NewReader(flipped(s.file, at))
			require.Equal(t, status.DataHashMismatch, codes(t, f, *found, "c2pa.hash.data", assertion)[0], "%s at %d", format, at)
		}
		for _, longer := range [][]byte{append(bytes.Clone(s.file), 0), s.file[:len(s.file)-1]} {
			require.Equal(t, status.DataHashMismatch, codes(t, open(longer, format), *found, "c2pa.hash.data", assertion)[0], format)
		}
	}
}

// TestExclusionOfMediaNeverPasses leaves out what pictures and sounds are made of, with a hash that agrees.
func TestExclusionOfMediaNeverPasses(t *testing.T) {
	t.Parallel()
	for format, s := range signable(t) {
		size := len(s.file)
		tests := map[string][]int{
			"all":                 {0, size},
			"all but a byte":      {1, size},
			"one byte":            {s.start, s.end, size - 1, size},
			"a byte before":       {s.start - 1, s.end},
			"the end of the file": {s.start, s.end, s.end, size},
			"its beginning":       {0, 1, s.start, s.end},
		}
		if s.end == size { // A WAV's store is the last chunk.
			tests["one byte"], tests["the end of the file"] = []int{s.start - 1, s.start, s.start, s.end}, []int{40, s.end}
		}
		for name, ranges := range tests {
			require.Equal(t, []status.Code{status.DataHashMismatch},
				check(t, s.file, format, "c2pa.hash.data", dataHash("sha256", s.file, ranges...)), "%s %s", format, name)
		}
	}
}

func TestPayloadOfMetadataMayBeLeftOutAndIsTold(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(300)
	shares := carriertest.Segments(store, 1, 1, 60_000)
	segment := func(marker byte, payload string) []byte { return carriertest.Segment(marker, []byte(payload)) }
	jpeg := func(t *testing.T, s []byte) []byte {
		t.Helper()
		return carriertest.InJPEG(mediatest.JPEG(t, 16, 16), shares[0], s)
	}
	png := func(t *testing.T, c []byte) []byte {
		t.Helper()
		return carriertest.InPNG(mediatest.PNG(t, 16, 16), carriertest.Chunk("caBX", store), c)
	}
	wav := func(t *testing.T, c []byte) []byte {
		t.Helper()
		return carriertest.InRIFF(mediatest.WAV(0.01), c, carriertest.RIFFChunk("C2PA", store))
	}
	tests := []struct {
		name   string
		format probe.Format
		make   func(*testing.T, []byte) []byte
		part   []byte
		// head is how much of the part is its framing.
		head int
		want bool
	}{
		{"Exif", probe.JPEG, jpeg, segment(0xE1, "Exif\x00\x00MM\x00*\x00\x00\x00\x08"), 4, true},
		{"Exif with its length", probe.JPEG, jpeg, segment(0xE1, "Exif\x00\x00MM\x00*\x00\x00\x00\x08"), 2, false},
		{"Exif with its marker", probe.JPEG, jpeg, segment(0xE1, "Exif\x00\x00MM\x00*\x00\x00\x00\x08"), 0, false},
		{"comment", probe.JPEG, jpeg, segment(0xFE, "hello"), 4, true},
		{"profile", probe.JPEG, jpeg, segment(0xE2, "ICC_PROFILE\x00\x01\x01abc"), 4, false},
		{"colour transform", probe.JPEG, jpeg, segment(0xEE, "Adobe\x00d\x00\x00\x00\x00\x01"), 4, false},
		{"quantization", probe.JPEG, jpeg, segment(0xDB, string(make([]byte, 65))), 4, false},
		{"text", probe.PNG, png, carriertest.Chunk("iTXt", []byte("k\x00\x00\x00\x00\x00v")), 8, true},
		{"text with its type", probe.PNG, png, carriertest.Chunk("iTXt", []byte("k\x00\x00\x00\x00\x00v")), 4, false},
		{"gamma", probe.PNG, png, carriertest.Chunk("gAMA", make([]byte, 4)), 8, false},
		{"list of texts", probe.WAV, wav, carriertest.RIFFChunk("LIST", []byte("INFOISFT\x02\x00\x00\x00x\x00")), 12, true},
		{"another list", probe.WAV, wav, carriertest.RIFFChunk("LIST", []byte("adtlISFT\x02\x00\x00\x00x\x00")), 12, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := tt.make(t, tt.part)
			at := bytes.Index(file, tt.part)
			found, err := carrier.Find(open(file, tt.format))
			require.NoError(t, err)
			ranges := []int{int(found.Ranges[0].Start), int(found.Ranges[0].End), at + tt.head, at + len(tt.part)}
			if ranges[2] < ranges[0] {
				ranges = []int{ranges[2], ranges[3], ranges[0], ranges[1]}
			}
			want := []status.Code{status.DataHashMismatch}
			if tt.want {
				want = []status.Code{status.AdditionalExclusions, status.DataHashMatch}
			}
			require.Equal(t, want, check(t, file, tt.format, "c2pa.hash.data", dataHash("sha256", file, ranges...)))
		})
	}
}

func TestPartsOfTheStoreMayBeHashed(t *testing.T) {
	t.Parallel()
	shares := carriertest.Segments(carriertest.Store(900), 1, 1, 400)
	file := carriertest.InJPEG(mediatest.JPEG(t, 16, 16), shares...)
	var ranges []int
	at := 2
	for _, s := range shares { // Their payloads alone, as some cameras do.
		ranges = append(ranges, at+4, at+len(s))
		at += len(s)
	}
	require.Equal(t, []status.Code{status.DataHashMatch}, check(t, file, probe.JPEG, "c2pa.hash.data", dataHash("sha256", file, ranges...)))
}

// TestExclusionDoesNotFollowTheStoreElsewhere keeps an exclusion where a longer store was, over segments of another kind.
func TestExclusionDoesNotFollowTheStoreElsewhere(t *testing.T) {
	t.Parallel()
	jpeg := mediatest.JPEG(t, 16, 16)
	long := carriertest.Segments(carriertest.Store(4000), 1, 1, 60_000)[0]
	file := carriertest.InJPEG(jpeg, long)
	assertion := dataHash("sha256", file, 2, 2+len(long))
	require.Equal(t, []status.Code{status.DataHashMatch}, check(t, file, probe.JPEG, "c2pa.hash.data", assertion))

	short := carriertest.Segments(carriertest.Store(100), 1, 1, 60_000)[0]
	filler := carriertest.Segment(0xDB, make([]byte, len(long)-len(short)-4))
	forged := carriertest.InJPEG(jpeg, short, filler)
	require.Len(t, forged, len(file))
	require.Equal(t, []status.Code{status.DataHashMismatch}, check(t, forged, probe.JPEG, "c2pa.hash.data", assertion))
}

func TestStoreThatGrewByUpdatesStillMatches(t *testing.T) {
	t.Parallel()
	png := mediatest.PNG(t, 16, 16)
	text := carriertest.Chunk("tEXt", []byte("a\x00b"))
	put := func(manifests ...[]byte) ([]byte, int) {
		chunk := carriertest.Chunk("caBX", carriertest.StoreOf(manifests...))
		return carriertest.InPNG(png, chunk, text), len(chunk)
	}
	before, length := put(carriertest.Manifest(100))
	assertion := dataHash("sha256", before, 33, 33+length, 33+length+8, 33+length+len(text))
	require.Equal(t, []status.Code{status.AdditionalExclusions, status.DataHashMatch}, check(t, before, probe.PNG, "c2pa.hash.data", assertion))

	updated, _ := put(carriertest.Manifest(100), carriertest.Update(50))
	require.Equal(t, []status.Code{status.AdditionalExclusions, status.DataHashMatch}, check(t, updated, probe.PNG, "c2pa.hash.data", assertion))

	grown, _ := put(carriertest.Manifest(100), carriertest.Manifest(50))
	require.Contains(t, check(t, grown, probe.PNG, "c2pa.hash.data", assertion), status.DataHashMismatch)
}

func TestDataHashesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	png := carriertest.InPNG(mediatest.PNG(t, 16, 16), carriertest.Chunk("caBX", carriertest.Store(100)))
	chunk := carriertest.Chunk("caBX", carriertest.Store(100))
	good := dataHash("sha256", png, 33, 33+len(chunk))
	list := func(numbers ...int) []any {
		var out []any
		for i := 0; i < len(numbers); i += 2 {
			out = append(out, cbor.Members{{Key: "start", Value: numbers[i]}, {Key: "length", Value: numbers[i+1]}})
		}
		return out
	}
	tests := []struct {
		name      string
		assertion cbor.Members
		want      status.Code
	}{
		{"overlap", with(good, "exclusions", list(33, 50, 82, len(chunk)-49)), status.DataHashMalformed},
		{"falling", with(good, "exclusions", list(60, 5, 33, 5)), status.DataHashMalformed},
		{"negative start", with(good, "exclusions", list(-1, 5)), status.DataHashMalformed},
		{"negative length", with(good, "exclusions", list(33, -5)), status.DataHashMalformed},
		{"beyond all numbers", with(good, "exclusions", list(33, 1<<63-10)), status.DataHashMalformed},
		{"no numbers", with(good, "exclusions", []any{cbor.Members{{Key: "start", Value: "33"}, {Key: "length", Value: 5}}}), status.DataHashMalformed},
		{"no list", with(good, "exclusions", "33"), status.DataHashMalformed},
		{"beyond the file", with(good, "exclusions", list(33, len(chunk), len(png)-1, 2)), status.DataHashMismatch},
		{"no exclusions", with(good, "exclusions", nil), status.DataHashMismatch},
		{"no hash", with(good, "hash", nil), status.DataHashMismatch},
		{"short hash", with(good, "hash", sum("sha256", without(png, 33, 33+len(chunk)))[:31]), status.DataHashMismatch},
		{"other algorithm", with(good, "alg", "sha512"), status.DataHashMismatch},
		{"broken algorithm", with(good, "alg", "sha1"), status.AlgorithmUnsupported},
		{"unknown algorithm", with(good, "alg", "sha3-256"), status.AlgorithmUnsupported},
		{"the claim's algorithm", with(good, "alg", nil), status.DataHashMatch},
		{"null for nothing", with(with(good, "name", nil), "url", cbor.Encoded{0xF6}), status.DataHashMatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []status.Code{tt.want}, check(t, png, probe.PNG, "c2pa.hash.data", tt.assertion))
		})
	}
}

func TestBindingsThatNobodyKnowsAreNotChecked(t *testing.T) {
	t.Parallel()
	png := mediatest.PNG(t, 8, 8)
	for _, label := range []string{"c2pa.hash.collection.data", "c2pa.hash.multi-asset", "c2pa.hash.bmff.v4", "c2pa.hash.data.v2", "x"} {
		require.Equal(t, []status.Code{status.AlgorithmUnsupported}, check(t, png, probe.PNG, label, cbor.Members{}))
	}
	v, err := cbor.Decode(cbor.Encode(with(dataHash("sha256", png), "alg", nil)))
	require.NoError(t, err)
	told, err := binding.Check(t.Context(), open(png, probe.PNG), carrier.Found{}, "c2pa.hash.data", v, "")
	require.NoError(t, err)
	require.Equal(t, status.AlgorithmUnsupported, told[0].Code)
}

func TestLabelsOfHardBindings(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]bool{
		"c2pa.hash.data": true, "c2pa.hash.data__1": true, "c2pa.hash.boxes": true, "c2pa.hash.boxes__12": true,
		"c2pa.hash.bmff": true, "c2pa.hash.bmff.v2": true, "c2pa.hash.bmff.v3__2": true, "c2pa.hash.collection.data": true,
		"c2pa.hash.multi-asset": false, "c2pa.hash": false, "c2pa.actions.v2": false, "c2pa.hash.data.part": false, "": false,
	} {
		require.Equal(t, want, binding.IsHard(label), label)
	}
}

func TestCheckStopsWithItsContext(t *testing.T) {
	t.Parallel()
	png := mediatest.PNG(t, 8, 8)
	v, err := cbor.Decode(cbor.Encode(dataHash("sha256", png)))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = binding.Check(ctx, open(png, probe.PNG), carrier.Found{}, "c2pa.hash.data", v, "")
	require.ErrorIs(t, err, context.Canceled)
}

func TestFileShorterThanItSaysIsAnError(t *testing.T) {
	t.Parallel()
	png := mediatest.PNG(t, 8, 8)
	v, err := cbor.Decode(cbor.Encode(dataHash("sha256", png)))
	require.NoError(t, err)
	f := open(png, probe.PNG)
	f.Size++
	_, err = binding.Check(t.Context(), f, carrier.Found{}, "c2pa.hash.data", v, "")
	require.Error(t, err)
}
