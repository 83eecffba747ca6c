package c2patest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/sign"
	"veracity/engine/c2pa/splice"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// PNG makes a small picture with the manifest in it.
func PNG(tb testing.TB, s Signer, m Manifest) Made {
	tb.Helper()
	return IntoPNG(tb, mediatest.PNG(tb, 16, 12), s, m)
}

// IntoPNG puts the manifest into the PNG.
func IntoPNG(tb testing.TB, png []byte, s Signer, m Manifest) Made {
	tb.Helper()
	w := worker{Manifest: m}
	file, u, err := sign.PNG(png, w.composer(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return w.finish(tb, file, s, u)
}

// MP4 makes a short clip with the manifest in it.
func MP4(tb testing.TB, s Signer, m Manifest) Made {
	tb.Helper()
	return IntoMP4(tb, clips.Make(tb, clips.Spec{Format: probe.MP4, Frames: 4, Faststart: true}), s, m)
}

// IntoMP4 puts the manifest into the MP4.
func IntoMP4(tb testing.TB, mp4 []byte, s Signer, m Manifest) Made {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "clip.mp4")
	if err := os.WriteFile(path, mp4, 0o600); err != nil {
		tb.Fatal(err)
	}
	w := worker{Manifest: m}
	u, err := sign.MP4(path, w.composer(tb))
	if err != nil {
		tb.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return w.finish(tb, file, s, u)
}

// Path writes the file into a folder of the test's own, under a name such as "a.png".
func (m Made) Path(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, m.File, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// worker keeps the store that went into a file.
type worker struct {
	Manifest
	draft sign.Draft
	last  sign.Store
}

func (w *worker) composer(tb testing.TB) sign.Composer {
	tb.Helper()
	w.draft = w.Manifest.draft(w.older(tb))
	return func(binding sign.Assertion) sign.Store {
		if w.Rebind != nil {
			w.Rebind(&binding)
		}
		w.last = w.draft.Compose(binding)
		if w.Change != nil {
			w.Change(&w.last)
		}
		return w.last
	}
}

// older are the manifests of all ingredients, each once.
func (w *worker) older(tb testing.TB) [][]byte {
	tb.Helper()
	var boxes [][]byte
	seen := map[string]bool{}
	for _, i := range w.Ingredients {
		if i.Of == nil {
			continue
		}
		store, err := jumbf.Parse(i.Of.Store)
		if err != nil {
			tb.Fatal(err)
		}
		for _, c := range store.Children {
			if !seen[c.Label] {
				seen[c.Label] = true
				boxes = append(boxes, c.Raw)
			}
		}
	}
	return boxes
}

// finish signs the file.
func (w *worker) finish(tb testing.TB, file []byte, s Signer, u sign.Unsigned) Made {
	tb.Helper()
	claim := u.Claim
	if w.Forged {
		claim = append(bytes.Clone(claim), 0)
	}
	signature, err := s.Sign(claim, u.Room)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := splice.Into(bytes.NewReader(file), u, signature)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		tb.Fatal(err)
	}
	store := bytes.Clone(w.last.Bytes)
	copy(store[w.last.Signature:], signature)
	return Made{File: out, Store: store, Label: w.draft.Label}
}

// find is the body of a superbox of the store, nil without one.
func (m Made) find(path string) []byte {
	store, err := jumbf.Parse(m.Store)
	if err != nil {
		return nil
	}
	box, ok := store.Find(path)
	if !ok {
		return nil
	}
	return box.Body
}
