package usage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Log writes entries to the request log and counts them, behind the requests. It is safe for concurrent use.
type Log struct {
	cfg     Config
	db      *pgxpool.Pool
	metrics *Metrics
	log     *slog.Logger

	// mu keeps entries from being sent on a channel that Close has closed.
	mu      sync.RWMutex
	closed  bool
	entries chan Entry
	// ended is closed when the writer is done; abandon makes it give up what it cannot write.
	ended   chan struct{}
	abandon context.CancelFunc

	// dropped are the entries lost since the operator was last told; told is the writer's alone.
	dropped atomic.Int64
	told    time.Time
}

// NewLog starts the writer of a log, which Close ends. cfg must be valid.
func NewLog(cfg Config, db *pgxpool.Pool, metrics *Metrics, log *slog.Logger) *Log {
	ctx, abandon := context.WithCancel(context.Background())
	l := &Log{
		cfg: cfg, db: db, metrics: metrics, log: log,
		// The batch in the writer's hands counts towards the bound.
		entries: make(chan Entry, cfg.Buffer-cfg.Batch), ended: make(chan struct{}), abandon: abandon,
	}
	go l.run(ctx)
	return l
}

// Note takes an entry. It never waits: what does not fit while the database is away is dropped and counted.
func (l *Log) Note(e Entry) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		l.lose(1)
		return
	}
	select {
	case l.entries <- e:
	default:
		l.lose(1)
	}
}

// Close writes what was noted and ends the writer. It fails when ctx ends before all is written; the rest is lost.
func (l *Log) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.entries)
	}
	l.mu.Unlock()
	defer l.abandon()
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
	}
	l.abandon()
	<-l.ended
	return fmt.Errorf("write the rest of the request log: %w", ctx.Err())
}

func (l *Log) run(ctx context.Context) {
	defer close(l.ended)
	tick := time.NewTicker(l.cfg.Every)
	defer tick.Stop()
	batch := make([]Entry, 0, l.cfg.Batch)
	for open := true; open; {
		var e Entry
		select {
		case e, open = <-l.entries:
			if open {
				batch = append(batch, e)
			}
			if open && len(batch) < l.cfg.Batch {
				continue
			}
		case <-tick.C:
		}
		l.flush(ctx, batch)
		batch = batch[:0]
		l.tell(ctx)
	}
}

const (
	// writeTime bounds one try to write a batch.
	writeTime = 15 * time.Second
	// firstWait is the wait before the second try, which doubles up to maxWait.
	firstWait = 50 * time.Millisecond
	maxWait   = 5 * time.Second
	// maxRefusals is how often the database may refuse a batch for what is in it before the batch is given up: a request
	// that cannot be written must not stop the log for good.
	maxRefusals = 3
)

// flush writes a batch, however long the database is away, until ctx ends.
func (l *Log) flush(ctx context.Context, batch []Entry) {
	if len(batch) == 0 {
		return
	}
	refusals, wait := 0, firstWait
	for try := 1; ; try++ {
		err := l.write(ctx, batch, try > 1)
		if err == nil {
			l.metrics.written.Add(float64(len(batch)))
			return
		}
		if refused(err) {
			refusals++
		}
		if ctx.Err() != nil || refusals == maxRefusals {
			l.lose(len(batch))
			l.log.ErrorContext(ctx, "requests were not logged", "requests", len(batch), "error", err)
			return
		}
		if try == 1 {
			l.log.WarnContext(ctx, "write of the request log is tried again", "requests", len(batch), "error", err)
		}
		l.metrics.retries.Inc()
		l.tell(ctx)
		pause(ctx, wait)
		wait = min(2*wait, maxWait)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// refused tells an error about the rows from one about the database: SQLSTATE class 22 is data that a column cannot
// hold, 23 a constraint (PostgreSQL's documentation, appendix A).
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code[:2] == "22" || e.Code[:2] == "23")
}

func (l *Log) lose(n int) {
	l.dropped.Add(int64(n))
	l.metrics.dropped.Add(float64(n))
}

// tellEvery keeps a database that is away from filling the log of the process.
const tellEvery = time.Minute

// tell says how many entries were dropped, at most once a minute.
func (l *Log) tell(ctx context.Context) {
	if l.dropped.Load() == 0 || time.Since(l.told) < tellEvery {
		return
	}
	l.told = time.Now()
	l.log.ErrorContext(ctx, "the request log lost requests: the database does not take them in time",
		"requests", l.dropped.Swap(0), "kept_waiting", l.cfg.Buffer)
}
