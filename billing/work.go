package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/postgres"
)

// stored is an event as its work needs it.
type stored struct {
	kind, object, customer string
	state                  EventState
}

// Work makes the account follow that an event speaks of. Worked twice it counts once, in whatever order events come, since
// of the event only its type and ids are read and the rest is asked from Stripe. It says how long to wait for another
// worker that has the account. An error is worth another try later; [Service.GiveUp] ends the tries.
func (s *Service) Work(ctx context.Context, id string) (again time.Duration, err error) {
	event, err := s.event(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && event.state != EventPending && event.state != EventGivenUp) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	account, ours, err := s.whose(ctx, event)
	if err == nil && ours {
		_, err = s.syncOne(ctx, account)
		if errors.Is(err, errBusy) || errors.Is(err, errOvertaken) {
			return busyWait, nil
		}
	}
	if err != nil {
		s.Metrics.count("failed")
		return 0, errors.Join(fmt.Errorf("work event %s (%s): %w", id, event.kind, err), s.noteFailure(ctx, id, err))
	}
	return 0, s.noteWorked(ctx, id, event, account, ours)
}

func (s *Service) event(ctx context.Context, id string) (stored, error) {
	var e stored
	err := s.DB.QueryRow(ctx, `SELECT type, object, customer, state FROM stripe_event WHERE id = @id`,
		pgx.NamedArgs{"id": id}).Scan(&e.kind, &e.object, &e.customer, &e.state)
	if err != nil {
		return stored{}, fmt.Errorf("read event: %w", err)
	}
	return e, nil
}

// whose finds the account that an event speaks of; false where it is none of ours.
func (s *Service) whose(ctx context.Context, e stored) (uuid.UUID, bool, error) {
	customer, checkout := e.customer, ""
	if e.kind == eventDispute && customer == "" {
		var err error
		if customer, err = s.disputed(ctx, e.object); err != nil {
			return uuid.Nil, false, err
		}
	}
	if customer != "" {
		account, known, err := s.accountOf(ctx, customer)
		if err != nil || known {
			return account, known, err
		}
	}
	if isCheckout(e.kind) {
		checkout = e.object
	}
	return s.ownerOf(ctx, customer, checkout)
}

// disputed finds the customer of a dispute, which names its charge, and the charge the customer.
func (s *Service) disputed(ctx context.Context, id string) (string, error) {
	params := &stripe.DisputeParams{Params: get(ctx)}
	params.AddExpand("charge")
	found, err := s.stripe.disputes.Get(id, params)
	if missing(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read dispute %s: %w", id, err)
	}
	if found.Charge == nil || found.Charge.Customer == nil {
		return "", nil
	}
	return found.Charge.Customer.ID, nil
}

func isCheckout(kind string) bool {
	return kind == "checkout.session.completed" || kind == "checkout.session.async_payment_succeeded"
}

// noteWorked ends an event. A dispute is told to people as well: money may be taken back for what was granted.
func (s *Service) noteWorked(ctx context.Context, id string, e stored, account uuid.UUID, ours bool) error {
	state, whose := EventNotOurs, (*uuid.UUID)(nil)
	if ours {
		state, whose = EventWorked, &account
	}
	ended := false
	err := postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE stripe_event SET state = @state, account_id = @account, ended_at = now(), attempts = attempts + 1, error = ''
			WHERE id = @id AND state IN ('pending', 'given_up')`,
			pgx.NamedArgs{"id": id, "state": state, "account": whose})
		if err != nil {
			return fmt.Errorf("note event as worked: %w", err)
		}
		if ended = tag.RowsAffected() > 0; !ended || !ours || e.kind != eventDispute {
			return nil
		}
		return trail.Write(ctx, tx, access.Actor{Account: account}, "billing.disputed", e.object, nil)
	})
	if err != nil || !ended {
		return err
	}
	s.Metrics.count(string(state))
	if ours && e.kind == eventDispute {
		s.Log.ErrorContext(ctx, "a payment is disputed: answer it in Stripe", "account", account, "dispute", e.object)
	}
	return nil
}

// longestError is how much of an error is kept with an event, in bytes.
const longestError = 2000

func (s *Service) noteFailure(ctx context.Context, id string, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := s.DB.Exec(ctx, `
		UPDATE stripe_event SET attempts = attempts + 1, error = @error WHERE id = @id AND state IN ('pending', 'given_up')`,
		pgx.NamedArgs{"id": id, "error": cut(cause.Error())})
	if err != nil {
		return fmt.Errorf("note failed event: %w", err)
	}
	return nil
}

// GiveUp ends the tries at an event. An operator sees it, and can have it worked again.
func (s *Service) GiveUp(ctx context.Context, id string, cause error) error {
	tag, err := s.DB.Exec(ctx, `
		UPDATE stripe_event SET state = 'given_up', ended_at = now(), error = @error WHERE id = @id AND state = 'pending'`,
		pgx.NamedArgs{"id": id, "error": cut(cause.Error())})
	if err != nil {
		return fmt.Errorf("give up event: %w", err)
	}
	if tag.RowsAffected() > 0 {
		s.Metrics.count("given_up")
		s.Log.ErrorContext(ctx, "event of Stripe given up: an operator can have it worked again", "event", id, "error", cause)
	}
	return nil
}
