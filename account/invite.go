package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
)

// Invite is a person asked into an account who has not come yet.
type Invite struct {
	ID    uuid.UUID
	Email string
	Role  access.Role
	// InvitedBy is the address of who asked; empty once that person is gone.
	InvitedBy string
	CreatedAt time.Time
	// ExpiresAt may have passed: then the invite waits to be sent again or withdrawn.
	ExpiresAt time.Time
}

// Invites lists an account's open invites, the newest first.
func (a *Accounts) Invites(ctx context.Context, account uuid.UUID) ([]Invite, error) {
	rows, err := a.DB.Query(ctx, `
		SELECT i.id, i.email, i.role, coalesce(u.email, ''), i.created_at, i.expires_at
		FROM invite i LEFT JOIN app_user u ON u.id = i.invited_by
		WHERE i.account_id = @account AND i.ended_at IS NULL ORDER BY i.created_at DESC, i.id DESC`,
		pgx.NamedArgs{"account": account})
	if err != nil {
		return nil, fmt.Errorf("list invites: %w", err)
	}
	invites, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Invite])
	if err != nil {
		return nil, fmt.Errorf("list invites: %w", err)
	}
	return invites, nil
}

// Invite asks a person into the account by mail. An open invite of the same address is renewed with the new role, and its
// earlier links work no more.
// Refusals: forbidden, invalid_email, invalid_input (no such role), unknown_account, already_member, team_full,
// too_many_tries (with RetryAfter) when a letter to the address went out a moment ago or too many went out,
// plan_required while the account is suspended.
func (a *Accounts) Invite(ctx context.Context, by access.Actor, email string, role access.Role) (uuid.UUID, error) {
	if err := by.May(access.ManageTeam); err != nil {
		return uuid.Nil, err
	}
	email, err := Address(email)
	if err != nil {
		return uuid.Nil, err
	}
	if err := checkRole(role); err != nil {
		return uuid.Nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make invite id: %w", err)
	}
	err = a.withTeam(ctx, by, true, func(tx pgx.Tx) error {
		if err := a.mayInvite(ctx, tx, by.Account, email); err != nil {
			return err
		}
		// The open invite of the address, where there is one, keeps its id.
		err = tx.QueryRow(ctx, `
			INSERT INTO invite (id, account_id, email, role, invited_by, expires_at)
			VALUES (@id, @account, @email, @role, @by, now() + @ttl::interval)
			ON CONFLICT (account_id, lower(email)) WHERE ended_at IS NULL DO UPDATE
				SET role = excluded.role, invited_by = excluded.invited_by, expires_at = excluded.expires_at,
				    sends = invite.sends + 1, sent_at = now()
			RETURNING id`,
			pgx.NamedArgs{
				"id": id, "account": by.Account, "email": email, "role": role, "by": orNull(by.User), "ttl": a.config().InviteTTL,
			}).Scan(&id)
		if err != nil {
			return fmt.Errorf("save invite: %w", err)
		}
		return a.sendInvite(ctx, tx, by, id, email, "invite.created", role)
	})
	if err != nil {
		return uuid.Nil, err
	}
	return id, nil
}

// ResendInvite sends an open invite's letter again and gives it its whole time anew; earlier links work no more. Refusals: forbidden,
// unknown_account, unknown_invite, too_many_tries and plan_required as with [Accounts.Invite].
func (a *Accounts) ResendInvite(ctx context.Context, by access.Actor, invite uuid.UUID) error {
	if err := by.May(access.ManageTeam); err != nil {
		return err
	}
	return a.withTeam(ctx, by, true, func(tx pgx.Tx) error {
		var (
			email string
			role  access.Role
		)
		err := tx.QueryRow(ctx, `
			SELECT email, role FROM invite WHERE id = @id AND account_id = @account AND ended_at IS NULL FOR UPDATE`,
			pgx.NamedArgs{"id": invite, "account": by.Account}).Scan(&email, &role)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknownInvite()
		}
		if err != nil {
			return fmt.Errorf("read invite: %w", err)
		}
		if err := a.mayWriteTo(ctx, tx, by.Account, email); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE invite SET expires_at = now() + @ttl::interval, sends = sends + 1, sent_at = now()
			WHERE id = @id AND account_id = @account`,
			pgx.NamedArgs{"id": invite, "account": by.Account, "ttl": a.config().InviteTTL})
		if err != nil {
			return fmt.Errorf("renew invite: %w", err)
		}
		return a.sendInvite(ctx, tx, by, invite, email, "invite.resent", role)
	})
}

// WithdrawInvite ends an open invite: its link works no more. Refusals: forbidden, unknown_account, unknown_invite.
func (a *Accounts) WithdrawInvite(ctx context.Context, by access.Actor, invite uuid.UUID) error {
	if err := by.May(access.ManageTeam); err != nil {
		return err
	}
	return a.withTeam(ctx, by, true, func(tx pgx.Tx) error {
		var email string
		err := tx.QueryRow(ctx, `
			UPDATE invite SET ended_at = now() WHERE id = @id AND account_id = @account AND ended_at IS NULL RETURNING email`,
			pgx.NamedArgs{"id": invite, "account": by.Account}).Scan(&email)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknownInvite()
		}
		if err != nil {
			return fmt.Errorf("withdraw invite: %w", err)
		}
		return trail.Write(ctx, tx, by, "invite.withdrawn", email, nil)
	})
}

// keepInvites is how long an ended or expired invite is kept, for the limits on letters and for questions.
const keepInvites = 30 * 24 * time.Hour

// ForgetInvites deletes invites that ended or expired a month ago, and returns how many there were.
func (a *Accounts) ForgetInvites(ctx context.Context) (int64, error) {
	tag, err := a.DB.Exec(ctx, `DELETE FROM invite WHERE coalesce(ended_at, expires_at) < now() - @keep::interval`,
		pgx.NamedArgs{"keep": keepInvites})
	if err != nil {
		return 0, fmt.Errorf("forget invites: %w", err)
	}
	return tag.RowsAffected(), nil
}

// sendInvite ends the links that were sent before, asks for the letter and writes the trail.
func (a *Accounts) sendInvite(ctx context.Context, tx pgx.Tx, by access.Actor, invite uuid.UUID, email, act string, role access.Role) error {
	_, err := tx.Exec(ctx, `UPDATE mail_token SET used_at = now() WHERE kind = 'invite' AND subject = @id AND used_at IS NULL`,
		pgx.NamedArgs{"id": invite})
	if err != nil {
		return fmt.Errorf("end earlier links of invite: %w", err)
	}
	letter := Letter{Name: LetterInvite, To: email, Subject: invite, Account: by.Account}
	if err := a.Queue.Insert(ctx, tx, letter); err != nil {
		return err
	}
	return trail.Write(ctx, tx, by, act, email, map[string]string{"role": string(role)})
}

// mayInvite refuses an address that belongs to the account, one that was written to too often, and a full team. The
// account must be locked.
func (a *Accounts) mayInvite(ctx context.Context, tx pgx.Tx, account uuid.UUID, email string) error {
	var (
		member, open            bool
		members, invites, today int
	)
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM membership m JOIN app_user u ON u.id = m.user_id
		               WHERE m.account_id = @account AND lower(u.email) = lower(@email)),
		       EXISTS (SELECT FROM invite WHERE account_id = @account AND lower(email) = lower(@email) AND ended_at IS NULL),
		       (SELECT count(*) FROM membership WHERE account_id = @account),
		       (SELECT count(*) FROM invite WHERE account_id = @account AND ended_at IS NULL),
		       (SELECT count(*) FROM invite WHERE account_id = @account AND created_at > now() - interval '1 day')`,
		pgx.NamedArgs{"account": account, "email": email}).Scan(&member, &open, &members, &invites, &today)
	if err != nil {
		return fmt.Errorf("look at team: %w", err)
	}
	limits := a.config()
	switch {
	case member:
		return fault.New(fault.AlreadyMember, "%s belongs to the account already. Change the role in the list of members.", email)
	case members >= limits.MaxMembers:
		return teamFull(limits.MaxMembers)
	case !open && invites >= limits.MaxInvites:
		return fault.New(fault.TeamFull, "The account has %d open invites, the most there may be. Withdraw one that nobody takes up.", invites)
	case !open && today >= 2*limits.MaxInvites:
		return fault.New(fault.TooManyTries, "The account has sent %d invites within a day. Go on tomorrow.", today).WithRetryAfter(24 * time.Hour)
	}
	return a.mayWriteTo(ctx, tx, account, email)
}

// mayWriteTo refuses a letter to an address that has just had one, or too many, so that nobody is pestered by invites.
// It counts withdrawn invites too.
func (a *Accounts) mayWriteTo(ctx context.Context, tx pgx.Tx, account uuid.UUID, email string) error {
	var (
		ago       *time.Duration
		sends     int
		suspended bool
	)
	err := tx.QueryRow(ctx, `
		SELECT now() - max(sent_at), coalesce(sum(sends), 0), (SELECT suspended_at IS NOT NULL FROM account WHERE id = @account)
		FROM invite
		WHERE account_id = @account AND lower(email) = lower(@email) AND sent_at > now() - interval '1 day'`,
		pgx.NamedArgs{"account": account, "email": email}).Scan(&ago, &sends, &suspended)
	if err != nil {
		return fmt.Errorf("look at letters: %w", err)
	}
	limits := a.config()
	switch {
	case suspended:
		return fault.New(fault.PlanRequired, "The account is suspended, so it sends no invites. Write to support.")
	case ago == nil:
		return nil
	case *ago < limits.ResendAfter:
		return fault.New(fault.TooManyTries, "An invite went to %s just now. Wait a moment before you send another.", email).
			WithRetryAfter(limits.ResendAfter - *ago)
	case sends >= limits.MaxSends:
		return fault.New(fault.TooManyTries, "%d invites have gone to %s. Ask the person to look for them, among unwanted mail too, or try again tomorrow.", sends, email).
			WithRetryAfter(24*time.Hour - *ago)
	}
	return nil
}

func teamFull(members int) error {
	return fault.New(fault.TeamFull, "The account has %d members, the most there may be. Remove one first.", members)
}

func unknownInvite() error {
	return fault.New(fault.UnknownInvite, "This invite is not open any more: it was accepted or withdrawn. Load the team page again.")
}

// orNull is nil for the nil id, so that the column is NULL.
func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
