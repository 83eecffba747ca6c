package web

import (
	"encoding/base64"
	"net/http"

	"veracity/platform/fault"
)

// beginPasskey hands passkey.js a challenge for a new passkey, after the password.
func (p *Portal) beginPasskey(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	challenge, err := p.People.BeginPasskeyEnrolment(r.Context(), v.User.ID, r.PostFormValue("passkey_add"), p.client(r))
	if f := refused(err); f != nil {
		return refuseJSON(w, f)
	}
	if err != nil {
		return err
	}
	p.sessions.Put(r.Context(), sessionPasskey, challenge.State)
	return answerJSON(w, http.StatusOK, challenge.Options)
}

func (p *Portal) addPasskey(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	state := p.sessions.PopBytes(r.Context(), sessionPasskey)
	codes, err := p.People.FinishPasskeyEnrolment(
		r.Context(), v.User.ID, r.PostFormValue("name"), state, []byte(r.PostFormValue("response")), p.client(r))
	if f := refused(err); f != nil {
		return p.securityAgain(w, r, v, f, "passkey_add", map[fault.Code]string{fault.InvalidName: "name"})
	}
	if err != nil {
		return err
	}
	return p.factorAdded(w, r, v, "The passkey is added.", codes)
}

func (p *Portal) removePasskey(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := base64.RawURLEncoding.DecodeString(r.PostFormValue("passkey"))
	if err != nil {
		return noPage()
	}
	err = p.People.RemovePasskey(r.Context(), v.User.ID, id, r.PostFormValue("passkey_remove"), p.client(r))
	if f := refused(err); f != nil {
		return p.securityAgain(w, r, v, f, "passkey_remove", nil)
	}
	if err != nil {
		return err
	}
	return p.changed(w, r, "The passkey is removed.")
}
