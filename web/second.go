package web

import (
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"veracity/account/signin"
	"veracity/platform/fault"
	"veracity/views"
)

// Keys of what a session holds between the password and the second step.
const (
	sessionHalf      = "half"
	sessionHalfAt    = "half_at"
	sessionHalfStamp = "half_stamp"
	sessionNext      = "next"
)

// halfTime is how long the second step may take.
const halfTime = 10 * time.Minute

const secondPath = "/login/second"

// putHalf remembers who has shown the password, under a new token.
func (p *Portal) putHalf(r *http.Request, started signin.Started, to string) error {
	ctx := r.Context()
	if err := p.sessions.Clear(ctx); err != nil {
		return fmt.Errorf("clear session: %w", err)
	}
	if err := p.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	p.sessions.Put(ctx, sessionHalf, started.User.String())
	p.sessions.Put(ctx, sessionHalfStamp, started.Stamp)
	p.sessions.Put(ctx, sessionHalfAt, time.Now().Unix())
	p.sessions.Put(ctx, sessionNext, to)
	return nil
}

// half is who has shown the password in this browser within the last ten minutes, or nil.
func (p *Portal) half(r *http.Request) uuid.UUID {
	user, err := uuid.Parse(p.sessions.GetString(r.Context(), sessionHalf))
	if err != nil || time.Since(time.Unix(p.sessions.GetInt64(r.Context(), sessionHalfAt), 0)) > halfTime {
		return uuid.Nil
	}
	return user
}

// beginAgain answers a second step without a first one. Only who has taken the first one before is told why: for
// anybody else a session would be made for the telling.
func (p *Portal) beginAgain(w http.ResponseWriter, r *http.Request) error {
	if p.sessions.Exists(r.Context(), sessionHalf) {
		p.sessions.Remove(r.Context(), sessionHalf)
		p.flash(r, "Enter your password again: the second step has to follow within ten minutes.")
	}
	return see(w, r, loginPath)
}

func (p *Portal) secondForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return see(w, r, accountPath)
	}
	noStore(w)
	user := p.half(r)
	if user == uuid.Nil {
		return p.beginAgain(w, r)
	}
	page, err := p.secondPage(r, v, user)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.SecondPage(page))
}

func (p *Portal) secondPage(r *http.Request, v *Visitor, user uuid.UUID) (views.Second, error) {
	have, err := p.People.Factors(r.Context(), user)
	if err != nil {
		return views.Second{}, err
	}
	return views.Second{
		Public: p.public(v, "Second step", loginPath), Code: have.TOTP, Recovery: have.RecoveryLeft > 0,
		Passkey: have.Passkeys > 0 && p.People.HasPasskeys(),
	}, nil
}

// loginCode takes a code of the app or a recovery code, whichever of the page's two forms was sent.
func (p *Portal) loginCode(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	user := p.half(r)
	if user == uuid.Nil {
		return p.beginAgain(w, r)
	}
	code := r.PostFormValue("code")
	if code == "" {
		code = r.PostFormValue("recovery")
	}
	factor, err := p.People.EnterCode(r.Context(), user, code, p.client(r))
	if f := refused(err); f != nil {
		return p.secondAgain(w, r, v, user, f)
	}
	if err != nil {
		return err
	}
	if factor == signin.FactorRecovery {
		return p.admitByRecovery(w, r, user)
	}
	return p.admitSecond(w, r, user, byTOTP)
}

func (p *Portal) admitByRecovery(w http.ResponseWriter, r *http.Request, user uuid.UUID) error {
	have, err := p.People.Factors(r.Context(), user)
	if err != nil {
		return err
	}
	if err := p.admitSecond(w, r, user, byRecovery); err != nil {
		return err
	}
	if !p.sessions.Exists(r.Context(), sessionSignIn) {
		return nil // the password had been changed, which is said instead
	}
	p.flash(r, fmt.Sprintf("You have used a recovery code; %d are left. Make new ones under Security when they run low.", have.RecoveryLeft))
	return nil
}

// admitSecond signs in after a second step, and goes on to where the first one was meant to lead.
func (p *Portal) admitSecond(w http.ResponseWriter, r *http.Request, user uuid.UUID, method string) error {
	to := p.sessions.GetString(r.Context(), sessionNext)
	if to == "" {
		to = accountPath
	}
	err := p.admitStarted(w, r, user, p.sessions.GetString(r.Context(), sessionHalfStamp), method)
	if f := refused(err); f != nil {
		p.sessions.Remove(r.Context(), sessionHalf)
		p.flash(r, f.Message)
		return see(w, r, loginPath)
	}
	if err != nil {
		return err
	}
	return see(w, r, to)
}

func (p *Portal) secondAgain(w http.ResponseWriter, r *http.Request, v *Visitor, user uuid.UUID, f *fault.Fault) error {
	page, err := p.secondPage(r, v, user)
	if err != nil {
		return err
	}
	switch {
	case f.Code != fault.WrongCode:
		page.Error = f.Message
	case page.Code && r.PostForm.Has("recovery"):
		page.RecoveryError = f.Message
	default:
		page.CodeError = f.Message
	}
	return p.again(w, r, f, views.SecondPage(page))
}
