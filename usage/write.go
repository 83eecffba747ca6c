package usage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// write puts a batch into the log and counts it, in one transaction. again says that an earlier try may have been
// committed although its answer was lost.
func (l *Log) write(ctx context.Context, batch []Entry, again bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return postgres.Tx(ctx, l.db, func(tx pgx.Tx) error {
		batch, err := known(ctx, tx, batch)
		if err != nil || len(batch) == 0 {
			return err
		}
		if again {
			if done, err := written(ctx, tx, batch[0]); err != nil || done {
				return err
			}
		}
		if err := insert(ctx, tx, batch); err != nil {
			return err
		}
		return add(ctx, tx, countsOf(batch))
	})
}

// known leaves out the entries of accounts that have been deleted. One that goes between this and the counts fails their
// foreign key, and the next try leaves it out.
func known(ctx context.Context, tx pgx.Tx, batch []Entry) ([]Entry, error) {
	seen := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for _, e := range batch {
		if !seen[e.Account] {
			seen[e.Account] = true
			ids = append(ids, e.Account)
		}
	}
	rows, err := tx.Query(ctx, `SELECT id FROM account WHERE id = ANY (@ids)`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look for deleted accounts: %w", err)
	}
	live, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("look for deleted accounts: %w", err)
	}
	if len(live) == len(ids) {
		return batch, nil
	}
	return slices.DeleteFunc(slices.Clone(batch), func(e Entry) bool { return !slices.Contains(live, e.Account) }), nil
}

// written tells whether an entry is in the log, and with it the batch that it came in.
func written(ctx context.Context, tx pgx.Tx, e Entry) (done bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM request_log WHERE at = @at AND id = @id AND account_id = @account)`,
		pgx.NamedArgs{"at": stamp(e.At), "id": e.ID, "account": e.Account}).Scan(&done)
	if err != nil {
		return false, fmt.Errorf("look for the batch in the log: %w", err)
	}
	return done, nil
}

// stamp is a time as the database keeps it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// insert copies the entries into the log.
func insert(ctx context.Context, tx pgx.Tx, batch []Entry) error {
	columns := []string{
		"id", "at", "account_id", "key_id", "method", "route", "status", "code", "verdict", "credits", "duration_us",
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"request_log"}, columns, pgx.CopyFromSlice(len(batch), func(i int) ([]any, error) {
		e := batch[i]
		return []any{
			e.ID, stamp(e.At), e.Account, nullable(e.Key, uuid.Nil), e.Method, e.Route, e.Status, e.Code,
			nullable(e.Verdict, ""), e.Credits, e.Took.Microseconds(),
		}, nil
	}))
	if err != nil {
		return fmt.Errorf("copy requests into the log: %w", err)
	}
	return nil
}

// nullable is nil for the value that stands for nothing.
func nullable[T comparable](v, nothing T) *T {
	if v == nothing {
		return nil
	}
	return &v
}

// slot is what is counted apart.
type slot struct {
	account uuid.UUID
	day     time.Time
	key     uuid.UUID
	call    string
}

func countsOf(batch []Entry) map[slot]Counts {
	sums := map[slot]Counts{}
	for _, e := range batch {
		s := slot{account: e.Account, day: dayOf(e.At), key: e.Key, call: e.Call()}
		sums[s] = sums[s].Plus(e.counts())
	}
	return sums
}

// dayOf is the day in UTC to which a time belongs.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(day) }

// add adds sums to what was counted before. The rows are taken in the order of their key, so that processes that count
// at once wait for each other and never in a circle.
func add(ctx context.Context, tx pgx.Tx, sums map[slot]Counts) error {
	var (
		accounts, keys []uuid.UUID
		days           []time.Time
		calls          []string
		n              [7][]int64
	)
	for s, c := range sums {
		accounts, days, keys, calls = append(accounts, s.account), append(days, s.day), append(keys, s.key), append(calls, s.call)
		for i, v := range [7]int64{c.Requests, c.Refused, c.Failed, c.AI, c.Real, c.Uncertain, c.Unavailable} {
			n[i] = append(n[i], v)
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO usage_day AS u
			(account_id, day, key_id, call, requests, refused, failed, ai, genuine, uncertain, unavailable)
		SELECT account_id, day, key_id, call, requests, refused, failed, ai, genuine, uncertain, unavailable
		FROM unnest(@accounts::uuid[], @days::date[], @keys::uuid[], @calls::text[], @requests::bigint[], @refused::bigint[],
		            @failed::bigint[], @ai::bigint[], @genuine::bigint[], @uncertain::bigint[], @unavailable::bigint[])
			AS s (account_id, day, key_id, call, requests, refused, failed, ai, genuine, uncertain, unavailable)
		ORDER BY account_id, day, key_id, call
		ON CONFLICT (account_id, day, key_id, call) DO UPDATE
			SET requests = u.requests + excluded.requests, refused = u.refused + excluded.refused,
			    failed = u.failed + excluded.failed, ai = u.ai + excluded.ai, genuine = u.genuine + excluded.genuine,
			    uncertain = u.uncertain + excluded.uncertain, unavailable = u.unavailable + excluded.unavailable`,
		pgx.NamedArgs{
			"accounts": accounts, "days": days, "keys": keys, "calls": calls, "requests": n[0], "refused": n[1], "failed": n[2],
			"ai": n[3], "genuine": n[4], "uncertain": n[5], "unavailable": n[6],
		})
	if err != nil {
		return fmt.Errorf("count requests: %w", err)
	}
	return nil
}

// CountVerdict counts the verdict of a check that ended apart from its request, in the transaction that ends it. A word
// that is no verdict counts nothing. key is nil for the playground, call the one that began the check.
func CountVerdict(ctx context.Context, tx pgx.Tx, account, key uuid.UUID, at time.Time, call, verdict string) error {
	var c Counts
	c.count(verdict)
	if c == (Counts{}) {
		return nil
	}
	if account == uuid.Nil || call == "" {
		return errors.New("count verdict: neither account nor call may be missing")
	}
	return add(ctx, tx, map[slot]Counts{{account: account, day: dayOf(at), key: key, call: call}: c})
}
