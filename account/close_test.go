package account_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
)

func TestRenameChecksTheName(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.Equal(t, strings.TrimSuffix(acc.Email, "@example.com"), acc.Name, "by default what stands before the @")
	by := owner(t, a, acc.ID)
	for _, name := range []string{"", " \t", "a\nb", strings.Repeat("x", 101), "\xff"} {
		require.Equal(t, fault.InvalidName, fault.CodeOf(a.Rename(t.Context(), by, name)), "%q", name)
	}
	require.NoError(t, a.Rename(t.Context(), by, " Müller & Söhne "))
	require.NoError(t, a.Rename(t.Context(), by, "Müller & Söhne"), "no change, no entry")
	acc, err := a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, "Müller & Söhne", acc.Name)
	require.Equal(t, []string{"cli account.created", "user account.renamed"}, acts(t, a, acc.ID))
}

func TestClosingStopsTheKeysUntilReopened(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	by, second := owner(t, a, acc.ID), member(t, a, acc.ID, access.Owner)
	member(t, a, acc.ID, access.Billing)
	key, err := a.CreateKey(t.Context(), by, "k")
	require.NoError(t, err)

	closesAt, err := a.Close(t.Context(), by)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(14*24*time.Hour), closesAt, 10*time.Second)
	again, err := a.Close(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, closesAt, again, "a second wish puts nothing off")
	sent := letters(t, a)
	require.Len(t, sent, 2)
	for i, person := range []access.Actor{by, second} {
		require.Contains(t, []uuid.UUID{by.User, second.User}, sent[i].Subject, person)
		require.Equal(t, account.LetterClosing, sent[i].Name)
		require.Equal(t, acc.Name, sent[i].Detail)
	}

	_, err = a.Authenticate(t.Context(), key.Key)
	f := fault.From(err)
	require.Equal(t, fault.PlanRequired, f.Code)
	require.Contains(t, f.Message, closesAt.Format("2 January 2006"))
	_, err = a.CreateKey(t.Context(), by, "another")
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	_, err = a.AuthenticateMember(t.Context(), by)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	acc, err = a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, account.Closing, acc.State)
	require.Equal(t, closesAt, *acc.ClosesAt)

	require.NoError(t, a.Reopen(t.Context(), second))
	require.NoError(t, a.Reopen(t.Context(), second), "what is open stays open")
	_, err = a.Authenticate(t.Context(), key.Key)
	require.NoError(t, err)
	require.Equal(t, []string{"cli account.created", "user key.created", "user account.closing", "user account.reopened"}, acts(t, a, acc.ID))
}

func TestReopeningBringsBackAFailedPayment(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	require.NoError(t, a.SetState(t.Context(), acc.ID, account.PaymentFailed))
	_, err := a.Close(t.Context(), owner(t, a, acc.ID))
	require.NoError(t, err)
	require.NoError(t, a.Reopen(t.Context(), owner(t, a, acc.ID)))
	acc, err = a.Get(t.Context(), acc.ID)
	require.NoError(t, err)
	require.Equal(t, account.PaymentFailed, acc.State)
}

// due makes a closing account's time come.
func due(t *testing.T, a *account.Accounts, acc uuid.UUID) {
	t.Helper()
	_, err := a.Close(t.Context(), access.CLI(acc))
	require.NoError(t, err)
	_, err = a.DB.Exec(t.Context(), `UPDATE account SET closes_at = now() - interval '1 second' WHERE id = $1`, acc)
	require.NoError(t, err)
}

// fill gives an account a row in every table that holds an account's data.
func fill(t *testing.T, a *account.Accounts, acc, person uuid.UUID) {
	t.Helper()
	key, err := a.CreateKey(t.Context(), access.CLI(acc), "k")
	require.NoError(t, err)
	_, err = a.Authenticate(t.Context(), key.Key)
	require.NoError(t, err)
	_, err = a.Invite(t.Context(), access.CLI(acc), "invited@example.com", access.Viewer)
	require.NoError(t, err)
	hold, job, delivery := uuid.New(), uuid.New(), uuid.New()
	for _, statement := range []string{
		`INSERT INTO credit_hold (id, account_id, period_start, amount) SELECT @hold, account_id, period_start, 1 FROM credit_period WHERE account_id = @account`,
		`INSERT INTO credit_entry (account_id, period_start, hold_id, kind, amount) SELECT account_id, period_start, id, 'hold', 1 FROM credit_hold WHERE id = @hold`,
		`INSERT INTO job (id, account_id, key_id, kind, media, status, hold_id, source_bytes, ended_at, expires_at)
		 VALUES (@job, @account, @key, 'check', 'video', 'succeeded', @hold, 1, now(), now())`,
		`INSERT INTO upload (id, account_id, media, content_type, size, expires_at) VALUES (@job, @account, 'image', 'image/png', 1, now())`,
		`INSERT INTO idempotency (account_id, key, request_hash, owner, locked_until) VALUES (@account, 'k', '', @job, now())`,
		`INSERT INTO delivery (id, account_id, job_id, key_id, url, payload, next_at) VALUES (@delivery, @account, @job, @key, 'https://example.com', '', now())`,
		`INSERT INTO delivery_attempt (delivery_id, number) VALUES (@delivery, 1)`,
		`INSERT INTO mail_token (hash, kind, subject, expires_at) SELECT '\x01', 'invite', id, now() FROM invite WHERE account_id = @account`,
		`INSERT INTO request_log (id, at, account_id, method, route, status, code, duration_us) VALUES (@job, now(), @account, 'POST', '/audit', 200, '', 1)`,
		`INSERT INTO usage_day (account_id, day, key_id, call) VALUES (@account, now(), @key, 'POST /audit')`,
		`INSERT INTO credit_notice (account_id, period_start, percent) VALUES (@account, now(), 80)`,
		`INSERT INTO playground_run (id, account_id, user_id, media, name) VALUES (@job, @account, @person, 'image', 'a.png')`,
		`INSERT INTO sign_in (id, user_id, method, address, agent) VALUES (@job, @person, 'password', '', '')`,
		`INSERT INTO totp (user_id, sealed_secret) VALUES (@person, '')`,
		`INSERT INTO passkey (id, user_id, name, credential) VALUES ('\x01', @person, '', '{}')`,
		`INSERT INTO recovery_code (user_id, hash) VALUES (@person, '')`,
		`INSERT INTO email_change (id, user_id, email) VALUES (@job, @person, 'new@example.com')`,
		`INSERT INTO stripe_customer (id, account_id) VALUES ('cus_1', @account)`,
		`INSERT INTO billing_sync (account_id) VALUES (@account)`,
		`INSERT INTO subscription (id, account_id, customer, status, plan, every, item, period_start, period_end, created_at)
		 VALUES ('sub_1', @account, 'cus_1', 'active', 'pro', 'month', 'si_1', now(), now() + interval '1 month', now())`,
		`INSERT INTO paid_period (subscription, period_start, period_end, account_id, plan, every, granted_to)
		 VALUES ('sub_1', now(), now() + interval '1 month', @account, 'pro', 'month', now())`,
		`INSERT INTO stripe_event (id, type, object, payload, state, account_id) VALUES ('evt_1', 'invoice.paid', 'in_1', '{}', 'pending', @account)`,
	} {
		_, err := a.DB.Exec(t.Context(), statement, pgx.NamedArgs{
			"account": acc, "person": person, "key": key.ID, "hold": hold, "job": job, "delivery": delivery,
		})
		require.NoError(t, err, statement)
	}
}

// held counts the rows of every table that has a column for an account or a person, the audit trail's apart.
func held(t *testing.T, a *account.Accounts) map[string]int {
	t.Helper()
	rows, err := a.DB.Query(t.Context(), `
		SELECT DISTINCT c.table_name::text FROM information_schema.columns c JOIN pg_class p ON p.oid = c.table_name::regclass
		WHERE c.table_schema = 'public' AND c.column_name IN ('account_id', 'user_id') AND NOT p.relispartition
		  AND c.table_name <> 'audit_log'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	counts := map[string]int{}
	for _, name := range append(tables, "account", "app_user", "delivery_attempt", "mail_token") {
		var n int
		require.NoError(t, a.DB.QueryRow(t.Context(), `SELECT count(*) FROM `+pgx.Identifier{name}.Sanitize()).Scan(&n))
		counts[name] = n
	}
	return counts
}

func TestDeletionLeavesNothingButTheTrail(t *testing.T) {
	t.Parallel()
	a := setup(t)
	var forgotten []uuid.UUID
	a.Forget = func(_ context.Context, acc uuid.UUID) error {
		forgotten = append(forgotten, acc)
		return nil
	}
	acc := create(t, a, "pro", account.Overrides{})
	fill(t, a, acc.ID, owner(t, a, acc.ID).User)
	before := held(t, a)
	for name, n := range before {
		require.Positive(t, n, "the test puts nothing into %s", name)
	}
	letters(t, a)
	due(t, a, acc.ID)
	require.Equal(t, fault.UnknownAccount, fault.CodeOf(a.Reopen(t.Context(), owner(t, a, acc.ID))), "too late")
	letters(t, a)

	n, err := a.DeleteClosed(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, []uuid.UUID{acc.ID}, forgotten)
	for name, n := range held(t, a) {
		require.Zero(t, n, name)
	}
	sent := letters(t, a)
	require.Len(t, sent, 1)
	require.Equal(t, account.LetterClosed, sent[0].Name)
	require.Equal(t, []string{acc.Email, acc.Name}, []string{sent[0].To, sent[0].Detail})
	entries, err := trail.Read(t.Context(), a.DB, access.CLI(acc.ID), trail.Filter{Account: acc.ID})
	require.NoError(t, err)
	require.Equal(t, []string{"system", "account.deleted", acc.Name}, []string{entries[0].Actor, entries[0].Act, entries[0].Subject})
	n, err = a.DeleteClosed(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestDeletionSparesPeopleWhoAreNeededElsewhere(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc, other := create(t, a, "pro", account.Overrides{}), create(t, a, "pro", account.Overrides{})
	shared, gone, operator := member(t, a, acc.ID, access.Developer), member(t, a, acc.ID, access.Viewer), member(t, a, acc.ID, access.Viewer)
	_, err := a.DB.Exec(t.Context(), `INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, 'viewer')`, other.ID, shared.User)
	require.NoError(t, err)
	_, err = a.DB.Exec(t.Context(), `UPDATE app_user SET operator = true WHERE id = $1`, operator.User)
	require.NoError(t, err)
	loner := user(t, a, "loner@example.com")
	key, err := a.CreateKey(t.Context(), access.CLI(other.ID), "k")
	require.NoError(t, err)
	due(t, a, acc.ID)
	_, err = a.Close(t.Context(), access.CLI(other.ID))
	require.NoError(t, err)

	n, err := a.DeleteClosed(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n, "the other's time has not come")
	var left []uuid.UUID
	rows, err := a.DB.Query(t.Context(), `SELECT id FROM app_user`)
	require.NoError(t, err)
	left, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	require.ElementsMatch(t, []uuid.UUID{shared.User, operator.User, loner, owner(t, a, other.ID).User}, left)
	require.NotContains(t, left, gone.User)
	require.NoError(t, a.Reopen(t.Context(), access.CLI(other.ID)))
	_, err = a.Authenticate(t.Context(), key.Key)
	require.NoError(t, err, "the other account is whole")
}

func TestDeletionWaitsForJobs(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	fill(t, a, acc.ID, owner(t, a, acc.ID).User)
	_, err := a.DB.Exec(t.Context(), `UPDATE job SET status = 'queued', ended_at = NULL, expires_at = NULL`)
	require.NoError(t, err)
	due(t, a, acc.ID)
	a.Forget = func(context.Context, uuid.UUID) error { panic("the job's file is still wanted") }
	n, err := a.DeleteClosed(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)

	// A job that starts while the blobs are removed also makes the rows wait.
	_, err = a.DB.Exec(t.Context(), `UPDATE job SET status = 'succeeded', ended_at = now(), expires_at = now()`)
	require.NoError(t, err)
	a.Forget = func(ctx context.Context, _ uuid.UUID) error {
		_, err := a.DB.Exec(ctx, `UPDATE job SET status = 'queued', ended_at = NULL, expires_at = NULL`)
		return err
	}
	n, err = a.DeleteClosed(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = a.Get(t.Context(), acc.ID)
	require.NoError(t, err)

	_, err = a.DB.Exec(t.Context(), `UPDATE job SET status = 'succeeded', ended_at = now(), expires_at = now()`)
	require.NoError(t, err)
	a.Forget = func(context.Context, uuid.UUID) error { return nil }
	n, err = a.DeleteClosed(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestOneAccountThatCannotBeDeletedDoesNotKeepTheOthers(t *testing.T) {
	t.Parallel()
	a := setup(t)
	stuck, free := create(t, a, "pro", account.Overrides{}), create(t, a, "pro", account.Overrides{})
	due(t, a, stuck.ID)
	due(t, a, free.ID)
	outage := errors.New("the blob store is away")
	a.Forget = func(_ context.Context, acc uuid.UUID) error {
		if acc == stuck.ID {
			return outage
		}
		return nil
	}
	n, err := a.DeleteClosed(t.Context())
	require.ErrorIs(t, err, outage)
	require.ErrorContains(t, err, stuck.ID.String())
	require.Equal(t, 1, n)
	_, err = a.Get(t.Context(), stuck.ID)
	require.NoError(t, err, "its rows still name its blobs")

	a.Forget = nil
	_, err = a.DeleteClosed(t.Context())
	require.ErrorContains(t, err, "nothing removes their blobs")
}

func TestTwoProcessesDeleteAnAccountOnce(t *testing.T) {
	t.Parallel()
	a := setup(t)
	acc := create(t, a, "pro", account.Overrides{})
	due(t, a, acc.ID)
	letters(t, a)
	var deleted atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			n, err := a.DeleteClosed(t.Context())
			deleted.Add(int64(n))
			errs[i] = err
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, int64(1), deleted.Load())
	require.Len(t, letters(t, a), 1)
}
