package web

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"veracity/platform/fault"
)

// Bounds of a form's body. Pages that take files set wider ones of their own (see bounded).
const (
	maxForm  = 64 << 10
	formTime = 20 * time.Second
)

// bounded runs a page with its form read, within bounds of size and time. A multipart body is left to the page.
func (p *Portal) bounded(w http.ResponseWriter, r *http.Request, v *Visitor, page Page) error {
	if r.Method != http.MethodPost || isMultipart(r) {
		return page(w, r, v)
	}
	// A server without deadlines (a test recorder) has nothing to bound.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return fault.Wrap(err, fault.InvalidInput, "The form could not be read. Go back and send it again.")
	}
	return page(w, r, v)
}

func isMultipart(r *http.Request) bool {
	t := r.Header.Get("Content-Type")
	return len(t) >= 10 && t[:10] == "multipart/"
}

// pathID reads a UUID from the path. What is none reads as not found.
func pathID(r *http.Request, name string) (uuid.UUID, error) {
	raw := chi.URLParam(r, name)
	id, err := uuid.Parse(raw)
	if err != nil || len(raw) != 36 {
		return uuid.Nil, noPage()
	}
	return id, nil
}

// see answers a form that has been acted on with another page (RFC 9110, section 15.4.4), so that a reload acts on
// nothing.
func see(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther) //nolint:gosec // own paths alone: what a form names goes through next
	return nil
}
