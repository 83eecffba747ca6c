package media

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
	"veracity/usage"
)

// optimizeRetry is how long a caller waits while optimizing is paused.
const optimizeRetry = 300 * time.Second

// RecordJob saves the answer that starts a job in the transaction that makes the job. It may be nil.
type RecordJob func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error

// order is a job about to be made.
type order struct {
	id       uuid.UUID
	caller   Caller
	kind     string
	media    engine.Media
	price    int64
	seconds  *float64
	callback string
	source   stored
	record   RecordJob
}

// StartCheck starts the check of a video or a voice clip and returns its id. The credits of the promised length, or of
// the longest one, are held until the job ends. Faults: quota_exceeded, too_many_jobs, invalid_url, video_unreachable,
// audio_unreachable, video_too_large, audio_too_large, unsupported_media, upload_not_found, uploads_unavailable.
func (s *Service) StartCheck(ctx context.Context, c Caller, src Source, record RecordJob) (uuid.UUID, error) {
	seconds := src.longest()
	price := s.Quote(KindCheck, src.Media, seconds)
	return s.start(ctx, src, order{caller: c, kind: KindCheck, media: src.Media, price: price, seconds: &seconds, record: record})
}

// StartOptimize starts an optimization and returns its id. What is wrong with the request is told before the switch is
// looked at. Faults: those of StartCheck, and unsupported_media (a voice clip), invalid_callback,
// optimizations_disabled, image_unreachable, image_too_large, invalid_image, too_many_pixels, engine_unavailable,
// tracking_failed.
func (s *Service) StartOptimize(ctx context.Context, c Caller, src Source, callback string, record RecordJob) (uuid.UUID, error) {
	if src.Media == engine.Audio {
		return uuid.Nil, fault.New(fault.UnsupportedMedia, "Voice clips can be checked but not optimized: send an image or a video.")
	}
	if callback != "" && c.Key == uuid.Nil {
		return uuid.Nil, fault.New(fault.InvalidCallback, "A webhook is signed with the secret of an API key, and this call has none: leave callback_url out.")
	}
	o := order{caller: c, kind: KindOptimize, media: src.Media, price: s.Quote(KindOptimize, src.Media, src.longest()), callback: callback, record: record}
	if src.Media == engine.Video {
		seconds := src.longest()
		o.seconds = &seconds
	}
	if src.Way == ByURL {
		if err := s.checkURL(src); err != nil {
			return uuid.Nil, err
		}
	}
	if err := s.checkCallback(ctx, callback); err != nil {
		return uuid.Nil, err
	}
	if err := s.mayOptimize(ctx); err != nil {
		return uuid.Nil, err
	}
	return s.start(ctx, src, o)
}

// longest is the length that is held for: the promised one, or the limit.
func (src Source) longest() float64 {
	if src.Seconds > 0 {
		return src.Seconds
	}
	return MaxSeconds
}

// start takes the source into storage and makes the job. Nothing is held before the source is there; what the hold
// would refuse is looked for first, so that no fetch is wasted on it.
func (s *Service) start(ctx context.Context, src Source, o order) (uuid.UUID, error) {
	if src.Way == ByURL {
		if err := s.checkURL(src); err != nil {
			return uuid.Nil, err
		}
	}
	free, err := quota.Look(ctx, s.db, quota.Request{Account: o.caller.Account, Amount: o.price, Slot: true})
	if err != nil {
		return uuid.Nil, err
	}
	if o.id, err = uuid.NewRandom(); err != nil {
		return uuid.Nil, fmt.Errorf("make job id: %w", err)
	}
	if o.source, err = s.take(ctx, o, src, free); err != nil {
		return uuid.Nil, err
	}
	err = s.commit(ctx, o)
	var refused *fault.Fault
	switch {
	case err == nil:
		return o.id, nil
	case errors.As(err, &refused):
		s.dropSource(ctx, o.source)
		return uuid.Nil, err
	case errors.Is(err, errNotKept), ctx.Err() != nil:
		return o.id, s.unlessMade(ctx, o, err)
	}
	return o.id, s.untracked(ctx, o, err)
}

// callOf is the call that begins a job of a kind.
func callOf(kind string) string {
	if kind == KindOptimize {
		return usage.Optimize
	}
	return usage.Audit
}

// errNotKept says that the answer could not be kept under its Idempotency-Key: another request has the key by now.
var errNotKept = errors.New("record the answer")

// commit makes the job: credits, slot, upload, row, queue and answer together or not at all.
func (s *Service) commit(ctx context.Context, o order) error {
	return postgres.Tx(ctx, s.db, func(tx pgx.Tx) error {
		hold, err := quota.Hold(ctx, tx, quota.Request{
			Account: o.caller.Account, Amount: o.price, Key: o.caller.Key, Call: callOf(o.kind), Slot: true,
		})
		if err != nil {
			return err
		}
		if o.source.upload != uuid.Nil {
			if err := useUpload(ctx, tx, o.caller, o.source.upload); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO job (id, account_id, key_id, kind, media, hold_id, max_seconds, callback_url, source_key, source_bytes)
			VALUES (@id, @account, @key, @kind, @media, @hold, @seconds, nullif(@callback, ''), @source, @bytes)`,
			pgx.NamedArgs{
				"id": o.id, "account": o.caller.Account, "key": o.caller.key(), "kind": o.kind, "media": o.media, "hold": hold,
				"seconds": o.seconds, "callback": o.callback, "source": o.source.key, "bytes": o.source.size,
			})
		if err != nil {
			return fmt.Errorf("save job: %w", err)
		}
		if err := s.queue.Insert(ctx, tx, queueJob(o.kind, o.id, false)); err != nil {
			return fmt.Errorf("queue job: %w", err)
		}
		if o.record == nil {
			return nil
		}
		if err := o.record(ctx, tx, o.id); err != nil {
			return fmt.Errorf("%w: %w", errNotKept, err)
		}
		return nil
	})
}

// trackTime bounds what is done about a write whose outcome is not known.
const trackTime = 5 * time.Second

// unlessMade answers cause, or nil when the job was made all the same: a commit whose answer was lost may have happened.
// The source is left to the sweep, which knows by then whether a job wants it.
func (s *Service) unlessMade(ctx context.Context, o order, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), trackTime)
	defer cancel()
	var made bool
	err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM job WHERE id = @id)`, pgx.NamedArgs{"id": o.id}).Scan(&made)
	if err == nil && made {
		return nil
	}
	return cause
}

// untracked deals with a job that the database refused or lost: an optimization is tracking_failed and its upload is used
// up, as the contract has it.
func (s *Service) untracked(ctx context.Context, o order, cause error) error {
	if cause = s.unlessMade(ctx, o, cause); cause == nil || o.kind != KindOptimize {
		return cause
	}
	if o.source.upload != uuid.Nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), trackTime)
		defer cancel()
		if err := useUpload(ctx, s.db, o.caller, o.source.upload); err != nil {
			s.log.WarnContext(ctx, "use upload of an optimization that was not recorded", "upload", o.source.upload, "error", err)
		}
	}
	return fault.Wrap(cause, fault.TrackingFailed,
		"The optimization could not be recorded and was not charged. Try again; an uploaded file must be uploaded again.")
}
