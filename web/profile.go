package web

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"veracity/account/signin"
	"veracity/platform/fault"
	"veracity/views"
)

const profilePath = "/account/profile"

func (p *Portal) profile(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.show(w, r, http.StatusOK, views.ProfilePage(p.profilePage(r, v)))
}

func (p *Portal) profilePage(r *http.Request, v *Visitor) views.Profile {
	page := views.Profile{Shell: p.shell(r, v, "Profile"), Name: v.User.Name}
	page.Path = profilePath
	return page
}

func (p *Portal) saveProfile(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	name := r.PostFormValue("name")
	err := p.People.SetName(r.Context(), v.User.ID, name)
	if f := refused(err); f != nil {
		page := p.profilePage(r, v)
		page.Name = name
		if f.Code == fault.InvalidName {
			page.NameError = f.Message
		} else {
			page.NameFormError = f.Message
		}
		return p.again(w, r, f, views.ProfilePage(page))
	}
	if err != nil {
		return err
	}
	p.flash(r, "Your name is saved.")
	return see(w, r, profilePath)
}

func (p *Portal) askEmailChange(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	email := r.PostFormValue("email")
	err := p.People.AskEmailChange(r.Context(), v.User.ID, email, r.PostFormValue("password"), p.client(r))
	if f := refused(err); f != nil {
		page := p.profilePage(r, v)
		page.NewEmail = email
		switch f.Code {
		case fault.InvalidEmail, fault.EmailTaken:
			page.NewEmailError = f.Message
		case fault.WrongPassword:
			page.PasswordError = f.Message
		default:
			page.MailError = f.Message
		}
		return p.again(w, r, f, views.ProfilePage(page))
	}
	if err != nil {
		return err
	}
	p.flash(r, "A mail with a link is on its way to "+email+". Your address changes once the link is opened.")
	return see(w, r, profilePath)
}

// emailForm shows a button and does nothing itself, because programs that look for harm in mails open every link.
func (p *Portal) emailForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	return p.emailPage(w, r, v, r.FormValue("token"), nil)
}

// emailPage shows what a link would change, after a refusal with what was wrong, or says that the link is dead.
func (p *Portal) emailPage(w http.ResponseWriter, r *http.Request, v *Visitor, token string, wrong *fault.Fault) error {
	email, err := p.People.ReadEmailChange(r.Context(), token)
	if f := refused(err); f != nil {
		return p.dead(w, r, v, f, "A link changes the address once, within 24 hours, and a later one takes its place. Ask for a new one in your profile.", "Go to your profile", profilePath)
	}
	if err != nil {
		return err
	}
	page := views.EmailChange{Public: p.public(v, "Confirm your new address", ""), Token: token, Email: email}
	if wrong == nil {
		return p.show(w, r, http.StatusOK, views.EmailChangePage(page))
	}
	page.Error = wrong.Message
	return p.again(w, r, wrong, views.EmailChangePage(page))
}

func (p *Portal) changeEmail(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	token := r.PostFormValue("token")
	err := p.People.ChangeEmail(r.Context(), token, p.client(r))
	if f := refused(err); f != nil {
		return p.emailPage(w, r, v, token, f)
	}
	if err != nil {
		return err
	}
	if err := p.sessions.RenewToken(r.Context()); err != nil {
		return err
	}
	if v.SignedIn() {
		p.flash(r, "Your address is changed.")
		return see(w, r, profilePath)
	}
	p.flash(r, "Your address is changed. Sign in with the new one.")
	return see(w, r, loginPath)
}

// switchAccount makes another account of the person's the one that the pages speak of.
func (p *Portal) switchAccount(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := uuid.Parse(r.PostFormValue("account"))
	if err != nil || !slices.ContainsFunc(v.Accounts, func(b signin.Belonging) bool { return b.ID == id }) {
		return noPage()
	}
	if err := p.sessions.RenewToken(r.Context()); err != nil {
		return err
	}
	p.chooseAccount(r, id)
	return see(w, r, accountPath)
}

// noAccount is where somebody lands who has left the last account, or never had one.
func (p *Portal) noAccount(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if v.Account != uuid.Nil {
		return see(w, r, accountPath)
	}
	return p.show(w, r, http.StatusOK, views.NoAccountPage(p.shell(r, v, "No account")))
}
