package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"veracity/platform/postgres"
)

// The past of the account whose pages are measured.
const (
	pastDays = 90
	// pastRequests are spread over the days and usedKeys of the account's liveKeys. Half of them were charged for.
	pastRequests = 100_000
	liveKeys     = 10
	usedKeys     = 5
	pastJobs     = 500
	// neighbours are further accounts with such a past, so that no table is the one account's alone.
	neighbours = 3
	// monthlyGrant is more credits than a month of that past spends.
	monthlyGrant = 50_000
)

// settle gives an account its further keys, and makes its neighbours. It gives the ids of all.
func (r *rig) settle(ctx context.Context, c customer) ([]string, error) {
	accounts := make([]string, 1+neighbours)
	accounts[0] = c.id
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(submitters)
	for i := 1; i < liveKeys; i++ { // the first one came with the account
		group.Go(func() error {
			return r.program.run(ctx, nil, "key", "create", "--account", c.id, "--name", "server "+strconv.Itoa(i))
		})
	}
	for i := 1; i <= neighbours; i++ {
		group.Go(func() error {
			n, err := r.program.customer(ctx, "neighbour"+strconv.Itoa(i), monthlyGrant)
			accounts[i] = n.id
			return err
		})
	}
	return accounts, group.Wait()
}

// live gives an account and its neighbours their past: requests, their charges with periods and journal, the counts of
// each day, and jobs. The ledgers add up as if all had been called for over the API.
func (r *rig) live(ctx context.Context, c customer) error {
	accounts, err := r.settle(ctx, c)
	if err != nil {
		return err
	}
	db, err := pgxpool.New(ctx, r.database.URL())
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer db.Close()
	// The months of the past have partitions as they would if the server had run then.
	begin := time.Now().AddDate(0, 0, -pastDays)
	if err := postgres.EnsureMonths(ctx, db, "request_log", begin, pastDays/30+2); err != nil {
		return err
	}
	args := pgx.NamedArgs{
		"accounts": accounts, "days": pastDays, "requests": pastRequests, "keys": usedKeys, "jobs": pastJobs,
		"grant": monthlyGrant,
	}
	for _, s := range past {
		tag, err := db.Exec(ctx, s.sql, args)
		if err != nil {
			return fmt.Errorf("make the account's %s: %w", s.what, err)
		}
		if want := s.rows * int64(len(accounts)); want > 0 && tag.RowsAffected() != want {
			return fmt.Errorf("make the account's %s: %d rows, not %d", s.what, tag.RowsAffected(), want)
		}
	}
	// What autovacuum does by itself within minutes.
	_, err = db.Exec(ctx, `VACUUM (ANALYZE) request_log, usage_day, credit_period, credit_hold, credit_entry, job, api_key`)
	if err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	return nil
}

// past are the statements that make it, each from what the ones before it made, and how many rows they must write for each
// account, where that is known.
var past = []struct {
	what string
	sql  string
	rows int64
}{
	{"age", `
		UPDATE account SET created_at = now() - interval '105 days', period_anchor = now() - interval '105 days'
		WHERE id = ANY(@accounts::uuid[])`, 1},
	{"first period again", `DELETE FROM credit_period WHERE account_id = ANY(@accounts::uuid[])`, 1},
	{"periods", `
		INSERT INTO credit_period (account_id, period_start, period_end, granted)
		SELECT id, period_anchor + n * interval '1 month', period_anchor + (n + 1) * interval '1 month', @grant::bigint
		FROM account, generate_series(0, 3) n WHERE id = ANY(@accounts::uuid[])`, 4},
	{"grants", `
		INSERT INTO credit_entry (account_id, period_start, kind, amount, at)
		SELECT account_id, period_start, 'grant', granted, period_start
		FROM credit_period WHERE account_id = ANY(@accounts::uuid[])`, 4},
	{"requests", `
		INSERT INTO request_log (id, at, account_id, key_id, method, route, status, code, verdict, credits, duration_us)
		SELECT gen_random_uuid(),
		       now() - interval '1 hour' - (@requests::integer - i) * (interval '1 day' * @days::integer / @requests::integer),
		       k.account_id, k.ids[1 + i / 100 % least(@keys::integer, cardinality(k.ids))],
		       c.method, c.route, c.status, c.code, c.verdict, c.credits, 900 + i * 7919 % 90000
		FROM generate_series(1, @requests::integer) i
		CROSS JOIN (
			SELECT account_id, array_agg(id ORDER BY created_at, id) AS ids
			FROM api_key WHERE account_id = ANY(@accounts::uuid[]) GROUP BY 1
		) k
		CROSS JOIN LATERAL (
			SELECT 'POST', '/audit', 200, 'ok', (ARRAY['ai', 'real', 'real', 'uncertain', 'unavailable'])[1 + i / 20 % 5], 1
			WHERE i % 2 = 0 AND i % 20 > 0
			UNION ALL SELECT 'POST', '/optimize', 202, 'ok', NULL, 2 WHERE i % 20 = 0
			UNION ALL SELECT 'POST', '/audit', 429, 'rate_limited', NULL, 0 WHERE i % 20 = 1
			UNION ALL SELECT 'POST', '/audit', 415, 'unsupported_media', NULL, 0 WHERE i % 20 = 3
			UNION ALL SELECT 'POST', '/audit', 503, 'engine_unavailable', NULL, 0 WHERE i % 20 = 5
			UNION ALL SELECT 'GET', '/optimize/{id}', 404, 'not_found', NULL, 0 WHERE i % 20 = 7
			UNION ALL SELECT 'GET', '/optimize/{id}', 200, 'ok', NULL, 0 WHERE i % 2 = 1 AND i % 20 > 7
		) c (method, route, status, code, verdict, credits)
		ORDER BY i`, pastRequests},
	{"charges", `
		INSERT INTO credit_hold (id, account_id, period_start, amount, captured, state, created_at, ended_at, key_id, call)
		SELECT gen_random_uuid(), r.account_id, p.period_start, r.credits, r.credits, 'captured', r.at,
		       r.at + r.duration_us * interval '1 microsecond', r.key_id, r.method || ' ' || r.route
		FROM request_log r
		JOIN credit_period p ON p.account_id = r.account_id AND r.at >= p.period_start AND r.at < p.period_end
		WHERE r.account_id = ANY(@accounts::uuid[]) AND r.credits > 0 ORDER BY r.at`, pastRequests / 2},
	{"journal", `
		INSERT INTO credit_entry (account_id, period_start, hold_id, kind, amount, at)
		SELECT h.account_id, h.period_start, h.id, e.kind, h.amount, e.at
		FROM credit_hold h CROSS JOIN LATERAL (VALUES ('hold', h.created_at), ('capture', h.ended_at)) AS e (kind, at)
		WHERE h.account_id = ANY(@accounts::uuid[]) ORDER BY e.at`, pastRequests},
	{"spent credits", `
		UPDATE credit_period p SET spent = h.captured
		FROM (
			SELECT account_id, period_start, sum(captured) AS captured
			FROM credit_hold WHERE account_id = ANY(@accounts::uuid[]) GROUP BY 1, 2
		) h
		WHERE p.account_id = h.account_id AND p.period_start = h.period_start`, 0},
	{"counts", `
		INSERT INTO usage_day (account_id, day, key_id, call, requests, refused, failed, ai, genuine, uncertain, unavailable)
		SELECT account_id, (at AT TIME ZONE 'UTC')::date, key_id, method || ' ' || route, count(*),
		       count(*) FILTER (WHERE status BETWEEN 400 AND 499), count(*) FILTER (WHERE status >= 500),
		       count(*) FILTER (WHERE verdict = 'ai'), count(*) FILTER (WHERE verdict = 'real'),
		       count(*) FILTER (WHERE verdict = 'uncertain'), count(*) FILTER (WHERE verdict = 'unavailable')
		FROM request_log WHERE account_id = ANY(@accounts::uuid[]) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2`, 0},
	{"jobs", `
		INSERT INTO job (id, account_id, key_id, kind, media, status, hold_id, source_bytes, admitted, attempt, progress, report,
		                 answer, charged, created_at, started_at, ended_at, expires_at)
		SELECT gen_random_uuid(), account_id, key_id, 'optimize', 'image', 'succeeded', id, 250000, true, 1, 1,
		       '{"score": {"score": 71, "zone": "good"}}', '{}', captured, created_at, created_at, ended_at, now() + interval '1 day'
		FROM (
			SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC) AS nth
			FROM credit_hold WHERE account_id = ANY(@accounts::uuid[]) AND call = 'POST /optimize'
		) h
		WHERE nth <= @jobs ORDER BY created_at`, pastJobs},
}
