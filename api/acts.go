package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"veracity/account"
	"veracity/platform/fault"
	"veracity/quota"
)

// What another edge needs that does the same acts over another protocol (api/mcp): the decoding, the answers and the
// idempotency of REST, and the log.

// InvalidRequest is the code in the log of a message that the other protocol cannot take; no REST call has it.
const InvalidRequest fault.Code = "invalid_request"

// Call is one of the API's POSTs.
type Call struct {
	// Body is the JSON object that the POST takes, Full its detail=full.
	Body []byte
	Full bool
	// Key is its Idempotency-Key; "" is none.
	Key string
}

// Reply is what a call was answered.
type Reply struct {
	// Body is the JSON object of the answer.
	Body []byte
	// Replayed says that an earlier call with the same key was answered so.
	Replayed bool
}

// Check is POST /audit for the caller of ctx.
func (a *API) Check(ctx context.Context, c Call) (Reply, error) {
	return a.do(ctx, "audit", c, a.audit)
}

// Optimize is POST /optimize for the caller of ctx.
func (a *API) Optimize(ctx context.Context, c Call) (Reply, error) {
	return a.do(ctx, "optimize", c, a.optimize)
}

// CreateUpload is POST /uploads for the caller of ctx.
func (a *API) CreateUpload(ctx context.Context, c Call) (Reply, error) {
	return a.do(ctx, "uploads", c, a.createUpload)
}

func (a *API) do(ctx context.Context, name string, c Call, act act) (Reply, error) {
	req := request{caller: callerOf(ctx), query: url.Values{}, body: c.Body}
	if c.Full {
		req.query.Set("detail", "full")
	}
	if c.Key == "" {
		ans, err := act(ctx, req)
		return Reply{Body: ans.body}, err
	}
	if !goodKey(c.Key) {
		return Reply{}, fault.New(fault.InvalidParameter, "idempotency_key must have 1 to %d printable ASCII characters.", maxIdempotencyKey)
	}
	// No request of REST is named so: the two never take each other's answers.
	ans, replayed, err := a.runOnce(ctx, req, c.Key, requestHash("call "+name+"?"+req.query.Encode(), c.Body), act)
	if err != nil {
		return Reply{}, err
	}
	if refused := ans.refusal(); refused != nil {
		return Reply{}, refused
	}
	return Reply{Body: ans.body, Replayed: replayed}, nil
}

// ReadCheck is GET /audit/{id} for the caller of ctx; full is its detail=full.
func (a *API) ReadCheck(ctx context.Context, id string, full bool) ([]byte, error) {
	check, err := a.media.ReadCheck(ctx, callerOf(ctx), id)
	if err != nil {
		return nil, err
	}
	return encode(jobOf(check, full)), nil
}

// ReadOptimization is GET /optimize/{id} for the caller of ctx.
func (a *API) ReadOptimization(ctx context.Context, id string) ([]byte, error) {
	return a.media.ReadOptimization(ctx, callerOf(ctx), id)
}

// standing is what an account has left, and what it may use.
type standing struct {
	Plan    string         `json:"plan"`
	Credits quota.Balance  `json:"credits"`
	Limits  account.Limits `json:"limits"`
}

// ReadUsage tells the plan, the credits of the current period and the limits of the caller's account as a JSON object.
func (a *API) ReadUsage(ctx context.Context) ([]byte, error) {
	id := callerOf(ctx).Account
	acc, err := a.accounts.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	balance, err := quota.Read(ctx, a.accounts.DB, id)
	if err != nil {
		return nil, err
	}
	return encode(standing{Plan: acc.Plan, Credits: balance, Limits: acc.Limits}), nil
}

// ReadBody reads a body whole. Over [MaxBody] it is image_too_large.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) { return readBody(w, r) }

// WriteError answers with the contract's error object.
func WriteError(w http.ResponseWriter, r *http.Request, err error) { writeError(w, r, err) }

// Note has the log say how a call ended whose HTTP status says nothing of it. A nil err says nothing.
func Note(ctx context.Context, err error) {
	o, ok := ctx.Value(outcomeKey{}).(*outcome)
	if !ok || err == nil {
		return
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		o.fault, o.inner = clientGone(err), statusClientGone
		return
	}
	o.fault = fault.From(err)
	o.inner = statusOf(o.fault.Code)
}

// Refused has the log say that a message was refused, with the status that stands for it there and what was said. What
// was noted before stands.
func Refused(ctx context.Context, status int, message string) {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok && o.fault == nil {
		o.fault, o.inner = fault.New(InvalidRequest, "%s", message), status
	}
}

// AccountOf is the account whose key the request of ctx has.
func AccountOf(ctx context.Context) uuid.UUID { return callerOf(ctx).Account }
