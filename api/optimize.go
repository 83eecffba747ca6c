package api

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"veracity/media"
	"veracity/platform/fault"
)

// optimize is POST /optimize.
func (a *API) optimize(ctx context.Context, req request) (answer, error) {
	f, err := parseFields(req.body)
	if err != nil {
		return answer{}, err
	}
	src, err := f.source()
	if err != nil {
		return answer{}, err
	}
	callback, err := f.callback()
	if err != nil {
		return answer{}, err
	}
	answerTo := func(id uuid.UUID) answer {
		return answer{status: http.StatusAccepted, body: encode(media.Optimization{ID: id, Status: media.Queued, Media: src.Media})}
	}
	id, err := a.media.StartOptimize(ctx, req.caller, src, callback, req.recordJob(answerTo))
	if err != nil {
		return answer{}, err
	}
	return answerTo(id), nil
}

// callback reads callback_url, "" when there is none.
func (f fields) callback() (string, error) {
	if _, ok := f["callback_url"]; !ok {
		return "", nil
	}
	callback, ok := f.text("callback_url")
	switch {
	case !ok:
		return "", fault.New(fault.InvalidCallback, "callback_url must be a string: a public https URL.")
	case callback == "":
		return "", fault.New(fault.InvalidURL, "callback_url is empty: leave it out or send a public https URL.")
	}
	return callback, nil
}

// readOptimization is GET /optimize/{id}.
func (a *API) readOptimization(w http.ResponseWriter, r *http.Request) error {
	body, err := a.media.ReadOptimization(r.Context(), callerOf(r.Context()), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}
