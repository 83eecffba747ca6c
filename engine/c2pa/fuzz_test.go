package c2pa_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// FuzzRead changes whole files. A file that is not one of those that were signed must never be intact.
func FuzzRead(f *testing.F) {
	forge := newForge(f)
	forge.room = 1 << 10
	signed := [][]byte{
		forge.generated(1), forge.generated(2), forge.chain(draft{}, nil), forge.updated(opened),
		forge.redacted(emptied, "com.example.note"), mediatest.PNG(f, 4, 4),
	}
	for _, png := range signed {
		f.Add(png)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []probe.Format{probe.PNG, probe.JPEG, probe.MP4} {
			r, err := c2pa.Read(t.Context(), carrier.File{R: bytes.NewReader(data), Size: int64(len(data)), Format: format}, c2pa.Options{Lists: forge.lists, Now: forge.now})
			if err != nil {
				t.Fatal(err)
			}
			checkReport(t, r)
		}
	})
}

// FuzzStore changes stores, in a file that stays whole.
func FuzzStore(f *testing.F) {
	forge := newForge(f)
	forge.room = 1 << 10
	for _, png := range [][]byte{forge.generated(1), forge.generated(2), forge.chain(draft{}, nil), forge.updated(opened)} {
		f.Add(storeIn(png))
	}
	png := mediatest.PNG(f, 16, 16)
	f.Fuzz(func(t *testing.T, store []byte) {
		file := fileOf(withStore(png, store))
		r, err := c2pa.Read(t.Context(), file, c2pa.Options{Lists: forge.lists, Now: forge.now})
		if err != nil {
			t.Fatal(err)
		}
		checkReport(t, r)
		if _, _, _, err := c2pa.ReadIngredient(t.Context(), file, c2pa.Options{Now: forge.now}); err != nil {
			t.Fatal(err)
		}
	})
}

// checkReport checks what holds of every report.
func checkReport(t *testing.T, r c2pa.Report) {
	t.Helper()
	switch {
	case !r.Present && (r.State != "" || r.Active != "" || len(r.Manifests) > 0):
		t.Fatalf("a file without a store says %+v", r)
	case r.Active != "" && (len(r.Manifests) == 0 || r.Manifests[0].Label != r.Active):
		t.Fatalf("the active manifest is not the first: %+v", r)
	case (r.State == "valid" || r.State == "trusted") && r.Manifests[0].Integrity == c2pa.Altered:
		t.Fatalf("%s, but altered: %+v", r.State, r.Statuses)
	}
	seen := map[string]bool{}
	for _, m := range r.Manifests {
		if seen[m.Label] {
			t.Fatalf("two manifests are called %s", m.Label)
		}
		seen[m.Label] = true
	}
	if written, err := json.Marshal(r); err != nil || len(written) > 3<<20 {
		t.Fatalf("a report of %d bytes: %v", len(written), err)
	}
}
