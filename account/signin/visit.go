package signin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Visit finds who a signed-in browser belongs to, and what account it looks at: wanted when the person belongs to it, else
// the one of the longest membership. It is one statement, which also notes the visit, at most once a minute. A sign-in
// that was ended, was not seen for IdleTTL or is older than MaxTTL is refused: sign_in_failed.
func (p *People) Visit(ctx context.Context, signIn, wanted uuid.UUID) (Visit, error) {
	v := Visit{SignIn: signIn}
	u := &v.User
	err := p.db.QueryRow(ctx, visit, signIn, p.cfg.IdleTTL, p.cfg.MaxTTL).
		Scan(&u.ID, &u.Email, &u.Name, &u.Operator, &u.HasPassword, &u.SecondFactor, &u.CreatedAt, &v.Accounts)
	if errors.Is(err, pgx.ErrNoRows) {
		return Visit{}, fault.New(fault.SignInFailed, "You are signed out. Sign in again.")
	}
	if err != nil {
		return Visit{}, fmt.Errorf("read sign-in: %w", err)
	}
	if len(v.Accounts) == 0 {
		return v, nil
	}
	i := max(0, slices.IndexFunc(v.Accounts, func(b Belonging) bool { return b.ID == wanted }))
	v.Account, v.Role = v.Accounts[i].ID, v.Accounts[i].Role
	return v, nil
}

// visit takes its arguments by number, since naming them would cost every page a rewriting of the text. The note of the
// visit runs whether or not it is read (PostgreSQL, WITH Queries, data-modifying statements).
const visit = `
	WITH seen AS (
		SELECT id, user_id FROM sign_in
		WHERE id = $1 AND ended_at IS NULL AND seen_at > now() - $2::interval AND created_at > now() - $3::interval
	), noted AS (
		UPDATE sign_in s SET seen_at = now() FROM seen
		WHERE s.id = seen.id AND s.ended_at IS NULL AND s.seen_at < now() - interval '1 minute'
	)
	SELECT u.id, u.email, u.name, u.operator, u.password_hash IS NOT NULL,
	       EXISTS (SELECT FROM totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL)
	         OR EXISTS (SELECT FROM passkey k WHERE k.user_id = u.id),
	       u.created_at,
	       coalesce((SELECT jsonb_agg(jsonb_build_object('ID', a.id, 'Name', coalesce(nullif(a.name, ''), a.email), 'Role', m.role)
	                                  ORDER BY m.created_at, a.id)
	                 FROM membership m JOIN account a ON a.id = m.account_id WHERE m.user_id = u.id), '[]')
	FROM seen JOIN app_user u ON u.id = seen.user_id`

// SignIns lists the browsers in which a person is signed in, the last seen first.
func (p *People) SignIns(ctx context.Context, user uuid.UUID) ([]SignIn, error) {
	rows, err := p.db.Query(ctx, `
		SELECT id, method, address, agent, created_at, seen_at FROM sign_in
		WHERE user_id = @user AND ended_at IS NULL AND seen_at > now() - @idle::interval AND created_at > now() - @max::interval
		ORDER BY seen_at DESC, id DESC`,
		pgx.NamedArgs{"user": user, "idle": p.cfg.IdleTTL, "max": p.cfg.MaxTTL})
	if err != nil {
		return nil, fmt.Errorf("list sign-ins: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[SignIn])
	if err != nil {
		return nil, fmt.Errorf("list sign-ins: %w", err)
	}
	return all, nil
}

// End ends one of a person's sign-ins; the browser feels it with its next request. One that has ended is no error.
// Refusal: not_found, also for another person's.
func (p *People) End(ctx context.Context, user, signIn uuid.UUID, c Client) error {
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		var ended bool
		err := tx.QueryRow(ctx, `SELECT ended_at IS NOT NULL FROM sign_in WHERE id = @id AND user_id = @user FOR UPDATE`,
			pgx.NamedArgs{"id": signIn, "user": user}).Scan(&ended)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "There is no such sign-in.")
		}
		if err != nil {
			return fmt.Errorf("lock sign-in: %w", err)
		}
		if ended {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE sign_in SET ended_at = now() WHERE id = @id AND user_id = @user`,
			pgx.NamedArgs{"id": signIn, "user": user})
		if err != nil {
			return fmt.Errorf("end sign-in: %w", err)
		}
		return trail.Write(ctx, tx, by(user, c), "sign_in.ended", "", nil)
	})
}

// EndOthers ends all of a person's sign-ins but one, and says how many they were.
func (p *People) EndOthers(ctx context.Context, user, keep uuid.UUID, c Client) (int, error) {
	var n int
	err := postgres.Tx(ctx, p.db, func(tx pgx.Tx) (err error) {
		if n, err = endAll(ctx, tx, user, keep); err != nil || n == 0 {
			return err
		}
		return trail.Write(ctx, tx, by(user, c), "sign_in.others_ended", "", nil)
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// endAll ends a person's sign-ins but keep, which may be nil.
func endAll(ctx context.Context, tx pgx.Tx, user, keep uuid.UUID) (int, error) {
	tag, err := tx.Exec(ctx, `UPDATE sign_in SET ended_at = now() WHERE user_id = @user AND id <> @keep AND ended_at IS NULL`,
		pgx.NamedArgs{"user": user, "keep": keep})
	if err != nil {
		return 0, fmt.Errorf("end sign-ins: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
