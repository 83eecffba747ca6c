package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Operator is a person who may use the operator pages.
type Operator struct {
	User  uuid.UUID `json:"user"`
	Email string    `json:"email"`
	Name  string    `json:"name"`
	// SecondFactor tells whether a one-time code or a passkey is set up, which the operator pages ask for.
	SecondFactor bool `json:"second_factor"`
}

// SetOperator lets a person use the operator pages, or no longer. It is the command line's alone. Refusals:
// invalid_email, unknown_member when nobody has signed up under the address.
func (a *Accounts) SetOperator(ctx context.Context, email string, on bool) error {
	email, err := Address(email)
	if err != nil {
		return err
	}
	return postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		var was bool
		err := tx.QueryRow(ctx, `SELECT operator FROM app_user WHERE lower(email) = lower(@email) FOR UPDATE`,
			pgx.NamedArgs{"email": email}).Scan(&was)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.UnknownMember, "Nobody has signed up as %s: the person signs up first.", email)
		}
		if err != nil {
			return fmt.Errorf("find person: %w", err)
		}
		if was == on {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE app_user SET operator = @on WHERE lower(email) = lower(@email)`,
			pgx.NamedArgs{"email": email, "on": on})
		if err != nil {
			return fmt.Errorf("save operator: %w", err)
		}
		act := "operator.revoked"
		if on {
			act = "operator.granted"
		}
		return trail.Write(ctx, tx, access.CLI(uuid.Nil), act, email, nil)
	})
}

// Operators lists who may use the operator pages, by address.
func (a *Accounts) Operators(ctx context.Context) ([]Operator, error) {
	rows, err := a.DB.Query(ctx, `
		SELECT u.id, u.email, u.name,
		       EXISTS (SELECT FROM totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL)
		       OR EXISTS (SELECT FROM passkey p WHERE p.user_id = u.id)
		FROM app_user u WHERE u.operator ORDER BY lower(u.email)`)
	if err != nil {
		return nil, fmt.Errorf("list operators: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Operator])
	if err != nil {
		return nil, fmt.Errorf("list operators: %w", err)
	}
	return all, nil
}

// maxFound is the most accounts that a search gives at once.
const maxFound = 1000

// Find searches accounts by a part of their e-mail address or name, a part of a member's address, or the beginning of
// their id; an empty query finds all. The newest come first, those made before a time when one is given, at most limit
// (1 to 1,000). Refusal: forbidden.
func (a *Accounts) Find(ctx context.Context, by access.Actor, query string, before *time.Time, limit int) ([]Account, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	query = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(query, ""), "\x00", "")))
	rows, err := a.DB.Query(ctx, `
		SELECT `+accountColumns+` FROM account a
		WHERE (@query = '' OR strpos(lower(a.email), @query) > 0 OR strpos(lower(a.name), @query) > 0
		       OR starts_with(a.id::text, @query)
		       OR EXISTS (SELECT FROM membership m JOIN app_user u ON u.id = m.user_id
		                  WHERE m.account_id = a.id AND strpos(lower(u.email), @query) > 0))
		  AND (@before::timestamptz IS NULL OR a.created_at < @before)
		ORDER BY a.created_at DESC, a.id DESC LIMIT @limit`,
		pgx.NamedArgs{"query": query, "before": before, "limit": min(max(limit, 1), maxFound)})
	if err != nil {
		return nil, fmt.Errorf("find accounts: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("find accounts: %w", err)
	}
	return found, nil
}
