package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/jobs"
	"veracity/media/acttest"
	"veracity/platform/mail"
	"veracity/platform/postgres"
)

// letterbox fails as the test says and keeps what it was given.
type letterbox struct {
	mu   sync.Mutex
	fail func(try int) error
	ids  []string
	sent []account.Letter
	at   time.Time
	log  bytes.Buffer
}

// Send implements jobs.Letters.
func (b *letterbox) Send(_ context.Context, l account.Letter, id string, asked time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids, b.at = append(b.ids, id), asked
	if b.fail != nil {
		if err := b.fail(len(b.ids)); err != nil {
			return err
		}
	}
	b.sent = append(b.sent, l)
	return nil
}

// Write keeps the log.
func (b *letterbox) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *letterbox) seen(look func() bool) func() bool {
	return func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return look()
	}
}

// deliver asks for a letter and starts a worker of the queue.
func deliver(t *testing.T, r *acttest.Rig, b *letterbox, l account.Letter) {
	t.Helper()
	queue, err := jobs.NewQueue(r.DB)
	require.NoError(t, err)
	require.NoError(t, postgres.Tx(t.Context(), r.DB, func(tx pgx.Tx) error { return queue.Insert(t.Context(), tx, l) }))
	cfg := jobs.DefaultConfig()
	cfg.Queues, cfg.Poll = []string{jobs.QueueLetter}, 100*time.Millisecond
	acts := jobs.Acts{Letters: b}
	acts.Media, acts.Webhooks = r.OpenWithWebhooks(queue)
	w, err := jobs.Start(t.Context(), cfg, r.DB, acts, slog.New(slog.NewJSONHandler(b, nil)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Stop(context.WithoutCancel(t.Context()))) })
}

// row is what the queue has on its one letter.
func row(t *testing.T, r *acttest.Rig) (state string, attempt, most int, wait time.Duration) {
	t.Helper()
	require.NoError(t, r.DB.QueryRow(t.Context(), `
		SELECT state, attempt, max_attempts, scheduled_at - now() FROM river_job WHERE kind = 'letter'`).Scan(&state, &attempt, &most, &wait))
	return state, attempt, most, wait
}

func TestLetterIsSentOnce(t *testing.T) {
	t.Parallel()
	r, b := acttest.Setup(t), &letterbox{}
	l := account.Letter{Name: account.LetterInvite, To: "ada@example.com", Subject: uuid.New(), Account: uuid.New(), Detail: "x"}
	deliver(t, r, b, l)
	require.Eventually(t, b.seen(func() bool { return len(b.sent) == 1 }), 20*time.Second, 10*time.Millisecond)
	require.Equal(t, []account.Letter{l}, b.sent)
	require.Regexp(t, `^letter-\d+-\d+$`, b.ids[0])
	require.WithinDuration(t, time.Now(), b.at, time.Minute)
	require.Eventually(t, func() bool { state, _, _, _ := row(t, r); return state == "completed" }, 20*time.Second, 10*time.Millisecond)
}

func TestLetterIsTriedAgainForADayUnderTheSameId(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	b := &letterbox{fail: func(try int) error {
		if try < 3 {
			return errors.New("mail server is away")
		}
		return nil
	}}
	deliver(t, r, b, account.Letter{Name: account.LetterReset, To: "ada@example.com"})
	for try := 1; try < 3; try++ {
		require.Eventually(t, func() bool { state, attempt, _, _ := row(t, r); return state == "retryable" && attempt == try },
			20*time.Second, 10*time.Millisecond)
		_, _, most, wait := row(t, r)
		require.Equal(t, 10, most)
		require.Greater(t, wait, []time.Duration{10 * time.Second, 50 * time.Second}[try-1])
		_, err := r.DB.Exec(t.Context(), `UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = 'letter'`)
		require.NoError(t, err)
	}
	require.Eventually(t, b.seen(func() bool { return len(b.sent) == 1 }), 20*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{b.ids[0], b.ids[0], b.ids[0]}, b.ids)
}

func TestLetterThatNobodyTakesIsGivenUpAloud(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]bool{"refused for good": false, "last try": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := acttest.Setup(t)
			b := &letterbox{fail: func(int) error {
				if last {
					return errors.New("mail server is away")
				}
				return fmt.Errorf("no such recipient: %w", mail.ErrPermanent)
			}}
			if last {
				_, err := r.DB.Exec(t.Context(), `
					CREATE FUNCTION last_try() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.max_attempts = 1; RETURN NEW; END $$;
					CREATE TRIGGER last_try BEFORE INSERT ON river_job FOR EACH ROW EXECUTE FUNCTION last_try()`)
				require.NoError(t, err)
			}
			deliver(t, r, b, account.Letter{Name: account.LetterReset, To: "ada@example.com"})
			require.Eventually(t, func() bool { state, _, _, _ := row(t, r); return state == "cancelled" }, 20*time.Second, 10*time.Millisecond)
			b.mu.Lock()
			defer b.mu.Unlock()
			require.Len(t, b.ids, 1)
			require.Equal(t, 1, strings.Count(b.log.String(), "letter given up"))
			require.NotContains(t, b.log.String(), "ada@example.com")
		})
	}
}
