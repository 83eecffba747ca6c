package web

import (
	"net/http"
	"strings"
)

// policy lets a page load what is ours and nothing else (CSP level 3): no inline script or style, no frame around it.
// A video that is chosen for the playground is looked at for its length alone, hence blob: for media.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// secure sets the headers that keep a page to itself.
func (p *Portal) secure(next http.Handler) http.Handler {
	overTLS := strings.HasPrefix(p.cfg.BaseURL, "https://")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		if overTLS {
			h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
		}
		next.ServeHTTP(w, r)
	})
}
