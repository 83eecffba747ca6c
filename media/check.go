package media

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/platform/postgres"
	"veracity/quota"
	"veracity/usage"
)

// Record saves the answer of an act in the transaction that settles its credits, so that an answer and its price are
// kept or lost together. It may be nil.
type Record func(ctx context.Context, tx pgx.Tx, report engine.Report) error

// CheckImage checks one image now: it holds the price, takes the bytes, has the engine look and settles. A check that
// fails at any point gives its credits back. Faults: quota_exceeded, invalid_url, image_unreachable, image_too_large,
// upload_not_found, uploads_unavailable, and those of [engine.Checker].
func (s *Service) CheckImage(ctx context.Context, c Caller, src Source, record Record) (engine.Report, error) {
	if src.Way == ByURL {
		if err := s.checkURL(src); err != nil {
			return engine.Report{}, err
		}
	}
	price := s.Quote(KindCheck, engine.Image, 0)
	if src.Way == ByFile {
		var err error
		if src, err = s.arrive(ctx, c, src, price); err != nil {
			return engine.Report{}, err
		}
		defer func() { _ = src.arrived.Close() }()
	}
	hold, err := s.hold(ctx, quota.Request{Account: c.Account, Amount: price, Key: c.Key, Call: usage.Audit, TTL: s.cfg.HoldTTL})
	if err != nil {
		return engine.Report{}, err
	}
	report, err := s.inspect(ctx, c, src)
	if err == nil {
		err = s.settle(ctx, c, hold, price, report, record)
	}
	if err != nil {
		s.giveBack(ctx, c, hold)
		return engine.Report{}, err
	}
	s.metrics.checked(report, price)
	return report, nil
}

// hold takes the price, also when the caller hangs up meanwhile: a statement that is given up may have been carried out,
// and a hold that nobody knows of is not given back before its expiry.
func (s *Service) hold(ctx context.Context, req quota.Request) (uuid.UUID, error) {
	if err := ctx.Err(); err != nil {
		return uuid.Nil, fmt.Errorf("hold credits: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdTimeout)
	defer cancel()
	return quota.Hold(ctx, s.db, req)
}

// holdTimeout bounds a hold whose caller has gone.
const holdTimeout = 10 * time.Second

func (s *Service) inspect(ctx context.Context, c Caller, src Source) (engine.Report, error) {
	file, err := s.open(ctx, c, src)
	if err != nil {
		return engine.Report{}, err
	}
	defer func() { _ = file.Close() }()
	report, err := s.engine.CheckImage(ctx, engine.Source{Body: file, Size: file.size, Admitted: file.admitted})
	return report, storageFault(err) // an upload that breaks off on its way comes back as storage's own error
}

// errHoldLapsed means that the sweep gave a hold back before its check had ended.
var errHoldLapsed = errors.New("the credit hold of the check lapsed before it was settled")

func (s *Service) settle(ctx context.Context, c Caller, hold uuid.UUID, price int64, report engine.Report, record Record) error {
	if record == nil {
		return charge(ctx, s.db, c, hold, price)
	}
	return postgres.Tx(ctx, s.db, func(tx pgx.Tx) error {
		if err := charge(ctx, tx, c, hold, price); err != nil {
			return err
		}
		if err := record(ctx, tx, report); err != nil {
			return fmt.Errorf("record the answer: %w", err)
		}
		return nil
	})
}

func charge(ctx context.Context, db postgres.DB, c Caller, hold uuid.UUID, price int64) error {
	settled, err := quota.Settle(ctx, db, c.Account, hold, price)
	if err == nil && !settled {
		return errHoldLapsed
	}
	return err
}

// giveBackTimeout bounds the release of a hold after the caller has gone.
const giveBackTimeout = 10 * time.Second

// giveBack ends a hold also when the caller has hung up. What it cannot end, the sweep ends at the hold's expiry.
func (s *Service) giveBack(ctx context.Context, c Caller, hold uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	if _, err := quota.Release(ctx, s.db, c.Account, hold); err != nil {
		s.log.ErrorContext(ctx, "release hold", "account", c.Account, "hold", hold, "error", err)
	}
}
