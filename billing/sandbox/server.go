package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// call is an API call under way.
type call struct {
	*world
	*params
	// id is the object that the path names.
	id string
	// seen is the path.
	seen string
}

// act answers a call with an object or a refusal. It reads all its parameters and asks done before it changes anything.
type act func(*call) (any, error)

// answer is what was said to a request with an idempotency key.
type answer struct {
	Key    string          `json:"key"`
	At     int64           `json:"at"`
	Asked  string          `json:"asked"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

func (a *answer) key() string      { return a.Key }
func (a *answer) createdAt() int64 { return a.At }

// keepAnswers is how long an idempotency key holds, in real time (https://docs.stripe.com/api/idempotent_requests), and
// maxAnswers how many do.
const (
	keepAnswers = 24 * time.Hour
	maxAnswers  = 1_000
)

// handler is the API and the pages. Both answer to names of this machine alone: else a page of any site could have its
// own name lead here (DNS rebinding).
func (s *Sandbox) handler() http.Handler {
	mux := http.NewServeMux()
	for route, act := range routes {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serveCall(w, r, act) })
	}
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { s.serveCall(w, r, unknownRoute(r)) })
	mux.Handle("/", s.pages())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownName(r.Host) {
			http.Error(w, "Ask for this address as it was printed.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// ownName tells whether a Host header is a loopback address or localhost.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func unknownRoute(r *http.Request) act {
	return func(*call) (any, error) {
		e := refuse("", "", "Unrecognized request URL (%s: %s). The sandbox plays a part of the API.", r.Method, r.URL.Path)
		e.Status = http.StatusNotFound
		return nil, e
	}
}

func (s *Sandbox) serveCall(w http.ResponseWriter, r *http.Request, act act) {
	id := newID("req")
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache, no-store")
	h.Set("Request-Id", id)
	h.Set("Stripe-Version", Version)
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	status, body, replayed := s.answer(r, id, act)
	if replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // nothing can be told to a caller who has gone
}

// answer runs the act once for an idempotency key.
func (s *Sandbox) answer(r *http.Request, id string, act act) (status int, body []byte, replayed bool) {
	p, err := s.admit(r)
	if err != nil {
		status, body = s.refusal(r, err)
		return status, body, false
	}
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost {
		key = ""
	}
	asked := r.Method + " " + r.URL.Path + "\n" + p.String()
	err = s.change(func(w *world) error {
		if known, ok := w.Answers.find(key); ok && key != "" {
			if known.Asked != asked {
				return &apiError{
					Status: http.StatusBadRequest, Type: "idempotency_error",
					Message: "Keys for idempotent requests can only be used with the same parameters they were first used with.",
				}
			}
			status, body, replayed = known.Status, known.Body, true
			return nil
		}
		w.cause = request{ID: &id}
		if key != "" {
			w.cause.IdempotencyKey = &key
		}
		defer func() { w.cause = request{} }()
		var acted error
		status, body, acted = s.act(w, r, p, act)
		if refused := (*apiError)(nil); acted == nil || errors.As(acted, &refused) && status == http.StatusPaymentRequired {
			w.remember(key, &answer{Key: key, At: time.Now().Unix(), Asked: asked, Status: status, Body: body})
		}
		return nil
	})
	if err != nil {
		status, body = s.refusal(r, err)
	}
	return status, body, replayed
}

func (s *Sandbox) act(w *world, r *http.Request, p *params, act act) (int, []byte, error) {
	paths := p.strings("expand")
	object, err := act(&call{world: w, params: p, id: r.PathValue("id"), seen: r.URL.Path})
	if err == nil {
		err = p.done() // an act without parameters asks nothing
	}
	if err == nil {
		m := w.render(object)
		if err = w.expand(m, paths); err == nil {
			return http.StatusOK, mustJSON(m), nil
		}
	}
	status, body := s.refusal(r, err)
	return status, body, err
}

// remember keeps an answer and drops those whose time is over. Refusals are not kept: a mended request may use the key
// again.
func (w *world) remember(key string, a *answer) {
	if key == "" {
		return
	}
	w.saved = false
	after := time.Now().Add(-keepAnswers).Unix()
	if n := len(w.Answers.rows); n > 0 && w.Answers.rows[0].At < after || n > maxAnswers*5/4 {
		left := n
		w.Answers.keep(func(a *answer) bool {
			left--
			return a.At >= after && left < maxAnswers
		})
	}
	w.Answers.add(a)
}

// admit checks the key and the version and reads the parameters, which stand in the query or the body.
func (s *Sandbox) admit(r *http.Request) (*params, error) {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || key != s.SecretKey() {
		return nil, &apiError{Status: http.StatusUnauthorized, Type: invalidRequest, Message: "Invalid API Key provided."}
	}
	if version := r.Header.Get("Stripe-Version"); version != "" && version != Version {
		return nil, refuse("", "", "Invalid Stripe API version: %s. The sandbox speaks %s.", version, Version)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, refuse("", "", "The body could not be read: %v", err)
	}
	values, err := url.ParseQuery(string(bytes.TrimSpace(body)))
	if err != nil {
		return nil, refuse("", "", "The body is not form-encoded: %v", err)
	}
	for name, all := range r.URL.Query() {
		values[name] = append(values[name], all...)
	}
	return parseParams(values)
}

// refusal is an error as the caller is told of it.
func (s *Sandbox) refusal(r *http.Request, err error) (int, []byte) {
	var e *apiError
	if !errors.As(err, &e) {
		s.cfg.Log.ErrorContext(r.Context(), "sandbox of payments", "error", err)
		e = &apiError{Status: http.StatusInternalServerError, Type: "api_error", Message: "The sandbox could not do it; the log says why."}
	}
	return e.Status, mustJSON(map[string]any{"error": e})
}
