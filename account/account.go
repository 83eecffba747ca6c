// Package account keeps who uses the service: accounts with their plan, state and limits, the people in them, and the
// API keys that act for them. It knows what a plan grants only from the catalogue it is given, and nothing of what a
// call costs.
package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/platform/seal"
	"veracity/quota"
)

// State says whether an account's keys may call the API. It is stored, so that the key lookup reads it.
type State string

// States of an account.
const (
	Active        State = "active"
	PlanRequired  State = "plan_required"
	PaymentFailed State = "payment_failed"
	Suspended     State = "suspended"
)

// Limits are what an account may use.
type Limits struct {
	// Credits is what each period grants.
	Credits int64 `json:"credits"`
	// RPM is requests a minute over all keys.
	RPM int `json:"rpm"`
	// Jobs is how many jobs may run at once.
	Jobs int `json:"jobs"`
	// Keys is how many keys may be live.
	Keys int `json:"keys"`
}

// Overrides replace single limits of the plan for one account; nil leaves the plan's.
type Overrides struct {
	Credits *int64
	RPM     *int
	Jobs    *int
	Keys    *int
}

// Plan is one entry of the catalogue as accounts need it.
type Plan struct {
	Name string
	// API says whether the plan's keys may call at all.
	API bool
	Limits
}

// Catalogue finds a plan by its name.
type Catalogue interface {
	Plan(name string) (Plan, bool)
	Names() []string
}

// Accounts are the acts on accounts and their keys.
type Accounts struct {
	DB    *pgxpool.Pool
	Seal  *seal.Ring
	Plans Catalogue
	Log   *slog.Logger
}

// Account is what an operator or the account's owner sees of it.
type Account struct {
	ID        uuid.UUID
	Email     string
	Plan      string
	State     State
	Limits    Limits
	CreatedAt time.Time
}

// Create makes an account with its owner on a plan that the operator answers for: a plan with API access gets its
// first credit period at once and a new one every month. Refusals: unknown_plan, invalid_name (not an e-mail address),
// email_taken, invalid_limit.
func (a *Accounts) Create(ctx context.Context, email, planName string, o Overrides) (Account, error) {
	email, err := address(email)
	if err != nil {
		return Account{}, err
	}
	plan, ok := a.Plans.Plan(planName)
	if !ok {
		return Account{}, fault.New(fault.UnknownPlan, "There is no plan %q: choose one of %s.", planName, strings.Join(a.Plans.Names(), ", "))
	}
	if err := o.validate(); err != nil {
		return Account{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Account{}, fmt.Errorf("make account id: %w", err)
	}
	err = postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		if err := insert(ctx, tx, id, email, plan, o); err != nil {
			return err
		}
		if err := quota.Prepare(ctx, tx, id); err != nil {
			return err
		}
		return quota.RenewOne(ctx, tx, id)
	})
	if err != nil {
		return Account{}, err
	}
	return a.Get(ctx, id)
}

func insert(ctx context.Context, tx pgx.Tx, id uuid.UUID, email string, plan Plan, o Overrides) error {
	state, billedBy := Active, "operator"
	if !plan.API {
		state, billedBy = PlanRequired, "none"
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO account (id, email, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys,
		                     credits_override, rpm_override, jobs_override, keys_override)
		VALUES (@id, @email, @plan, @state, @billed_by, @credits, @rpm, @jobs, @keys,
		        @credits_override, @rpm_override, @jobs_override, @keys_override)`,
		pgx.NamedArgs{
			"id": id, "email": email, "plan": plan.Name, "state": state, "billed_by": billedBy,
			"credits": plan.Credits, "rpm": plan.RPM, "jobs": plan.Jobs, "keys": plan.Keys,
			"credits_override": o.Credits, "rpm_override": o.RPM, "jobs_override": o.Jobs, "keys_override": o.Keys,
		})
	if postgres.IsUnique(err, "account_email_key") {
		return fault.New(fault.EmailTaken, "An account with the e-mail address %s exists: use another, or `veracity account list` to find it.", email)
	}
	if err != nil {
		return fmt.Errorf("save account: %w", err)
	}
	_, err = tx.Exec(ctx, `
		WITH person AS (
			INSERT INTO app_user (id, email) VALUES (@user, @email)
			ON CONFLICT (lower(email)) DO UPDATE SET email = app_user.email
			RETURNING id
		)
		INSERT INTO membership (account_id, user_id, role) SELECT @id::uuid, id, 'owner' FROM person`,
		pgx.NamedArgs{"id": id, "user": uuid.New(), "email": email})
	if err != nil {
		return fmt.Errorf("save owner: %w", err)
	}
	return nil
}

const accountColumns = `id, email, plan, state,
	coalesce(credits_override, plan_credits), coalesce(rpm_override, plan_rpm),
	coalesce(jobs_override, plan_jobs), coalesce(keys_override, plan_keys), created_at`

func scanAccount(row pgx.CollectableRow) (Account, error) {
	var a Account
	err := row.Scan(&a.ID, &a.Email, &a.Plan, &a.State,
		&a.Limits.Credits, &a.Limits.RPM, &a.Limits.Jobs, &a.Limits.Keys, &a.CreatedAt)
	return a, err
}

// Get reads one account. An unknown id is unknown_account.
func (a *Accounts) Get(ctx context.Context, id uuid.UUID) (Account, error) {
	rows, err := a.DB.Query(ctx, `SELECT `+accountColumns+` FROM account WHERE id = @id`, pgx.NamedArgs{"id": id})
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanAccount)
	if errors.Is(err, pgx.ErrNoRows) {
		return Account{}, unknown(id)
	}
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	return found, nil
}

// List reads every account, the newest first.
func (a *Accounts) List(ctx context.Context) ([]Account, error) {
	rows, err := a.DB.Query(ctx, `SELECT `+accountColumns+` FROM account ORDER BY created_at DESC, id DESC`)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return all, nil
}

func unknown(id uuid.UUID) error {
	return fault.New(fault.UnknownAccount, "There is no account %s: `veracity account list` shows the ids.", id)
}

// address checks an e-mail address (RFC 5322 addr-spec, without a display name).
func address(s string) (string, error) {
	s = strings.TrimSpace(s)
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Address != s || len(s) > 254 {
		return "", fault.New(fault.InvalidName, "%q is not an e-mail address.", s)
	}
	return s, nil
}
