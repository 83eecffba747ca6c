package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"veracity/platform/fault"
)

// Page answers a request of a visitor or returns why it is refused.
type Page func(w http.ResponseWriter, r *http.Request, v *Visitor) error

// page runs a page that needs nothing.
func (p *Portal) page(page Page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := page(w, r, visitorOf(r.Context())); err != nil {
			p.fail(w, r, err)
		}
	}
}

// guard lets visitors through who have what the route needs.
func (p *Portal) guard(route Route, page Page) http.HandlerFunc {
	return p.page(func(w http.ResponseWriter, r *http.Request, v *Visitor) error {
		switch {
		case route.Need == Anyone:
			return page(w, r, v)
		case !v.SignedIn():
			return p.askSignIn(w, r)
		}
		w.Header().Set("Cache-Control", "no-store")
		switch route.Need {
		case Member:
			if v.Account == uuid.Nil {
				http.Redirect(w, r, "/account/none", http.StatusSeeOther)
				return nil
			}
			if err := v.Actor().May(route.Right); err != nil {
				return err
			}
		case Operator:
			if err := mayOperate(v); err != nil {
				return err
			}
		case Anyone, SignedIn:
		}
		return page(w, r, v)
	})
}

// mayOperate hides the operator's pages from everybody else, and from operators who have no second factor.
func mayOperate(v *Visitor) error {
	if !v.User.Operator {
		return noPage()
	}
	if !v.User.SecondFactor {
		return fault.New(fault.NeedsSecondFactor, "The operator's pages need a second factor. Add a passkey or an authenticator app under Security, and come back.")
	}
	return nil
}

// askSignIn sends a visitor to the sign-in, and back to the page that he wanted.
func (p *Portal) askSignIn(w http.ResponseWriter, r *http.Request) error {
	target := "/login"
	if r.Method == http.MethodGet {
		target += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// next is where a visitor wanted to go before he was sent to the sign-in: a path of ours and nothing else.
func next(r *http.Request) string {
	to := r.FormValue("next")
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/account"
	}
	return to
}

func noPage() error {
	return fault.New(fault.NotFound, "The address may be mistyped, or the page has moved.")
}

func (p *Portal) notFound(http.ResponseWriter, *http.Request, *Visitor) error { return noPage() }

func (p *Portal) notAllowed(http.ResponseWriter, *http.Request, *Visitor) error {
	return fault.New(fault.MethodNotAllowed, "This address does not answer to that method.")
}
