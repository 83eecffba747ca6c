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
)

// DeleteClosed deletes the accounts whose time has come, with all that they have: blobs first, then rows, then the
// people who belong to no other account and are no operators. What remains is the audit trail. An account with a job
// under way waits for the next time. It returns how many went; what could not be deleted does not keep the others.
func (a *Accounts) DeleteClosed(ctx context.Context) (int, error) {
	if a.Forget == nil {
		return 0, errors.New("delete closed accounts: nothing removes their blobs")
	}
	rows, err := a.DB.Query(ctx, `
		SELECT a.id FROM account a
		WHERE a.closes_at <= now() AND NOT EXISTS (
			SELECT FROM job j WHERE j.account_id = a.id AND j.status IN ('queued', 'running')
		)
		ORDER BY a.closes_at`)
	if err != nil {
		return 0, fmt.Errorf("find closed accounts: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, fmt.Errorf("find closed accounts: %w", err)
	}
	var (
		n    int
		errs []error
	)
	for _, account := range due {
		gone, err := a.deleteOne(ctx, account)
		if err != nil {
			errs = append(errs, fmt.Errorf("delete account %s: %w", account, err))
		} else if gone {
			n++
		}
	}
	return n, errors.Join(errs...)
}

// deleteOne removes one account. The blobs go first, since the rows are what names them; that cannot be undone, and need
// not be: [Accounts.Reopen] refuses an account whose time is up.
func (a *Accounts) deleteOne(ctx context.Context, account uuid.UUID) (bool, error) {
	if err := a.Forget(ctx, account); err != nil {
		return false, fmt.Errorf("remove blobs: %w", err)
	}
	if err := a.forgetRequests(ctx, account); err != nil {
		return false, err
	}
	var gone bool
	err := postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		var name string
		err := tx.QueryRow(ctx, `
			SELECT name FROM account WHERE id = @id AND closes_at <= now() FOR UPDATE`,
			pgx.NamedArgs{"id": account}).Scan(&name)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock account: %w", err)
		}
		if busy, err := working(ctx, tx, account); err != nil || busy {
			return err
		}
		// The letters are asked for while it is still known who the owners are.
		if err := a.write(ctx, tx, Letter{Name: LetterClosed, Account: account, Detail: name}, access.Owner); err != nil {
			return err
		}
		gone = true
		if err := erase(ctx, tx, account); err != nil {
			return err
		}
		return trail.Write(ctx, tx, access.Actor{Account: account}, "account.deleted", name, nil)
	})
	return gone && err == nil, err
}

// working tells whether the account has a job that has not ended.
func working(ctx context.Context, tx pgx.Tx, account uuid.UUID) (busy bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM job WHERE account_id = @id AND status IN ('queued', 'running'))`,
		pgx.NamedArgs{"id": account}).Scan(&busy)
	if err != nil {
		return false, fmt.Errorf("look for jobs: %w", err)
	}
	return busy, nil
}

// requestsAtOnce bounds one statement of forgetRequests to well under a second.
const requestsAtOnce = 10_000

// forgetRequests deletes the account's part of the request log, which no foreign key ties to it.
func (a *Accounts) forgetRequests(ctx context.Context, account uuid.UUID) error {
	for {
		tag, err := a.DB.Exec(ctx, `
			DELETE FROM request_log WHERE account_id = @account AND (at, id) IN (
				SELECT at, id FROM request_log WHERE account_id = @account LIMIT @limit
			)`,
			pgx.NamedArgs{"account": account, "limit": requestsAtOnce})
		if err != nil {
			return fmt.Errorf("forget requests: %w", err)
		}
		if tag.RowsAffected() < requestsAtOnce {
			return nil
		}
	}
}

// erase deletes the account's rows. What refers to the account cascades; rate does not, being unlogged.
func erase(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	rows, err := tx.Query(ctx, `
		SELECT u.id FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.account_id = @id ORDER BY u.id FOR UPDATE OF u`, pgx.NamedArgs{"id": account})
	if err != nil {
		return fmt.Errorf("find members: %w", err)
	}
	people, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("find members: %w", err)
	}
	for _, statement := range []string{
		`DELETE FROM rate WHERE account_id = @id`,
		`DELETE FROM mail_token t USING invite i WHERE t.kind = 'invite' AND t.subject = i.id AND i.account_id = @id`,
		`DELETE FROM account WHERE id = @id`,
		`DELETE FROM app_user u WHERE u.id = ANY (@people) AND NOT u.operator
		 AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = u.id)`,
	} {
		if _, err := tx.Exec(ctx, statement, pgx.NamedArgs{"id": account, "people": people}); err != nil {
			return fmt.Errorf("erase account: %w", err)
		}
	}
	return nil
}
