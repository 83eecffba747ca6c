package usage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// Day is what an account did on one day in UTC.
type Day struct {
	Day time.Time
	Counts
}

// Row is what an account did on one day by one key and call.
type Row struct {
	Day time.Time
	// Key is nil for the playground; KeyName and KeyStart are empty then.
	Key      uuid.UUID
	KeyName  string
	KeyStart string
	// Call is such as POST /audit; it is empty for charges older than the record of calls.
	Call string
	Counts
}

// span are the arguments of a range of days, both days included.
func span(account uuid.UUID, from, to time.Time) pgx.NamedArgs {
	from, to = dayOf(from), dayOf(to)
	return pgx.NamedArgs{"account": account, "from": from, "to": to}
}

// Counted gives every day from from to to, both included, with zeros where nothing happened, the earliest first. It
// leaves credits out, which cost a look at every charge; [Daily] has them.
func Counted(ctx context.Context, db postgres.DB, account uuid.UUID, from, to time.Time) ([]Day, error) {
	rows, err := db.Query(ctx, `
		SELECT d.day::date, coalesce(u.requests, 0), coalesce(u.refused, 0), coalesce(u.failed, 0), coalesce(u.ai, 0),
		       coalesce(u.genuine, 0), coalesce(u.uncertain, 0), coalesce(u.unavailable, 0), 0::bigint
		FROM generate_series(@from::date::timestamp, @to::date::timestamp, interval '1 day') AS d (day)
		LEFT JOIN (
			SELECT day, sum(requests)::bigint AS requests, sum(refused)::bigint AS refused, sum(failed)::bigint AS failed,
			       sum(ai)::bigint AS ai, sum(genuine)::bigint AS genuine, sum(uncertain)::bigint AS uncertain,
			       sum(unavailable)::bigint AS unavailable
			FROM usage_day WHERE account_id = @account AND day BETWEEN @from AND @to GROUP BY day
		) u ON u.day = d.day::date
		ORDER BY 1`, span(account, from, to))
	if err != nil {
		return nil, fmt.Errorf("read usage by day: %w", err)
	}
	days, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Day])
	if err != nil {
		return nil, fmt.Errorf("read usage by day: %w", err)
	}
	return days, nil
}

// ByCall gives what was done by day, key and call, both days included: the latest day first, then by key and call.
// Credits stand on the day on which they were charged. They are summed a day at a time, each a range of
// credit_hold_usage_idx: over all days at once the planner sorts every hold of the range.
func ByCall(ctx context.Context, db postgres.DB, account uuid.UUID, from, to time.Time) ([]Row, error) {
	rows, err := db.Query(ctx, `
		SELECT u.day, u.key_id, coalesce(k.name, ''), coalesce(k.start, ''), u.call,
		       sum(u.requests)::bigint, sum(u.refused)::bigint, sum(u.failed)::bigint, sum(u.ai)::bigint,
		       sum(u.genuine)::bigint, sum(u.uncertain)::bigint, sum(u.unavailable)::bigint, sum(u.credits)::bigint
		FROM (
			SELECT day, key_id, call, requests, refused, failed, ai, genuine, uncertain, unavailable, 0::bigint AS credits
			FROM usage_day WHERE account_id = @account AND day BETWEEN @from AND @to
			UNION ALL
			SELECT d.day::date, coalesce(h.key_id, '00000000-0000-0000-0000-000000000000'),
			       coalesce(h.call, ''), 0, 0, 0, 0, 0, 0, 0, h.captured
			FROM generate_series(@from::date::timestamp, @to::date::timestamp, interval '1 day') AS d(day)
			CROSS JOIN LATERAL (
				SELECT key_id, call, sum(captured)::bigint AS captured FROM credit_hold
				WHERE account_id = @account AND state = 'captured'
				  AND ended_at >= d.day AT TIME ZONE 'UTC'
				  AND ended_at < (d.day + interval '1 day') AT TIME ZONE 'UTC'
				GROUP BY key_id, call
			) h
		) u
		LEFT JOIN api_key k ON k.id = u.key_id AND k.account_id = @account
		GROUP BY u.day, u.key_id, k.name, k.start, u.call
		ORDER BY u.day DESC, k.name, u.key_id, u.call`, span(account, from, to))
	if err != nil {
		return nil, fmt.Errorf("read usage by key and call: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
	if err != nil {
		return nil, fmt.Errorf("read usage by key and call: %w", err)
	}
	return found, nil
}

// Daily gives every day from from to to, both included, with zeros where nothing happened, the earliest first.
func Daily(ctx context.Context, db postgres.DB, account uuid.UUID, from, to time.Time) ([]Day, error) {
	rows, err := ByCall(ctx, db, account, from, to)
	if err != nil {
		return nil, err
	}
	return Days(rows, from, to), nil
}

// Days adds rows up by day: every day from from to to, both included, the earliest first.
func Days(rows []Row, from, to time.Time) []Day {
	from, to = dayOf(from), dayOf(to)
	days := []Day{}
	at := map[time.Time]int{}
	for d := from; !d.After(to); d = d.Add(day) {
		at[d] = len(days)
		days = append(days, Day{Day: d})
	}
	for _, r := range rows {
		if i, ok := at[dayOf(r.Day)]; ok {
			days[i].Counts = days[i].Plus(r.Counts)
		}
	}
	return days
}

// Totals adds rows up.
func Totals(rows []Row) Counts {
	var sum Counts
	for _, r := range rows {
		sum = sum.Plus(r.Counts)
	}
	return sum
}

// ByKey adds rows up by key, the one with the most requests first. Day and Call of what it returns are empty.
func ByKey(rows []Row) []Row {
	return grouped(rows, func(r Row) Row { return Row{Key: r.Key, KeyName: r.KeyName, KeyStart: r.KeyStart} })
}

// Calls adds rows up by call, the one with the most requests first. Only Call of what it returns is set.
func Calls(rows []Row) []Row {
	return grouped(rows, func(r Row) Row { return Row{Call: r.Call} })
}

// grouped adds up the rows of which group makes the same.
func grouped(rows []Row, group func(Row) Row) []Row {
	sums := map[Row]Counts{}
	for _, r := range rows {
		g := group(r)
		sums[g] = sums[g].Plus(r.Counts)
	}
	found := make([]Row, 0, len(sums))
	for g, c := range sums {
		g.Counts = c
		found = append(found, g)
	}
	slices.SortFunc(found, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(b.Credits, a.Credits),
			cmp.Compare(a.KeyName, b.KeyName), cmp.Compare(a.Key.String(), b.Key.String()), cmp.Compare(a.Call, b.Call))
	})
	return found
}
