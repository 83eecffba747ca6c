package web

import (
	"net/http"

	"github.com/google/uuid"

	"veracity/account/signin"
	"veracity/platform/fault"
	"veracity/views"
)

// Keys of what a session holds of a sign-up, until its address is proved.
const (
	sessionSignUp      = "sign_up"
	sessionSignUpEmail = "sign_up_email"
	sessionPlan        = "plan"
)

const signUpTitle = "Sign up"

func (p *Portal) signUpForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return see(w, r, accountPath)
	}
	noStore(w)
	return p.show(w, r, http.StatusOK, views.SignUpPage(views.SignUp{
		Public: p.public(v, signUpTitle, "/signup"), Email: r.FormValue("email"), Plan: p.planNamed(r.FormValue("plan")),
	}))
}

func (p *Portal) signUp(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.SignedIn() {
		return see(w, r, accountPath)
	}
	noStore(w)
	n := signin.NewPerson{Email: r.PostFormValue("email"), Name: r.PostFormValue("name"), Password: r.PostFormValue("password")}
	plan := p.planNamed(r.PostFormValue("plan"))
	id, err := p.People.SignUp(r.Context(), n, p.client(r))
	if f := refused(err); f != nil {
		form := views.SignUp{Public: p.public(v, signUpTitle, "/signup"), Name: n.Name, Email: n.Email, Plan: plan}
		switch f.Code {
		case fault.InvalidName:
			form.NameError = f.Message
		case fault.InvalidEmail:
			form.EmailError = f.Message
		case fault.WeakPassword:
			form.PasswordError = f.Message
		default:
			form.Error = f.Message
		}
		return p.again(w, r, f, views.SignUpPage(form))
	}
	if err != nil {
		return err
	}
	if err := p.sessions.RenewToken(r.Context()); err != nil {
		return err
	}
	p.sessions.Put(r.Context(), sessionSignUp, id.String())
	p.sessions.Put(r.Context(), sessionSignUpEmail, n.Email)
	p.sessions.Put(r.Context(), sessionPlan, plan)
	return see(w, r, "/signup/sent")
}

// planNamed is the plan of that name, or empty for a word that names none.
func (p *Portal) planNamed(name string) string {
	for _, plan := range p.cfg.Plans {
		if plan.Name == name {
			return name
		}
	}
	return ""
}

// signUpSent tells the same whether or not the address is known: the mail tells the difference.
func (p *Portal) signUpSent(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if p.pendingSignUp(r) == uuid.Nil {
		return see(w, r, "/signup")
	}
	noStore(w)
	return p.show(w, r, http.StatusOK, views.SignUpSentPage(p.sentPage(r, v)))
}

func (p *Portal) resendSignUp(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id := p.pendingSignUp(r)
	if id == uuid.Nil {
		return see(w, r, "/signup")
	}
	err := p.People.ResendSignUp(r.Context(), id, p.client(r))
	if f := refused(err); f != nil {
		noStore(w)
		page := p.sentPage(r, v)
		page.Error = f.Message
		return p.again(w, r, f, views.SignUpSentPage(page))
	}
	if err != nil {
		return err
	}
	p.flash(r, "Sent again. It may take a minute to arrive.")
	return see(w, r, "/signup/sent")
}

func (p *Portal) sentPage(r *http.Request, v *Visitor) views.SignUpSent {
	return views.SignUpSent{
		Public: p.public(v, "Check your mail", "/signup"), Email: p.sessions.GetString(r.Context(), sessionSignUpEmail), Flash: p.popFlash(r),
	}
}

// pendingSignUp is the sign-up that this browser has begun, or nil.
func (p *Portal) pendingSignUp(r *http.Request) uuid.UUID {
	id, err := uuid.Parse(p.sessions.GetString(r.Context(), sessionSignUp))
	if err != nil {
		return uuid.Nil
	}
	return id
}

// verifyForm shows a button and does nothing itself, because programs that look for harm in mails open every link.
func (p *Portal) verifyForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	token := r.FormValue("token")
	pending, err := p.People.ReadSignUp(r.Context(), token)
	if f := refused(err); f != nil {
		return p.deadSignUp(w, r, v, f)
	}
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.VerifyPage(p.verifyPage(r, v, token, pending)))
}

func (p *Portal) verifyPage(r *http.Request, v *Visitor, token string, pending signin.Pending) views.Verify {
	return views.Verify{
		Public: p.public(v, "Confirm your address", ""), Token: token, Email: pending.Email,
		AskPassword: p.pendingSignUp(r) != pending.ID,
	}
}

func (p *Portal) deadSignUp(w http.ResponseWriter, r *http.Request, v *Visitor, f *fault.Fault) error {
	return p.dead(w, r, v, f, "If you have confirmed your address already, sign in. If not, sign up again: the link works once, for 24 hours.", "Sign in", "/login")
}

func (p *Portal) verify(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	token := r.PostFormValue("token")
	proof := signin.Proof{SignUp: p.pendingSignUp(r), Password: r.PostFormValue("password")}
	user, err := p.People.Verify(r.Context(), token, proof, p.client(r))
	if f := refused(err); f != nil {
		return p.verifyAgain(w, r, v, token, f)
	}
	if err != nil {
		return err
	}
	to := accountPath
	if plan, ok := p.sold(p.sessions.GetString(r.Context(), sessionPlan)); ok && p.cfg.Billing {
		to = wantedPlan(plan.Name)
	}
	if err := p.admit(w, r, user, byMail); err != nil {
		return err
	}
	p.flash(r, "Your address is confirmed, and you are signed in.")
	return see(w, r, to)
}

func (p *Portal) verifyAgain(w http.ResponseWriter, r *http.Request, v *Visitor, token string, f *fault.Fault) error {
	pending, err := p.People.ReadSignUp(r.Context(), token)
	if gone := refused(err); gone != nil {
		return p.deadSignUp(w, r, v, gone)
	}
	if err != nil {
		return err
	}
	page := p.verifyPage(r, v, token, pending)
	if f.Code == fault.WrongPassword {
		page.PasswordError = f.Message
	} else {
		page.Error = f.Message
	}
	return p.again(w, r, f, views.VerifyPage(page))
}
