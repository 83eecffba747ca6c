package carrier_test

import (
	"errors"
	"testing"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// formats are those that can hold a store, by a number for fuzzing.
var formats = []probe.Format{
	probe.JPEG, probe.PNG, probe.GIF, probe.WebP, probe.WAV, probe.TIFF, probe.MP3, probe.MP4, probe.AVIF,
}

// seed adds a file of each format with and without a store.
func seed(f *testing.F) {
	f.Helper()
	files := stored(f, carriertest.Store(40))
	for i, format := range formats {
		f.Add(byte(i), files[format])
	}
	f.Add(byte(0), carriertest.InJPEG(mediatest.JPEG(f, 8, 8), carriertest.Segments(carriertest.Store(90), 1, 0, 30)...))
	f.Add(byte(6), carriertest.Tag(3, carriertest.Unsynchronised|carriertest.Extended,
		carriertest.Frame(3, "GEOB", 0x20, append([]byte{0}, carriertest.Object("application/c2pa", carriertest.Store(40))...))))
	f.Add(byte(7), append(carriertest.ManifestBox("original", carriertest.Store(9)), carriertest.ManifestBox("update", carriertest.Store(9))...))
}

func FuzzFind(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, format byte, file []byte) {
		found, err := carrier.Find(open(file, formats[int(format)%len(formats)]))
		switch {
		case err != nil:
			if found != nil || !errors.Is(err, carrier.ErrBroken) && !errors.Is(err, carrier.ErrSeveral) {
				t.Fatalf("store %v with %v", found, err)
			}
		case found != nil:
			at := int64(0)
			for _, r := range found.Ranges {
				if r.Start < at || r.End <= r.Start || r.End > int64(len(file)) {
					t.Fatalf("ranges %v in %d bytes", found.Ranges, len(file))
				}
				at = r.End
			}
			if len(found.Ranges) == 0 || len(found.Store) < 32 || found.Where == "" {
				t.Fatalf("nothing found: %v", found)
			}
		}
	})
}

func FuzzPieces(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, format byte, file []byte) {
		source := open(file, formats[int(format)%len(formats)])
		pieces, ok, err := carrier.Pieces(source)
		if err != nil && !errors.Is(err, carrier.ErrBroken) && !errors.Is(err, carrier.ErrSeveral) {
			t.Fatal(err)
		}
		if !ok || err != nil {
			return
		}
		at, stores := int64(0), 0
		for _, p := range pieces {
			if p.Start != at || p.End <= p.Start || p.Metadata.Len() > 0 && (p.Metadata.Start < p.Start || p.Metadata.End > p.End) {
				t.Fatalf("piece %v at %d", p, at)
			}
			at = p.End
			if p.Name == carrier.StorePiece {
				stores++
			}
		}
		if at != source.Size {
			t.Fatalf("pieces up to %d of %d", at, source.Size)
		}
		if found, err := carrier.Find(source); err == nil && (found != nil) && stores == 0 {
			t.Fatal("a store that is no piece")
		}
	})
}
