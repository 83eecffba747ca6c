package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/usage"
	"veracity/views"
)

const (
	// requestsAPage is how many requests a page has.
	requestsAPage = 50
	// playgroundKey stands for the playground where a key is chosen.
	playgroundKey = "playground"
)

// wanted is what the form of the requests asks for.
type wanted struct {
	key, code, id string
	page          int
}

func wantedOf(r *http.Request) wanted {
	q := r.URL.Query()
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		page = 1
	}
	return wanted{key: q.Get("key"), code: q.Get("code"), id: strings.TrimSpace(q.Get("id")), page: page}
}

// filter is the request to the log. A key that no form offers is no page.
func (q wanted) filter() (usage.RequestFilter, error) {
	f := usage.RequestFilter{Code: q.code, ID: q.id}
	switch q.key {
	case "":
	case playgroundKey:
		f.Key = &uuid.UUID{}
	default:
		key, err := uuid.Parse(q.key)
		if err != nil || key == uuid.Nil {
			return f, noPage()
		}
		f.Key = &key
	}
	return f, nil
}

// at is the address of another page of the same list.
func (q wanted) at(page int) string {
	values := url.Values{}
	for name, value := range map[string]string{"key": q.key, "code": q.code, "id": q.id} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	if len(values) == 0 {
		return "/account/requests"
	}
	return "/account/requests?" + values.Encode()
}

// requests shows the newest requests, by key, code or Request-Id when asked.
func (p *Portal) requests(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	q := wantedOf(r)
	filter, err := q.filter()
	if err != nil {
		return err
	}
	f, err := p.frame(r, v, "Requests")
	if err != nil {
		return err
	}
	found, err := usage.Requests(r.Context(), p.DB, v.Account, filter)
	if err != nil {
		return err
	}
	page := views.Requests{Shell: f.Shell, ID: q.id, Filtered: q.key != "" || q.code != "" || q.id != ""}
	if page.Keys, err = p.keyChoices(r, v, q.key); err != nil {
		return err
	}
	if page.Codes, err = p.codeChoices(r, v, q.code); err != nil {
		return err
	}
	q.cut(&page, found)
	return p.show(w, r, http.StatusOK, views.RequestsPage(page))
}

// cut puts the wanted part of what was found on the page, the nearest one where there is no such part.
func (q wanted) cut(page *views.Requests, found []usage.Request) {
	pages := max(1, (len(found)+requestsAPage-1)/requestsAPage)
	n := min(max(q.page, 1), pages)
	first := (n - 1) * requestsAPage
	last := min(first+requestsAPage, len(found))
	page.First, page.Last, page.Found = int64(first+1), int64(last), int64(len(found))
	for _, r := range found[first:last] {
		page.Rows = append(page.Rows, requestShown(r))
	}
	if n > 1 {
		page.Newer = q.at(n - 1)
	}
	if n < pages {
		page.Older = q.at(n + 1)
	}
}

func requestShown(r usage.Request) views.RequestRow {
	row := views.RequestRow{
		ID: r.ID.String(), At: r.At, Call: r.Call(), Status: strconv.Itoa(r.Status), StatusKind: statusKind(r), Code: r.Code,
		Verdict: r.Verdict, Credits: r.Credits, Took: tookShown(r.Took),
	}
	row.Key, _ = keyShown(r.Key, r.KeyName, r.KeyStart)
	return row
}

// statusKind is the kind of badge for how a request ended.
func statusKind(r usage.Request) string {
	switch {
	case usage.Failed(r.Status, r.Code):
		return "bad"
	case r.Status >= http.StatusBadRequest:
		return "warn"
	}
	return "good"
}

// tookShown writes a time of three figures or so: 0.8 ms, 123 ms, 4.5 s.
func tookShown(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + "\u00a0ms"
	case ms < 1000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + "\u00a0ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + "\u00a0s"
}

// keyChoices are the keys that requests can be narrowed to: all that are live, and those revoked last.
func (p *Portal) keyChoices(r *http.Request, v *Visitor, chosen string) ([]views.Choice, error) {
	keys, err := usage.Keys(r.Context(), p.DB, v.Account)
	if err != nil {
		return nil, err
	}
	choices := []views.Choice{
		{Label: "All keys", Chosen: chosen == ""},
		{Value: playgroundKey, Label: "Playground", Chosen: chosen == playgroundKey},
	}
	for _, k := range keys {
		label := k.Name
		if k.Revoked {
			label += " (revoked)"
		}
		choices = append(choices, views.Choice{Value: k.ID.String(), Label: label, Chosen: chosen == k.ID.String()})
	}
	return choices, nil
}

// codeChoices are the codes that occur, and the chosen one.
func (p *Portal) codeChoices(r *http.Request, v *Visitor, chosen string) ([]views.Choice, error) {
	codes, err := usage.Codes(r.Context(), p.DB, v.Account)
	if err != nil {
		return nil, err
	}
	if chosen != "" && !slices.Contains(codes, chosen) {
		codes = append(codes, chosen)
	}
	choices := []views.Choice{{Label: "All codes", Chosen: chosen == ""}}
	for _, code := range codes {
		choices = append(choices, views.Choice{Value: code, Label: code, Chosen: code == chosen})
	}
	return choices, nil
}
