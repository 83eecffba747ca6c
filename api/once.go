package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veracity/media"
	"veracity/platform/fault"
)

// request is a POST as its act sees it.
type request struct {
	caller media.Caller
	query  url.Values
	body   []byte
	// record saves an answer for replay in a transaction of the act's own; nil without an Idempotency-Key.
	record func(ctx context.Context, tx pgx.Tx, ans answer) error
}

// answer is what a POST answers when it succeeds.
type answer struct {
	status int
	body   []byte
}

// maxIdempotencyKey is the longest Idempotency-Key in bytes.
const maxIdempotencyKey = 255

// act is what a POST does.
type act func(context.Context, request) (answer, error)

// once runs an act, and runs it once for all requests with one Idempotency-Key and one body
// (draft-ietf-httpapi-idempotency-key-header): later ones get the first one's answer with Idempotent-Replayed: true.
func (a *API) once(act act) http.HandlerFunc {
	return handle(func(w http.ResponseWriter, r *http.Request) error {
		body, err := readBody(w, r)
		if err != nil {
			return err
		}
		req := request{caller: callerOf(r.Context()), query: r.URL.Query(), body: body}
		key := strings.TrimSpace(r.Header.Get("Idempotency-Key"))
		if key == "" {
			ans, err := act(r.Context(), req)
			if err != nil {
				return err
			}
			writeJSON(w, ans.status, ans.body)
			return nil
		}
		if !goodKey(key) {
			return fault.New(fault.InvalidParameter, "Idempotency-Key must have 1 to %d printable ASCII characters.", maxIdempotencyKey)
		}
		ans, replayed, err := a.runOnce(r.Context(), req, key, requestHash(r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery, body), act)
		if err != nil {
			return err
		}
		if replayed {
			noteOutcome(r.Context(), ans.refusal())
			w.Header().Set("Idempotent-Replayed", "true")
		}
		writeJSON(w, ans.status, ans.body)
		return nil
	})
}

func goodKey(key string) bool {
	return key != "" && len(key) <= maxIdempotencyKey && !strings.ContainsFunc(key, notPrintable)
}

// refusal is the fault that a stored answer tells of, nil for one of success.
func (ans answer) refusal() *fault.Fault {
	var refusal errorBody
	if ans.status >= http.StatusBadRequest && json.Unmarshal(ans.body, &refusal) == nil {
		return fault.New(refusal.Code, "%s", refusal.Message)
	}
	return nil
}

// onceTime bounds an act that runs on without its caller: a little over the longest fetch of a source.
const onceTime = 6 * time.Minute

// runOnce runs an act under a key, or gives the answer of the request that had the key first: a refusal, too, when it is
// one that is stored. hash tells other requests under the key.
func (a *API) runOnce(ctx context.Context, req request, key string, hash []byte, act act) (ans answer, replayed bool, err error) {
	// A caller who hangs up comes back with the same key, and must find the answer rather than begin from the first byte.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), onceTime)
	defer cancel()
	mine, stored, err := a.twins.begin(ctx, req.caller.Account, key, hash)
	if err != nil {
		return answer{}, false, err
	}
	if stored != nil {
		return *stored, true, nil
	}
	stop := mine.keepAlive(ctx)
	defer stop()
	req.record = mine.save

	ans, err = act(ctx, req)
	if err == nil {
		return ans, false, mine.finish(ctx, ans)
	}
	f := fault.From(err)
	if status := statusOf(f.Code); status < http.StatusInternalServerError && !retryable(f.Code) && ctx.Err() == nil {
		if err := mine.finish(ctx, answer{status: status, body: encode(bodyOf(f))}); err != nil {
			return answer{}, false, err
		}
		return answer{}, false, f
	}
	mine.forget(ctx)
	return answer{}, false, err
}

// retryable tells a refusal that another try may not meet, and that is therefore not stored.
func retryable(code fault.Code) bool {
	switch code { //nolint:exhaustive // all other codes are about the request itself
	case fault.ImageUnreachable, fault.VideoUnreachable, fault.AudioUnreachable, fault.UploadNotFound, fault.InvalidCallback:
		return true
	}
	switch statusOf(code) {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return true
	}
	return false
}

// requestHash tells requests under one key apart; name is what was called.
func requestHash(name string, body []byte) []byte {
	h := sha256.New()
	h.Write([]byte(name + "\n"))
	h.Write(body)
	return h.Sum(nil)
}

func notPrintable(c rune) bool { return c < 0x20 || c > 0x7e }
