package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// ledger reads how far a run's jobs are out of the database: asking the API after each would be a load of its own.
type ledger struct {
	conn     *pgx.Conn
	accounts []string
}

func (r *rig) openLedger(ctx context.Context, customers []customer) (*ledger, error) {
	conn, err := pgx.Connect(ctx, r.database.URL())
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	l := &ledger{conn: conn}
	for _, c := range customers {
		l.accounts = append(l.accounts, c.id)
	}
	return l, nil
}

func (l *ledger) close(ctx context.Context) error { return l.conn.Close(context.WithoutCancel(ctx)) }

// await returns when that many jobs have ended.
func (l *ledger) await(ctx context.Context, ended int, crew []*server) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		var n int
		err := l.conn.QueryRow(ctx, `
			SELECT count(*) FROM job WHERE account_id = ANY(@accounts::uuid[]) AND ended_at IS NOT NULL`,
			pgx.NamedArgs{"accounts": l.accounts}).Scan(&n)
		if err != nil {
			return fmt.Errorf("count ended jobs: %w", err)
		}
		if n >= ended {
			return nil
		}
		for _, w := range crew {
			if err := w.failed(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for jobs, of which %d of %d have ended: %w", n, ended, ctx.Err())
		case <-tick.C:
		}
	}
}

// ends is how a run's jobs ended, as their rows and the journal have it.
type ends struct {
	rows, succeeded int
	// retried are jobs that were begun more than once; lastRetried is when the last of them ended.
	retried     int
	lastRetried time.Time
	first, last time.Time
	// charges and returns are the journal's entries: one charge a job and nothing given back is what a success leaves.
	charges, returns int
}

// rate is the jobs a second from the first one's start to the last one's end.
func (e ends) rate() float64 { return float64(e.rows) / e.last.Sub(e.first).Seconds() }

func (l *ledger) read(ctx context.Context) (ends, error) {
	var e ends
	var lastRetried *time.Time
	args := pgx.NamedArgs{"accounts": l.accounts}
	err := l.conn.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE status = 'succeeded'), count(*) FILTER (WHERE attempt > 1),
		       max(ended_at) FILTER (WHERE attempt > 1), min(started_at), max(ended_at)
		  FROM job WHERE account_id = ANY(@accounts::uuid[])`, args).
		Scan(&e.rows, &e.succeeded, &e.retried, &lastRetried, &e.first, &e.last)
	if err != nil {
		return ends{}, fmt.Errorf("read how jobs ended: %w", err)
	}
	if lastRetried != nil {
		e.lastRetried = *lastRetried
	}
	err = l.conn.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE kind = 'capture'), count(*) FILTER (WHERE kind = 'release')
		  FROM credit_entry WHERE account_id = ANY(@accounts::uuid[])`, args).Scan(&e.charges, &e.returns)
	if err != nil {
		return ends{}, fmt.Errorf("read the journal: %w", err)
	}
	return e, nil
}

// jobRun is one run of all jobs and what was found of it.
type jobRun struct {
	ends

	name  string
	begun []begunJob
	// accepted is how many calls that start a job were answered a second.
	accepted float64
	killedAt time.Time
	// told are the jobs of which the API says that they succeeded; spent and held are the accounts' credits.
	told, spent, held int
	// unreconciled is what `veracity jobs reconcile` says when anything does not match.
	unreconciled error
}

// audit asks the API after each job, the accounts after their credits and `veracity jobs reconcile` after strays.
func (j *jobRun) audit(ctx context.Context, r *rig, customers []customer) error {
	seen := map[string]bool{}
	for _, b := range j.begun {
		job, err := b.client.state(ctx, b.path, b.id)
		if err != nil {
			return err
		}
		if job.Status == "succeeded" && job.ID == b.id && !seen[b.id] {
			j.told++
		}
		seen[b.id] = true
	}
	for _, b := range j.begun {
		b.client.close()
	}
	for _, c := range customers {
		b, err := r.program.books(ctx, c)
		if err != nil {
			return err
		}
		j.spent, j.held = j.spent+b.Credits.Spent, j.held+b.Credits.Held
	}
	j.unreconciled = r.program.run(ctx, nil, "jobs", "reconcile")
	return ctx.Err()
}

// broken lists what is not as it must be after every job has ended.
func (j *jobRun) broken() []string {
	const price = shortJobs/2*voicePrice + shortJobs/2*iconPrice
	var found []string
	for _, f := range []struct {
		what      string
		got, want int
	}{
		{"jobs in the database", j.rows, shortJobs},
		{"jobs that succeeded", j.succeeded, shortJobs},
		{"jobs that the API says succeeded", j.told, shortJobs},
		{"charges in the journal", j.charges, shortJobs},
		{"holds given back", j.returns, 0},
		{"credits spent", j.spent, price},
		{"credits still held", j.held, 0},
	} {
		if f.got != f.want {
			found = append(found, fmt.Sprintf("%s: %d, not %d", f.what, f.got, f.want))
		}
	}
	if j.unreconciled != nil {
		found = append(found, j.unreconciled.Error())
	}
	return found
}
