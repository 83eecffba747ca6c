package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
)

// Join makes a user a member as an open invite says, and ends the invite, in the transaction that has proved the
// invite's link. A member already keeps the role with more rights. Refusals: link_expired when the invite was accepted,
// withdrawn or has expired, team_full.
func (a *Accounts) Join(ctx context.Context, tx pgx.Tx, invite, user uuid.UUID) (uuid.UUID, error) {
	var account uuid.UUID
	err := tx.QueryRow(ctx, `SELECT account_id FROM invite WHERE id = @id`, pgx.NamedArgs{"id": invite}).Scan(&account)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, inviteOver()
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("find invite: %w", err)
	}
	// All acts on a team lock the account before anything of its.
	if err := lockAccount(ctx, tx, account); fault.CodeOf(err) == fault.UnknownAccount {
		return uuid.Nil, inviteOver()
	} else if err != nil {
		return uuid.Nil, err
	}
	var role access.Role
	err = tx.QueryRow(ctx, `
		UPDATE invite SET ended_at = now()
		WHERE id = @id AND account_id = @account AND ended_at IS NULL AND expires_at > now()
		RETURNING role`,
		pgx.NamedArgs{"id": invite, "account": account}).Scan(&role)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, inviteOver()
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("accept invite: %w", err)
	}
	email, role, err := a.admit(ctx, tx, account, user, role)
	if err != nil {
		return uuid.Nil, err
	}
	by := access.Actor{Account: account, User: user, Role: role}
	return account, trail.Write(ctx, tx, by, "member.joined", email, map[string]string{"role": string(role)})
}

// admit writes the membership and returns the person's address and the role that he has from now on.
func (a *Accounts) admit(ctx context.Context, tx pgx.Tx, account, user uuid.UUID, role access.Role) (string, access.Role, error) {
	var members int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM membership WHERE account_id = @account AND user_id <> @user`,
		pgx.NamedArgs{"account": account, "user": user}).Scan(&members)
	if err != nil {
		return "", "", fmt.Errorf("count members: %w", err)
	}
	if limit := a.config().MaxMembers; members >= limit {
		return "", "", teamFull(limit)
	}
	var email string
	err = tx.QueryRow(ctx, `
		WITH joined AS (
			INSERT INTO membership AS m (account_id, user_id, role) VALUES (@account, @user, @role)
			ON CONFLICT (account_id, user_id) DO UPDATE
				SET role = CASE WHEN array_position(@roles::text[], excluded.role) < array_position(@roles::text[], m.role)
				                THEN excluded.role ELSE m.role END
			RETURNING user_id, role
		)
		SELECT u.email, j.role FROM joined j JOIN app_user u ON u.id = j.user_id`,
		pgx.NamedArgs{"account": account, "user": user, "role": role, "roles": access.Roles()}).Scan(&email, &role)
	if err != nil {
		return "", "", fmt.Errorf("save membership: %w", err)
	}
	return email, role, nil
}

func inviteOver() error {
	return fault.New(fault.LinkExpired, "This invite was accepted before, was withdrawn or has expired. Ask for a new one.")
}
