package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"veracity/billing"
	"veracity/views"
)

// givenUp begins findings that are events.
const givenUp = string(billing.EventGivenUp) + " "

// eventTabs are the ways to look at events: those that nobody could work come first.
var eventTabs = []struct {
	word, label string
	state       billing.EventState
}{
	{"given_up", "Given up", billing.EventGivenUp},
	{"pending", "Pending", billing.EventPending},
	{"worked", "Worked", billing.EventWorked},
	{"other", "Of no account here", billing.EventNotOurs},
	{"all", "All", ""},
}

// adminBilling lists events of the payment service.
func (p *Portal) adminBilling(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	at := markOf(r)
	f := billing.EventFilter{State: eventTabs[0].state, Before: at.before, Limit: workRows + 1}
	chosen := eventTabs[0].word
	for _, t := range eventTabs {
		if t.word == r.FormValue("state") {
			f.State, chosen = t.state, t.word
		}
	}
	page := views.AdminBilling{Shell: p.shell(r, v, "Billing"), First: firstPage(r)}
	f.Account, page.Account = accountFilter(r)
	page.AllHref = "/admin/billing?state=" + chosen
	for _, t := range eventTabs {
		page.Tabs = append(page.Tabs, tab("/admin/billing", "state", t.word, t.label, chosen, page.Account))
	}
	found, err := p.Billing.Events(r.Context(), v.operator(), f)
	if err != nil {
		return err
	}
	if len(found) > workRows {
		found = found[:workRows]
		page.Next = nextPage(r, found[len(found)-1].ReceivedAt, uuid.Nil)
	}
	if page.Rows, err = p.paymentEvents(r, v, found); err != nil {
		return err
	}
	if page.Findings, err = p.billingFindings(r, v); err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.AdminBillingPage(page))
}

// billingFindings are what a person must look at. Events that were given up stand in the list of events.
func (p *Portal) billingFindings(r *http.Request, v *Visitor) ([]views.AdminBillingFinding, error) {
	all, err := p.Billing.Findings(r.Context())
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f billing.Finding) bool { return f.Account == uuid.Nil || strings.HasPrefix(f.What, givenUp) })
	ids := make([]uuid.UUID, len(all))
	for i, f := range all {
		ids[i] = f.Account
	}
	names, err := p.Accounts.Names(r.Context(), v.operator(), ids)
	if err != nil {
		return nil, err
	}
	found := make([]views.AdminBillingFinding, len(all))
	for i, f := range all {
		found[i] = views.AdminBillingFinding{Account: names[f.Account], AccountID: f.Account.String(), What: f.What}
	}
	return found, nil
}

func (p *Portal) paymentEvents(r *http.Request, v *Visitor, events []billing.Event) ([]views.AdminEvent, error) {
	var ids []uuid.UUID
	for _, e := range events {
		if e.Account != nil {
			ids = append(ids, *e.Account)
		}
	}
	names, err := p.Accounts.Names(r.Context(), v.operator(), ids)
	if err != nil {
		return nil, err
	}
	rows := make([]views.AdminEvent, len(events))
	for i, e := range events {
		rows[i] = views.AdminEvent{
			ID: e.ID, Type: e.Type, Object: e.Object, State: string(e.State), Attempts: e.Attempts, Error: e.Error,
			ReceivedAt: e.ReceivedAt, EndedAt: e.EndedAt,
		}
		if e.Account == nil {
			continue
		}
		if name, lives := names[*e.Account]; lives {
			rows[i].Account, rows[i].AccountID = name, e.Account.String()
		}
	}
	return rows, nil
}

// adminEvent shows one event with what it carried.
func (p *Portal) adminEvent(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	e, err := p.Billing.Event(r.Context(), v.operator(), pathWord(r, "event"))
	if err != nil {
		return err
	}
	rows, err := p.paymentEvents(r, v, []billing.Event{e})
	if err != nil {
		return err
	}
	page := views.AdminEventOne{Shell: p.shell(r, v, e.Type), Event: rows[0], Payload: string(e.Payload)}
	var lines bytes.Buffer
	if json.Indent(&lines, e.Payload, "", "  ") == nil {
		page.Payload = lines.String()
	}
	return p.show(w, r, http.StatusOK, views.AdminEventPage(page))
}

// adminEventAgain puts an event back on its queue.
func (p *Portal) adminEventAgain(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id := pathWord(r, "event")
	if err := p.Billing.WorkAgain(r.Context(), v.operator(), id); err != nil {
		return err
	}
	p.flash(r, "The event is worked again at once.")
	return see(w, r, "/admin/billing/"+id)
}

// adminSync compares an account with the payment service, and makes it follow.
func (p *Portal) adminSync(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	if _, err := p.Accounts.Get(r.Context(), id); err != nil {
		return err
	}
	report, err := p.Billing.SyncOne(r.Context(), id)
	if f := refused(err); f != nil {
		return p.showAccount(w, r, v, statusOf(f.Code), func(page *views.AdminAccount) { page.SyncRefused = f.Message })
	}
	if err != nil {
		return err
	}
	said := "The account was as the payment service has it."
	if len(report.Changed) > 0 {
		said = "The account is now as the payment service has it."
	}
	if len(report.Findings) > 0 {
		said += " Something about it needs a person: see Billing."
	}
	p.flash(r, said)
	return see(w, r, "/admin/accounts/"+id.String())
}
