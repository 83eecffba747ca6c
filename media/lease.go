package media

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// meter is how far a job has come, 0 to 1, written by the work and read by the lease.
type meter struct{ bits atomic.Uint64 }

func (m *meter) set(done float64) { m.bits.Store(math.Float64bits(min(max(done, 0), 1))) }
func (m *meter) get() float64     { return math.Float64frombits(m.bits.Load()) }

// renewals is how often a lease is renewed within its time, so that one or two slow renewals do not lose it.
const renewals = 4

// keepLease renews the job's lease and notes its progress until stop is called. It calls lost when another worker has
// the job, or when nothing has been heard from the database for a whole lease, so that two never work it at once.
func (s *Service) keepLease(ctx context.Context, j claimed, progress *meter, lost context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.cfg.Lease / renewals)
		defer tick.Stop()
		until := time.Now().Add(s.cfg.Lease)
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
				until = asked.Add(s.cfg.Lease)
			case err == nil, time.Now().After(until):
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

// postpone gives the lease back so that the next attempt can begin after wait; uncounted takes this attempt back.
func (s *Service) postpone(ctx context.Context, j claimed, wait time.Duration, uncounted bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	_, err := s.db.Exec(ctx, `
		UPDATE job SET lease_until = now() + @wait::interval, attempt = attempt - @back::integer
		WHERE id = @id AND run = @run AND status = 'running'`,
		pgx.NamedArgs{"id": j.id, "run": j.run, "wait": wait, "back": count(uncounted)})
	if err != nil {
		return fmt.Errorf("postpone job: %w", err)
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Lost is a job that no queue may know of any more.
type Lost struct {
	ID  uuid.UUID
	Job QueueJob
}

// unqueued is how long a job may wait in a queue before it is looked after: a queue's own row could be lost.
const unqueued = time.Minute

// FindLost finds jobs whose worker has let its lease run out, and jobs that have waited long to be begun. Whether a
// queue still drives them is the queue's to say.
func (s *Service) FindLost(ctx context.Context) ([]Lost, error) {
	rows, err := s.db.Query(ctx, `
		SELECT id, kind FROM job
		WHERE (status = 'running' AND lease_until < now()) OR (status = 'queued' AND created_at < now() - @unqueued::interval)
		ORDER BY created_at LIMIT 1000`, pgx.NamedArgs{"unqueued": unqueued})
	if err != nil {
		return nil, fmt.Errorf("find lost jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l Lost, err error) {
		var kind string
		err = row.Scan(&l.ID, &kind)
		l.Job = queueJob(kind, l.ID)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("find lost jobs: %w", err)
	}
	return found, nil
}
