package web

import (
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"veracity/platform/fault"
	"veracity/views"
)

const accountPath = "/account"

// noStore keeps a page that carries a token, a secret or somebody's address out of every cache.
func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }

// popFlash is what is said once, on a page that has no frame of an account around it.
func (p *Portal) popFlash(r *http.Request) string {
	return p.sessions.PopString(r.Context(), sessionFlash)
}

// again shows a form that was refused.
func (p *Portal) again(w http.ResponseWriter, r *http.Request, f *fault.Fault, page templ.Component) error {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(f.RetryAfter.Seconds()))))
	}
	return p.show(w, r, statusOf(f.Code), page)
}

// dead answers a mailed link that does not work any more, with the way to a new one. Any other refusal is not a page's
// own matter.
func (p *Portal) dead(w http.ResponseWriter, r *http.Request, v *Visitor, f *fault.Fault, text, action, href string) error {
	if f.Code != fault.LinkExpired {
		return f
	}
	return p.show(w, r, statusOf(f.Code), views.DeadLinkPage(views.DeadLink{
		Public: p.public(v, "This link does not work any more", ""), Text: text, Action: action, Href: href,
	}))
}
