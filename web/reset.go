package web

import (
	"net/http"

	"veracity/platform/fault"
	"veracity/views"
)

const (
	forgotPath = "/forgot"
	resetTitle = "Set a new password"
)

func (p *Portal) forgotForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	return p.show(w, r, http.StatusOK, views.ForgotPage(views.Forgot{
		Public: p.public(v, resetTitle, forgotPath), Email: v.User.Email, Flash: p.popFlash(r),
	}))
}

// forgot answers the same for every address.
func (p *Portal) forgot(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	email := r.PostFormValue("email")
	err := p.People.AskReset(r.Context(), email, p.client(r))
	if f := refused(err); f != nil {
		page := views.Forgot{Public: p.public(v, resetTitle, forgotPath), Email: email}
		if f.Code == fault.InvalidEmail {
			page.EmailError = f.Message
		} else {
			page.Error = f.Message
		}
		return p.again(w, r, f, views.ForgotPage(page))
	}
	if err != nil {
		return err
	}
	p.flash(r, "If "+email+" signs in here, a mail with a link is on its way. It may take a minute to arrive.")
	return see(w, r, forgotPath)
}

func (p *Portal) resetForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	return p.resetPage(w, r, v, r.FormValue("token"), nil)
}

// resetPage shows the form of a link, after a refusal with what was wrong, or says that the link is dead.
func (p *Portal) resetPage(w http.ResponseWriter, r *http.Request, v *Visitor, token string, wrong *fault.Fault) error {
	email, err := p.People.ReadReset(r.Context(), token)
	if f := refused(err); f != nil {
		return p.dead(w, r, v, f, "A link sets a new password once, within 30 minutes. Ask for a new one.", "Ask for a new link", forgotPath)
	}
	if err != nil {
		return err
	}
	page := views.Reset{Public: p.public(v, resetTitle, ""), Token: token, Email: email}
	if wrong == nil {
		return p.show(w, r, http.StatusOK, views.ResetPage(page))
	}
	if wrong.Code == fault.WeakPassword {
		page.PasswordError = wrong.Message
	} else {
		page.Error = wrong.Message
	}
	return p.again(w, r, wrong, views.ResetPage(page))
}

// reset sets the password and signs nobody in: the second step, where there is one, is still to be shown.
func (p *Portal) reset(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	token := r.PostFormValue("token")
	_, device, err := p.People.Reset(r.Context(), token, r.PostFormValue("password"), p.client(r))
	if f := refused(err); f != nil {
		return p.resetPage(w, r, v, token, f)
	}
	if err != nil {
		return err
	}
	p.setDevice(w, device)
	if err := p.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	p.flash(r, "Your new password is set, and every browser is signed out. Sign in with it.")
	return see(w, r, loginPath)
}
