package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/quota"
)

// Caller is who a request acts for.
type Caller struct {
	Account uuid.UUID
	// Key is nil for a person on the playground.
	Key  uuid.UUID
	Plan string
	Rate quota.Rate
}

// Authenticate finds the key, the account and its limits and counts the request, in one round trip. Refusals, in this
// order: invalid_key, plan_required, payment_failed, rate_limited (with RetryAfter). The caller is filled in as far as
// it is known also when the request is refused.
func (a *Accounts) Authenticate(ctx context.Context, token string) (Caller, error) {
	if !wellFormed(token) {
		return Caller{}, fault.New(fault.InvalidKey,
			"Send a live API key in the X-API-Key header or as a Bearer token. Keys start with svc_live_ and are made on the account page.")
	}
	c, stale, err := a.count(ctx, authenticateKey, hashToken(token))
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, fault.New(fault.InvalidKey, "This API key is unknown or has been revoked. Make a new one on the account page.")
	}
	if stale {
		if err := a.touch(ctx, c.Account, c.Key); err != nil {
			// The request is authenticated and counted: a bookkeeping write that fails must not refuse it.
			a.Log.WarnContext(ctx, "write last use", "account", c.Account, "key", c.Key, "error", err)
		}
	}
	return c, err
}

// AuthenticateMember does for a person on the playground what [Accounts.Authenticate] does for a key: one round trip
// that reads the account and counts the request with those of its keys. Refusals, in this order: forbidden, without the
// right [access.Spend], unknown_account, plan_required, payment_failed, rate_limited.
func (a *Accounts) AuthenticateMember(ctx context.Context, by access.Actor) (Caller, error) {
	if err := by.May(access.Spend); err != nil {
		return Caller{}, err
	}
	c, _, err := a.count(ctx, authenticateMember, by.Account)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, unknown(by.Account)
	}
	return c, err
}

// count runs one of the two statements below and reads its answer. An unknown key or account is pgx.ErrNoRows. stale
// tells that the key's last use should be written, which a refused account's is not.
func (a *Accounts) count(ctx context.Context, statement string, argument any) (c Caller, stale bool, err error) {
	var (
		key      *uuid.UUID
		state    State
		closesAt *time.Time
		limit    int
		ahead    time.Duration
		counted  bool
	)
	err = a.DB.QueryRow(ctx, statement, argument).
		Scan(&c.Account, &key, &c.Plan, &state, &closesAt, &limit, &ahead, &counted, &stale)
	if err != nil {
		return Caller{}, false, fmt.Errorf("look up caller: %w", err)
	}
	if key != nil {
		c.Key = *key
	}
	refused := refusal(c.Plan, state, closesAt)
	c.Rate = quota.RateAt(limit, ahead, counted || refused != nil)
	if refused != nil {
		return c, false, refused
	}
	if !counted {
		return c, stale, fault.New(fault.RateLimited,
			"The account is over its %d requests a minute. Wait as long as Retry-After says.", limit,
		).WithRetryAfter(c.Rate.RetryAfter)
	}
	return c, stale, nil
}

// The statements read the account, by a key's hash or by its id, and move the theoretical arrival time of GCRA in the
// same round trip: an upsert that changes no row is a refused request. What was used under an earlier limit is rescaled
// to the present one, so that a changed limit holds from the next call on. The one argument goes by number, since naming
// it would cost every request a rewriting of the text.
const (
	authenticateKey = `
	WITH found AS (
		SELECT k.id, k.account_id, k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS stale,` + foundAccount + `
		FROM api_key k JOIN account a ON a.id = k.account_id LEFT JOIN rate r ON r.account_id = k.account_id
		WHERE k.hash = $1 AND k.revoked_at IS NULL
	)` + countRequest

	authenticateMember = `
	WITH found AS (
		SELECT NULL::uuid AS id, a.id AS account_id, false AS stale,` + foundAccount + `
		FROM account a LEFT JOIN rate r ON r.account_id = a.id
		WHERE a.id = $1
	)` + countRequest

	foundAccount = `
		       a.plan, ` + accountState + ` AS state, a.closes_at, coalesce(a.rpm_override, a.plan_rpm) AS rpm, r.tat, r.emission`

	countRequest = `, counted AS (
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
	SELECT f.account_id, f.id, f.plan, f.state, f.closes_at, f.rpm,
	       coalesce(c.tat - clock_timestamp(),
	                (f.tat - clock_timestamp()) * (60 / greatest(f.rpm, 1)::float8 / extract(epoch FROM f.emission)::float8), interval '0'),
	       c.tat IS NOT NULL, f.stale
	FROM found f LEFT JOIN counted c ON true`
)

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

// refusal is why an account in this state may not call the API, or nil. closesAt is set where the account is closing.
func refusal(plan string, state State, closesAt *time.Time) error {
	switch state {
	case Active:
		return nil
	case PaymentFailed:
		return fault.New(fault.PaymentFailed, "The last payment for the plan %q failed. Mend the payment on the account page.", plan)
	case Suspended:
		return fault.New(fault.PlanRequired, "The account on the plan %q is suspended. Write to support.", plan)
	case Closing:
		return fault.New(fault.PlanRequired, "The account on the plan %q is being closed. Until %s an owner can stop that on the account page.",
			plan, closesAt.Format("2 January 2006, 15:04 MST"))
	case PlanRequired:
		return fault.New(fault.PlanRequired, "The plan %q has no API access. Choose a paid plan on the account page.", plan)
	}
	return fmt.Errorf("account in unknown state %q", state)
}
