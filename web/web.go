// Package web is the portal: routes and pages for people. It asks domain packages and renders views; no SQL and no
// business rule lives here.
package web

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"veracity/views"
)

// Config is what the portal shows.
type Config struct {
	// BaseURL is the address under which visitors reach the service.
	BaseURL string
	Plans   []Plan
}

// Plan is a plan as the price table shows it.
type Plan struct {
	Name    string
	Cents   int64
	Credits int64
	RPM     int
	Keys    int
}

// Portal serves the pages.
type Portal struct{ cfg Config }

// New makes the portal.
func New(cfg Config) *Portal { return &Portal{cfg: cfg} }

// Handler routes the pages and their assets.
func (p *Portal) Handler() (http.Handler, error) {
	assets, err := views.Assets()
	if err != nil {
		return nil, fmt.Errorf("open assets: %w", err)
	}
	r := chi.NewRouter()
	r.Use(secure)
	r.Method(http.MethodGet, "/", templ.Handler(views.HomePage(p.home())))
	r.Method(http.MethodGet, views.AssetPrefix+"*", cached(http.StripPrefix(views.AssetPrefix, http.FileServerFS(assets))))
	r.NotFound(templ.Handler(views.NotFoundPage(), templ.WithStatus(http.StatusNotFound)).ServeHTTP)
	return r, nil
}

func (p *Portal) home() views.Home {
	h := views.Home{BaseURL: p.cfg.BaseURL}
	for _, plan := range p.cfg.Plans {
		h.Plans = append(h.Plans, views.HomePlan{
			Name: plan.Name, Price: "$" + strconv.FormatInt(plan.Cents/100, 10), Credits: thousands(plan.Credits),
			Requests: thousands(int64(plan.RPM)), Keys: strconv.Itoa(plan.Keys),
		})
	}
	return h
}

// secure sets the headers that keep a page to itself (CSP level 3; no script of anybody's).
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// cached lets browsers keep an asset for good: its address changes with its content.
func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("v") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		next.ServeHTTP(w, r)
	})
}

// thousands writes a count with separators: 75,000.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
