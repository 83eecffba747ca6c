package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"veracity/media"
	"veracity/views"
	"veracity/webhook"
)

// workRows is how many jobs or webhooks one page shows.
const workRows = 50

// jobTabs are the ways to look at jobs: what failed comes first.
var jobTabs = []struct {
	word, label string
	status      media.Status
}{
	{"failed", "Failed", media.Failed},
	{"running", "Running", media.Running},
	{"queued", "Queued", media.Queued},
	{"succeeded", "Succeeded", media.Succeeded},
	{"all", "All", ""},
}

// adminJobs lists jobs of all accounts, or of one.
func (p *Portal) adminJobs(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	at := markOf(r)
	f := media.AnyJobFilter{Status: jobTabs[0].status, Before: at.before, BeforeID: at.id, Limit: workRows + 1}
	chosen := jobTabs[0].word
	for _, t := range jobTabs {
		if t.word == r.FormValue("status") {
			f.Status, chosen = t.status, t.word
		}
	}
	page := views.AdminJobs{Shell: p.shell(r, v, "Jobs"), First: firstPage(r)}
	f.Account, page.Account = accountFilter(r)
	page.AllHref = "/admin/jobs?status=" + chosen
	for _, t := range jobTabs {
		page.Tabs = append(page.Tabs, tab("/admin/jobs", "status", t.word, t.label, chosen, page.Account))
	}
	found, err := p.Media.AllJobs(r.Context(), v.operator(), f)
	if err != nil {
		return err
	}
	if len(found) > workRows {
		found = found[:workRows]
		last := found[len(found)-1]
		page.Next = nextPage(r, last.CreatedAt, last.ID)
	}
	for _, j := range found {
		page.Rows = append(page.Rows, adminJob(j))
	}
	return p.show(w, r, http.StatusOK, views.AdminJobsPage(page))
}

// accountFilter is the account that a list is narrowed to; what is no id narrows to an account that has nothing.
func accountFilter(r *http.Request) (id uuid.UUID, shown string) {
	raw := r.FormValue("account")
	if raw == "" {
		return uuid.Nil, ""
	}
	id, err := uuid.Parse(raw)
	if err != nil {
		id = uuid.Max
	}
	return id, id.String()
}

func tab(path, parameter, word, label, chosen, account string) views.Tab {
	query := url.Values{parameter: {word}}
	if account != "" {
		query.Set("account", account)
	}
	return views.Tab{Label: label, Href: path + "?" + query.Encode(), Current: word == chosen}
}

func adminJob(j media.AnyJob) views.AdminJob {
	shown := views.AdminJob{
		ID: j.ID.String(), Account: j.AccountName, AccountID: j.Account.String(), Kind: kindWords[j.Kind], Media: mediaWords[string(j.Media)],
		Status: string(j.Status), Attempt: j.Attempt, Percent: int(j.Progress * 100), Charged: j.Charged,
		CreatedAt: j.CreatedAt, EndedAt: j.EndedAt,
	}
	if j.ErrorCode != nil {
		shown.Error = *j.ErrorCode
	}
	if j.ErrorMessage != nil {
		shown.ErrorText = *j.ErrorMessage
	}
	return shown
}

// deliveryTabs are the ways to look at webhooks: those that fail come first.
var deliveryTabs = []struct {
	word, label string
	state       webhook.State
}{
	{"failing", "Failing", ""},
	{"pending", "Pending", webhook.Pending},
	{"given_up", "Given up", webhook.GivenUp},
	{"delivered", "Delivered", webhook.Delivered},
	{"all", "All", ""},
}

// adminWebhooks lists webhooks of all accounts, or of one.
func (p *Portal) adminWebhooks(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	at := markOf(r)
	f := webhook.AnyDeliveryFilter{Before: at.before, BeforeID: at.id, Limit: workRows + 1}
	chosen := deliveryTabs[0].word
	for _, t := range deliveryTabs {
		if t.word == r.FormValue("state") {
			f.State, chosen = t.state, t.word
		}
	}
	f.Failing = chosen == deliveryTabs[0].word
	page := views.AdminWebhooks{Shell: p.shell(r, v, "Webhooks"), First: firstPage(r)}
	f.Account, page.Account = accountFilter(r)
	page.AllHref = "/admin/webhooks?state=" + chosen
	for _, t := range deliveryTabs {
		page.Tabs = append(page.Tabs, tab("/admin/webhooks", "state", t.word, t.label, chosen, page.Account))
	}
	found, err := p.Webhooks.AllDeliveries(r.Context(), v.operator(), f)
	if err != nil {
		return err
	}
	if len(found) > workRows {
		found = found[:workRows]
		last := found[len(found)-1]
		page.Next = nextPage(r, last.CreatedAt, last.ID)
	}
	for _, d := range found {
		page.Rows = append(page.Rows, adminDelivery(d))
	}
	return p.show(w, r, http.StatusOK, views.AdminWebhooksPage(page))
}

func adminDelivery(d webhook.AnyDelivery) views.AdminDelivery {
	shown := views.AdminDelivery{
		ID: d.ID.String(), Account: d.AccountName, AccountID: d.Account.String(), Job: d.Job.String(), URL: d.URL,
		State: string(d.State), Attempts: d.Attempts, NextAt: d.NextAt, CreatedAt: d.CreatedAt,
	}
	switch {
	case d.LastStatus != nil:
		shown.Last = "HTTP " + strconv.Itoa(*d.LastStatus)
	case d.LastError != nil:
		shown.Last = *d.LastError
	}
	return shown
}

// adminRedeliver sends a webhook of any account again. The form names the account, so that the act finds it there alone.
func (p *Portal) adminRedeliver(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	account, err := uuid.Parse(r.PostFormValue("account"))
	if err != nil {
		return noPage()
	}
	if err := p.Webhooks.Redeliver(r.Context(), v.Operator(account), id); err != nil {
		return err
	}
	p.flash(r, "The webhook is sent again at once.")
	return see(w, r, "/admin/webhooks?state=pending")
}
