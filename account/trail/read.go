package trail

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/platform/postgres"
)

// Filter chooses entries. The zero Filter is the newest of what the actor may see.
type Filter struct {
	// Account narrows an operator's view to one account. Everybody else sees their own, whatever stands here.
	Account uuid.UUID
	// User narrows to what one person did.
	User uuid.UUID
	// Limit is how many at most, 1 to 1,000; 0 means 100.
	Limit int
	// Before pages: entries from before this time, or, with BeforeID, from before that entry of this time.
	Before   *time.Time
	BeforeID uuid.UUID
}

// operator is the kind of actor that access.Actor.Kind gives to a person on the operator pages.
const operator = "operator"

// Bounds of Filter.Limit.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// Read lists an account's entries, the newest first; an operator's without Filter.Account lists all. Who an operator is,
// and where from, is told to operators alone. Refusal: forbidden, without the right [access.SeeTrail].
func Read(ctx context.Context, db postgres.DB, by access.Actor, f Filter) ([]Entry, error) {
	if err := by.May(access.SeeTrail); err != nil {
		return nil, err
	}
	if !by.Operator {
		if f.Account != uuid.Nil && f.Account != by.Account {
			return nil, nil
		}
		// Without an account of his own the nil id matches nothing.
		entries, err := read(ctx, db, &by.Account, f)
		for i := range entries {
			if e := &entries[i]; e.Actor == operator {
				e.User, e.UserEmail, e.Address = uuid.Nil, "", ""
			}
		}
		return entries, err
	}
	return read(ctx, db, known(f.Account), f)
}

func read(ctx context.Context, db postgres.DB, account *uuid.UUID, f Filter) ([]Entry, error) {
	rows, err := db.Query(ctx, `
		SELECT `+columns+`
		FROM audit_log l LEFT JOIN app_user u ON u.id = l.user_id
		WHERE (@account::uuid IS NULL OR l.account_id = @account)
		  AND (@user::uuid IS NULL OR l.user_id = @user)
		  AND (@before::timestamptz IS NULL OR l.at < @before OR (l.at = @before AND l.id < @before_id))
		ORDER BY l.at DESC, l.id DESC LIMIT @limit`,
		pgx.NamedArgs{
			"account": account, "user": known(f.User), "before": f.Before, "before_id": f.BeforeID, "limit": bounded(f.Limit),
		})
	return collect(rows, err)
}

// ReadOwn lists a person's own entries that belong to no account, the newest first: sign-ins, refused ones too, and
// changes of password and second factor. limit is as in [Filter].
func ReadOwn(ctx context.Context, db postgres.DB, user uuid.UUID, limit int) ([]Entry, error) {
	rows, err := db.Query(ctx, `
		SELECT `+columns+`
		FROM audit_log l LEFT JOIN app_user u ON u.id = l.user_id
		WHERE l.user_id = @user AND l.account_id IS NULL
		ORDER BY l.at DESC, l.id DESC LIMIT @limit`,
		pgx.NamedArgs{"user": user, "limit": bounded(limit)})
	return collect(rows, err)
}

func bounded(limit int) int {
	if limit <= 0 {
		return defaultLimit
	}
	return min(limit, maxLimit)
}

const columns = `l.id, l.at, l.account_id, l.user_id, l.actor, l.act, l.subject, l.detail, l.address, coalesce(u.email, '')`

func collect(rows pgx.Rows, err error) ([]Entry, error) {
	if err != nil {
		return nil, fmt.Errorf("read audit trail: %w", err)
	}
	entries, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("read audit trail: %w", err)
	}
	return entries, nil
}

func scan(row pgx.CollectableRow) (Entry, error) {
	var (
		e             Entry
		account, user *uuid.UUID
		detail        []byte
	)
	err := row.Scan(&e.ID, &e.At, &account, &user, &e.Actor, &e.Act, &e.Subject, &detail, &e.Address, &e.UserEmail)
	if err != nil {
		return Entry{}, err
	}
	if account != nil {
		e.Account = *account
	}
	if user != nil {
		e.User = *user
	}
	if detail != nil {
		err = json.Unmarshal(detail, &e.Detail)
	}
	return e, err
}
