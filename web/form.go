package web

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"veracity/platform/fault"
)

// Bounds of a form's body. The playground, which takes files, sets wider ones of its own.
const (
	maxForm  = 64 << 10
	formTime = 20 * time.Second
)

// bound reads the form, within bounds of size and time, before anybody asks who sent it: whoever sends a form slowly
// acts by the sign-in and the role of its end. Where a form has been read, net/http reads no multipart body by itself,
// which it would without a bound. A GET has no body; the playground's form is read as it comes.
func (p *Portal) bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			r.Body = http.NoBody
		case r.Method == http.MethodPost && r.URL.Path != playPath:
			// A server without deadlines (a test recorder) has nothing to bound.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime))
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			if err := r.ParseForm(); err != nil {
				p.fail(w, r, fault.Wrap(err, fault.InvalidInput, "The form could not be read. Go back and send it again."))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
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
