package media

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// meter is how far a job has come, 0 to 1, written by the work and read by the lease.
type meter struct{ bits atomic.Uint64 }

func (m *meter) set(done float64) { m.bits.Store(math.Float64bits(min(max(done, 0), 1))) }
func (m *meter) get() float64     { return math.Float64frombits(m.bits.Load()) }

// renewals is how often a lease is renewed within its time, so that one or two slow renewals do not lose it.
const renewals = 4

// keepLease renews the job's lease and notes its progress until stop is called. It calls lost when another worker has
// the job, or when a lease has passed since the last sign from the database, counted from before it was asked: no other
// worker can have begun by then.
func (s *Service) keepLease(ctx context.Context, j claimed, asked time.Time, progress *meter, lost context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	lapse := time.AfterFunc(time.Until(asked.Add(s.cfg.Lease)), func() { lost(errLeaseLost) })
	go func() {
		defer close(done)
		defer lapse.Stop()
		tick := time.NewTicker(s.cfg.Lease / renewals)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			asked := time.Now()
			mine, err := s.renewLease(ctx, j, progress.get())
			switch {
			case err == nil && mine:
				lapse.Reset(time.Until(asked.Add(s.cfg.Lease)))
			case err == nil:
				lost(errLeaseLost)
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (s *Service) renewLease(ctx context.Context, j claimed, progress float64) (mine bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Lease/renewals)
	defer cancel()
	tag, err := s.db.Exec(ctx, `
		UPDATE job SET lease_until = now() + @lease::interval, progress = greatest(progress, @progress::real)
		WHERE id = @id AND run = @run AND status = 'running'`,
		pgx.NamedArgs{"id": j.id, "run": j.run, "lease": s.cfg.Lease, "progress": progress})
	if err != nil {
		return false, fmt.Errorf("renew lease: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// pause waits for the next attempt, in the worker: who waits for an engine or a storage that is away has no better job to
// turn to, and a job that went back to its queue would wait behind all younger ones. It then counts the new attempt.
func (s *Service) pause(ctx context.Context, j *claimed, next step) error {
	wait := time.NewTimer(next.wait)
	defer wait.Stop()
	select {
	case <-ctx.Done(): // the next look at the job says why
	case <-wait.C:
	}
	j.wasAdmitted = false
	j.waits++
	if next.uncounted {
		return nil
	}
	j.attempt++
	_, err := s.db.Exec(context.WithoutCancel(ctx), `UPDATE job SET attempt = @attempt WHERE id = @id AND run = @run AND status = 'running'`,
		pgx.NamedArgs{"id": j.id, "run": j.run, "attempt": j.attempt})
	if err != nil {
		return fmt.Errorf("count attempt: %w", err)
	}
	return nil
}

// giveUp hands the job to another worker, at once and before younger jobs: this one is told to stop. The attempt does not
// count.
func (s *Service) giveUp(ctx context.Context, j claimed) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	return postgres.Tx(ctx, s.db, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE job SET lease_until = now(), attempt = greatest(attempt - 1, 0)
			WHERE id = @id AND run = @run AND status = 'running'`,
			pgx.NamedArgs{"id": j.id, "run": j.run})
		if err != nil {
			return fmt.Errorf("give job back: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		return s.queue.Insert(ctx, tx, queueJob(j.kind, j.id, true))
	})
}

// unqueued is how long a job may wait to be begun before somebody looks whether its queue still knows of it.
const unqueued = time.Minute

// FindLost finds jobs whose worker has let its lease run out, the longest lost first, and jobs that wait to be begun and
// that no row of the queue's tables will wake.
func (s *Service) FindLost(ctx context.Context) ([]QueueJob, error) {
	rows, err := s.db.Query(ctx, `
		(SELECT id, kind, true FROM job WHERE status = 'running' AND lease_until < now() ORDER BY lease_until LIMIT 500)
		UNION ALL
		(SELECT id, kind, false FROM job
		 WHERE status = 'queued' AND created_at < now() - @unqueued::interval
		   AND NOT EXISTS (SELECT FROM river_job r
		                   WHERE r.args @> jsonb_build_object('job', job.id) AND r.kind = job.kind
		                     AND (r.state IN ('available', 'pending', 'retryable', 'scheduled')
		                          OR (r.state = 'running' AND r.attempted_at > now() - interval '20 s')))
		 ORDER BY created_at LIMIT 500)`, pgx.NamedArgs{"unqueued": unqueued})
	if err != nil {
		return nil, fmt.Errorf("find lost jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (QueueJob, error) {
		var (
			id    uuid.UUID
			kind  string
			begun bool
		)
		err := row.Scan(&id, &kind, &begun)
		return queueJob(kind, id, begun), err
	})
	if err != nil {
		return nil, fmt.Errorf("find lost jobs: %w", err)
	}
	return found, nil
}
