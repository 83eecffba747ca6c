package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/postgres"
	"veracity/quota"
)

// SetState notes what payments say of an account: active, plan_required or payment_failed. Keys feel it with their next
// call. A suspension and a closing stand beside it and stay. Refusal: unknown_account.
func (a *Accounts) SetState(ctx context.Context, id uuid.UUID, state State) error {
	switch state {
	case Active, PlanRequired, PaymentFailed:
	default:
		return fmt.Errorf("set account state %q: it has an act of its own", state)
	}
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

// Suspend stops all calls of an account's keys until [Accounts.Resume]. Refusals: forbidden, unknown_account.
func (a *Accounts) Suspend(ctx context.Context, by access.Actor) error {
	return a.suspend(ctx, by, true, "account.suspended")
}

// Resume lifts a suspension: the account is back in the state beneath it, payment_failed for one whose payment failed.
// Refusals: forbidden, unknown_account.
func (a *Accounts) Resume(ctx context.Context, by access.Actor) error {
	return a.suspend(ctx, by, false, "account.resumed")
}

func (a *Accounts) suspend(ctx context.Context, by access.Actor, on bool, act string) error {
	if err := by.May(access.Operate); err != nil {
		return err
	}
	return postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		var was bool
		err := tx.QueryRow(ctx, `SELECT suspended_at IS NOT NULL FROM account WHERE id = @id FOR UPDATE`,
			pgx.NamedArgs{"id": by.Account}).Scan(&was)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknown(by.Account)
		}
		if err != nil {
			return fmt.Errorf("lock account: %w", err)
		}
		if was == on {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE account SET suspended_at = CASE WHEN @on::boolean THEN now() END WHERE id = @id`,
			pgx.NamedArgs{"id": by.Account, "on": on})
		if err != nil {
			return fmt.Errorf("save suspension: %w", err)
		}
		return trail.Write(ctx, tx, by, act, "", nil)
	})
}

// SetPlan moves an account to a plan that the operator answers for. The plan's limits hold from the next call on, under
// the account's overrides. A plan with API access opens a credit period when none is open, and raises an open one to the
// plan's credits; fewer credits hold from the next period on. On a plan without API access no period is opened any more.
// Refusals: forbidden, unknown_plan, unknown_account.
func (a *Accounts) SetPlan(ctx context.Context, by access.Actor, planName string) (Account, error) {
	if err := by.May(access.Operate); err != nil {
		return Account{}, err
	}
	plan, err := a.plan(planName)
	if err != nil {
		return Account{}, err
	}
	err = postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		was, err := savePlan(ctx, tx, by.Account, plan)
		if err != nil {
			return err
		}
		if plan.API {
			if err := grant(ctx, tx, by.Account); err != nil {
				return err
			}
		}
		return trail.Write(ctx, tx, by, "account.plan", plan.Name, map[string]string{"from": was, "to": plan.Name})
	})
	if err != nil {
		return Account{}, err
	}
	return a.Get(ctx, by.Account)
}

// savePlan returns the name of the plan before. An account without an open period begins its months anew, so that the
// first one is whole.
func savePlan(ctx context.Context, tx pgx.Tx, account uuid.UUID, plan Plan) (was string, err error) {
	state, billedBy := billing(plan)
	rows, err := tx.Query(ctx, `
		WITH found AS (SELECT id, plan FROM account WHERE id = @id FOR UPDATE)
		UPDATE account a SET
			plan = @plan, state = @state, billed_by = @billed_by, access_until = NULL, plan_set_at = now(),
			plan_credits = @credits, plan_rpm = @rpm, plan_jobs = @jobs, plan_keys = @keys,
			period_anchor = CASE WHEN EXISTS (
				SELECT FROM credit_period p
				WHERE p.account_id = a.id AND p.period_start <= now() AND p.period_end > now()
			) THEN a.period_anchor ELSE now() END
		FROM found f WHERE a.id = f.id
		RETURNING f.plan`,
		pgx.NamedArgs{
			"id": account, "plan": plan.Name, "state": state, "billed_by": billedBy,
			"credits": plan.Credits, "rpm": plan.RPM, "jobs": plan.Jobs, "keys": plan.Keys,
		})
	if err != nil {
		return "", fmt.Errorf("save plan: %w", err)
	}
	return exactlyOne(rows, account, "save plan", pgx.RowTo[string])
}

// grant opens the account's period, or raises the open one to what the account's periods now grant.
func grant(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	if err := quota.RenewOne(ctx, tx, account); err != nil {
		return err
	}
	balance, err := quota.Read(ctx, tx, account)
	if err != nil {
		return err
	}
	var credits int64
	err = tx.QueryRow(ctx, `SELECT coalesce(credits_override, plan_credits) FROM account WHERE id = @id`,
		pgx.NamedArgs{"id": account}).Scan(&credits)
	if err != nil {
		return fmt.Errorf("read credits of account: %w", err)
	}
	if credits <= balance.Granted {
		return nil
	}
	return quota.SetGrant(ctx, tx, account, credits)
}

// exactlyOne reads the one row of an act on an account; none is unknown_account.
func exactlyOne[T any](rows pgx.Rows, account uuid.UUID, act string, read pgx.RowToFunc[T]) (T, error) {
	found, err := pgx.CollectExactlyOneRow(rows, read)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, unknown(account)
	}
	if err != nil {
		return found, fmt.Errorf("%s: %w", act, err)
	}
	return found, nil
}
