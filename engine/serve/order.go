package serve

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
)

// order is what a caller asks of a job.
type order struct {
	media      engine.Media
	maxSeconds float64
	// size is the file's length in bytes.
	size int64
	// room is how many bytes the signature of an output takes, 0 for none.
	room int
}

// readOrder reads a job's parameters and refuses what is none, so that nothing hostile gets beyond it.
func readOrder(r *http.Request, media ...engine.Media) (order, *fault.Fault) {
	query := r.URL.Query()
	o := order{media: engine.Media(query.Get(engine.ParamMedia)), size: r.ContentLength}
	if !slices.Contains(media, o.media) {
		return order{}, fault.New(fault.InvalidParameter, "%s is %q: one of %q is needed.", engine.ParamMedia, o.media, media)
	}
	if o.size < 0 {
		return order{}, errNoLength()
	}
	if text := query.Get(engine.ParamSign); text != "" {
		var err error
		if o.room, err = strconv.Atoi(text); err != nil || o.room < 1 || o.room > engine.MaxSignature {
			return order{}, fault.New(fault.InvalidParameter, "%s is %q: 1 to %d is needed.", engine.ParamSign, text, engine.MaxSignature)
		}
	}
	if o.media == engine.Image {
		return o, engine.RefuseSize(o.size)
	}
	if f := engine.RefuseClip(o.media, o.size); f != nil {
		return order{}, f
	}
	text := query.Get(engine.ParamMaxSeconds)
	seconds, err := strconv.ParseFloat(text, 64)
	// What is no number fails every comparison.
	if err != nil || !(seconds > 0 && seconds <= engine.MaxClipSeconds) {
		return order{}, fault.New(fault.InvalidParameter, "%s is %q: a number over 0 and at most %d is needed.",
			engine.ParamMaxSeconds, text, engine.MaxClipSeconds)
	}
	o.maxSeconds = seconds
	return o, nil
}

// jobRetryAfter is the wait asked of a caller whose job finds no place or no room.
const jobRetryAfter = 10 * time.Second

// refuseJob is the fault of a job that has to come back: in a moment to an engine that closes, for the next one is up
// soon, and else when another job has ended.
func refuseJob(cause error) *fault.Fault {
	f := unavailable(cause)
	if errors.Is(cause, errClosing) {
		return f
	}
	return f.WithRetryAfter(jobRetryAfter)
}
