package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// attemptGrace is how long after its time-out an attempt may still be written down before another worker takes the
// delivery for abandoned.
const attemptGrace = 20 * time.Second

// claimLock is the first number of the advisory locks under which an account's attempts are claimed, one at a time. The
// number only has to be ours.
const claimLock = 0x77656268

// due is a delivery whose attempt is this worker's to make.
type due struct {
	account, key uuid.UUID
	url          string
	payload      []byte
	number       int
	// started is the attempt's start as its row has it. It is what is signed, so that the signature can be shown later.
	started time.Time
}

// look tells whose delivery it is and how long it has been due: a negative time is a wait. A delivery for which nothing
// is left to do has no account.
func (d *Deliveries) look(ctx context.Context, id uuid.UUID) (account uuid.UUID, late time.Duration, err error) {
	err = d.db.QueryRow(ctx, `SELECT account_id, now() - next_at FROM delivery WHERE id = @id AND state = 'pending'`,
		pgx.NamedArgs{"id": id}).Scan(&account, &late)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, 0, nil
	}
	if err != nil {
		return uuid.Nil, 0, fmt.Errorf("look when delivery is due: %w", err)
	}
	return account, late, nil
}

// claim takes the attempt that is due, or returns nil when it is another worker's or the account has its share under way.
// The share is exact over all processes: a statement's count does not see what others have not committed, so the claims of
// an account follow one another. An attempt counts until it is written down, or its worker's time has run out.
func (d *Deliveries) claim(ctx context.Context, account, id uuid.UUID) (*due, error) {
	job := &due{account: account}
	err := postgres.Tx(ctx, d.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(@space::integer, hashtext(@account::text))`,
			pgx.NamedArgs{"space": claimLock, "account": account}); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
			WITH claimed AS (
				UPDATE delivery SET attempts = attempts + 1, attempting = true, next_at = now() + @lease::interval
				WHERE id = @id AND account_id = @account AND state = 'pending' AND next_at <= now()
				  AND (SELECT count(*) FROM delivery o WHERE o.account_id = @account AND o.attempting AND o.next_at > now()) < @share
				RETURNING id, key_id, url, payload, attempts
			), numbered AS (
				INSERT INTO delivery_attempt (delivery_id, number) SELECT id, attempts FROM claimed RETURNING started_at
			)
			SELECT key_id, url, payload, attempts, started_at FROM claimed, numbered`,
			pgx.NamedArgs{"id": id, "account": account, "lease": d.cfg.Timeout + attemptGrace, "share": d.cfg.PerAccount},
		).Scan(&job.key, &job.url, &job.payload, &job.number, &job.started)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // no attempt to make is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("claim delivery: %w", err)
	}
	return job, nil
}

// longestPutOff is how long at most an attempt waits that found its share taken, before the jitter.
const longestPutOff = 15 * time.Second

// putOff is how long an attempt waits that found its share taken: a second, and longer the longer it has been due, so
// that thousands which wait for one receiver do not keep the workers busy with asking.
func putOff(late time.Duration) time.Duration {
	return jittered(min(max(late/4, time.Second), longestPutOff))
}

// jittered lengthens a wait by up to a fifth.
func jittered(wait time.Duration) time.Duration {
	return wait + rand.N(wait/5+1) //nolint:gosec // spread, not secrecy
}
