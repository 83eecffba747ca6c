package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"veracity/media"
	"veracity/platform/fault"
	"veracity/platform/storage"
)

// download is GET /optimize/{id}/file and /image. The file is streamed from storage and never handed on to it: so a link
// ends exactly when the optimization expires, the bucket stays private, and its address and signatures stay unknown.
// Conditions and one range are answered as RFC 9110 has it (sections 13 and 14).
func (a *API) download(w http.ResponseWriter, r *http.Request) error {
	out, err := a.media.OpenOutput(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	return sendOutput(w, r, out)
}

// sendOutput answers with the file, or returns why it is refused. A transfer that breaks off ends the connection, so
// that nobody takes what came for the whole.
func sendOutput(w http.ResponseWriter, r *http.Request, out media.Output) error {
	file := &watchedFile{content: out}
	held := &heldAnswer{to: w, header: outputHeader(out)}
	http.ServeContent(held, oneRange(r, out.Info().Size), out.Name, out.EndedAt, file)
	switch {
	case held.err != nil, held.begun && file.err != nil && r.Context().Err() != nil:
		noteOutcome(r.Context(), clientGone(errors.Join(held.err, file.err)))
		panic(http.ErrAbortHandler)
	case file.err != nil && held.begun:
		noteCut(r.Context(), outputFault(file.err))
		panic(http.ErrAbortHandler)
	case file.err != nil:
		return outputFault(file.err)
	case held.status == http.StatusPreconditionFailed:
		return fault.New(fault.PreconditionFailed, "The file is not, or is no longer, the one that the condition names.")
	case held.status == http.StatusRequestedRangeNotSatisfiable:
		w.Header().Set("Content-Range", held.header.Get("Content-Range"))
		return fault.New(fault.RangeNotSatisfiable, "The file has %d bytes, and none of them is in the range asked for.", out.Info().Size)
	case held.status >= http.StatusBadRequest:
		return fmt.Errorf("serve output: status %d", held.status)
	}
	held.begin()
	return nil
}

func outputHeader(out media.Output) http.Header {
	left := max(0, int(time.Until(out.ExpiresAt)/time.Second))
	h := http.Header{}
	h.Set("Content-Type", out.ContentType)
	h.Set("Content-Disposition", `attachment; filename="`+out.Name+`"`)
	h.Set("ETag", `"`+out.Version+`"`)
	h.Set("Cache-Control", "private, immutable, max-age="+strconv.Itoa(left))
	h.Set("Expires", out.ExpiresAt.UTC().Format(http.TimeFormat))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	return h
}

// outputFault says of a file that cannot be read what the API answers while it still can.
func outputFault(err error) error {
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return fault.Wrap(err, fault.NotFound, "The file of this optimization is gone.")
	case errors.Is(err, storage.ErrUnavailable):
		return fault.Wrap(err, fault.UploadsUnavailable, "File storage does not answer. Try again shortly.")
	}
	return fmt.Errorf("read output: %w", err)
}
