package media

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/platform/storage"
	"veracity/quota"
	"veracity/usage"
	"veracity/webhook"
)

// step is what follows an attempt: the job's end, or another attempt after a wait.
type step struct {
	wait time.Duration
	// uncounted says that the attempt says nothing about the job.
	uncounted bool
	end       func(ctx context.Context) error
}

func done(context.Context) error { return nil }

// after decides what follows an attempt that ended with err. ctx is the worker's, working that of the job's clock.
func (s *Service) after(ctx, working context.Context, j claimed, err error) step {
	fail := func(f *fault.Fault) step {
		return step{end: func(ctx context.Context) error { return s.fail(ctx, j, f) }}
	}
	switch cause := context.Cause(working); {
	case err == nil, errors.Is(err, errLeaseLost), errors.Is(cause, errLeaseLost):
		return step{end: done}
	case errors.Is(cause, errJobTime):
		return fail(late(j.lastErr))
	case ctx.Err() != nil:
		return step{end: func(ctx context.Context) error { return s.giveUp(ctx, j) }}
	}
	if f := final(j.media, err); f != nil {
		return fail(f)
	}
	uncounted := passing(err) || (!j.wasAdmitted && fault.CodeOf(err) == fault.EngineUnavailable)
	if !uncounted && j.attempt >= s.cfg.Attempts {
		return fail(exhausted(err))
	}
	wait := min(s.cfg.RetryWait<<min(j.waits, 16), maxRetryWait)
	if !j.wasAdmitted && fault.CodeOf(err) == fault.EngineUnavailable {
		wait = min(s.cfg.RetryWait, maxRetryWait) // a place may become free at any moment
	}
	s.log.WarnContext(ctx, "job is tried again", "job", j.id, "attempt", j.attempt, "counts", !uncounted, "wait", wait, "error", err)
	return step{wait: wait, uncounted: uncounted}
}

// maxRetryWait is the longest wait between two attempts.
const maxRetryWait = time.Minute

// passing tells a trouble of ours that hits every job alike: to count it would fail the whole backlog. It ends with the
// trouble or with the job's time.
func passing(err error) bool {
	switch fault.CodeOf(err) { //nolint:exhaustive // all other codes may be the job's own
	case fault.ModelUnavailable, fault.EngineCredentialsMissing, fault.EngineRegionMissing:
		return true
	}
	return errors.Is(err, storage.ErrUnavailable)
}

// late is the failure of a job whose time is over; what it waited for all the time says more than that.
func late(last error) *fault.Fault {
	if last != nil && passing(last) {
		return exhausted(last)
	}
	return overTime()
}

// final is the failure that an error about the file itself means, nil where another attempt may do better.
func final(media engine.Media, err error) *fault.Fault {
	f := fault.From(err)
	switch f.Code {
	case fault.VideoTooLong, fault.VideoUnsupported, fault.AudioTooLong, fault.AudioUnsupported, fault.Stage1Failed, fault.JobFailed:
		return f
	case fault.UnsupportedMedia, fault.InvalidImage, fault.ImageTooLarge, fault.TooManyPixels:
	default:
		return nil
	}
	code := fault.Stage1Failed
	switch media {
	case engine.Video:
		code = fault.VideoUnsupported
	case engine.Audio:
		code = fault.AudioUnsupported
	case engine.Image:
	}
	return fault.Wrap(err, code, "%s", f.Message)
}

// exhausted is the failure of a job whose last attempt ended with err.
func exhausted(err error) *fault.Fault {
	switch fault.CodeOf(err) { //nolint:exhaustive // all other codes are none of a job's
	case fault.ModelUnavailable:
		return fault.Wrap(err, fault.ModelUnavailable, "The models could not be loaded for this job. Try again later.")
	case fault.EngineUnavailable, fault.EngineError, fault.EngineCredentialsMissing, fault.EngineRegionMissing, fault.InvalidParameter:
		return fault.Wrap(err, fault.EngineError, "The engine failed on this job at every attempt.")
	}
	return fault.Wrap(err, fault.JobFailed, "The job failed on our side at every attempt. Try again later.")
}

// ending is how a job ends.
type ending struct {
	status    Status
	report    any
	output    *storage.Entry
	typ       string
	charge    int64
	failure   *fault.Fault
	rendered  *engine.Rendered
	endedAt   time.Time
	expiresAt time.Time
}

func (s *Service) succeedCheck(ctx context.Context, j claimed, report engine.Report, price int64) error {
	err := s.end(ctx, j, ending{status: Succeeded, report: report, charge: price})
	if err == nil {
		s.metrics.checked(report, price)
	}
	return err
}

func (s *Service) succeedOptimize(ctx context.Context, j claimed, key string, out engine.Rendered, price int64) error {
	err := s.end(ctx, j, ending{
		status: Succeeded, rendered: &out, report: out, charge: price,
		output: &storage.Entry{Key: key, Size: out.Bytes}, typ: out.ContentType,
	})
	if err == nil {
		s.metrics.optimized(j.media, out, price)
	}
	return err
}

// fail ends the job with a failure and gives its credits back.
func (s *Service) fail(ctx context.Context, j claimed, f *fault.Fault) error {
	s.log.WarnContext(ctx, "job failed", "job", j.id, "kind", j.kind, "media", j.media, "code", f.Code, "error", f)
	err := s.end(ctx, j, ending{status: Failed, failure: f})
	if errors.Is(err, errLeaseLost) {
		return nil
	}
	if err == nil {
		s.metrics.failed(j.kind, f.Code)
	}
	return err
}

// endTime bounds the transaction that ends a job, also once the worker is told to stop: the work is done.
const endTime = 30 * time.Second

// end moves the job to its last state, settles or gives back its credits, frees its slot and orders its webhook, all in
// one transaction guarded by the lease; errLeaseLost says that the job was another's by then. The source goes at once.
func (s *Service) end(ctx context.Context, j claimed, e ending) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	e.endedAt = time.Now().UTC().Truncate(time.Millisecond)
	e.expiresAt = e.endedAt.Add(s.cfg.ResultTTL).Truncate(time.Second)
	answer, err := s.answer(j, e)
	if err != nil {
		return err
	}
	for wait := endRetry; ; wait *= 2 {
		err = s.commitEnd(ctx, j, e, answer)
		if err == nil {
			break
		}
		var refused *fault.Fault
		if errors.Is(err, errLeaseLost) || errors.As(err, &refused) || !sleep(ctx, wait) {
			return err
		}
		s.log.WarnContext(ctx, "end of a job is tried again", "job", j.id, "error", err)
	}
	s.removeSource(ctx, j.id, j.source)
	return nil
}

// endRetry is the wait before the end of a job is tried again, which doubles: the work is done and must not be lost to a
// connection that broke.
const endRetry = 100 * time.Millisecond

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (s *Service) commitEnd(ctx context.Context, j claimed, e ending, answer []byte) error {
	return postgres.TxRetry(ctx, s.db, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := quota.LockSlots(ctx, tx, j.caller.Account); err != nil {
			return err
		}
		ended, err := finish(ctx, tx, j, e, answer)
		if err != nil || !ended {
			return err
		}
		if err := s.settleJob(ctx, tx, j, e); err != nil {
			return err
		}
		if report, ok := e.report.(engine.Report); ok {
			err := usage.CountVerdict(ctx, tx, j.caller.Account, j.caller.Key, e.endedAt, callOf(j.kind), string(report.Verdict))
			if err != nil {
				return err
			}
		}
		if j.kind != KindOptimize || j.callback == nil {
			return nil
		}
		return s.hooks.Create(ctx, tx, webhook.Order{
			Account: j.caller.Account, Job: j.id, Key: j.caller.Key, URL: *j.callback, Payload: answer,
		})
	})
}

// answer is the body of an optimization that has ended, nil for a check.
func (s *Service) answer(j claimed, e ending) ([]byte, error) {
	if j.kind != KindOptimize {
		return nil, nil
	}
	o := Optimization{ID: j.id, Status: e.status, Media: j.media}
	if e.failure != nil {
		o.Error = &JobError{e.failure.Code, e.failure.Message}
		return o.Body()
	}
	links := s.cfg.BaseURL + "/api/v1/optimize/" + j.id.String()
	o.FileURL, o.ExpiresAt, o.Score, o.Video = links+"/file", &e.expiresAt, &e.rendered.Score, e.rendered.Video
	if j.media == engine.Image {
		o.ImageURL = links + "/image"
	}
	return o.Body()
}

// finish writes the job's end. It reports false when this run has written it before, by a commit whose answer was lost.
func finish(ctx context.Context, tx pgx.Tx, j claimed, e ending, answer []byte) (bool, error) {
	args := pgx.NamedArgs{
		"id": j.id, "run": j.run, "status": e.status, "report": e.report, "answer": answer, "charged": e.charge,
		"ended": e.endedAt, "expires": e.expiresAt,
		"output": nil, "bytes": nil, "type": nil, "code": nil, "message": nil,
	}
	if e.output != nil {
		args["output"], args["bytes"], args["type"] = e.output.Key, e.output.Size, e.typ
	}
	if e.failure != nil {
		args["code"], args["message"] = e.failure.Code, strings.ReplaceAll(e.failure.Message, "\x00", "")
	}
	tag, err := tx.Exec(ctx, `
		UPDATE job SET status = @status, report = @report, answer = @answer,
		       charged = least(@charged, (SELECT amount FROM credit_hold h WHERE h.id = hold_id)),
		       output_key = @output, output_bytes = @bytes, output_type = @type, error_code = @code, error_message = @message,
		       progress = CASE WHEN @status = 'succeeded' THEN 1 ELSE progress END,
		       lease_until = NULL, ended_at = @ended, expires_at = @expires
		WHERE id = @id AND run = @run AND status = 'running'`, args)
	if err != nil {
		return false, fmt.Errorf("end job: %w", err)
	}
	if tag.RowsAffected() > 0 {
		return true, nil
	}
	var before bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM job WHERE id = @id AND run = @run AND ended_at IS NOT NULL)`, args).Scan(&before)
	if err == nil && !before {
		err = errLeaseLost
	}
	return false, err
}

// settleJob charges what was used. A hold that is gone is a fault of ours and never the customer's: the job stands, and the
// reconciler and the log tell the operator.
func (s *Service) settleJob(ctx context.Context, tx pgx.Tx, j claimed, e ending) error {
	settled, err := quota.Settle(ctx, tx, j.caller.Account, j.hold, e.charge)
	if err != nil {
		return err
	}
	if !settled {
		s.log.ErrorContext(ctx, "job ended without its hold: nothing was charged", "job", j.id, "hold", j.hold, "charge", e.charge)
	}
	return nil
}

// removeSource removes the source of a job that has ended; what it cannot remove, the sweep does.
func (s *Service) removeSource(ctx context.Context, job uuid.UUID, key *string) {
	if key == nil {
		return
	}
	err := s.store.Delete(ctx, *key)
	if err == nil {
		_, err = s.db.Exec(ctx, `UPDATE job SET source_key = NULL WHERE id = @id AND ended_at IS NOT NULL`, pgx.NamedArgs{"id": job})
	}
	if err != nil {
		s.log.WarnContext(ctx, "remove source of an ended job: left to the sweep", "job", job, "error", err)
	}
}
