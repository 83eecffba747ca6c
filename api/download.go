package api

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
)

// downloadStall is how long a client may take no byte of a download before it is cut off.
const downloadStall = 60 * time.Second

// download is GET /optimize/{id}/file and /image. The file is streamed from storage and never handed on to it: so a link
// ends exactly when the optimization expires, the bucket stays private, and its address and signatures stay unknown.
// Ranges, If-Range and If-None-Match are answered as RFC 9110 has it.
func (a *API) download(w http.ResponseWriter, r *http.Request) error {
	out, err := a.media.OpenOutput(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	left := max(0, int(time.Until(out.ExpiresAt)/time.Second))
	h := w.Header()
	h.Set("Content-Type", out.ContentType)
	h.Set("Content-Disposition", `attachment; filename="`+out.Name+`"`)
	h.Set("ETag", `"`+out.Version+`"`)
	h.Set("Cache-Control", "private, immutable, max-age="+strconv.Itoa(left))
	h.Set("Expires", out.ExpiresAt.UTC().Format(http.TimeFormat))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(&unstalled{ResponseWriter: w}, r, out.Name, out.EndedAt, out)
	return nil
}

// unstalled bounds each write to a client, rather than the whole download, which may be as slow as it likes.
type unstalled struct {
	http.ResponseWriter
}

// Write implements io.Writer.
func (u *unstalled) Write(p []byte) (int, error) {
	// A server without deadlines (a test recorder) has nothing to bound.
	_ = http.NewResponseController(u.ResponseWriter).SetWriteDeadline(time.Now().Add(downloadStall))
	n, err := u.ResponseWriter.Write(p)
	if err != nil {
		return n, fmt.Errorf("send download: %w", err)
	}
	return n, nil
}
