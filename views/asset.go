package views

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed static
var static embed.FS

// AssetPrefix is where the assets are served.
const AssetPrefix = "/static/"

// stylesheet is the one asset that is put together: from the parts in static/site, in the order of their names.
const stylesheet = "site.css"

// assetTypes are the content types of assets by the end of their name.
var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// asset is a static file under its address, with the encodings of it that are shorter.
type asset struct {
	path, kind string
	// bodies are by content coding (RFC 9110, section 8.4.1); "" is the file itself.
	bodies map[string][]byte
	etag   string
}

// Asset is the address of a static file. It has the start of the content's SHA-256 in it, so that browsers may keep the
// file for good. A name that no file has gives an address that answers 404.
func Asset(name string) string {
	set, err := assets()
	if err != nil || set.named[name] == nil {
		return AssetPrefix + name
	}
	return set.named[name].path
}

// Assets serves the static files below [AssetPrefix], compressed beforehand. Any other address is a 404, an old hash's
// too: what it stood for is gone, and must not be kept for good under it.
func Assets() (http.Handler, error) {
	set, err := assets()
	if err != nil {
		return nil, err
	}
	if err := set.compress(); err != nil {
		return nil, err
	}
	return set, nil
}

// assetSet are all assets by name and by address.
type assetSet struct {
	named, addressed map[string]*asset
	compress         func() error
}

// assets reads the static files once.
var assets = sync.OnceValues(func() (*assetSet, error) {
	set := &assetSet{named: map[string]*asset{}, addressed: map[string]*asset{}}
	entries, err := fs.ReadDir(static, "static")
	if err != nil {
		return nil, fmt.Errorf("list assets: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		b, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read asset: %w", err)
		}
		if err := set.add(e.Name(), b); err != nil {
			return nil, err
		}
	}
	sheet, err := joinStyles()
	if err != nil {
		return nil, err
	}
	if err := set.add(stylesheet, sheet); err != nil {
		return nil, err
	}
	set.compress = sync.OnceValue(set.compressAll)
	return set, nil
})

func joinStyles() ([]byte, error) {
	parts, err := fs.Glob(static, "static/site/*.css")
	if err != nil {
		return nil, fmt.Errorf("list styles: %w", err)
	}
	var all bytes.Buffer
	for _, part := range parts {
		b, err := static.ReadFile(part)
		if err != nil {
			return nil, fmt.Errorf("read style: %w", err)
		}
		all.Write(b)
	}
	return all.Bytes(), nil
}

func (s *assetSet) add(name string, body []byte) error {
	ext := path.Ext(name)
	kind, ok := assetTypes[ext]
	if !ok {
		return fmt.Errorf("asset %s: no content type is known for %q", name, ext)
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:4])
	a := &asset{
		path: AssetPrefix + strings.TrimSuffix(name, ext) + "." + hash + ext,
		kind: kind, bodies: map[string][]byte{"": body}, etag: hex.EncodeToString(sum[:12]),
	}
	s.named[name], s.addressed[a.path] = a, a
	return nil
}

func (s *assetSet) compressAll() error {
	for name, a := range s.named {
		if err := a.compress(); err != nil {
			return fmt.Errorf("compress %s: %w", name, err)
		}
	}
	return nil
}

// compress adds the encodings that make the file shorter.
func (a *asset) compress() error {
	whole := a.bodies[""]
	var zipped, brotlied bytes.Buffer
	gz, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	br := brotli.NewWriterLevel(&brotlied, brotli.BestCompression)
	for _, w := range []io.WriteCloser{gz, br} {
		if _, err := w.Write(whole); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	for coding, b := range map[string]*bytes.Buffer{"gzip": &zipped, "br": &brotlied} {
		if b.Len() < len(whole) {
			a.bodies[coding] = b.Bytes()
		}
	}
	return nil
}

// ServeHTTP answers GET and HEAD of an asset. It may be kept for good unless the caller has set another Cache-Control.
func (s *assetSet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := s.addressed[r.URL.Path]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	coding := chooseCoding(r.Header.Values("Accept-Encoding"), a.bodies)
	body := a.bodies[coding]
	tag := `"` + a.etag + `"`
	if coding != "" {
		tag = `"` + a.etag + "-" + coding + `"`
	}
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "public, max-age=31536000, immutable") // RFC 8246
	}
	h.Set("ETag", tag)
	h.Set("Vary", "Accept-Encoding")
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // nobody reads it when the visitor has gone
}
