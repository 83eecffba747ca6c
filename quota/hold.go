package quota

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Request asks for credits to be set aside.
type Request struct {
	Account uuid.UUID
	// Amount is in credits, at least 1.
	Amount int64
	// Slot also takes one of the account's jobs at once, given back when the hold ends.
	Slot bool
	// Key and Call say what the credits are for, so that usage by key and call adds up to the ledger. Key is nil for the
	// playground; Call is such as POST /audit.
	Key  uuid.UUID
	Call string
	// TTL ends the hold by itself when the process that made it dies; 0 means that a job row answers for it. A hold with
	// a TTL is not waited for on the disk: one that a crash of the database forgets was charged to nobody. So it must
	// not be made in a transaction that writes anything else.
	TTL time.Duration
}

// Hold sets credits aside in the current period and returns the hold's id. The refusals are quota_exceeded (with
// [Exceeded]) and too_many_jobs; both leave nothing behind when db is a transaction that is then rolled back, and
// a request without Slot leaves nothing behind on a pool either.
func Hold(ctx context.Context, db postgres.DB, req Request) (uuid.UUID, error) {
	if req.Slot {
		if err := takeSlot(ctx, db, req.Account); err != nil {
			return uuid.Nil, err
		}
	}
	id, err := hold(ctx, db, req)
	if !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	opened, err := renew(ctx, db, &req.Account)
	if err != nil {
		return uuid.Nil, err
	}
	if opened > 0 {
		if id, err = hold(ctx, db, req); !errors.Is(err, pgx.ErrNoRows) {
			return id, err
		}
	}
	balance, err := Read(ctx, db, req.Account)
	if err != nil {
		return uuid.Nil, err
	}
	return uuid.Nil, exceeded(req.Amount, balance)
}

// hold is the statement that makes an over-spend impossible. It returns pgx.ErrNoRows when the credits do not suffice
// or no period is open.
func hold(ctx context.Context, db postgres.DB, req Request) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make hold id: %w", err)
	}
	var (
		expires *time.Duration
		key     *uuid.UUID
		call    *string
	)
	if req.TTL > 0 {
		expires = &req.TTL
	}
	if req.Key != uuid.Nil {
		key = &req.Key
	}
	if req.Call != "" {
		call = &req.Call
	}
	err = db.QueryRow(ctx, `
		WITH period AS (
			UPDATE credit_period SET held = held + @amount::bigint
			WHERE account_id = @account AND period_start <= now() AND period_end > now()
			  AND granted - spent - held >= @amount
			RETURNING account_id, period_start
		), made AS (
			INSERT INTO credit_hold (id, account_id, period_start, amount, slot, expires_at, key_id, call)
			SELECT @id::uuid, account_id, period_start, @amount, @slot::boolean, now() + @expires::interval, @key::uuid, @call::text
			FROM period
			RETURNING id, account_id, period_start, amount
		)
		INSERT INTO credit_entry (account_id, period_start, hold_id, kind, amount)
		SELECT account_id, period_start, id, 'hold', amount FROM made
		RETURNING hold_id, CASE WHEN @expires::interval IS NOT NULL THEN set_config('synchronous_commit', 'off', true) END`,
		pgx.NamedArgs{
			"id": id, "account": req.Account, "amount": req.Amount, "slot": req.Slot, "expires": expires, "key": key, "call": call,
		},
	).Scan(&id, nil)
	if err != nil {
		return uuid.Nil, fmt.Errorf("hold credits: %w", err)
	}
	return id, nil
}

// Look refuses what [Hold] would refuse now, and takes nothing: advice before work that a refusal would waste. It
// returns how many of the account's job slots are free.
func Look(ctx context.Context, db postgres.DB, req Request) (free int, err error) {
	err = db.QueryRow(ctx, `
		SELECT coalesce(a.jobs_override, a.plan_jobs) - s.jobs
		FROM job_slot s JOIN account a ON a.id = s.account_id WHERE s.account_id = @account`,
		pgx.NamedArgs{"account": req.Account}).Scan(&free)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("look for a job slot: %w", err)
	}
	if req.Slot && free < 1 {
		return 0, TooManyJobs()
	}
	if _, err := renew(ctx, db, &req.Account); err != nil {
		return 0, err
	}
	balance, err := Read(ctx, db, req.Account)
	if err == nil && balance.Available < req.Amount {
		err = exceeded(req.Amount, balance)
	}
	return free, err
}

// LockSlots makes a transaction that will end a hold with a slot take its locks in the order in which Hold does, so that
// jobs of one account that start and end at once do not wait for each other in a circle.
func LockSlots(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	_, err := tx.Exec(ctx, `SELECT FROM job_slot WHERE account_id = @account FOR UPDATE`, pgx.NamedArgs{"account": account})
	if err != nil {
		return fmt.Errorf("lock job slots: %w", err)
	}
	return nil
}

// Settle charges amount credits of a hold, at most what was held, gives the rest back and frees its slot. It reports
// false when the hold had ended before, so that what happens twice counts once.
func Settle(ctx context.Context, db postgres.DB, account, holdID uuid.UUID, amount int64) (bool, error) {
	if amount == 0 {
		return end(ctx, db, account, holdID, 0, "released")
	}
	return end(ctx, db, account, holdID, amount, "captured")
}

// Release gives a hold back whole and frees its slot. It reports false when the hold had ended before.
func Release(ctx context.Context, db postgres.DB, account, holdID uuid.UUID) (bool, error) {
	return end(ctx, db, account, holdID, 0, "released")
}

func end(ctx context.Context, db postgres.DB, account, holdID uuid.UUID, amount int64, state string) (bool, error) {
	var ended bool
	err := db.QueryRow(ctx, `
		WITH ended AS (
			UPDATE credit_hold SET state = @state, captured = least(@amount::bigint, amount), ended_at = now()
			WHERE id = @id AND account_id = @account AND state = 'held'
			RETURNING id, account_id, period_start, amount, captured, slot
		), period AS (
			UPDATE credit_period p SET held = p.held - e.amount, spent = p.spent + e.captured
			FROM ended e WHERE p.account_id = e.account_id AND p.period_start = e.period_start
		), freed AS (
			UPDATE job_slot s SET jobs = s.jobs - 1 FROM ended e WHERE s.account_id = e.account_id AND e.slot
		), entries AS (
			INSERT INTO credit_entry (account_id, period_start, hold_id, kind, amount)
			SELECT account_id, period_start, id, 'capture', captured FROM ended WHERE captured > 0
			UNION ALL
			SELECT account_id, period_start, id, 'release', amount - captured FROM ended WHERE amount > captured
		)
		SELECT EXISTS (SELECT FROM ended)`,
		pgx.NamedArgs{"id": holdID, "account": account, "amount": amount, "state": state},
	).Scan(&ended)
	if err != nil {
		return false, fmt.Errorf("end hold as %s: %w", state, err)
	}
	return ended, nil
}

// ReleaseExpired gives back the holds whose process died before it could end them, and returns how many there were.
// It takes at most 1,000 at a time; call it until it returns 0.
func ReleaseExpired(ctx context.Context, db postgres.DB) (int64, error) {
	var n int64
	err := db.QueryRow(ctx, `
		WITH due AS (
			SELECT id FROM credit_hold WHERE state = 'held' AND expires_at < now()
			LIMIT 1000 FOR UPDATE SKIP LOCKED
		), ended AS (
			UPDATE credit_hold h SET state = 'released', ended_at = now() FROM due WHERE h.id = due.id
			RETURNING h.id, h.account_id, h.period_start, h.amount, h.slot
		), period AS (
			UPDATE credit_period p SET held = p.held - t.amount
			FROM (SELECT account_id, period_start, sum(amount) AS amount FROM ended GROUP BY 1, 2) t
			WHERE p.account_id = t.account_id AND p.period_start = t.period_start
		), freed AS (
			UPDATE job_slot s SET jobs = s.jobs - t.slots
			FROM (SELECT account_id, count(*) AS slots FROM ended WHERE slot GROUP BY 1) t
			WHERE s.account_id = t.account_id
		), entries AS (
			INSERT INTO credit_entry (account_id, period_start, hold_id, kind, amount)
			SELECT account_id, period_start, id, 'release', amount FROM ended
		)
		SELECT count(*) FROM ended`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("release expired holds: %w", err)
	}
	return n, nil
}

// takeSlot counts one more job under the account's cap, in the statement that checks the cap.
func takeSlot(ctx context.Context, db postgres.DB, account uuid.UUID) error {
	tag, err := db.Exec(ctx, `
		UPDATE job_slot s SET jobs = s.jobs + 1
		FROM account a
		WHERE a.id = s.account_id AND s.account_id = @account AND s.jobs < coalesce(a.jobs_override, a.plan_jobs)`,
		pgx.NamedArgs{"account": account})
	if err != nil {
		return fmt.Errorf("take job slot: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return TooManyJobs()
	}
	return nil
}

// TooManyJobs is the refusal of one more job at once.
func TooManyJobs() error {
	return fault.New(fault.TooManyJobs,
		"The account already runs as many jobs as its plan allows. Try again when one has ended, or move to a larger plan.",
	).WithRetryAfter(slotRetry)
}

// slotRetry is how long a caller without a free slot is asked to wait: about the length of a short job.
const slotRetry = 5 * time.Second
