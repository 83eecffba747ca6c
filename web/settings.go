package web

import (
	"net/http"
	"strings"
	"time"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/views"
)

// settings shows what the account is, and the way to its end.
func (p *Portal) settings(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.settingsPage(r, v)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.SettingsPage(page))
}

func (p *Portal) settingsPage(r *http.Request, v *Visitor) (views.Settings, error) {
	f, err := p.frame(r, v, "Account")
	if err != nil {
		return views.Settings{}, err
	}
	acc := f.Account
	return views.Settings{
		Shell: f.Shell, ID: acc.ID.String(), Contact: acc.Email, State: string(acc.State), CreatedAt: acc.CreatedAt, ClosesAt: acc.ClosesAt,
		Credits: acc.Limits.Credits, RPM: int64(acc.Limits.RPM), Jobs: int64(acc.Limits.Jobs), Keys: int64(acc.Limits.Keys),
		MayEdit: v.Actor().Can(access.EditAccount), MayClose: v.Actor().Can(access.Close), Name: accountName(acc.Name),
	}, nil
}

func accountName(typed string) views.Field {
	return views.Field{
		Name: "name", Label: "Account name", Value: typed, Required: true, Max: 100, Autocomplete: "organization",
		Hint: "Shown to everybody in the account, and in invites.",
	}
}

func (p *Portal) renameAccount(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	typed := r.PostFormValue("name")
	err := p.Accounts.Rename(r.Context(), v.Actor(), typed)
	if f := refused(err); f != nil && f.Code == fault.InvalidName {
		page, err := p.settingsPage(r, v)
		if err != nil {
			return err
		}
		page.Name = accountName(typed)
		page.Name.Error = f.Message
		return p.show(w, r, statusOf(f.Code), views.SettingsPage(page))
	}
	if err != nil {
		return err
	}
	p.flash(r, "The account's name is saved.")
	return see(w, r, settingsPath)
}

// closeForm says what closing does and asks twice.
func (p *Portal) closeForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.closePage(r, v)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.CloseAccountPage(page))
}

func (p *Portal) closePage(r *http.Request, v *Visitor) (views.CloseAccount, error) {
	f, err := p.frame(r, v, "Close the account?")
	if err != nil {
		return views.CloseAccount{}, err
	}
	return views.CloseAccount{
		Shell: f.Shell, DeletedAt: time.Now().Add(p.closeAfter()),
		Name: views.Field{
			Name: "name", Label: "Name of the account", Required: true, Max: 100, Autocomplete: "off",
			Hint: "Type “" + f.Account.Name + "” to show that you mean this one.",
		},
		Password: views.Field{
			Name: "password", Label: "Your password", Type: "password", Required: true, Autocomplete: "current-password",
		},
	}, nil
}

// closeAfter is the time from the wish to the deletion.
func (p *Portal) closeAfter() time.Duration {
	if p.Accounts.Config == (account.Config{}) {
		return account.DefaultConfig().CloseAfter
	}
	return p.Accounts.Config.CloseAfter
}

func (p *Portal) closeAccount(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.closePage(r, v)
	if err != nil {
		return err
	}
	typed := strings.TrimSpace(r.PostFormValue("name"))
	if page.Name.Value = typed; typed != strings.TrimSpace(page.AccountName) {
		page.Name.Error = "This is not the account's name. Nothing was closed."
		return p.show(w, r, http.StatusUnprocessableEntity, views.CloseAccountPage(page))
	}
	if err := p.People.Confirm(r.Context(), v.User.ID, r.PostFormValue("password"), p.client(r)); err != nil {
		f := refused(err)
		if f == nil {
			return err
		}
		if page.Refused = f.Message; f.Code == fault.WrongPassword {
			page.Refused, page.Password.Error = "", f.Message
		}
		return p.show(w, r, statusOf(f.Code), views.CloseAccountPage(page))
	}
	if _, err := p.Accounts.Close(r.Context(), v.Actor()); err != nil {
		return err
	}
	p.flash(r, "The account is closed to calls. Until it is deleted, an owner can keep it.")
	return see(w, r, settingsPath)
}

func (p *Portal) reopenAccount(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	if err := p.Accounts.Reopen(r.Context(), v.Actor()); err != nil {
		return err
	}
	p.flash(r, "The account is kept. Its keys work as before.")
	return see(w, r, settingsPath)
}
