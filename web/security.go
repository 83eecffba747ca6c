package web

import (
	"encoding/base64"
	"net/http"

	"github.com/google/uuid"

	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/views"
)

const securityPath = "/account/security"

// ownEvents is how many of a person's own events the page shows.
const ownEvents = 20

func (p *Portal) security(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.securityPage(r, v)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.SecurityPage(page))
}

func (p *Portal) securityPage(r *http.Request, v *Visitor) (views.Security, error) {
	ctx := r.Context()
	have, err := p.People.Factors(ctx, v.User.ID)
	if err != nil {
		return views.Security{}, err
	}
	page := views.Security{
		Shell: p.shell(r, v, "Security"), HasPassword: v.User.HasPassword, TOTP: have.TOTP,
		CanPasskey: p.People.HasPasskeys(), RecoveryLeft: have.RecoveryLeft,
	}
	page.Path = securityPath
	if page.Passkeys, err = p.passkeyRows(r, v); err != nil {
		return views.Security{}, err
	}
	if page.Browsers, err = p.browserRows(r, v); err != nil {
		return views.Security{}, err
	}
	if page.Events, err = p.eventRows(r, v); err != nil {
		return views.Security{}, err
	}
	return page, nil
}

func (p *Portal) passkeyRows(r *http.Request, v *Visitor) ([]views.Passkey, error) {
	keys, err := p.People.Passkeys(r.Context(), v.User.ID)
	if err != nil {
		return nil, err
	}
	rows := make([]views.Passkey, 0, len(keys))
	for _, k := range keys {
		rows = append(rows, views.Passkey{
			ID: base64.RawURLEncoding.EncodeToString(k.ID), Name: k.Name, Created: k.CreatedAt, LastUsed: k.LastUsedAt,
		})
	}
	return rows, nil
}

func (p *Portal) browserRows(r *http.Request, v *Visitor) ([]views.Browser, error) {
	all, err := p.People.SignIns(r.Context(), v.User.ID)
	if err != nil {
		return nil, err
	}
	rows := make([]views.Browser, 0, len(all))
	for _, s := range all {
		rows = append(rows, views.Browser{
			ID: s.ID.String(), Agent: agentWords(s.Agent), Method: methodWords(s.Method), Address: s.Address,
			Since: s.CreatedAt, Seen: s.SeenAt, Current: s.ID == v.SignIn,
		})
	}
	return rows, nil
}

func (p *Portal) eventRows(r *http.Request, v *Visitor) ([]views.Event, error) {
	entries, err := trail.ReadOwn(r.Context(), p.DB, v.User.ID, ownEvents)
	if err != nil {
		return nil, err
	}
	rows := make([]views.Event, 0, len(entries))
	for _, e := range entries {
		text, bad := eventWords(e)
		rows = append(rows, views.Event{At: e.At, Text: text, Address: e.Address, Bad: bad})
	}
	return rows, nil
}

// securityAgain shows the page with one form refused. form is the name of the form's password, which tells the forms
// apart; fields are the fields at fault by the code of the refusal.
func (p *Portal) securityAgain(w http.ResponseWriter, r *http.Request, v *Visitor, f *fault.Fault, form string, fields map[fault.Code]string) error {
	page, err := p.securityPage(r, v)
	if err != nil {
		return err
	}
	page.Wrong = views.SecurityWrong{Form: form, Field: fields[f.Code], Text: f.Message}
	if f.Code == fault.WrongPassword {
		page.Wrong.Field = form
	}
	return p.again(w, r, f, views.SecurityPage(page))
}

// changed ends a form that has altered how the person signs in: a new session token, and the page with what was done.
func (p *Portal) changed(w http.ResponseWriter, r *http.Request, text string) error {
	if err := p.sessions.RenewToken(r.Context()); err != nil {
		return err
	}
	p.flash(r, text)
	return see(w, r, securityPath)
}

func (p *Portal) changePassword(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	err := p.People.ChangePassword(r.Context(), v.User.ID, r.PostFormValue("current"), r.PostFormValue("new"), v.SignIn, p.client(r))
	if f := refused(err); f != nil {
		return p.securityAgain(w, r, v, f, "current", map[fault.Code]string{fault.WeakPassword: "new"})
	}
	if err != nil {
		return err
	}
	return p.changed(w, r, "Your password is changed, and all other browsers are signed out.")
}

// endSession signs a browser out; this one too, when it is the one.
func (p *Portal) endSession(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := uuid.Parse(r.PostFormValue("id"))
	if err != nil {
		return noPage()
	}
	if id == v.SignIn {
		return p.logout(w, r, v)
	}
	if err := p.People.End(r.Context(), v.User.ID, id, p.client(r)); err != nil {
		return err
	}
	p.flash(r, "The browser is signed out.")
	return see(w, r, securityPath)
}

func (p *Portal) endOtherSessions(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if _, err := p.People.EndOthers(r.Context(), v.User.ID, v.SignIn, p.client(r)); err != nil {
		return err
	}
	p.flash(r, "All other browsers are signed out.")
	return see(w, r, securityPath)
}
