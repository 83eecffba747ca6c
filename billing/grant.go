package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/quota"
)

// period is what was paid for of one subscription from one start: a row of paid_period.
type period struct {
	start, end time.Time
	plan       string
	every      string
	grantedTo  time.Time
	// raised tells that the plan is larger than when it was last granted.
	raised bool
}

// grant keeps what a subscription was paid for and opens its credit periods, each once. A part that was paid for later
// raises its period to the larger plan; nothing lowers one. It returns the plan in force: the one that the running period
// was paid for, so that a smaller plan waits for the next, and the subscription's own while the period is not paid.
func (s *Service) grant(ctx context.Context, tx pgx.Tx, id uuid.UUID, of sub, paid []payment, t terms) (string, error) {
	periods, err := readPeriods(ctx, tx, id, of.id)
	if err != nil {
		return "", err
	}
	periods = s.merge(periods, paid)
	plan := of.plan
	for _, p := range periods {
		if !p.start.Equal(of.start) {
			continue
		}
		if of.paidUp() && s.Plans.rank(of.plan) > s.Plans.rank(p.plan) {
			p.plan, p.raised = of.plan, true
		}
		plan = p.plan
	}
	for _, p := range periods {
		if err := s.grantPeriod(ctx, tx, id, of.id, p, t); err != nil {
			return "", err
		}
	}
	return plan, nil
}

// merge adds payments to the periods that are known. Whole ones make a period, parts raise the one that ends with them.
func (s *Service) merge(periods []*period, paid []payment) []*period {
	for _, part := range []bool{false, true} {
		for _, p := range paid {
			if p.part != part {
				continue
			}
			found := false
			for _, known := range periods {
				if same := known.start.Equal(p.start); (!part && !same) || (part && (!known.end.Equal(p.end) || known.start.After(p.start))) {
					continue
				}
				found = true
				if s.Plans.rank(p.plan) > s.Plans.rank(known.plan) {
					known.plan, known.raised = p.plan, true
				}
			}
			if !found && !part {
				periods = append(periods, &period{start: p.start, end: p.end, plan: p.plan, every: p.every, grantedTo: p.start})
			}
		}
	}
	return periods
}

func readPeriods(ctx context.Context, tx pgx.Tx, account uuid.UUID, of string) ([]*period, error) {
	rows, err := tx.Query(ctx, `
		SELECT period_start, period_end, plan, every, granted_to FROM paid_period
		WHERE subscription = @subscription AND account_id = @account ORDER BY period_start`,
		pgx.NamedArgs{"subscription": of, "account": account})
	if err != nil {
		return nil, fmt.Errorf("read paid periods: %w", err)
	}
	periods, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*period, error) {
		var p period
		err := row.Scan(&p.start, &p.end, &p.plan, &p.every, &p.grantedTo)
		return &p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read paid periods: %w", err)
	}
	return periods, nil
}

// grantPeriod opens what of a paid period has begun and is not open yet, raises what a larger plan was paid for, and keeps
// the period. A month is opened as soon as it is paid; a year month by month.
func (s *Service) grantPeriod(ctx context.Context, tx pgx.Tx, id uuid.UUID, of string, p *period, t terms) error {
	credits, err := s.credits(p.plan, t)
	if err != nil {
		return err
	}
	if p.raised && p.grantedTo.After(p.start) {
		if _, err := quota.Raise(ctx, tx, id, p.last(), credits); err != nil {
			return err
		}
	}
	for _, m := range p.due(s.Now()) {
		if _, err := quota.OpenPaid(ctx, tx, id, m.start, m.end, credits); err != nil {
			return err
		}
		p.grantedTo = m.end
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO paid_period AS p (subscription, period_start, period_end, account_id, plan, every, granted_to)
		VALUES (@subscription, @start, @end, @account, @plan, @every, @granted_to)
		ON CONFLICT (subscription, period_start) DO UPDATE SET plan = excluded.plan, granted_to = excluded.granted_to
		WHERE p.account_id = excluded.account_id AND (p.plan, p.granted_to) IS DISTINCT FROM (excluded.plan, excluded.granted_to)`,
		pgx.NamedArgs{
			"subscription": of, "start": p.start, "end": p.end, "account": id, "plan": p.plan, "every": p.every, "granted_to": p.grantedTo,
		})
	if err != nil {
		return fmt.Errorf("save paid period: %w", err)
	}
	return nil
}

// credits are what a period of a plan grants an account.
func (s *Service) credits(plan string, t terms) (int64, error) {
	if t.override != nil {
		return *t.override, nil
	}
	found, ok := s.Plans.find(plan)
	if !ok {
		return 0, fmt.Errorf("grant credits of the plan %q: the catalogue has none", plan)
	}
	return found.Credits, nil
}

// stretch is a time during which credits can be spent.
type stretch struct{ start, end time.Time }

// due are the stretches of a paid period that have begun by now and are not granted yet: the whole of a month, the months
// of a year.
func (p *period) due(now time.Time) []stretch {
	if p.every == Month {
		if p.grantedTo.Before(p.end) {
			return []stretch{{p.start, p.end}}
		}
		return nil
	}
	var due []stretch
	for _, m := range p.months() {
		if !m.start.Before(p.grantedTo) && !m.start.After(now) {
			due = append(due, m)
		}
	}
	return due
}

// last is the start of the stretch that was granted last.
func (p *period) last() time.Time {
	if p.every == Month {
		return p.start
	}
	last := p.start
	for _, m := range p.months() {
		if m.start.Before(p.grantedTo) {
			last = m.start
		}
	}
	return last
}

// months are a year's, counted from its start, so that one from the 31st does not drift to the 28th.
func (p *period) months() []stretch {
	var months []stretch
	for n := 0; ; n++ {
		start, end := addMonths(p.start, n), addMonths(p.start, n+1)
		if !start.Before(p.end) {
			return months
		}
		if end.After(p.end) {
			end = p.end
		}
		months = append(months, stretch{start, end})
	}
}

// addMonths moves a time by whole months; a day that the month does not have becomes its last one.
func addMonths(t time.Time, n int) time.Time {
	t = t.UTC()
	first := time.Date(t.Year(), t.Month(), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).AddDate(0, n, 0)
	lastDay := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), lastDay)-1)
}
