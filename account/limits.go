package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
)

// SetLimits overrides single limits of an account; what is nil stays as it is. Requests a minute, jobs and keys hold
// from the next call on; credits hold for the current period and later ones. Refusals: unknown_account, invalid_limit.
func (a *Accounts) SetLimits(ctx context.Context, id uuid.UUID, o Overrides) (Account, error) {
	if err := o.validate(); err != nil {
		return Account{}, err
	}
	err := postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE account SET
				credits_override = coalesce(@credits, credits_override),
				rpm_override     = coalesce(@rpm, rpm_override),
				jobs_override    = coalesce(@jobs, jobs_override),
				keys_override    = coalesce(@keys, keys_override)
			WHERE id = @id`,
			pgx.NamedArgs{"id": id, "credits": o.Credits, "rpm": o.RPM, "jobs": o.Jobs, "keys": o.Keys})
		if err != nil {
			return fmt.Errorf("save limits: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return unknown(id)
		}
		if o.Credits == nil {
			return nil
		}
		return quota.SetGrant(ctx, tx, id, *o.Credits)
	})
	if err != nil {
		return Account{}, err
	}
	return a.Get(ctx, id)
}

// SetState moves an account to a state. Keys feel it with their next call.
func (a *Accounts) SetState(ctx context.Context, id uuid.UUID, state State) error {
	tag, err := a.DB.Exec(ctx, `UPDATE account SET state = @state WHERE id = @id`,
		pgx.NamedArgs{"id": id, "state": state})
	if err != nil {
		return fmt.Errorf("save account state: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return unknown(id)
	}
	return nil
}

// Suspend stops all calls of an account's keys until [Accounts.Resume].
func (a *Accounts) Suspend(ctx context.Context, id uuid.UUID) error {
	return a.SetState(ctx, id, Suspended)
}

// Resume lifts a suspension: the account is back in the state that its plan gives it.
func (a *Accounts) Resume(ctx context.Context, id uuid.UUID) error {
	acc, err := a.Get(ctx, id)
	if err != nil {
		return err
	}
	if acc.State != Suspended {
		return nil
	}
	plan, ok := a.Plans.Plan(acc.Plan)
	if ok && !plan.API {
		return a.SetState(ctx, id, PlanRequired)
	}
	return a.SetState(ctx, id, Active)
}

// maxRPM keeps the emission interval of one request above a microsecond, PostgreSQL's resolution.
const maxRPM = 10_000_000

// maxCount is more jobs or keys than anybody has, and well within PostgreSQL's integer.
const maxCount = 1_000_000

func (o Overrides) validate() error {
	switch {
	case o.Credits != nil && *o.Credits < 0:
		return fault.New(fault.InvalidLimit, "--credits %d must not be negative.", *o.Credits)
	case o.RPM != nil && (*o.RPM < 0 || *o.RPM > maxRPM):
		return fault.New(fault.InvalidLimit, "--rpm %d must lie between 0 and %d.", *o.RPM, maxRPM)
	case o.Jobs != nil && (*o.Jobs < 0 || *o.Jobs > maxCount):
		return fault.New(fault.InvalidLimit, "--jobs %d must lie between 0 and %d.", *o.Jobs, maxCount)
	case o.Keys != nil && (*o.Keys < 0 || *o.Keys > maxCount):
		return fault.New(fault.InvalidLimit, "--keys %d must lie between 0 and %d.", *o.Keys, maxCount)
	}
	return nil
}
