package web

import (
	"encoding/base64"
	"net/http"

	"veracity/account/signin"
	"veracity/views"
)

const totpTitle = "Security"

// beginTOTP answers the form itself with the secret, so that the secret has no address and is gone on a reload.
func (p *Portal) beginTOTP(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	secret, err := p.People.BeginTOTP(r.Context(), v.User.ID, r.PostFormValue("totp_begin"), p.client(r))
	if f := refused(err); f != nil {
		return p.securityAgain(w, r, v, f, "totp_begin", nil)
	}
	if err != nil {
		return err
	}
	page := p.totpPage(r, v)
	page.Secret, page.QR = secret.Secret, picture(secret)
	return p.show(w, r, http.StatusOK, views.TOTPPage(page))
}

func (p *Portal) totpPage(r *http.Request, v *Visitor) views.TOTP {
	page := views.TOTP{Shell: p.shell(r, v, totpTitle)}
	page.Path = securityPath
	return page
}

func picture(t signin.TOTP) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(t.QR)
}

func (p *Portal) confirmTOTP(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	codes, err := p.People.ConfirmTOTP(r.Context(), v.User.ID, r.PostFormValue("code"), p.client(r))
	if f := refused(err); f != nil {
		page := p.totpPage(r, v)
		page.Error = f.Message
		return p.again(w, r, f, views.TOTPPage(page))
	}
	if err != nil {
		return err
	}
	return p.factorAdded(w, r, v, "The authenticator app is set up.", codes)
}

// factorAdded ends the set-up of a factor: the first one comes with recovery codes, which are shown this once.
func (p *Portal) factorAdded(w http.ResponseWriter, r *http.Request, v *Visitor, what string, codes []string) error {
	if len(codes) == 0 {
		return p.changed(w, r, what)
	}
	if err := p.sessions.RenewToken(r.Context()); err != nil {
		return err
	}
	return p.showCodes(w, r, v, what, codes)
}

func (p *Portal) showCodes(w http.ResponseWriter, r *http.Request, v *Visitor, what string, codes []string) error {
	page := views.Recovery{Shell: p.shell(r, v, "Recovery codes"), Codes: codes, What: what}
	page.Path = securityPath
	return p.show(w, r, http.StatusOK, views.RecoveryPage(page))
}

func (p *Portal) removeTOTP(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	err := p.People.RemoveTOTP(r.Context(), v.User.ID, r.PostFormValue("totp_remove"), p.client(r))
	if f := refused(err); f != nil {
		return p.securityAgain(w, r, v, f, "totp_remove", nil)
	}
	if err != nil {
		return err
	}
	return p.changed(w, r, "The authenticator app is removed.")
}

func (p *Portal) newRecoveryCodes(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	codes, err := p.People.NewRecoveryCodes(r.Context(), v.User.ID, r.PostFormValue("recovery"), p.client(r))
	if f := refused(err); f != nil {
		return p.securityAgain(w, r, v, f, "recovery", nil)
	}
	if err != nil {
		return err
	}
	return p.factorAdded(w, r, v, "New codes are made, and the old ones stop working.", codes)
}
