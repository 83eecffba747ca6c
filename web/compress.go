package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5/middleware"
)

// gzipLevel is where pages of some 20 KB stop getting shorter.
const gzipLevel = 5

// squeeze compresses pages for those who take gzip.
var squeeze = middleware.Compress(gzipLevel, "text/html", "text/markdown", "text/plain")

// showPublic shows a public page, compressed. Only these pages are: the length of a compressed answer gives away a
// secret that stands beside text of an attacker's (BREACH, CVE-2013-3587), and they hold neither. They echo nothing of
// the request, and all they know of the visitor is whether he has signed in, his plan, and the start of a key, which is
// no secret. Pages of the account show e-mail addresses, names and filters beside keys and codes, so they go as they
// are; nor is the page of a refusal compressed, for it may echo.
func (p *Portal) showPublic(w http.ResponseWriter, r *http.Request, page templ.Component) error {
	// What the page says depends on who asks, so no cache between may keep it.
	w.Header().Set("Cache-Control", "private, no-cache")
	var err error
	squeeze(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err = p.show(w, r, http.StatusOK, page)
	})).ServeHTTP(w, r)
	return err
}
