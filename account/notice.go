package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Percentages of a period's credits, spent or held, at which owners and billing members hear of it.
const (
	noticeSoon = 80
	noticeGone = 100
)

// notice is a mail about used-up credits that is due.
type notice struct {
	account uuid.UUID
	period  time.Time
	percent int
}

// NoticeCredits mails the owners and billing members of each account whose open period is at 80 or 100 percent, once a
// period each, and returns how many accounts were told. One that passes both at once is told of the latter alone.
func (a *Accounts) NoticeCredits(ctx context.Context) (int, error) {
	rows, err := a.DB.Query(ctx, `
		SELECT p.account_id, p.period_start, p.percent
		FROM (
			SELECT account_id, period_start,
			       CASE WHEN spent + held >= granted THEN @gone::integer ELSE @soon::integer END AS percent
			FROM credit_period
			WHERE period_end > now() AND period_start <= now() AND granted > 0
			  AND (spent + held)::numeric * 100 >= granted::numeric * @soon::integer
		) p JOIN account a ON a.id = p.account_id
		WHERE a.closes_at IS NULL AND a.suspended_at IS NULL
		  AND NOT EXISTS (SELECT FROM credit_notice n
		                  WHERE n.account_id = p.account_id AND n.period_start = p.period_start AND n.percent >= p.percent)`,
		pgx.NamedArgs{"soon": noticeSoon, "gone": noticeGone})
	if err != nil {
		return 0, fmt.Errorf("find used-up credits: %w", err)
	}
	due, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (notice, error) {
		var n notice
		err := row.Scan(&n.account, &n.period, &n.percent)
		return n, err
	})
	if err != nil {
		return 0, fmt.Errorf("find used-up credits: %w", err)
	}
	var (
		told int
		errs []error
	)
	for _, n := range due {
		sent, err := a.tell(ctx, n)
		if err != nil {
			errs = append(errs, fmt.Errorf("tell account %s of its credits: %w", n.account, err))
		} else if sent {
			told++
		}
	}
	return told, errors.Join(errs...)
}

// tell writes the notice and its letters, unless another process has.
func (a *Accounts) tell(ctx context.Context, n notice) (sent bool, err error) {
	err = postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, n.account); fault.CodeOf(err) == fault.UnknownAccount {
			return nil
		} else if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO credit_notice (account_id, period_start, percent)
			SELECT @account, @period, @percent WHERE NOT EXISTS (
				SELECT FROM credit_notice WHERE account_id = @account AND period_start = @period AND percent >= @percent
			)`,
			pgx.NamedArgs{"account": n.account, "period": n.period, "percent": n.percent})
		if err != nil {
			return fmt.Errorf("save notice: %w", err)
		}
		if sent = tag.RowsAffected() > 0; !sent {
			return nil
		}
		letter := Letter{Name: LetterCredits, Account: n.account, Detail: strconv.Itoa(n.percent)}
		return a.write(ctx, tx, letter, access.Owner, access.Billing)
	})
	return sent && err == nil, err
}
