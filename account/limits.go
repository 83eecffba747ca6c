package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
)

// SetLimits overrides single limits of an account, or takes overrides away; what is neither named nor cleared stays as
// it is. Requests a minute, jobs and keys hold from the next call on; credits hold for the current period and later
// ones. Refusals: forbidden, unknown_account, invalid_limit, the latter also for credits below what is spent and held.
func (a *Accounts) SetLimits(ctx context.Context, by access.Actor, o Overrides) (Account, error) {
	if err := by.May(access.Operate); err != nil {
		return Account{}, err
	}
	if err := o.validate(); err != nil {
		return Account{}, err
	}
	err := postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		credits, err := saveLimits(ctx, tx, by.Account, o)
		if err != nil {
			return err
		}
		if o.Credits != nil || o.Clear.Credits {
			if err := quota.SetGrant(ctx, tx, by.Account, credits); err != nil {
				return err
			}
		}
		return trail.Write(ctx, tx, by, "account.limits", "", o.words())
	})
	if err != nil {
		return Account{}, err
	}
	return a.Get(ctx, by.Account)
}

// saveLimits returns the credits that a period of the account now grants.
func saveLimits(ctx context.Context, tx pgx.Tx, account uuid.UUID, o Overrides) (int64, error) {
	rows, err := tx.Query(ctx, `
		UPDATE account SET
			credits_override = CASE WHEN @clear_credits::boolean THEN NULL ELSE coalesce(@credits, credits_override) END,
			rpm_override     = CASE WHEN @clear_rpm::boolean     THEN NULL ELSE coalesce(@rpm, rpm_override) END,
			jobs_override    = CASE WHEN @clear_jobs::boolean    THEN NULL ELSE coalesce(@jobs, jobs_override) END,
			keys_override    = CASE WHEN @clear_keys::boolean    THEN NULL ELSE coalesce(@keys, keys_override) END
		WHERE id = @id
		RETURNING coalesce(credits_override, plan_credits)`,
		pgx.NamedArgs{
			"id": account, "credits": o.Credits, "rpm": o.RPM, "jobs": o.Jobs, "keys": o.Keys,
			"clear_credits": o.Clear.Credits, "clear_rpm": o.Clear.RPM, "clear_jobs": o.Clear.Jobs, "clear_keys": o.Clear.Keys,
		})
	if err != nil {
		return 0, fmt.Errorf("save limits: %w", err)
	}
	return exactlyOne(rows, account, "save limits", pgx.RowTo[int64])
}

// maxRPM keeps the emission interval of one request above a microsecond, PostgreSQL's resolution.
const maxRPM = 10_000_000

// maxCount is more jobs or keys than anybody has, and well within PostgreSQL's integer.
const maxCount = 1_000_000

// maxCredits is more than anybody spends, and far from where sums overflow.
const maxCredits = 1_000_000_000_000

func (o Overrides) validate() error {
	for _, limit := range []struct {
		name    string
		value   *int64
		utmost  int64
		cleared bool
	}{
		{"credits", o.Credits, maxCredits, o.Clear.Credits},
		{"rpm", wide(o.RPM), maxRPM, o.Clear.RPM},
		{"jobs", wide(o.Jobs), maxCount, o.Clear.Jobs},
		{"keys", wide(o.Keys), maxCount, o.Clear.Keys},
	} {
		switch {
		case limit.value == nil:
		case *limit.value < 0 || *limit.value > limit.utmost:
			return fault.New(fault.InvalidLimit, "The limit %s is %d: allowed are 0 to %d.", limit.name, *limit.value, limit.utmost)
		case limit.cleared:
			return fault.New(fault.InvalidLimit, "The limit %s is to be %d and to be cleared: choose one.", limit.name, *limit.value)
		}
	}
	return nil
}

func wide(n *int) *int64 {
	if n == nil {
		return nil
	}
	w := int64(*n)
	return &w
}

// words are what a change of limits changed, for the audit trail.
func (o Overrides) words() map[string]string {
	said := map[string]string{}
	for name, limit := range map[string]struct {
		value   *int64
		cleared bool
	}{
		"credits": {o.Credits, o.Clear.Credits}, "rpm": {wide(o.RPM), o.Clear.RPM},
		"jobs": {wide(o.Jobs), o.Clear.Jobs}, "keys": {wide(o.Keys), o.Clear.Keys},
	} {
		switch {
		case limit.cleared:
			said[name] = "as the plan"
		case limit.value != nil:
			said[name] = fmt.Sprint(*limit.value)
		}
	}
	return said
}
