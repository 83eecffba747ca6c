package sandbox

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/a-h/templ"

	"veracity/billing/sandbox/pages"
)

// maxForm is the longest form that a page takes.
const maxForm = 64 << 10

// pages are the control page, the payment page, the portal and the invoices. Forms of other sites are refused.
func (s *Sandbox) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(pages.Style)) // nothing can be told to a reader who has gone
	})
	mux.HandleFunc("GET /{$}", s.controlPage)
	mux.HandleFunc("POST /control/advance", s.form(s.controlAdvance))
	mux.HandleFunc("POST /control/card", s.form(s.controlCard))
	mux.HandleFunc("POST /control/dispute", s.form(s.controlDispute))
	mux.HandleFunc("POST /control/faults", s.form(s.controlFaults))
	mux.HandleFunc("POST /control/flush", s.form(s.controlFlush))
	mux.HandleFunc("POST /control/post", s.form(s.controlPost))
	mux.HandleFunc("GET "+payPath+"{id}", s.payPage)
	mux.HandleFunc("POST "+payPath+"{id}", s.form(s.paySubmit))
	mux.HandleFunc("POST "+payPath+"{id}/confirm", s.form(s.payConfirm))
	mux.HandleFunc("GET "+portalPath+"{id}/{secret}", s.portalPage)
	mux.HandleFunc("POST "+portalPath+"{id}/{secret}", s.form(s.portalAct))
	mux.HandleFunc("GET "+invoicePath+"{id}", s.invoicePage)
	safe := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		setPolicy(h)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		safe.ServeHTTP(w, r)
	})
}

// setPolicy lets a page's forms lead to the places that its answers send people on to: browsers hold form-action against
// redirects too.
func setPolicy(h http.Header, leads ...*string) {
	forms := "'self'"
	for _, to := range leads {
		if origin := originOf(deref(to)); origin != "" && !strings.Contains(forms+" ", " "+origin+" ") {
			forms += " " + origin
		}
	}
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action "+forms)
}

// hostOnly keeps out what would add to the policy.
var hostOnly = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`)

func originOf(address string) string {
	u, err := url.Parse(strings.ReplaceAll(address, sessionMark, "x"))
	if err != nil || !isURL(address) || !hostOnly.MatchString(u.Host) {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// form reads the form of a page before its act.
func (s *Sandbox) form(act http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "The form could not be read.", http.StatusBadRequest)
			return
		}
		act(w, r)
	}
}

func show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	templ.Handler(page, templ.WithStatus(status)).ServeHTTP(w, r)
}

// over is the page of an address that leads nowhere any more.
func over(w http.ResponseWriter, r *http.Request, why string) {
	show(w, r, http.StatusNotFound, pages.OverPage(why))
}

func see(w http.ResponseWriter, r *http.Request, to string) {
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func shownTime(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(at, 0).UTC().Format("2 Jan 2006 15:04 UTC")
}

func shownDay(at int64) string { return time.Unix(at, 0).UTC().Format("2 January 2006") }

func money(cents int64, currency string) string {
	return dollars(cents) + " " + strings.ToUpper(currency)
}

// nameOfPrice is what is sold, and what a period of it costs.
func (w *world) nameOfPrice(id string) (name, costs string) {
	p, name := w.priceAndName(id)
	costs = money(p.UnitAmount, p.Currency)
	if p.Recurring != nil {
		costs += " a " + p.Recurring.Interval
	}
	return name, costs
}

// cards are those that a page offers.
func cards(chosen Card) []pages.Card {
	var all []pages.Card
	for _, c := range Cards() {
		all = append(all, pages.Card{Value: string(c), Number: c.Number(), Says: c.Says(), Chosen: c == chosen})
	}
	return all
}
