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

// Rename sets what the account is called. Refusals: forbidden, invalid_name, unknown_account.
func (a *Accounts) Rename(ctx context.Context, by access.Actor, name string) error {
	if err := by.May(access.EditAccount); err != nil {
		return err
	}
	if name = strings.TrimSpace(name); !nameOK(name) {
		return fault.New(fault.InvalidName, "An account's name has 1 to %d characters and no control characters.", maxName)
	}
	return postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			WITH found AS (SELECT id, name FROM account WHERE id = @id FOR NO KEY UPDATE)
			UPDATE account a SET name = @name FROM found f WHERE a.id = f.id RETURNING f.name`,
			pgx.NamedArgs{"id": by.Account, "name": name})
		if err != nil {
			return fmt.Errorf("rename account: %w", err)
		}
		was, err := exactlyOne(rows, by.Account, "rename account", pgx.RowTo[string])
		if err != nil || was == name {
			return err
		}
		return trail.Write(ctx, tx, by, "account.renamed", name, map[string]string{"from": was, "to": name})
	})
}

// Close stops the account's keys and has it deleted after Config.CloseAfter, and tells all owners by mail. An account
// that is closing already keeps its time. Refusals: forbidden, unknown_account.
func (a *Accounts) Close(ctx context.Context, by access.Actor) (time.Time, error) {
	if err := by.May(access.Close); err != nil {
		return time.Time{}, err
	}
	var closesAt time.Time
	err := postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		name, closing, err := lockClosing(ctx, tx, by.Account)
		if err != nil {
			return err
		}
		if closing != nil {
			closesAt = *closing
			return nil
		}
		err = tx.QueryRow(ctx, `UPDATE account SET closes_at = now() + @after::interval WHERE id = @id RETURNING closes_at`,
			pgx.NamedArgs{"id": by.Account, "after": a.config().CloseAfter}).Scan(&closesAt)
		if err != nil {
			return fmt.Errorf("close account: %w", err)
		}
		letter := Letter{Name: LetterClosing, Account: by.Account, Detail: name}
		if err := a.write(ctx, tx, letter, access.Owner); err != nil {
			return err
		}
		return trail.Write(ctx, tx, by, "account.closing", name, map[string]string{"deleted_at": closesAt.Format(time.RFC3339)})
	})
	return closesAt, err
}

// Reopen keeps an account that was to be deleted; its keys work as before. One that is not closing is left as it is.
// Refusals: forbidden, unknown_account, also once the time is up and the deletion has begun.
func (a *Accounts) Reopen(ctx context.Context, by access.Actor) error {
	if err := by.May(access.Close); err != nil {
		return err
	}
	return postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		name, closing, err := lockClosing(ctx, tx, by.Account)
		if err != nil || closing == nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE account SET closes_at = NULL WHERE id = @id AND closes_at > now()`,
			pgx.NamedArgs{"id": by.Account})
		if err != nil {
			return fmt.Errorf("reopen account: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.UnknownAccount, "The account's time is up: it is being deleted and cannot be kept any more.")
		}
		return trail.Write(ctx, tx, by, "account.reopened", name, nil)
	})
}

func lockClosing(ctx context.Context, tx pgx.Tx, account uuid.UUID) (name string, closesAt *time.Time, err error) {
	err = tx.QueryRow(ctx, `SELECT name, closes_at FROM account WHERE id = @id FOR NO KEY UPDATE`,
		pgx.NamedArgs{"id": account}).Scan(&name, &closesAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil, unknown(account)
	}
	if err != nil {
		return "", nil, fmt.Errorf("lock account: %w", err)
	}
	return name, closesAt, nil
}

// write asks for a letter to each member with one of the roles.
func (a *Accounts) write(ctx context.Context, tx pgx.Tx, letter Letter, roles ...access.Role) error {
	rows, err := tx.Query(ctx, `
		SELECT u.id, u.email FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.account_id = @account AND m.role = ANY (@roles::text[]) ORDER BY u.id`,
		pgx.NamedArgs{"account": letter.Account, "roles": roles})
	if err != nil {
		return fmt.Errorf("find who is written to: %w", err)
	}
	type reader struct {
		User  uuid.UUID
		Email string
	}
	readers, err := pgx.CollectRows(rows, pgx.RowToStructByPos[reader])
	if err != nil {
		return fmt.Errorf("find who is written to: %w", err)
	}
	for _, r := range readers {
		letter.To, letter.Subject = r.Email, r.User
		if err := a.Queue.Insert(ctx, tx, letter); err != nil {
			return err
		}
	}
	return nil
}
