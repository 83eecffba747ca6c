package billing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Bounds of EventFilter.Limit.
const (
	defaultEvents = 100
	maxEvents     = 1000
)

const eventColumns = `id, type, object, customer, state, attempts, error, account_id, received_at, ended_at`

func scanEvent(row pgx.CollectableRow) (Event, error) {
	var e Event
	err := row.Scan(&e.ID, &e.Type, &e.Object, &e.Customer, &e.State, &e.Attempts, &e.Error, &e.Account, &e.ReceivedAt, &e.EndedAt)
	return e, err
}

// Events lists events, the newest first, without what they carry. Refusal: forbidden.
func (s *Service) Events(ctx context.Context, by access.Actor, f EventFilter) ([]Event, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	limit := defaultEvents
	if f.Limit > 0 {
		limit = min(f.Limit, maxEvents)
	}
	var whose *uuid.UUID
	if f.Account != uuid.Nil {
		whose = &f.Account
	}
	rows, err := s.DB.Query(ctx, `
		SELECT `+eventColumns+` FROM stripe_event
		WHERE (@state::text = '' OR state = @state) AND (@account::uuid IS NULL OR account_id = @account)
		  AND (@before::timestamptz IS NULL OR received_at < @before)
		ORDER BY received_at DESC, id DESC LIMIT @limit`,
		pgx.NamedArgs{"state": string(f.State), "account": whose, "before": f.Before, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	events, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return events, nil
}

// Event reads one event with what it carries. Refusals: forbidden, unknown_event.
func (s *Service) Event(ctx context.Context, by access.Actor, id string) (Event, error) {
	if err := by.May(access.Operate); err != nil {
		return Event{}, err
	}
	rows, err := s.DB.Query(ctx, `SELECT `+eventColumns+`, payload FROM stripe_event WHERE id = @id`, pgx.NamedArgs{"id": id})
	if err != nil {
		return Event{}, fmt.Errorf("read event: %w", err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (e Event, err error) {
		err = row.Scan(&e.ID, &e.Type, &e.Object, &e.Customer, &e.State, &e.Attempts, &e.Error, &e.Account, &e.ReceivedAt, &e.EndedAt, &e.Payload)
		return e, err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Event{}, unknownEvent(id)
	}
	if err != nil {
		return Event{}, fmt.Errorf("read event: %w", err)
	}
	return e, nil
}

// WorkAgain queues an event once more that was given up, or that still waits. One that was worked stays as it is. Refusals:
// forbidden, unknown_event.
func (s *Service) WorkAgain(ctx context.Context, by access.Actor, id string) error {
	if err := by.May(access.Operate); err != nil {
		return err
	}
	return postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		var (
			state   EventState
			account *uuid.UUID
		)
		err := tx.QueryRow(ctx, `SELECT state, account_id FROM stripe_event WHERE id = @id FOR UPDATE`,
			pgx.NamedArgs{"id": id}).Scan(&state, &account)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknownEvent(id)
		}
		if err != nil {
			return fmt.Errorf("lock event: %w", err)
		}
		if state != EventGivenUp && state != EventPending && state != EventNotOurs {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE stripe_event SET state = 'pending', ended_at = NULL WHERE id = @id`, pgx.NamedArgs{"id": id})
		if err != nil {
			return fmt.Errorf("open event: %w", err)
		}
		if account != nil {
			by.Account = *account
		}
		if err := trail.Write(ctx, tx, by, "billing.event_again", id, nil); err != nil {
			return err
		}
		return s.Queue.Insert(ctx, tx, EventJob{Event: id})
	})
}

func unknownEvent(id string) error {
	return fault.New(fault.UnknownEvent, "There is no event %.100q: events that were worked are kept for a while only.", id)
}

// waitingLong is when an event that still waits has lost its job: the tries at one take a day.
const waitingLong = 3 * 24 * time.Hour

// ForgetEvents deletes events that ended longer ago than Config.Keep, and gives those up that have lost their job. It returns
// how many it deleted.
func (s *Service) ForgetEvents(ctx context.Context) (int64, error) {
	_, err := s.DB.Exec(ctx, `
		UPDATE stripe_event SET state = 'given_up', ended_at = now() WHERE state = 'pending' AND received_at < now() - @long::interval`,
		pgx.NamedArgs{"long": waitingLong})
	if err != nil {
		return 0, fmt.Errorf("give up lost events: %w", err)
	}
	tag, err := s.DB.Exec(ctx, `
		DELETE FROM stripe_event WHERE state NOT IN ('pending', 'given_up') AND received_at < now() - @keep::interval`,
		pgx.NamedArgs{"keep": s.cfg.Keep})
	if err != nil {
		return 0, fmt.Errorf("forget events: %w", err)
	}
	return tag.RowsAffected(), nil
}

// cut makes an error one that fits its column.
func cut(text string) string {
	if len(text) > longestError {
		text = text[:longestError]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
