package web

import (
	"net/http"
	"net/url"

	"veracity/platform/fault"
	"veracity/views"
)

// How a browser was signed in, as its row of the sign-ins says.
const (
	byPassword = "password"
	byTOTP     = "totp"
	byRecovery = "recovery"
	byPasskey  = "passkey"
	byMail     = "mail"
)

const loginPath = "/login"

func (p *Portal) loginForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return see(w, r, next(r))
	}
	noStore(w)
	p.sessions.Remove(r.Context(), sessionHalf) // whoever comes back here begins again, perhaps as somebody else
	page := p.loginPage(r, v)
	page.Flash = p.popFlash(r)
	return p.show(w, r, http.StatusOK, views.LoginPage(page))
}

func (p *Portal) loginPage(r *http.Request, v *Visitor) views.Login {
	return views.Login{
		Public: p.public(v, "Sign in", loginPath), Email: r.PostFormValue("email"), Next: next(r), Passkeys: p.People.HasPasskeys(),
	}
}

func (p *Portal) login(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return see(w, r, next(r))
	}
	noStore(w)
	started, err := p.People.SignIn(r.Context(), r.PostFormValue("email"), r.PostFormValue("password"), p.client(r))
	if f := refused(err); f != nil {
		return p.loginAgain(w, r, v, f)
	}
	if err != nil {
		return err
	}
	to := next(r)
	if len(started.Factors) > 0 {
		if err := p.putHalf(r, started, to); err != nil {
			return err
		}
		return see(w, r, secondPath)
	}
	err = p.admitStarted(w, r, started.User, started.Stamp, byPassword)
	if f := refused(err); f != nil {
		return p.loginAgain(w, r, v, f)
	}
	if err != nil {
		return err
	}
	return see(w, r, to)
}

func (p *Portal) loginAgain(w http.ResponseWriter, r *http.Request, v *Visitor, f *fault.Fault) error {
	page := p.loginPage(r, v)
	page.Error = f.Message
	return p.again(w, r, f, views.LoginPage(page))
}

// logout ends the sign-in and the session. Clear-Site-Data is not sent: no page of an account is ever stored, and
// dropping the browser's whole cache would only make the next visit slow.
func (p *Portal) logout(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		if err := p.People.End(r.Context(), v.User.ID, v.SignIn, p.client(r)); err != nil {
			return err
		}
	}
	if err := p.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	if r.PostFormValue("next") != "" {
		return see(w, r, next(r))
	}
	if v.SignedIn() { // for nobody else a session is made
		p.flash(r, "You have signed out.")
	}
	return see(w, r, loginPath)
}

// loginFor is the address of the sign-in that leads on to a page of ours.
func loginFor(path string) string { return loginPath + "?next=" + url.QueryEscape(path) }
