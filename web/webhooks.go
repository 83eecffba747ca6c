package web

import (
	"net/http"
	"slices"
	"strconv"

	"veracity/account/access"
	"veracity/views"
	"veracity/webhook"
)

// shownDeliveries is how many webhooks are listed at most.
const shownDeliveries = 200

func (p *Portal) deliveries(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	f, err := p.frame(r, v, "Webhooks")
	if err != nil {
		return err
	}
	list, err := p.Webhooks.List(r.Context(), v.Account, shownDeliveries)
	if err != nil {
		return err
	}
	page := views.Deliveries{Shell: f.Shell, Limit: shownDeliveries}
	for _, d := range list {
		page.Rows = append(page.Rows, deliveryRow(d))
	}
	return p.show(w, r, http.StatusOK, views.DeliveriesPage(page))
}

func deliveryRow(d webhook.Delivery) views.Delivery {
	return views.Delivery{
		ID: d.ID.String(), Job: d.Job.String(), URL: d.URL, State: string(d.State), Attempts: d.Attempts,
		NextAt: d.NextAt, CreatedAt: d.CreatedAt, EndedAt: d.EndedAt,
	}
}

func (p *Portal) delivery(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	d, attempts, err := p.Webhooks.Get(r.Context(), v.Account, id)
	if err != nil {
		return err
	}
	page := views.DeliveryDetail{Delivery: deliveryRow(d), Payload: laidOut(d.Payload), MayRedeliver: v.Actor().Can(access.Redeliver)}
	// A key that is gone cannot sign: the page then shows no headers.
	header, err := p.Webhooks.Signed(r.Context(), v.Account, id)
	if err != nil && refused(err) == nil {
		return err
	}
	page.Headers = headersShown(header)
	if _, err := p.Media.Job(r.Context(), v.Account, d.Job); err == nil {
		page.JobHref = "/account/jobs/" + d.Job.String()
	} else if refused(err) == nil {
		return err
	}
	for _, a := range slices.Backward(attempts) {
		page.Attempts = append(page.Attempts, attemptRow(a))
	}
	f, err := p.frame(r, v, "Webhook")
	if err != nil {
		return err
	}
	page.Shell = f.Shell
	return p.show(w, r, http.StatusOK, views.DeliveryPage(page))
}

func headersShown(header map[string][]string) []views.Header {
	var shown []views.Header
	for name, values := range header {
		for _, value := range values {
			shown = append(shown, views.Header{Name: name, Value: value})
		}
	}
	slices.SortFunc(shown, func(a, b views.Header) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return shown
}

func attemptRow(a webhook.Attempted) views.Attempt {
	row := views.Attempt{Number: a.Number, StartedAt: a.StartedAt, Kind: "bad", Status: "No answer", Excerpt: printable(string(a.Excerpt))}
	switch {
	case a.Status != nil:
		row.Status = strconv.Itoa(*a.Status)
		if *a.Status >= 200 && *a.Status <= 299 {
			row.Kind = "good"
		}
	case a.EndedAt == nil:
		row.Kind, row.Status = "", "No end noted"
	}
	if a.Error != nil {
		row.Error = *a.Error
	}
	if a.LatencyMS != nil {
		row.Latency = views.Count(int64(*a.LatencyMS)) + " ms"
	}
	return row
}

func (p *Portal) redeliver(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := p.Webhooks.Redeliver(r.Context(), v.Actor(), id); err != nil {
		return err
	}
	p.flash(r, "The webhook goes out again at once.")
	return see(w, r, "/account/webhooks/"+id.String())
}
