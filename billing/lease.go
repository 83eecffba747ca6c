package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// leaseTime is how long a comparison of one account may take before another may begin; syncTime ends it before that.
const (
	leaseTime = 3 * time.Minute
	syncTime  = 2 * time.Minute
)

// errBusy is an account that another worker compares just now. What happened meanwhile is seen by whoever comes after.
var errBusy = errors.New("the account is being compared with Stripe by another worker")

// errOvertaken is a comparison that took too long, or whose account was changed under it: it writes nothing.
var errOvertaken = errors.New("the account was changed while it was compared with Stripe")

// claim takes the right to compare an account, under a run that guards the write at its end. No transaction is open while
// Stripe is asked.
func (s *Service) claim(ctx context.Context, account uuid.UUID) (uuid.UUID, error) {
	run, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make run id: %w", err)
	}
	tag, err := s.DB.Exec(ctx, `
		INSERT INTO billing_sync AS b (account_id, run, lease_until)
		SELECT id, @run::uuid, clock_timestamp() + @lease::interval FROM account WHERE id = @account
		ON CONFLICT (account_id) DO UPDATE SET run = excluded.run, lease_until = excluded.lease_until
		WHERE b.lease_until IS NULL OR b.lease_until < clock_timestamp()`,
		pgx.NamedArgs{"account": account, "run": run, "lease": leaseTime})
	if err != nil {
		return uuid.Nil, fmt.Errorf("claim account: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return uuid.Nil, errBusy
	}
	return run, nil
}

// release gives a claim back that came to nothing.
func (s *Service) release(ctx context.Context, account, run uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := s.DB.Exec(ctx, `
		UPDATE billing_sync SET run = NULL, lease_until = NULL WHERE account_id = @account AND run = @run`,
		pgx.NamedArgs{"account": account, "run": run})
	if err != nil {
		s.Log.WarnContext(ctx, "give back the claim on an account's billing; it ends by itself", "account", account, "error", err)
	}
}

// hold makes sure in tx that the run still has its account.
func hold(ctx context.Context, tx pgx.Tx, account, run uuid.UUID) (finding string, err error) {
	err = tx.QueryRow(ctx, `SELECT finding FROM billing_sync WHERE account_id = @account AND run = @run FOR UPDATE`,
		pgx.NamedArgs{"account": account, "run": run}).Scan(&finding)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", errOvertaken
	}
	if err != nil {
		return "", fmt.Errorf("hold claim on account: %w", err)
	}
	return finding, nil
}

// finish notes that the account was compared, and what was odd, and gives the claim back.
func finish(ctx context.Context, tx pgx.Tx, account uuid.UUID, finding string) error {
	_, err := tx.Exec(ctx, `
		UPDATE billing_sync SET run = NULL, lease_until = NULL, synced_at = clock_timestamp(), finding = @finding
		WHERE account_id = @account`,
		pgx.NamedArgs{"account": account, "finding": finding})
	if err != nil {
		return fmt.Errorf("note comparison of account: %w", err)
	}
	return nil
}
