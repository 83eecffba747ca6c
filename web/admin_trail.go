package web

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/views"
)

// adminTrail shows what anybody did, in all accounts or in one.
func (p *Portal) adminTrail(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page := views.AdminTrail{Shell: p.shell(r, v, "Audit trail"), First: firstPage(r)}
	var badAccount, badUser string
	f := trail.Filter{Limit: trailRows + 1}
	f.Account, badAccount = filterID(r, "account")
	f.User, badUser = filterID(r, "user")
	page.Account = views.Field{Name: "account", Label: "Account id", Value: r.FormValue("account"), Error: badAccount, Autocomplete: "off", Max: 36}
	page.User = views.Field{Name: "user", Label: "Person's id", Value: r.FormValue("user"), Error: badUser, Autocomplete: "off", Max: 36}
	if badAccount != "" || badUser != "" {
		return p.show(w, r, statusOf(fault.InvalidInput), views.AdminTrailPage(page))
	}
	at := markOf(r)
	f.Before, f.BeforeID = at.before, at.id
	entries, err := trail.Read(r.Context(), p.DB, v.operator(), f)
	if err != nil {
		return err
	}
	_, page.Next = trailPage(r, entries)
	if page.Rows, err = p.namedRows(r, v, entries[:min(len(entries), trailRows)]); err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.AdminTrailPage(page))
}

// filterID reads an id that narrows a list. What is none is said, since all would be shown otherwise.
func filterID(r *http.Request, name string) (id uuid.UUID, wrong string) {
	raw := strings.TrimSpace(r.FormValue(name))
	if raw == "" {
		return uuid.Nil, ""
	}
	id, err := uuid.Parse(raw)
	if err != nil {
		return uuid.Nil, "This is not an id. Copy the whole of it, or leave the field empty."
	}
	return id, ""
}

// namedRows are entries with the names of their accounts. An account that is gone is shown by its id.
func (p *Portal) namedRows(r *http.Request, v *Visitor, entries []trail.Entry) ([]views.TrailRow, error) {
	ids := make([]uuid.UUID, 0, len(entries))
	for _, e := range entries {
		if e.Account != uuid.Nil {
			ids = append(ids, e.Account)
		}
	}
	names, err := p.Accounts.Names(r.Context(), v.operator(), ids)
	if err != nil {
		return nil, err
	}
	rows := make([]views.TrailRow, len(entries))
	for i, e := range entries {
		rows[i] = trailRow(e)
		name, lives := names[e.Account]
		switch {
		case lives:
			rows[i].Account, rows[i].AccountID = name, e.Account.String()
		case e.Account != uuid.Nil:
			rows[i].Account = "Deleted: " + e.Account.String()
		}
	}
	return rows, nil
}
