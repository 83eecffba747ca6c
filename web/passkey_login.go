package web

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"veracity/platform/fault"
)

// sessionPasskey holds the state of a passkey's ceremony; its first use drops it.
const sessionPasskey = "passkey"

// loginPasskeyBegin hands passkey.js a challenge: for the person who has shown the password, else for whoever holds a
// passkey of ours.
func (p *Portal) loginPasskeyBegin(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return refuseJSON(w, fault.New(fault.InvalidInput, "You are signed in already. Load this page again."))
	}
	challenge, err := p.People.BeginPasskey(r.Context(), p.half(r))
	if f := refused(err); f != nil {
		return refuseJSON(w, f)
	}
	if err != nil {
		return err
	}
	p.sessions.Put(r.Context(), sessionPasskey, challenge.State)
	return answerJSON(w, http.StatusOK, challenge.Options)
}

func (p *Portal) loginPasskey(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return see(w, r, accountPath)
	}
	noStore(w)
	half := p.half(r)
	state := p.sessions.PopBytes(r.Context(), sessionPasskey)
	user, err := p.People.FinishPasskey(r.Context(), half, state, []byte(r.PostFormValue("response")), p.client(r))
	if f := refused(err); f != nil {
		if half == uuid.Nil {
			return p.loginAgain(w, r, v, f)
		}
		return p.secondAgain(w, r, v, half, f)
	}
	if err != nil {
		return err
	}
	if half != uuid.Nil {
		return p.admitSecond(w, r, user, byPasskey)
	}
	to := next(r)
	if err := p.admit(w, r, user, byPasskey); err != nil {
		return err
	}
	return see(w, r, to)
}

// answerJSON answers a script of ours.
func answerJSON(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	noStore(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error says that the visitor has gone
	return nil
}

// refuseJSON tells a script of ours why, in words for the person.
func refuseJSON(w http.ResponseWriter, f *fault.Fault) error {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(f.RetryAfter.Seconds()))))
	}
	return answerJSON(w, statusOf(f.Code), map[string]string{"error": f.Message})
}
