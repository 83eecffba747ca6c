package account

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
)

// Create makes an account with its owner on a plan that the operator answers for: a plan with API access gets its
// first credit period at once and a new one every month. Refusals: unknown_plan, invalid_email, email_taken,
// invalid_limit.
func (a *Accounts) Create(ctx context.Context, email, planName string, o Overrides) (Account, error) {
	email, err := Address(email)
	if err != nil {
		return Account{}, err
	}
	plan, err := a.plan(planName)
	if err != nil {
		return Account{}, err
	}
	if err := o.validate(); err != nil {
		return Account{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Account{}, fmt.Errorf("make account id: %w", err)
	}
	err = postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		if err := claimAddress(ctx, tx, email); err != nil {
			return err
		}
		if err := insert(ctx, tx, id, email, localPart(email), plan, o); err != nil {
			return err
		}
		user, err := person(ctx, tx, email)
		if err != nil {
			return err
		}
		if err := addOwner(ctx, tx, id, user); err != nil {
			return err
		}
		if err := quota.RenewOne(ctx, tx, id); err != nil {
			return err
		}
		return trail.Write(ctx, tx, access.CLI(id), "account.created", email, map[string]string{"plan": plan.Name})
	})
	if err != nil {
		return Account{}, err
	}
	return a.Get(ctx, id)
}

// CreateFor makes a person's own account, on Config.SignUpPlan, with the person as its owner, in the transaction that makes
// the person. The name is the person's, or what stands before the @ of the address. Another account may bear the address:
// one that the person has left.
func (a *Accounts) CreateFor(ctx context.Context, tx pgx.Tx, user uuid.UUID, email, name string) (uuid.UUID, error) {
	plan, err := a.signUpPlan()
	if err != nil {
		return uuid.Nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make account id: %w", err)
	}
	if name = strings.TrimSpace(name); !nameOK(name) {
		name = localPart(email)
	}
	if err := insert(ctx, tx, id, email, name, plan, Overrides{}); err != nil {
		return uuid.Nil, err
	}
	if err := addOwner(ctx, tx, id, user); err != nil {
		return uuid.Nil, err
	}
	if err := quota.RenewOne(ctx, tx, id); err != nil {
		return uuid.Nil, err
	}
	by := access.Actor{Account: id, User: user, Role: access.Owner}
	return id, trail.Write(ctx, tx, by, "account.created", email, map[string]string{"plan": plan.Name})
}

// plan finds a plan of the catalogue by its name. Refusal: unknown_plan.
func (a *Accounts) plan(name string) (Plan, error) {
	plan, ok := a.Plans.Plan(name)
	if !ok {
		return Plan{}, fault.New(fault.UnknownPlan, "There is no plan %q: choose one of %s.", name, strings.Join(a.Plans.Names(), ", "))
	}
	return plan, nil
}

func (a *Accounts) signUpPlan() (Plan, error) {
	if name := a.config().SignUpPlan; name != "" {
		return a.plan(name)
	}
	return a.freePlan()
}

// freePlan is the first of the catalogue without API access.
func (a *Accounts) freePlan() (Plan, error) {
	for _, name := range a.Plans.Names() {
		if plan, ok := a.Plans.Plan(name); ok && !plan.API {
			return plan, nil
		}
	}
	return Plan{}, fmt.Errorf("the catalogue (%s) has no plan to begin with", strings.Join(a.Plans.Names(), ", "))
}

// localPart is what stands before the @ of an address, cut to a name's length.
func localPart(email string) string {
	local := []rune(email[:max(0, strings.LastIndex(email, "@"))])
	return string(local[:min(len(local), maxName)])
}

// claimAddress refuses an address that an account bears, and keeps a twin waiting until tx ends.
func claimAddress(ctx context.Context, tx pgx.Tx, email string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('account/' || lower(@email), 0))`, pgx.NamedArgs{"email": email})
	if err != nil {
		return fmt.Errorf("claim e-mail address: %w", err)
	}
	var taken bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM account WHERE lower(email) = lower(@email))`, pgx.NamedArgs{"email": email}).Scan(&taken)
	if err != nil {
		return fmt.Errorf("look for e-mail address: %w", err)
	}
	if taken {
		return fault.New(fault.EmailTaken, "An account with the e-mail address %s exists: use another address, or change that account's plan.", email)
	}
	return nil
}

// billing is the state of an account and who opens its periods, on a plan that an operator answers for.
func billing(plan Plan) (state State, billedBy string) {
	if plan.API {
		return Active, "operator"
	}
	return PlanRequired, "none"
}

func insert(ctx context.Context, tx pgx.Tx, id uuid.UUID, email, name string, plan Plan, o Overrides) error {
	state, billedBy := billing(plan)
	_, err := tx.Exec(ctx, `
		INSERT INTO account (id, email, name, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys,
		                     credits_override, rpm_override, jobs_override, keys_override)
		VALUES (@id, @email, @name, @plan, @state, @billed_by, @credits, @rpm, @jobs, @keys,
		        @credits_override, @rpm_override, @jobs_override, @keys_override)`,
		pgx.NamedArgs{
			"id": id, "email": email, "name": name, "plan": plan.Name, "state": state, "billed_by": billedBy,
			"credits": plan.Credits, "rpm": plan.RPM, "jobs": plan.Jobs, "keys": plan.Keys,
			"credits_override": o.Credits, "rpm_override": o.RPM, "jobs_override": o.Jobs, "keys_override": o.Keys,
		})
	if err != nil {
		return fmt.Errorf("save account: %w", err)
	}
	return quota.Prepare(ctx, tx, id)
}

// person finds or makes the user of an address.
func person(ctx context.Context, tx pgx.Tx, email string) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make user id: %w", err)
	}
	err = tx.QueryRow(ctx, `
		INSERT INTO app_user (id, email) VALUES (@id, @email)
		ON CONFLICT (lower(email)) DO UPDATE SET email = app_user.email
		RETURNING id`,
		pgx.NamedArgs{"id": id, "email": email}).Scan(&id)
	if err != nil {
		return uuid.Nil, fmt.Errorf("save owner: %w", err)
	}
	return id, nil
}

func addOwner(ctx context.Context, tx pgx.Tx, account, user uuid.UUID) error {
	_, err := tx.Exec(ctx, `INSERT INTO membership (account_id, user_id, role) VALUES (@account, @user, 'owner')`,
		pgx.NamedArgs{"account": account, "user": user})
	if err != nil {
		return fmt.Errorf("save membership of owner: %w", err)
	}
	return nil
}
