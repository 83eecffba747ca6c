package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"veracity/views"
	"veracity/web/markdown"
)

// textAge is how long a page for programs may be kept. It is the same for everybody.
const textAge = "public, max-age=300"

// pointToText tells programs where the page stands as Markdown (RFC 8288), or for the index where all pages do.
func pointToText(w http.ResponseWriter, path string) {
	if path == docsPath {
		w.Header().Set("Link", `</llms.txt>; rel="alternate"; type="text/plain"`)
		return
	}
	w.Header().Set("Link", "<"+path+`.md>; rel="alternate"; type="text/markdown"`)
}

// docsText is a guide as Markdown.
func (p *Portal) docsText(w http.ResponseWriter, r *http.Request, _ *Visitor) error {
	page, err := p.docsOf(&Visitor{}, chi.URLParam(r, "page"))
	if err != nil {
		return err
	}
	return p.showText(w, r, page.Path, views.DocsPage(page))
}

// apiReferenceText is the reference of the API as Markdown.
func (p *Portal) apiReferenceText(w http.ResponseWriter, r *http.Request, _ *Visitor) error {
	page, err := p.referenceOf(&Visitor{})
	if err != nil {
		return err
	}
	return p.showText(w, r, page.Path, views.ReferencePage(page))
}

// showText shows the page at the path as Markdown.
func (p *Portal) showText(w http.ResponseWriter, r *http.Request, path string, page templ.Component) error {
	at, err := url.Parse(p.cfg.BaseURL + path)
	if err != nil {
		return fmt.Errorf("address of the page: %w", err)
	}
	var b bytes.Buffer
	if err := page.Render(r.Context(), &b); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	text, err := markdown.Convert(b.String(), at)
	if err != nil {
		return fmt.Errorf("write page as Markdown: %w", err)
	}
	w.Header().Set("Link", "<"+path+`>; rel="canonical"`)
	sendText(w, r, "text/markdown; charset=utf-8", text)
	return nil
}

// llms lists all pages for language models, in the shape of llmstxt.org.
func (p *Portal) llms(w http.ResponseWriter, r *http.Request, _ *Visitor) error {
	var b strings.Builder
	base := p.cfg.BaseURL
	b.WriteString("# Veracity\n\n> " + views.Summary + "\n\n")
	fmt.Fprintf(&b, "The API is HTTPS and JSON under %[1]s/api/v1, with a key in X-API-Key. Assistants call the same acts as tools over MCP, at %[1]s/api/v1/mcp. "+
		"Each page below is Markdown; without .md its address is the page for people.\n", base)
	group := ""
	for _, g := range views.Guides() {
		if g.Group != group {
			group = g.Group
			fmt.Fprintf(&b, "\n## %s\n\n", group)
		}
		fmt.Fprintf(&b, "- [%s](%s%s.md): %s\n", g.Title, base, g.Href(), g.Summary)
	}
	b.WriteString("\n## Reference\n\n")
	fmt.Fprintf(&b, "- [%s](%s%s.md): %s\n", views.ReferenceTitle, base, referencePath, views.ReferenceSummary)
	fmt.Fprintf(&b, "- [OpenAPI document](%s/api/v1/openapi.json): The same as OpenAPI 3.1, for programs and generators.\n", base)
	fmt.Fprintf(&b, "\n## Optional\n\n- [Pricing](%s/pricing): Plans, credits and what each call costs, as HTML.\n", base)
	sendText(w, r, "text/plain; charset=utf-8", b.String())
	return nil
}

// sendText sends what is the same for everybody, compressed: see [Portal.showPublic] on why that is safe.
func sendText(w http.ResponseWriter, r *http.Request, kind, text string) {
	w.Header().Set("Cache-Control", textAge)
	squeeze(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text)) // an error is a visitor who has gone
	})).ServeHTTP(w, r)
}
