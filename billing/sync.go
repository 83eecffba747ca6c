package billing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79"

	"veracity/account"
	"veracity/platform/postgres"
)

// busyWait is how long a job waits for another that compares the same account.
const busyWait = 5 * time.Second

// Sync is SyncAccount for a queue: it says how long to wait for another worker that has the account, 0 when it is done.
func (s *Service) Sync(ctx context.Context, account uuid.UUID) (again time.Duration, err error) {
	_, err = s.syncOne(ctx, account)
	if errors.Is(err, errBusy) || errors.Is(err, errOvertaken) {
		return busyWait, nil
	}
	return 0, err
}

// SyncAccount reads from Stripe what an account has paid for and makes the account follow it. Said again it changes
// nothing. An account without a customer is left alone.
func (s *Service) SyncAccount(ctx context.Context, account uuid.UUID) error {
	_, err := s.syncOne(ctx, account)
	return err
}

// syncOne reports whether the account's plan or state changed.
func (s *Service) syncOne(ctx context.Context, id uuid.UUID) (bool, error) {
	known, err := s.customers(ctx, id)
	if err != nil || len(known) == 0 {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	run, err := s.claim(ctx, id)
	if err != nil {
		return false, err
	}
	seen, err := s.look(ctx, id, known)
	if err != nil {
		s.release(ctx, id, run)
		return false, err
	}
	changed, err := s.keep(ctx, id, run, seen)
	if err != nil {
		s.release(ctx, id, run)
		return false, fmt.Errorf("keep what Stripe says of account %s: %w", id, err)
	}
	return changed, nil
}

// seen is what Stripe says of an account at one moment.
type seen struct {
	// since is when the plan was last set by other than a payment.
	since    time.Time
	subs     []sub
	chosen   *sub
	payments []payment
	// deleted are customers that are no more.
	deleted []string
	// unsure tells that a customer is not in this Stripe account: what it paid for is not known.
	unsure  bool
	finding string
}

// look asks Stripe. It writes nothing of ours.
func (s *Service) look(ctx context.Context, id uuid.UUID, known []string) (seen, error) {
	var (
		out     seen
		closing bool
	)
	err := s.DB.QueryRow(ctx, `SELECT plan_set_at, closes_at IS NOT NULL FROM account WHERE id = @id`,
		pgx.NamedArgs{"id": id}).Scan(&out.since, &closing)
	if errors.Is(err, pgx.ErrNoRows) {
		return seen{}, errOvertaken
	}
	if err != nil {
		return seen{}, fmt.Errorf("read account: %w", err)
	}
	if err := s.lookAt(ctx, &out, known); err != nil {
		return seen{}, err
	}
	if out.chosen == nil {
		return out, nil
	}
	again, err := s.tend(ctx, *out.chosen, closing)
	if err != nil {
		return seen{}, err
	}
	if again {
		out = seen{since: out.since}
		if err := s.lookAt(ctx, &out, known); err != nil || out.chosen == nil {
			return out, err
		}
	}
	out.payments, err = s.payments(ctx, *out.chosen)
	return out, err
}

// lookAt reads the subscriptions of an account's customers and chooses among them.
func (s *Service) lookAt(ctx context.Context, out *seen, known []string) error {
	var odd []string
	for _, customer := range known {
		subs, deleted, unknown, err := s.possessions(ctx, customer)
		switch {
		case err != nil:
			return err
		case deleted:
			out.deleted = append(out.deleted, customer)
		case unknown:
			odd, out.unsure = append(odd, "unknown_customer "+customer), true
		}
		out.subs = append(out.subs, subs...)
	}
	now := s.Now()
	chosen, more := choose(out.subs, out.since, now)
	out.chosen = chosen
	if more > 1 {
		odd = append(odd, fmt.Sprintf("two_subscriptions %d live, plan follows %s", more, chosen.id))
	}
	if chosen != nil && chosen.plan == "" {
		odd = append(odd, "unknown_price "+unknownPrice([]sub{*chosen}))
	}
	out.finding = strings.Join(odd, "; ")
	return nil
}

// possessions are the subscriptions of a customer, and whether there is such a customer, which those that live vouch for.
func (s *Service) possessions(ctx context.Context, customer string) (subs []sub, deleted, unknown bool, err error) {
	subs, err = s.subscriptions(ctx, customer)
	if err != nil && !missing(err) {
		return nil, false, false, err
	}
	if slices.ContainsFunc(subs, func(of sub) bool { return !of.over() }) {
		return subs, false, false, nil
	}
	deleted, unknown, err = s.gone(ctx, customer)
	return subs, deleted, unknown, err
}

// gone tells whether a customer was deleted, or was never in this Stripe account: a key of another account must end
// nobody's plan.
func (s *Service) gone(ctx context.Context, customer string) (deleted, unknown bool, err error) {
	found, err := s.stripe.customers.Get(customer, &stripe.CustomerParams{Params: get(ctx)})
	if missing(err) {
		return false, true, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("read customer %s: %w", customer, err)
	}
	return found.Deleted, false, nil
}

// keep writes what Stripe says in one transaction: absolute facts, under the run that read them.
func (s *Service) keep(ctx context.Context, id, run uuid.UUID, from seen) (changed bool, err error) {
	var before string
	err = postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		if before, err = hold(ctx, tx, id, run); err != nil {
			return err
		}
		terms, err := lockTerms(ctx, tx, id)
		if err != nil {
			return err
		}
		if !terms.since.Equal(from.since) {
			return errOvertaken
		}
		if err := saveDeleted(ctx, tx, id, from.deleted); err != nil {
			return err
		}
		if err := saveSubscriptions(ctx, tx, id, from); err != nil {
			return err
		}
		if changed, err = s.follow(ctx, tx, id, from, terms); err != nil {
			return err
		}
		return finish(ctx, tx, id, from.finding)
	})
	if err != nil {
		return false, err
	}
	if from.finding != "" && from.finding != before {
		s.Log.ErrorContext(ctx, "an account's payments need a person", "account", id, "finding", from.finding)
	}
	return changed, nil
}

// follow makes the account's plan, state and credits what its payments come to. A price whose plan nobody knows leaves them
// as they are.
func (s *Service) follow(ctx context.Context, tx pgx.Tx, id uuid.UUID, from seen, terms terms) (bool, error) {
	if from.chosen == nil {
		if from.unsure {
			return false, nil
		}
		return s.Accounts.SetBilled(ctx, tx, id, account.Billed{State: account.PlanRequired})
	}
	chosen := *from.chosen
	if chosen.plan == "" {
		return false, nil
	}
	plan, err := s.grant(ctx, tx, id, chosen, from.payments, terms)
	if err != nil {
		return false, err
	}
	return s.Accounts.SetBilled(ctx, tx, id, account.Billed{Plan: plan, State: chosen.access(s.Now()), Until: chosen.cancelAt})
}

// terms are what an account's own row says about its periods.
type terms struct {
	since    time.Time
	override *int64
}

// lockTerms locks the account's row, before any of its periods.
func lockTerms(ctx context.Context, tx pgx.Tx, id uuid.UUID) (terms, error) {
	var t terms
	err := tx.QueryRow(ctx, `SELECT plan_set_at, credits_override FROM account WHERE id = @id FOR UPDATE`,
		pgx.NamedArgs{"id": id}).Scan(&t.since, &t.override)
	if errors.Is(err, pgx.ErrNoRows) {
		return terms{}, errOvertaken
	}
	if err != nil {
		return terms{}, fmt.Errorf("lock account: %w", err)
	}
	return t, nil
}

func saveDeleted(ctx context.Context, tx postgres.DB, id uuid.UUID, deleted []string) error {
	if len(deleted) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE stripe_customer SET deleted_at = now() WHERE account_id = @account AND id = ANY (@deleted) AND deleted_at IS NULL`,
		pgx.NamedArgs{"account": id, "deleted": deleted})
	if err != nil {
		return fmt.Errorf("note deleted customers: %w", err)
	}
	return nil
}

// saveSubscriptions writes each subscription as it is. Those of a deleted customer went with it.
func saveSubscriptions(ctx context.Context, tx pgx.Tx, id uuid.UUID, from seen) error {
	if from.unsure {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE subscription s SET chosen = false,
			status   = CASE WHEN c.deleted_at IS NULL THEN s.status ELSE 'canceled' END,
			ended_at = CASE WHEN c.deleted_at IS NULL THEN s.ended_at ELSE coalesce(s.ended_at, c.deleted_at) END
		FROM stripe_customer c
		WHERE s.account_id = @account AND c.id = s.customer AND (s.chosen OR c.deleted_at IS NOT NULL)`,
		pgx.NamedArgs{"account": id})
	if err != nil {
		return fmt.Errorf("note ended subscriptions: %w", err)
	}
	for _, s := range from.subs {
		_, err := tx.Exec(ctx, `
			INSERT INTO subscription AS s (id, account_id, customer, status, plan, every, item, period_start, period_end, cancel_at, ended_at, chosen, created_at)
			VALUES (@id, @account, @customer, @status, @plan, @every, @item, @start, @end, @cancel_at, @ended_at, @chosen, @created)
			ON CONFLICT (id) DO UPDATE SET
				customer = excluded.customer, status = excluded.status, plan = excluded.plan, every = excluded.every, item = excluded.item,
				period_start = excluded.period_start, period_end = excluded.period_end, cancel_at = excluded.cancel_at,
				ended_at = excluded.ended_at, chosen = excluded.chosen
			WHERE s.account_id = excluded.account_id`,
			pgx.NamedArgs{
				"id": s.id, "account": id, "customer": s.customer, "status": s.status, "plan": s.plan, "every": s.every, "item": s.item,
				"start": s.start, "end": s.end, "cancel_at": s.cancelAt, "ended_at": s.endedAt,
				"chosen": from.chosen != nil && from.chosen.id == s.id, "created": s.created,
			})
		if err != nil {
			return fmt.Errorf("save subscription %s: %w", s.id, err)
		}
	}
	return nil
}
