package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"veracity/account"
	"veracity/account/trail"
	"veracity/media"
	"veracity/platform/fault"
	"veracity/quota"
	"veracity/usage"
	"veracity/views"
)

// pathWord reads a word from the path.
func pathWord(r *http.Request, name string) string { return chi.URLParam(r, name) }

// accountRows is how many accounts one page shows.
const accountRows = 50

func (p *Portal) adminAccounts(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	query := r.FormValue("q")
	at := markOf(r)
	found, err := p.Accounts.Find(r.Context(), v.operator(), query, at.before, accountRows+1)
	if err != nil {
		return err
	}
	page := views.AdminAccounts{
		Shell: p.shell(r, v, "Accounts"), First: firstPage(r),
		Query: views.Field{Name: "q", Label: "Find by e-mail address, name or id", Type: "search", Value: query, Max: 254, Autocomplete: "off"},
	}
	if len(found) > accountRows {
		found = found[:accountRows]
		last := found[len(found)-1]
		page.Next = nextPage(r, last.CreatedAt, last.ID)
	}
	for _, a := range found {
		page.Rows = append(page.Rows, views.AdminAccountRow{
			ID: a.ID.String(), Name: called(a), Email: a.Email, Plan: a.Plan, State: string(a.State), CreatedAt: a.CreatedAt,
		})
	}
	return p.show(w, r, http.StatusOK, views.AdminAccountsPage(page))
}

// called is what an account is called.
func called(a account.Account) string {
	if a.Name == "" {
		return a.Email
	}
	return a.Name
}

// newest is how many requests, jobs and acts the page of an account shows.
const newest = 10

func (p *Portal) adminAccount(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.showAccount(w, r, v, http.StatusOK, nil)
}

// showAccount shows the page of the account that the path names. change puts a refused form back on it.
func (p *Portal) showAccount(w http.ResponseWriter, r *http.Request, v *Visitor, status int, change func(*views.AdminAccount)) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	acc, err := p.Accounts.Get(r.Context(), id)
	if err != nil {
		return err
	}
	page := views.AdminAccount{
		Shell: p.shell(r, v, called(acc)), ID: acc.ID.String(), Email: acc.Email, Plan: acc.Plan, State: string(acc.State),
		CreatedAt: acc.CreatedAt, ClosesAt: acc.ClosesAt, Suspended: acc.State == account.Suspended,
		Limits: limitFields(acc), Plans: p.planChoices(acc.Plan), Paying: acc.BilledBy == account.ByStripe,
	}
	for _, fill := range []func(*http.Request, *Visitor, uuid.UUID, *views.AdminAccount) error{p.fillPeople, p.fillCredits, p.fillNewest} {
		if err := fill(r, v, id, &page); err != nil {
			return err
		}
	}
	if change != nil {
		change(&page)
	}
	return p.show(w, r, status, views.AdminAccountPage(page))
}

func (p *Portal) fillPeople(r *http.Request, v *Visitor, id uuid.UUID, page *views.AdminAccount) error {
	members, err := p.Accounts.Members(r.Context(), id)
	if err != nil {
		return err
	}
	for _, m := range members {
		page.Members = append(page.Members, shownMember(m, v))
	}
	keys, err := p.Accounts.ListKeys(r.Context(), id)
	if err != nil {
		return err
	}
	for _, k := range keys {
		page.Keys = append(page.Keys, shownKey(k))
	}
	return nil
}

func (p *Portal) fillCredits(r *http.Request, _ *Visitor, id uuid.UUID, page *views.AdminAccount) error {
	b, err := quota.Read(r.Context(), p.DB, id)
	if err != nil {
		return err
	}
	page.Credits = views.AdminCredits{Granted: b.Granted, Held: b.Held, Spent: b.Spent, Available: b.Available, ResetsAt: b.ResetsAt}
	return nil
}

func (p *Portal) fillNewest(r *http.Request, v *Visitor, id uuid.UUID, page *views.AdminAccount) error {
	requests, err := usage.Requests(r.Context(), p.DB, id, usage.RequestFilter{Limit: newest})
	if err != nil {
		return err
	}
	for _, q := range requests {
		row := views.AdminRequest{
			ID: q.ID.String(), At: q.At, Call: q.Call(), Status: q.Status, Code: q.Code, Credits: q.Credits,
			Key: q.KeyName, Took: tookShown(q.Took),
		}
		if q.Key == uuid.Nil {
			row.Key = "Playground"
		}
		page.Requests = append(page.Requests, row)
	}
	jobs, err := p.Media.AllJobs(r.Context(), v.Operator(id), media.AnyJobFilter{Account: id, Limit: newest})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		page.Jobs = append(page.Jobs, adminJob(j))
	}
	entries, err := trail.Read(r.Context(), p.DB, v.Operator(id), trail.Filter{Account: id, Limit: newest})
	if err != nil {
		return err
	}
	for _, e := range entries {
		page.Trail = append(page.Trail, trailRow(e))
	}
	return nil
}

func (p *Portal) planChoices(current string) []views.Choice {
	names := p.Accounts.Plans.Names()
	choices := make([]views.Choice, len(names))
	for i, name := range names {
		choices[i] = views.Choice{Value: name, Label: views.Capital(name), Chosen: name == current}
	}
	return choices
}

// limitFields are the overrides of the limits, empty where the plan's limit holds, with what is in force.
func limitFields(acc account.Account) []views.Field {
	limit := func(name, label string, now int64, override *int64) views.Field {
		f := views.Field{
			Name: name, Label: label, Mode: "numeric", Autocomplete: "off", Max: 17, Hint: "Now " + views.Count(now) + ", as the plan has it.",
		}
		if override != nil {
			f.Value, f.Hint = views.Plain(*override), "Now "+views.Count(now)+", which overrides the plan."
		}
		return f
	}
	o := acc.Overrides
	credits := limit("credits", "Credits a month", acc.Limits.Credits, o.Credits)
	credits.Hint += " Holds for the current period and later ones."
	return []views.Field{
		credits,
		limit("rpm", "Requests a minute", int64(acc.Limits.RPM), wide(o.RPM)),
		limit("jobs", "Jobs at once", int64(acc.Limits.Jobs), wide(o.Jobs)),
		limit("keys", "Keys", int64(acc.Limits.Keys), wide(o.Keys)),
	}
}

func wide(n *int) *int64 {
	if n == nil {
		return nil
	}
	w := int64(*n)
	return &w
}

// adminLimits saves the overrides of an account: a number overrides, an empty field clears.
func (p *Portal) adminLimits(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	typed := func(page *views.AdminAccount) {
		for i := range page.Limits {
			page.Limits[i].Value = r.PostFormValue(page.Limits[i].Name)
		}
	}
	o, wrong := overridesOf(r)
	if len(wrong) > 0 {
		return p.showAccount(w, r, v, http.StatusUnprocessableEntity, func(page *views.AdminAccount) {
			typed(page)
			for i := range page.Limits {
				page.Limits[i].Error = wrong[page.Limits[i].Name]
			}
		})
	}
	_, err = p.Accounts.SetLimits(r.Context(), v.Operator(id), o)
	if f := refused(err); f != nil && f.Code == fault.InvalidLimit {
		return p.showAccount(w, r, v, statusOf(f.Code), func(page *views.AdminAccount) {
			typed(page)
			page.LimitsRefused = f.Message
		})
	}
	if err != nil {
		return err
	}
	p.flash(r, "The limits are saved. They hold from the next call on.")
	return see(w, r, "/admin/accounts/"+id.String())
}

// overridesOf reads the form of limits, and says of each field what is wrong with it.
func overridesOf(r *http.Request) (o account.Overrides, wrong map[string]string) {
	wrong = map[string]string{}
	number := func(name string, bits int) (n *int64, clear bool) {
		raw := strings.ReplaceAll(strings.TrimSpace(r.PostFormValue(name)), ",", "")
		if raw == "" {
			return nil, true
		}
		value, err := strconv.ParseInt(raw, 10, bits)
		if err != nil || value < 0 {
			wrong[name] = "Enter a whole number from 0 on, or nothing."
			return nil, false
		}
		return &value, false
	}
	narrow := func(n *int64) *int {
		if n == nil {
			return nil
		}
		i := int(*n)
		return &i
	}
	var rpm, jobs, keys *int64
	o.Credits, o.Clear.Credits = number("credits", 64)
	rpm, o.Clear.RPM = number("rpm", 32)
	jobs, o.Clear.Jobs = number("jobs", 32)
	keys, o.Clear.Keys = number("keys", 32)
	o.RPM, o.Jobs, o.Keys = narrow(rpm), narrow(jobs), narrow(keys)
	return o, wrong
}

func (p *Portal) adminPlan(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	_, err = p.Accounts.SetPlan(r.Context(), v.Operator(id), r.PostFormValue("plan"))
	if f := refused(err); f != nil && f.Code != fault.UnknownAccount {
		return p.showAccount(w, r, v, statusOf(f.Code), func(page *views.AdminAccount) { page.PlanRefused = f.Message })
	}
	if err != nil {
		return err
	}
	p.flash(r, "The plan is changed. Its limits hold from the next call on.")
	return see(w, r, "/admin/accounts/"+id.String())
}

func (p *Portal) adminSuspend(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.suspend(w, r, v, true)
}

func (p *Portal) adminResume(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.suspend(w, r, v, false)
}

// suspend stops or lets go on the calls of an account, once the operator has said to be sure.
func (p *Portal) suspend(w http.ResponseWriter, r *http.Request, v *Visitor, on bool) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	if r.PostFormValue("sure") != "yes" {
		return p.showAccount(w, r, v, http.StatusUnprocessableEntity, func(page *views.AdminAccount) {
			page.StateRefused = "Tick the box to show that you mean it. Nothing was changed."
		})
	}
	act, said := p.Accounts.Resume, "The account may call again."
	if on {
		act, said = p.Accounts.Suspend, "The account is suspended: its calls are refused from the next one on."
	}
	if err := act(r.Context(), v.Operator(id)); err != nil {
		return err
	}
	p.flash(r, said)
	return see(w, r, "/admin/accounts/"+id.String())
}
