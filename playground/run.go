package playground

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/engine"
	"veracity/media"
	"veracity/platform/fault"
)

// Run checks a file for a member of the account, under an id that came with the form, and writes down what came of it. A
// form sent twice runs once: its twin gets the run as it stands. A check that fails is written down too, and its error
// comes back beside the run. Images are checked now; for a video or a voice clip a job is started. The run goes on when
// the caller hangs up. Refusals besides those of [media.Service.CheckImage] and [media.Service.StartCheck]: forbidden,
// not_found (the id is a run of another account).
func (p *Playground) Run(ctx context.Context, by access.Actor, caller media.Caller, id uuid.UUID, name string, src media.Source) (Run, error) {
	if err := by.May(access.Spend); err != nil {
		return Run{}, err
	}
	if caller.Account != by.Account {
		return Run{}, errors.New("run of the playground: caller and actor are of different accounts")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), runTime)
	defer cancel()
	begun, err := p.begin(ctx, by, id, name, src.Media)
	if err != nil {
		return Run{}, err
	}
	if !begun {
		return p.Read(ctx, by.Account, id)
	}
	failed := p.check(ctx, caller, id, src)
	if failed != nil {
		if err := p.fail(ctx, by.Account, id, failed); err != nil {
			return Run{}, errors.Join(failed, err)
		}
	}
	run, err := p.Read(context.WithoutCancel(ctx), by.Account, id)
	if err != nil {
		return Run{}, errors.Join(failed, err)
	}
	if run.State != Failed {
		failed = nil // a commit whose answer was lost has happened
	}
	return run, failed
}

// begin writes the run down. It reports false when the id is taken.
func (p *Playground) begin(ctx context.Context, by access.Actor, id uuid.UUID, name string, m engine.Media) (bool, error) {
	tag, err := p.DB.Exec(ctx, `
		INSERT INTO playground_run (id, account_id, user_id, media, name)
		VALUES (@id, @account, @user, @media, @name) ON CONFLICT (id) DO NOTHING`,
		pgx.NamedArgs{"id": id, "account": by.Account, "user": by.User, "media": m, "name": tidy(name)})
	if err != nil {
		return false, fmt.Errorf("save run: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// check has the file checked. The answer is kept in the transaction that charges for it, or that makes its job.
func (p *Playground) check(ctx context.Context, caller media.Caller, id uuid.UUID, src media.Source) error {
	if src.Media == engine.Image {
		_, err := p.Media.CheckImage(ctx, caller, src, func(ctx context.Context, tx pgx.Tx, report engine.Report) error {
			return end(ctx, tx, caller.Account, id, pgx.NamedArgs{
				"report": report, "credits": p.Media.Quote(media.KindCheck, src.Media, 0),
			})
		})
		return err
	}
	_, err := p.Media.StartCheck(ctx, caller, src, func(ctx context.Context, tx pgx.Tx, job uuid.UUID) error {
		return end(ctx, tx, caller.Account, id, pgx.NamedArgs{"job": job})
	})
	return err
}

// errEnded says that a run had an end already.
var errEnded = errors.New("the run has ended before")

// end gives a run its report or its job.
func end(ctx context.Context, tx pgx.Tx, account, id uuid.UUID, with pgx.NamedArgs) error {
	args := pgx.NamedArgs{"id": id, "account": account, "report": nil, "job": nil, "credits": 0}
	for name, value := range with {
		args[name] = value
	}
	tag, err := tx.Exec(ctx, `
		UPDATE playground_run SET state = 'done', report = @report, job_id = @job, credits = @credits, ended_at = now()
		WHERE id = @id AND account_id = @account AND state = 'running'`, args)
	if err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errEnded
	}
	return nil
}

// failTime bounds the note of a failure once the run's own time is over.
const failTime = 10 * time.Second

// fail writes down why a run failed. One that has an end by now keeps it.
func (p *Playground) fail(ctx context.Context, account, id uuid.UUID, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), failTime)
	defer cancel()
	f := fault.From(cause)
	if f.Code == fault.InternalError {
		f = fault.Wrap(cause, fault.InternalError, "Something failed on our side, and nothing was charged. Try again in a moment.")
	}
	_, err := p.DB.Exec(ctx, `
		UPDATE playground_run SET state = 'failed', error_code = @code, error_message = @message, ended_at = now()
		WHERE id = @id AND account_id = @account AND state = 'running'`,
		pgx.NamedArgs{"id": id, "account": account, "code": f.Code, "message": strings.ReplaceAll(f.Message, "\x00", "")})
	if err != nil {
		return fmt.Errorf("save failure of run: %w", err)
	}
	return nil
}
