package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/quota"
)

// Caller is who a request acts for.
type Caller struct {
	Account uuid.UUID
	Key     uuid.UUID
	Plan    string
	Rate    quota.Rate
}

// Authenticate finds the key, the account and its limits and counts the request, in one round trip. Refusals, in this
// order: invalid_key, plan_required, payment_failed, rate_limited (with RetryAfter). The caller is filled in as far as
// it is known also when the request is refused.
func (a *Accounts) Authenticate(ctx context.Context, token string) (Caller, error) {
	if !wellFormed(token) {
		return Caller{}, fault.New(fault.InvalidKey,
			"Send a live API key in the X-API-Key header or as a Bearer token. Keys start with svc_live_ and are made on the account page.")
	}
	var (
		c       Caller
		state   State
		limit   int
		ahead   time.Duration
		counted bool
	)
	err := a.DB.QueryRow(ctx, authenticate, pgx.NamedArgs{"hash": hashToken(token)}).
		Scan(&c.Account, &c.Key, &c.Plan, &state, &limit, &ahead, &counted)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, fault.New(fault.InvalidKey, "This API key is unknown or has been revoked. Make a new one on the account page.")
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up key: %w", err)
	}
	refused := refusal(c.Plan, state)
	c.Rate = quota.RateAt(limit, ahead, counted || refused != nil)
	if refused != nil {
		return c, refused
	}
	if !counted {
		return c, fault.New(fault.RateLimited,
			"The account is over its %d requests a minute. Wait as long as Retry-After says.", limit,
		).WithRetryAfter(c.Rate.RetryAfter)
	}
	return c, nil
}

// authenticate reads the key with its account, and moves the theoretical arrival time of GCRA in the same statement:
// an upsert that changes no row is a refused request. The last use of a key is written at most once a minute.
const authenticate = `
	WITH found AS (
		SELECT k.id, k.account_id, k.last_used_at, a.plan, a.state, coalesce(a.rpm_override, a.plan_rpm) AS rpm
		FROM api_key k JOIN account a ON a.id = k.account_id
		WHERE k.hash = @hash AND k.revoked_at IS NULL
	), counted AS (
		INSERT INTO rate AS r (account_id, tat, emission)
		SELECT account_id, clock_timestamp() + interval '1 minute' / rpm, interval '1 minute' / rpm
		FROM found WHERE state = 'active' AND rpm > 0
		ON CONFLICT (account_id) DO UPDATE
			SET tat = greatest(r.tat, clock_timestamp()) + excluded.emission, emission = excluded.emission
			WHERE r.tat + excluded.emission <= clock_timestamp() + interval '1 minute'
		RETURNING tat
	), used AS (
		UPDATE api_key k SET last_used_at = now() FROM found f
		WHERE k.id = f.id AND f.state = 'active'
		  AND (f.last_used_at IS NULL OR f.last_used_at < now() - interval '1 minute')
	)
	SELECT f.account_id, f.id, f.plan, f.state, f.rpm,
	       coalesce(greatest((SELECT tat FROM counted), (SELECT tat FROM rate r WHERE r.account_id = f.account_id))
	                - clock_timestamp(), interval '0'),
	       EXISTS (SELECT FROM counted)
	FROM found f`

// refusal is why an account in this state may not call the API, or nil.
func refusal(plan string, state State) error {
	switch state {
	case Active:
		return nil
	case PaymentFailed:
		return fault.New(fault.PaymentFailed, "The last payment for the plan %q failed. Mend the payment on the account page.", plan)
	case Suspended:
		return fault.New(fault.PlanRequired, "The account on the plan %q is suspended. Write to support.", plan)
	case PlanRequired:
		return fault.New(fault.PlanRequired, "The plan %q has no API access. Choose a paid plan on the account page.", plan)
	}
	return fmt.Errorf("account in unknown state %q", state)
}
