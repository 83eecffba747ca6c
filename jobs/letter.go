package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/riverqueue/river"

	"veracity/account"
	"veracity/platform/mail"
)

// Letters sends mails; package letter does.
type Letters interface {
	// Send sends a letter. An error that is mail.ErrPermanent is not worth another try.
	Send(ctx context.Context, l account.Letter, id string, asked time.Time) error
}

// letterWaits are the waits after each failed try at a letter, about a day together: as long as a mail server may be down
// and the mail still be of use. The token of its link is minted with each try, so no try sends an old one.
var letterWaits = [...]time.Duration{
	15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

const (
	letterAttempts = len(letterWaits) + 1
	// letterTimeout is the net below a try, whose steps with the mail server have times of their own.
	letterTimeout = 5 * time.Minute
)

type letterWorker struct {
	river.WorkerDefaults[account.Letter]
	letters Letters
	log     *slog.Logger
}

// Work tries to send a letter once. A try that was made but not noted is made again under the same id.
func (w *letterWorker) Work(ctx context.Context, job *river.Job[account.Letter]) error {
	id := fmt.Sprintf("letter-%d-%d", job.ID, job.CreatedAt.UnixMilli())
	err := w.letters.Send(ctx, job.Args, id, job.CreatedAt)
	if err == nil || ctx.Err() != nil || (job.Attempt < job.MaxAttempts && !errors.Is(err, mail.ErrPermanent)) {
		return err
	}
	// Whoever asked for it has long gone on; this line is all that tells.
	w.log.ErrorContext(ctx, "letter given up", "letter", job.Args.Name, "id", id, "account", job.Args.Account,
		"subject", job.Args.Subject, "attempt", job.Attempt, "error", err)
	return river.JobCancel(err)
}

// Timeout implements river.Worker.
func (w *letterWorker) Timeout(*river.Job[account.Letter]) time.Duration { return letterTimeout }

// NextRetry implements river.Worker. Up to a tenth more, so that letters that failed together do not come back together.
func (w *letterWorker) NextRetry(job *river.Job[account.Letter]) time.Time {
	wait := letterWaits[min(max(job.Attempt, 1), len(letterWaits))-1]
	return time.Now().Add(wait + rand.N(wait/10)) //nolint:gosec // spreads load, guards nothing
}
