package web

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"veracity/usage"
	"veracity/views"
)

// ranges are the lengths in days that usage is shown for; the second one is shown unasked.
var ranges = []int{7, 30, usage.MaxRange}

// rangeOf reads the wanted range. What is none of them is the usual one.
func rangeOf(r *http.Request) int {
	days, err := strconv.Atoi(r.URL.Query().Get("days"))
	if err != nil || !slices.Contains(ranges, days) {
		return ranges[1]
	}
	return days
}

// usage shows what the account used by key, call and day.
func (p *Portal) usage(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	f, err := p.frame(r, v, "Usage")
	if err != nil {
		return err
	}
	days := rangeOf(r)
	from, to := lastDays(days)
	rows, err := usage.ByCall(r.Context(), p.DB, v.Account, from, to)
	if err != nil {
		return err
	}
	page := views.Usage{
		Shell: f.Shell, From: from, To: to, CSV: "/account/usage.csv?days=" + strconv.Itoa(days),
		Totals: countsShown(usage.Totals(rows)),
	}
	for _, n := range ranges {
		page.Ranges = append(page.Ranges, views.Tab{
			Label: strconv.Itoa(n) + " days", Href: "/account/usage?days=" + strconv.Itoa(n), Current: n == days,
		})
	}
	for _, row := range usage.ByKey(rows) {
		label, start := keyShown(row.Key, row.KeyName, row.KeyStart)
		page.ByKey = append(page.ByKey, views.UsageRow{Label: label, Detail: start, UsageCounts: countsShown(row.Counts)})
	}
	for _, row := range usage.Calls(rows) {
		page.ByCall = append(page.ByCall, views.UsageRow{Label: callShown(row.Call), UsageCounts: countsShown(row.Counts)})
	}
	for _, d := range slices.Backward(usage.Days(rows, from, to)) {
		page.ByDay = append(page.ByDay, views.UsageRow{Day: d.Day, UsageCounts: countsShown(d.Counts)})
	}
	return p.show(w, r, http.StatusOK, views.UsagePage(page))
}

// keyShown is how a key is named in tables, with the start of it where it has one.
func keyShown(id uuid.UUID, name, start string) (label, detail string) {
	switch {
	case id == uuid.Nil:
		return "Playground", ""
	case name == "":
		return id.String(), ""
	}
	return name, start + "…"
}

// callShown names a call; charges older than the record of calls have none.
func callShown(call string) string {
	if call == "" {
		return "Not recorded"
	}
	return call
}

func countsShown(c usage.Counts) views.UsageCounts {
	return views.UsageCounts{
		Requests: c.Requests, Refused: c.Refused, Failed: c.Failed, AI: c.AI, Real: c.Real, Uncertain: c.Uncertain,
		Unavailable: c.Unavailable, Credits: c.Credits,
	}
}

// usageCSV is the same range as a file, a line for each day, key and call.
func (p *Portal) usageCSV(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	from, to := lastDays(rangeOf(r))
	rows, err := usage.ByCall(r.Context(), p.DB, v.Account, from, to)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := usage.WriteCSV(&file, rows); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Length", strconv.Itoa(file.Len()))
	h.Set("Content-Disposition", `attachment; filename="veracity-usage-`+from.Format(time.DateOnly)+"-to-"+to.Format(time.DateOnly)+`.csv"`)
	_, _ = w.Write(file.Bytes())
	return nil
}
