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
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/text/unicode/norm"

	"veracity/platform/fault"
	"veracity/platform/seal"
)

// State says whether an account's keys may call the API. It is stored, so that the key lookup reads it.
type State string

// States of an account.
const (
	Active        State = "active"
	PlanRequired  State = "plan_required"
	PaymentFailed State = "payment_failed"
	// Suspended is an operator's doing. The state beneath it comes back when it is lifted.
	Suspended State = "suspended"
	// Closing is an owner's doing: the account will be deleted. The state beneath it comes back when it is reopened.
	Closing State = "closing"
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

// ByStripe is the BilledBy of an account whose plan follows its payments.
const ByStripe = "stripe"

// Overrides replace single limits of the plan for one account; what is nil and not cleared stays as it is.
type Overrides struct {
	Credits *int64
	RPM     *int
	Jobs    *int
	Keys    *int
	// Clear takes overrides away, so that the plan's own limits hold.
	Clear Cleared
}

// Cleared names overrides to take away.
type Cleared struct{ Credits, RPM, Jobs, Keys bool }

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
	// Queue takes the letters that acts ask for.
	Queue Inserter
	// Forget removes what an account has outside the database, its blobs, before the account is deleted. It may be called
	// twice. Only [Accounts.DeleteClosed] needs it.
	Forget func(ctx context.Context, account uuid.UUID) error
	Log    *slog.Logger
	// Config is as [DefaultConfig] when it is left out.
	Config Config
}

// Account is what an operator or the account's owner sees of it.
type Account struct {
	ID uuid.UUID
	// Email is the address that it was made under.
	Email string
	// Name is what its people call it.
	Name  string
	Plan  string
	State State
	// Limits are the plan's with the overrides on them.
	Limits    Limits
	Overrides Overrides
	CreatedAt time.Time
	// ClosesAt is when the account is deleted; nil on one that stays.
	ClosesAt *time.Time
	// BilledBy is who opens its credit periods: operator, stripe (paid invoices) or none.
	BilledBy string
	// AccessUntil is when a paid plan that was cancelled ends; nil on one that goes on.
	AccessUntil *time.Time
}

// accountState is what an account's state comes to, from its columns. A cancelled plan ends by the clock, whether or not
// anybody has said so.
const accountState = `CASE WHEN a.suspended_at IS NOT NULL THEN 'suspended' WHEN a.closes_at IS NOT NULL THEN 'closing'
	WHEN a.access_until <= now() THEN 'plan_required' ELSE a.state END`

const accountColumns = `a.id, a.email, a.name, a.plan, ` + accountState + `,
	coalesce(a.credits_override, a.plan_credits), coalesce(a.rpm_override, a.plan_rpm),
	coalesce(a.jobs_override, a.plan_jobs), coalesce(a.keys_override, a.plan_keys),
	a.credits_override, a.rpm_override, a.jobs_override, a.keys_override, a.created_at, a.closes_at, a.billed_by, a.access_until`

func scanAccount(row pgx.CollectableRow) (Account, error) {
	var a Account
	err := row.Scan(&a.ID, &a.Email, &a.Name, &a.Plan, &a.State,
		&a.Limits.Credits, &a.Limits.RPM, &a.Limits.Jobs, &a.Limits.Keys,
		&a.Overrides.Credits, &a.Overrides.RPM, &a.Overrides.Jobs, &a.Overrides.Keys, &a.CreatedAt, &a.ClosesAt,
		&a.BilledBy, &a.AccessUntil)
	return a, err
}

// Get reads one account. An unknown id is unknown_account.
func (a *Accounts) Get(ctx context.Context, id uuid.UUID) (Account, error) {
	rows, err := a.DB.Query(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = @id`, pgx.NamedArgs{"id": id})
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
	rows, err := a.DB.Query(ctx, `SELECT `+accountColumns+` FROM account a ORDER BY a.created_at DESC, a.id DESC`)
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
	return fault.New(fault.UnknownAccount, "There is no account %s.", id)
}

// Address checks an e-mail address (RFC 5322 addr-spec without a display name; a domain, no address literal; at most
// 254 bytes as of RFC 3696, erratum 1690; no letter that stands for another one) and trims it. Refusal: invalid_email.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", fault.New(fault.InvalidEmail, "Write an e-mail address, like name@example.com.")
	}
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Address != s || len(s) > 254 || strings.HasSuffix(s, "]") || disguised(s) {
		return "", fault.New(fault.InvalidEmail, "%.254q is not an e-mail address. Write one like name@example.com.", s)
	}
	return s, nil
}

// disguised tells whether an address has letters that PostgreSQL's lower() makes those of another address, in whose name
// its owner could act: U+0130 becomes i, and what NFKC changes becomes what it stands for (Unicode TR36, section 3.1).
func disguised(s string) bool {
	return norm.NFKC.String(s) != s ||
		strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf && unicode.ToLower(r) < utf8.RuneSelf })
}
