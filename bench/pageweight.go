package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"

	"github.com/andybalholm/brotli"
)

// weight is what a page's first load brings: the page and the files that it names, in bytes of their bodies.
type weight struct {
	// sent is what travels, whole what that is once decoded.
	sent, whole int
	files       int
}

func (w weight) row(name string) row {
	return row{
		what:    fmt.Sprintf("%s with its %d files, first load", name, w.files),
		figure:  fmt.Sprintf("%.1f KB sent, %.1f KB decoded", kb(w.sent), kb(w.whole)),
		against: fmt.Sprintf("limit %.0f KB", kb(firstLoadLimit)),
		ratio:   fmt.Sprintf("%.2f, %.2f", kb(w.sent)/kb(firstLoadLimit), kb(w.whole)/kb(firstLoadLimit)),
		aim:     "at most 1", met: w.whole <= firstLoadLimit,
	}
}

func kb(n int) float64 { return float64(n) / 1000 }

// weigh loads each page once as a browser with an empty cache does. It gives the addresses of the files that the pages
// name, those of the first page first.
func (m *pageRun) weigh(ctx context.Context, b *browser) ([]string, error) {
	m.pages = portalPages()
	var names []string
	for _, p := range m.pages {
		html, sent, err := b.load(ctx, p.path)
		if err != nil {
			return nil, err
		}
		p.weight = weight{sent: sent, whole: len(html)}
		for _, name := range assetsOf(html) {
			file, sent, err := b.load(ctx, name)
			if err != nil {
				return nil, err
			}
			p.weight.sent, p.weight.whole, p.weight.files = p.weight.sent+sent, p.weight.whole+len(file), p.weight.files+1
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no static file", accountPath)
	}
	return names, nil
}

var assetNames = regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`)

// assetsOf are the addresses of the static files that a page names, each once, in their order.
func assetsOf(html []byte) []string {
	var names []string
	for _, found := range assetNames.FindAllSubmatch(html, -1) {
		if name := string(found[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// load gives the body of an address as it is once decoded, and how many bytes of it were sent.
func (b *browser) load(ctx context.Context, path string) (body []byte, sent int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, http.NoBody)
	if err != nil {
		return nil, 0, fmt.Errorf("write a request: %w", err)
	}
	req.Header.Set("Accept-Encoding", codings)
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("load %s: %w", path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, 0, fmt.Errorf("load %s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("load %s: the answer is %d, not 200", path, resp.StatusCode)
	}
	if body, err = decode(resp.Header.Get("Content-Encoding"), raw); err != nil {
		return nil, 0, fmt.Errorf("decode %s: %w", path, err)
	}
	return body, len(raw), nil
}

// decode undoes a content coding (RFC 9110, section 8.4.1).
func decode(coding string, raw []byte) ([]byte, error) {
	switch coding {
	case "":
		return raw, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "br":
		return io.ReadAll(brotli.NewReader(bytes.NewReader(raw)))
	}
	return nil, fmt.Errorf("the coding %q is not known", coding)
}
