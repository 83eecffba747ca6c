package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"veracity/account/signin"
	"veracity/platform/fault"
	"veracity/views"
)

func (p *Portal) inviteForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	return p.invitePage(w, r, v, r.FormValue("token"), nil)
}

// invitePage shows an invitation, after a refusal with what was wrong, or says that its link is dead.
func (p *Portal) invitePage(w http.ResponseWriter, r *http.Request, v *Visitor, token string, wrong *fault.Fault) error {
	i, err := p.People.ReadInvite(r.Context(), token)
	if f := refused(err); f != nil {
		return p.dead(w, r, v, f, "An invitation works once, for seven days, unless it is withdrawn. Ask whoever invited you for a new one.", "Go to your account", accountPath)
	}
	if err != nil {
		return err
	}
	page := views.Invited{
		Public: p.public(v, "Invitation", ""), Token: token, AccountName: i.AccountName, InvitedBy: i.InvitedBy, Email: i.Email,
		Role: string(i.Role), Rights: views.RoleText(string(i.Role)), Me: v.User.Email, Step: inviteStep(v, i),
		Login: loginFor("/invite?token=" + url.QueryEscape(token)), Name: r.PostFormValue("name"),
	}
	if wrong == nil {
		return p.show(w, r, http.StatusOK, views.InvitedPage(page))
	}
	switch wrong.Code {
	case fault.InvalidName:
		page.NameError = wrong.Message
	case fault.WeakPassword:
		page.PasswordError = wrong.Message
	default:
		page.Error = wrong.Message
	}
	return p.again(w, r, wrong, views.InvitedPage(page))
}

func inviteStep(v *Visitor, i signin.Invitation) views.InviteStep {
	switch {
	case v.SignedIn() && strings.EqualFold(v.User.Email, i.Email):
		return views.InviteJoin
	case v.SignedIn():
		return views.InviteOther
	case i.Known:
		return views.InviteSignIn
	}
	return views.InviteNew
}

// acceptInvite lets a person into the account, a new one after making him a user. Whoever holds the link holds the
// mailbox, so a new person is signed in.
func (p *Portal) acceptInvite(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	noStore(w)
	token := r.PostFormValue("token")
	n := signin.NewPerson{Name: r.PostFormValue("name"), Password: r.PostFormValue("password")}
	user, acc, err := p.People.AcceptInvite(r.Context(), token, v.User.ID, n, p.client(r))
	if f := refused(err); f != nil {
		return p.invitePage(w, r, v, token, f)
	}
	if err != nil {
		return err
	}
	if !v.SignedIn() {
		err = p.admit(w, r, user, byMail)
	} else {
		err = p.sessions.RenewToken(r.Context())
	}
	if err != nil {
		return err
	}
	p.chooseAccount(r, acc)
	p.flash(r, "You have joined the account.")
	return see(w, r, accountPath)
}

// chooseAccount makes an account the one that the pages speak of.
func (p *Portal) chooseAccount(r *http.Request, account uuid.UUID) {
	p.sessions.Put(r.Context(), sessionAccount, account.String())
}
