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
		stale   bool
	)
	err := a.DB.QueryRow(ctx, authenticate, hashToken(token)).
		Scan(&c.Account, &c.Key, &c.Plan, &state, &limit, &ahead, &counted, &stale)
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
	if stale {
		if err := a.touch(ctx, c.Account, c.Key); err != nil {
			// The request is authenticated and counted: a bookkeeping write that fails must not refuse it.
			a.Log.WarnContext(ctx, "write last use", "account", c.Account, "key", c.Key, "error", err)
		}
	}
	if !counted {
		return c, fault.New(fault.RateLimited,
			"The account is over its %d requests a minute. Wait as long as Retry-After says.", limit,
		).WithRetryAfter(c.Rate.RetryAfter)
	}
	return c, nil
}

// authenticate reads the key with its account, and moves the theoretical arrival time of GCRA in the same statement:
// an upsert that changes no row is a refused request. What was used under an earlier limit is rescaled to the present
// one, so that a changed limit holds from the next call on. Its one argument goes by number, since naming it would cost every
// request a rewriting of the text.
const authenticate = `
	WITH found AS (
		SELECT k.id, k.account_id, k.last_used_at, a.plan, a.state, coalesce(a.rpm_override, a.plan_rpm) AS rpm, r.tat, r.emission
		FROM api_key k JOIN account a ON a.id = k.account_id LEFT JOIN rate r ON r.account_id = k.account_id
		WHERE k.hash = $1 AND k.revoked_at IS NULL
	), counted AS (
		INSERT INTO rate AS r (account_id, tat, emission)
		SELECT account_id, clock_timestamp() + interval '1 minute' / rpm, interval '1 minute' / rpm
		FROM found WHERE state = 'active' AND rpm > 0
		ON CONFLICT (account_id) DO UPDATE
			SET tat = clock_timestamp() + excluded.emission + greatest(r.tat - clock_timestamp(), interval '0') *
			          (extract(epoch FROM excluded.emission) / extract(epoch FROM r.emission))::float8,
			    emission = excluded.emission
			WHERE (r.tat - clock_timestamp()) *
			      (extract(epoch FROM excluded.emission) / extract(epoch FROM r.emission))::float8 + excluded.emission
			      <= interval '1 minute'
		RETURNING tat
	)
	SELECT f.account_id, f.id, f.plan, f.state, f.rpm,
	       coalesce(c.tat - clock_timestamp(),
	                (f.tat - clock_timestamp()) * (60 / greatest(f.rpm, 1)::float8 / extract(epoch FROM f.emission)::float8), interval '0'),
	       c.tat IS NOT NULL,
	       f.last_used_at IS NULL OR f.last_used_at < now() - interval '1 minute'
	FROM found f LEFT JOIN counted c ON true`

// touch writes the last use of a key, at most once a minute: so it is a second round trip for one request a minute, and
// not a part of the statement that every request runs.
func (a *Accounts) touch(ctx context.Context, account, key uuid.UUID) error {
	_, err := a.DB.Exec(ctx, `
		UPDATE api_key SET last_used_at = now()
		WHERE id = @key AND account_id = @account AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
		pgx.NamedArgs{"key": key, "account": account})
	if err != nil {
		return fmt.Errorf("write last use of key: %w", err)
	}
	return nil
}

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
