package web

import (
	"net/http"

	"veracity/account/trail"
)

// RiverPath is where the pages of River are mounted; their handler must know the same prefix.
const RiverPath = "/admin/river"

// riverPolicy is the policy of River's pages: their own scripts, styles, pictures and API. Their page holds its settings
// in a script element of type application/json, which no browser runs and no policy refuses (HTML, "data block"). Two
// things of River UI 0.16.0 are refused and not missed: a style element with animations of notices that it does not
// show, and a try whether eval works.
const riverPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// mountRiver puts River's pages and their API behind the operator's check.
func (p *Portal) mountRiver(on *routing) {
	for _, method := range []string{get, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		on.operator(method, RiverPath+"/*", p.river)
	}
	on.operator(get, RiverPath, p.river)
}

// river serves River's pages. What changes a job or a queue is written to the audit trail first.
func (p *Portal) river(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if p.River == nil {
		return noPage()
	}
	if r.Method != http.MethodGet {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		err := trail.Write(r.Context(), p.DB, v.operator(), "queues.changed", "",
			map[string]string{"method": r.Method, "path": r.URL.Path[len(RiverPath):]})
		if err != nil {
			return err
		}
	}
	w.Header().Set("Content-Security-Policy", riverPolicy)
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	p.River.ServeHTTP(w, r)
	return nil
}
