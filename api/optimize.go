package api

import (
	"context"
	"net/http"

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
	var callback string
	if _, ok := f["callback_url"]; ok {
		if callback, ok = f.text("callback_url"); !ok {
			return answer{}, fault.New(fault.InvalidCallback, "callback_url must be a string: a public https URL.")
		}
		if callback == "" {
			return answer{}, fault.New(fault.InvalidURL, "callback_url is empty: leave it out or send a public https URL.")
		}
	}
	return answer{}, a.media.StartOptimize(ctx, req.caller, src, callback)
}

// readOptimization is GET /optimize/{id}. No optimization exists while optimizing is paused.
func (a *API) readOptimization(http.ResponseWriter, *http.Request) error {
	return noOptimization()
}

// download is GET /optimize/{id}/file and /image.
func (a *API) download(http.ResponseWriter, *http.Request) error {
	return noOptimization()
}

func noOptimization() error {
	return fault.New(fault.NotFound, "There is no such optimization, it has not succeeded yet, or it has expired.")
}
