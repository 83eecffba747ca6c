package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
)

// Billed is what the payments of an account come to.
type Billed struct {
	// Plan is a plan of the catalogue. It does not matter with the state [PlanRequired], which is the plan without API
	// access.
	Plan string
	// State is Active, PaymentFailed or PlanRequired.
	State State
	// Until is when a plan that was cancelled ends; nil while it goes on.
	Until *time.Time
}

// standing is what an account's payments came to before.
type standing struct {
	plan, billedBy string
	state          State
	until          *time.Time
}

// SetBilled makes an account follow its payments, in the transaction that keeps what they are. It is an absolute write:
// said again it changes nothing. The account's people are written to when a payment fails, a plan changes or a plan is
// cancelled. Without a paid plan an account that an operator answers for is left as it is. It reports whether anything
// changed. Refusals: unknown_account, unknown_plan.
func (a *Accounts) SetBilled(ctx context.Context, tx pgx.Tx, id uuid.UUID, b Billed) (bool, error) {
	was, err := lockStanding(ctx, tx, id)
	if err != nil {
		return false, err
	}
	plan, billedBy, err := a.billed(b)
	if err != nil {
		return false, err
	}
	if billedBy == "none" {
		if was.billedBy != ByStripe {
			return false, nil
		}
		b.Until = nil
	}
	if was.plan == plan.Name && was.billedBy == billedBy && was.state == b.State && sameTime(was.until, b.Until) {
		// The plan's limits may be others than when it was set.
		return false, saveBilled(ctx, tx, id, plan, billedBy, b)
	}
	if err := saveBilled(ctx, tx, id, plan, billedBy, b); err != nil {
		return false, err
	}
	if err := noteBilled(ctx, tx, id, was, plan.Name, b); err != nil {
		return false, err
	}
	return true, a.writeBilled(ctx, tx, id, was, plan.Name, b)
}

// billed is the plan of a billing and who opens its periods.
func (a *Accounts) billed(b Billed) (plan Plan, billedBy string, err error) {
	switch b.State {
	case PlanRequired:
		plan, err = a.freePlan()
		return plan, "none", err
	case Active, PaymentFailed:
		plan, err = a.plan(b.Plan)
		return plan, ByStripe, err
	case Suspended, Closing:
	}
	return Plan{}, "", fmt.Errorf("bill account: payments never bring about the state %q", b.State)
}

func lockStanding(ctx context.Context, tx pgx.Tx, id uuid.UUID) (standing, error) {
	var s standing
	err := tx.QueryRow(ctx, `SELECT plan, billed_by, state, access_until FROM account WHERE id = @id FOR UPDATE`,
		pgx.NamedArgs{"id": id}).Scan(&s.plan, &s.billedBy, &s.state, &s.until)
	if errors.Is(err, pgx.ErrNoRows) {
		return standing{}, unknown(id)
	}
	if err != nil {
		return standing{}, fmt.Errorf("lock account: %w", err)
	}
	return s, nil
}

func saveBilled(ctx context.Context, tx pgx.Tx, id uuid.UUID, plan Plan, billedBy string, b Billed) error {
	_, err := tx.Exec(ctx, `
		UPDATE account SET
			plan = @plan, state = @state, billed_by = @billed_by, access_until = @until,
			plan_credits = @credits, plan_rpm = @rpm, plan_jobs = @jobs, plan_keys = @keys
		WHERE id = @id AND (plan, state, billed_by, access_until, plan_credits, plan_rpm, plan_jobs, plan_keys)
			IS DISTINCT FROM (@plan, @state, @billed_by, @until::timestamptz, @credits::bigint, @rpm::integer, @jobs::integer, @keys::integer)`,
		pgx.NamedArgs{
			"id": id, "plan": plan.Name, "state": b.State, "billed_by": billedBy, "until": b.Until,
			"credits": plan.Credits, "rpm": plan.RPM, "jobs": plan.Jobs, "keys": plan.Keys,
		})
	if err != nil {
		return fmt.Errorf("save billing of account: %w", err)
	}
	return nil
}

// noteBilled writes into the audit trail what changed.
func noteBilled(ctx context.Context, tx pgx.Tx, id uuid.UUID, was standing, plan string, b Billed) error {
	by := access.Actor{Account: id}
	if was.plan != plan {
		if err := trail.Write(ctx, tx, by, "account.plan", plan, map[string]string{"from": was.plan, "to": plan}); err != nil {
			return err
		}
	}
	failed, mended := b.State == PaymentFailed && was.state != PaymentFailed, b.State == Active && was.state == PaymentFailed
	ends := b.Until != nil && !sameTime(was.until, b.Until)
	goesOn := b.Until == nil && was.until != nil && b.State != PlanRequired
	for _, act := range []struct {
		name   string
		when   bool
		detail map[string]string
	}{
		{"account.payment_failed", failed, map[string]string{"plan": plan}},
		{"account.payment_mended", mended, map[string]string{"plan": plan}},
		{"account.plan_ends", ends, map[string]string{"plan": plan, "at": rfc3339(b.Until)}},
		{"account.plan_goes_on", goesOn, map[string]string{"plan": plan}},
	} {
		if !act.when {
			continue
		}
		if err := trail.Write(ctx, tx, by, act.name, plan, act.detail); err != nil {
			return err
		}
	}
	return nil
}

// writeBilled asks for the letters about what changed. One who was told that his plan ends is not told when it has.
func (a *Accounts) writeBilled(ctx context.Context, tx pgx.Tx, id uuid.UUID, was standing, plan string, b Billed) error {
	letter := Letter{Account: id}
	switch {
	case b.State == PlanRequired && was.until != nil:
		return nil
	case b.State == PlanRequired:
		letter.Name = LetterSubscriptionCanceled
	case b.State == PaymentFailed && was.state != PaymentFailed:
		letter.Name = LetterPaymentFailed
	case b.Until != nil && was.until == nil:
		letter.Name, letter.Detail = LetterSubscriptionCanceled, rfc3339(b.Until)
	case was.plan != plan:
		letter.Name, letter.Detail = LetterPlanChanged, was.plan
	default:
		return nil
	}
	return a.write(ctx, tx, letter, access.Owner, access.Billing)
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

func rfc3339(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Ended finds the accounts whose cancelled plan has run out by a time and which still have it, the longest over first.
func (a *Accounts) Ended(ctx context.Context, now time.Time) ([]uuid.UUID, error) {
	rows, err := a.DB.Query(ctx, `SELECT id FROM account WHERE access_until <= @now AND billed_by = 'stripe' ORDER BY access_until, id`,
		pgx.NamedArgs{"now": now})
	if err != nil {
		return nil, fmt.Errorf("find plans that have ended: %w", err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find plans that have ended: %w", err)
	}
	return ended, nil
}

// End takes a cancelled plan away once its time has run out by now, whether or not anybody has said so. It reports whether it
// did: an account that has been paid for meanwhile stays as it is.
func (a *Accounts) End(ctx context.Context, tx pgx.Tx, id uuid.UUID, now time.Time) (bool, error) {
	was, err := lockStanding(ctx, tx, id)
	if err != nil {
		return false, err
	}
	if was.billedBy != ByStripe || was.until == nil || was.until.After(now) {
		return false, nil
	}
	return a.SetBilled(ctx, tx, id, Billed{State: PlanRequired})
}
