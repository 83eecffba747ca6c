package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/account/trail"
	"veracity/views"
)

// trailRows is how many acts one page shows.
const trailRows = 50

// trail shows what was done in the account.
func (p *Portal) trail(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	f, err := p.frame(r, v, "Audit trail")
	if err != nil {
		return err
	}
	members, err := p.Accounts.Members(r.Context(), v.Account)
	if err != nil {
		return err
	}
	user, _ := uuid.Parse(r.FormValue("user")) // what is no id filters nothing
	page := views.Trail{Shell: f.Shell, People: []views.Choice{{Value: "", Label: "Everybody"}}}
	for _, m := range members {
		page.People = append(page.People, views.Choice{Value: m.User.String(), Label: m.Email, Chosen: m.User == user})
	}
	at := markOf(r)
	entries, err := trail.Read(r.Context(), p.DB, v.Actor(), trail.Filter{
		User: user, Limit: trailRows + 1, Before: at.before, BeforeID: at.id,
	})
	if err != nil {
		return err
	}
	page.Rows, page.Next = trailPage(r, entries)
	page.First = firstPage(r)
	return p.show(w, r, http.StatusOK, views.TrailPage(page))
}

// trailPage makes rows of one page's entries, of which one more than fits was read.
func trailPage(r *http.Request, entries []trail.Entry) (rows []views.TrailRow, next string) {
	if len(entries) > trailRows {
		entries = entries[:trailRows]
		last := entries[len(entries)-1]
		next = nextPage(r, last.At, last.ID)
	}
	rows = make([]views.TrailRow, len(entries))
	for i, e := range entries {
		rows[i] = trailRow(e)
	}
	return rows, next
}

func trailRow(e trail.Entry) views.TrailRow {
	row := views.TrailRow{At: e.At, Who: who(e), What: tell(e), Subject: e.Subject, Address: e.Address}
	if e.Act == signedIn {
		row.Subject = "" // how, which the sentence says
	}
	return row
}

// mark is where a page of a long list begins: after the row of that time and id. Its zero value is the newest row.
type mark struct {
	before *time.Time
	id     uuid.UUID
}

// markOf reads the mark from the address: microseconds since 1970, which is what PostgreSQL keeps, and an id. What is
// none is the newest row.
func markOf(r *http.Request) mark {
	micros, raw, ok := strings.Cut(r.FormValue("before"), ".")
	n, err := strconv.ParseInt(micros, 10, 64)
	id, idErr := uuid.Parse(raw)
	// Years beyond 9999 are none that PostgreSQL and pgx agree on.
	if !ok || err != nil || idErr != nil || n < 0 || n > maxMark {
		return mark{}
	}
	at := time.UnixMicro(n)
	return mark{before: &at, id: id}
}

// maxMark is the end of the year 9999, in microseconds.
const maxMark = 253_402_300_799_999_999

// nextPage is the address of what follows a row, with the same filters.
func nextPage(r *http.Request, at time.Time, id uuid.UUID) string {
	query := filters(r)
	query.Set("before", strconv.FormatInt(at.UnixMicro(), 10)+"."+id.String())
	return r.URL.Path + "?" + query.Encode()
}

// firstPage is the address of the newest rows with the same filters, or "" on that page itself.
func firstPage(r *http.Request) string {
	if markOf(r).before == nil {
		return ""
	}
	if query := filters(r); len(query) > 0 {
		return r.URL.Path + "?" + query.Encode()
	}
	return r.URL.Path
}

// filters are the address's own parameters without the page.
func filters(r *http.Request) url.Values {
	query := r.URL.Query()
	query.Del("before")
	return query
}
