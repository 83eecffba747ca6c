package binding_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// named is a part of a file that a test puts together itself, with the names that its boxes have.
type named struct {
	names string
	bytes []byte
}

// boxHash is a c2pa.hash.boxes with an entry for each part. The part named C2PA is the store's.
func boxHash(alg string, parts ...named) cbor.Members {
	var boxes []any
	for _, p := range parts {
		hash := sum(alg, p.bytes)
		if p.names == "C2PA" {
			hash = []byte{0}
		}
		boxes = append(boxes, cbor.Members{
			{Key: "names", Value: strings.Fields(p.names)}, {Key: "hash", Value: hash}, {Key: "pad", Value: []byte{}},
		})
	}
	return cbor.Members{{Key: "alg", Value: alg}, {Key: "boxes", Value: boxes}}
}

func file(parts ...named) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p.bytes...)
	}
	return out
}

// pngParts is a PNG with a store and a text.
func pngParts(t *testing.T) []named {
	t.Helper()
	png := mediatest.PNG(t, 16, 16)
	return []named{
		{"PNGh", png[:8]},
		{"IHDR", png[8:33]},
		{"C2PA", carriertest.Chunk("caBX", carriertest.Store(200))},
		{"iTXt", carriertest.Chunk("iTXt", []byte("k\x00\x00\x00\x00\x00v"))},
		{"IDAT IEND", png[33:]},
	}
}

// jpegParts is a JPEG with a store in two segments, restart markers and bytes behind its end.
func jpegParts() []named {
	scan := append(carriertest.Segment(0xDA, []byte{1, 1, 0, 0, 63, 0}), 1, 2, 0xFF, 0, 3)
	return []named{
		{"SOI", []byte{0xFF, 0xD8}},
		{"APP0 APP1", slices.Concat(carriertest.Segment(0xE0, []byte("JFIF\x00")), carriertest.Segment(0xE1, []byte("Exif\x00\x00")))},
		{"C2PA", bytes.Join(carriertest.Segments(carriertest.Store(200), 1, 1, 150), nil)},
		{"DQT SOF0 DHT", slices.Concat(carriertest.Segment(0xDB, make([]byte, 65)), carriertest.Segment(0xC0, make([]byte, 9)),
			carriertest.Segment(0xC4, make([]byte, 9)))},
		{"SOS", scan},
		{"RST0", []byte{0xFF, 0xD0, 4, 5}},
		{"RST1", []byte{0xFF, 0xD1, 6}},
		{"EOI", []byte{0xFF, 0xD9}},
		{"c2pa.after", []byte("and more")},
	}
}

func TestBoxHashHoldsForEveryFormatAndAlgorithm(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(200)
	wav := carriertest.InRIFF(mediatest.WAV(0.01), carriertest.RIFFChunk("C2PA", store))
	wavStore := len(wav) - len(carriertest.RIFFChunk("C2PA", store))
	for format, parts := range map[probe.Format][]named{
		probe.PNG:  pngParts(t),
		probe.JPEG: jpegParts(),
		probe.GIF: {
			{"GIF89a LSD", slices.Concat([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"), make([]byte, 6))},
			{"C2PA", carriertest.GIFStore(store)},
			{"21FE 21F9", []byte("\x21\xFE\x02hi\x00\x21\xF9\x04\x00\x00\x00\x00\x00")},
			{"2C TBID", slices.Concat([]byte("\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x80"), make([]byte, 6), []byte("\x02\x02\x44\x01\x00"))},
			{"3B", []byte{0x3B}},
		},
		probe.WAV: {{"WAVE", wav[:12]}, {"fmt_ data", wav[12:wavStore]}, {"C2PA", wav[wavStore:]}},
	} {
		for _, alg := range []string{"sha256", "sha384", "sha512"} {
			assertion := boxHash(alg, parts...)
			if format == probe.WAV { // Its name has a space.
				assertion[1].Value.([]any)[1].(cbor.Members)[0].Value = []string{"fmt ", "data"}
			}
			require.Equal(t, []status.Code{status.BoxesHashMatch}, check(t, file(parts...), format, "c2pa.hash.boxes", assertion), format)
		}
	}
}

func TestOneBitAnywhereOutsideTheStoreIsAMismatchOfBoxes(t *testing.T) {
	t.Parallel()
	for format, parts := range map[probe.Format][]named{probe.PNG: pngParts(t), probe.JPEG: jpegParts()} {
		whole := file(parts...)
		store := bytes.Index(whole, parts[2].bytes)
		assertion := boxHash("sha256", parts...)
		for at := range whole {
			if at >= store && at < store+len(parts[2].bytes) {
				continue
			}
			got := check(t, flipped(whole, at), format, "c2pa.hash.boxes", assertion)
			require.NotContains(t, got, status.BoxesHashMatch, "%s at %d", format, at)
		}
	}
}

func TestBoxesThatWereNotSigned(t *testing.T) {
	t.Parallel()
	parts := pngParts(t)
	assertion := boxHash("sha256", parts...)
	text := named{"", carriertest.Chunk("tEXt", []byte("a\x00b"))}
	swapped := slices.Clone(parts)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	jpeg := jpegParts()
	tests := []struct {
		name      string
		format    probe.Format
		file      []byte
		assertion cbor.Members
		want      status.Code
	}{
		{"a further chunk", probe.PNG, file(slices.Insert(slices.Clone(parts), 2, text)...), assertion, status.BoxesHashUnknownBox},
		{"one of a known name", probe.PNG, file(slices.Insert(slices.Clone(parts), 3, parts[3])...), assertion, status.BoxesHashMismatch},
		{"bytes behind the end", probe.PNG, append(file(parts...), 0), assertion, status.BoxesHashUnknownBox},
		{"a chunk less", probe.PNG, file(slices.Delete(slices.Clone(parts), 3, 4)...), assertion, status.BoxesHashMismatch},
		{"another order", probe.PNG, file(swapped...), assertion, status.BoxesHashMismatch},
		{"the end not listed", probe.PNG, file(parts...), boxHash("sha256", parts[:4]...), status.BoxesHashUnknownBox},
		{"fill bytes", probe.JPEG, file(slices.Insert(slices.Clone(jpeg), 1, named{"", []byte{0xFF}})...), boxHash("sha256", jpeg...), status.BoxesHashUnknownBox},
		{"another image behind", probe.JPEG, append(file(jpeg[:8]...), file(jpeg[:8]...)...), boxHash("sha256", jpeg[:8]...), status.BoxesHashMismatch},
		{"a file without boxes", probe.MP4, mediatest.MP4Head(), assertion, status.BoxesHashMismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.name == "another image behind" { // The second one's store is in an image of its own.
				require.NotContains(t, check(t, tt.file, tt.format, "c2pa.hash.boxes", tt.assertion), status.BoxesHashMatch)
				return
			}
			require.Equal(t, []status.Code{tt.want}, check(t, tt.file, tt.format, "c2pa.hash.boxes", tt.assertion))
		})
	}
}

func TestBytesBetweenBoxesOfOneEntryAreHashedWithThem(t *testing.T) {
	t.Parallel()
	parts := jpegParts()
	parts[3].bytes = slices.Concat(parts[3].bytes[:69], []byte{0xFF, 0xFF}, parts[3].bytes[69:])
	assertion := boxHash("sha256", parts...)
	whole := file(parts...)
	require.Equal(t, []status.Code{status.BoxesHashMatch}, check(t, whole, probe.JPEG, "c2pa.hash.boxes", assertion))
	at := bytes.Index(whole, parts[3].bytes) + 69
	require.Equal(t, []status.Code{status.BoxesHashMismatch},
		check(t, slices.Delete(whole, at, at+1), probe.JPEG, "c2pa.hash.boxes", assertion))
}

func TestRestartMarkersMayBelongToTheScan(t *testing.T) {
	t.Parallel()
	parts := jpegParts()
	scan := named{"SOS", file(parts[4:7]...)}
	folded := slices.Concat(parts[:4], []named{scan}, parts[7:])
	assertion := boxHash("sha256", folded...)
	whole := file(parts...)
	require.Equal(t, []status.Code{status.BoxesHashMatch}, check(t, whole, probe.JPEG, "c2pa.hash.boxes", assertion))
	at := bytes.Index(whole, parts[6].bytes) + 2
	require.Equal(t, []status.Code{status.BoxesHashMismatch}, check(t, flipped(whole, at), probe.JPEG, "c2pa.hash.boxes", assertion))
}

// entry changes one entry of a box hash.
func entry(assertion cbor.Members, i int, key string, value any) cbor.Members {
	boxes := slices.Clone(assertion[1].Value.([]any))
	boxes[i] = with(boxes[i].(cbor.Members), key, value)
	return cbor.Members{assertion[0], {Key: "boxes", Value: boxes}}
}

func TestExcludedBoxes(t *testing.T) {
	t.Parallel()
	parts := pngParts(t)
	whole := file(parts...)
	assertion := boxHash("sha256", parts...)
	text := bytes.Index(whole, parts[3].bytes) + 12
	require.Equal(t, []status.Code{status.AdditionalExclusions, status.BoxesHashMatch},
		check(t, flipped(whole, text), probe.PNG, "c2pa.hash.boxes", entry(assertion, 3, "excluded", true)))
	require.Equal(t, []status.Code{status.BoxesHashMismatch},
		check(t, flipped(whole, text), probe.PNG, "c2pa.hash.boxes", entry(assertion, 3, "excluded", false)))
	for _, i := range []int{0, 1, 4} {
		require.Equal(t, []status.Code{status.BoxesHashMismatch},
			check(t, whole, probe.PNG, "c2pa.hash.boxes", entry(assertion, i, "excluded", true)), parts[i].names)
	}
}

func TestBoxHashesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	parts := pngParts(t)
	whole := file(parts...)
	good := boxHash("sha256", parts...)
	tests := []struct {
		name      string
		assertion cbor.Members
		want      status.Code
	}{
		{"no boxes", cbor.Members{{Key: "alg", Value: "sha256"}}, status.BoxesHashMalformed},
		{"none in the list", with(good, "boxes", []any{}), status.BoxesHashMalformed},
		{"no names", entry(good, 1, "names", nil), status.BoxesHashMalformed},
		{"names that are none", entry(good, 1, "names", []any{7}), status.BoxesHashMalformed},
		{"the store with others", entry(good, 2, "names", []string{"C2PA", "iTXt"}), status.BoxesHashMalformed},
		{"no hash", entry(good, 1, "hash", nil), status.BoxesHashMismatch},
		{"an algorithm of its own", entry(entry(good, 1, "alg", "sha512"), 1, "hash", sum("sha512", parts[1].bytes)), status.BoxesHashMatch},
		{"a broken one", entry(good, 1, "alg", "md5"), status.AlgorithmUnsupported},
		{"the claim's algorithm", cbor.Members{{Key: "boxes", Value: good[1].Value}}, status.BoxesHashMatch},
		{"the store hashed as such", entry(good, 2, "names", []string{"caBX"}), status.BoxesHashUnknownBox},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []status.Code{tt.want}, check(t, whole, probe.PNG, "c2pa.hash.boxes", tt.assertion))
		})
	}
	t.Run("the signature not listed", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []status.Code{status.BoxesHashMatch},
			check(t, whole, probe.PNG, "c2pa.hash.boxes", boxHash("sha256", parts[1:]...)))
	})
}
