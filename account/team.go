package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Member is a person in an account.
type Member struct {
	User     uuid.UUID
	Email    string
	Name     string
	Role     access.Role
	JoinedAt time.Time
}

// Members lists the people of an account, those with the most rights first.
func (a *Accounts) Members(ctx context.Context, account uuid.UUID) ([]Member, error) {
	rows, err := a.DB.Query(ctx, `
		SELECT u.id, u.email, u.name, m.role, m.created_at
		FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.account_id = @account
		ORDER BY array_position(@roles::text[], m.role), m.created_at, u.id`,
		pgx.NamedArgs{"account": account, "roles": access.Roles()})
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	members, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Member])
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	return members, nil
}

// SetRole changes what a member may do, from the next request on. Refusals: forbidden, invalid_input (no such role),
// unknown_account, unknown_member, last_owner.
func (a *Accounts) SetRole(ctx context.Context, by access.Actor, user uuid.UUID, role access.Role) error {
	if err := by.May(access.ManageTeam); err != nil {
		return err
	}
	if err := checkRole(role); err != nil {
		return err
	}
	return a.withTeam(ctx, by, true, func(tx pgx.Tx) error {
		email, was, err := lockMember(ctx, tx, by.Account, user)
		if err != nil || was == role {
			return err
		}
		if err := keepOwner(ctx, tx, by.Account, was); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE membership SET role = @role WHERE account_id = @account AND user_id = @user`,
			pgx.NamedArgs{"account": by.Account, "user": user, "role": role})
		if err != nil {
			return fmt.Errorf("save role: %w", err)
		}
		return trail.Write(ctx, tx, by, "member.role", email, map[string]string{"from": string(was), "to": string(role)})
	})
}

// RemoveMember ends a person's access from the next request on. Whoever removes himself leaves, which every role may.
// Refusals: forbidden, unknown_account, unknown_member, last_owner.
func (a *Accounts) RemoveMember(ctx context.Context, by access.Actor, user uuid.UUID) error {
	leaving := by.User != uuid.Nil && by.User == user
	act := "member.left"
	if !leaving {
		act = "member.removed"
		if err := by.May(access.ManageTeam); err != nil {
			return err
		}
	}
	return a.withTeam(ctx, by, !leaving, func(tx pgx.Tx) error {
		email, was, err := lockMember(ctx, tx, by.Account, user)
		if err != nil {
			return err
		}
		if err := keepOwner(ctx, tx, by.Account, was); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM membership WHERE account_id = @account AND user_id = @user`,
			pgx.NamedArgs{"account": by.Account, "user": user})
		if err != nil {
			return fmt.Errorf("remove member: %w", err)
		}
		return trail.Write(ctx, tx, by, act, email, map[string]string{"role": string(was)})
	})
}

// withTeam runs an act on who belongs to an account. It locks the account first, so that such acts come one after
// another, and then reads the actor's role anew: it may have ended while the request was under way. managing is false
// for a person who leaves, which takes no right.
func (a *Accounts) withTeam(ctx context.Context, by access.Actor, managing bool, act func(tx pgx.Tx) error) error {
	return postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		if err := lockAccount(ctx, tx, by.Account); err != nil {
			return err
		}
		if managing && !by.Operator {
			now := by
			_, role, err := lockMember(ctx, tx, by.Account, by.User)
			if err != nil && fault.CodeOf(err) != fault.UnknownMember {
				return err
			}
			now.Role = role
			if err := now.May(access.ManageTeam); err != nil {
				return err
			}
		}
		return act(tx)
	})
}

// lockAccount keeps other acts on the account waiting until tx ends. Refusal: unknown_account.
func lockAccount(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	tag, err := tx.Exec(ctx, `SELECT FROM account WHERE id = @id FOR NO KEY UPDATE`, pgx.NamedArgs{"id": account})
	if err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return unknown(account)
	}
	return nil
}

// lockMember reads a membership. Refusal: unknown_member, with no role.
func lockMember(ctx context.Context, tx pgx.Tx, account, user uuid.UUID) (email string, role access.Role, err error) {
	err = tx.QueryRow(ctx, `
		SELECT u.email, m.role FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.account_id = @account AND m.user_id = @user FOR UPDATE OF m`,
		pgx.NamedArgs{"account": account, "user": user}).Scan(&email, &role)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", fault.New(fault.UnknownMember, "This person does not belong to the account. Load the team page again.")
	}
	if err != nil {
		return "", "", fmt.Errorf("read membership: %w", err)
	}
	return email, role, nil
}

// keepOwner refuses to take an owner away from an account that has no other. The account must be locked.
func keepOwner(ctx context.Context, tx pgx.Tx, account uuid.UUID, was access.Role) error {
	if was != access.Owner {
		return nil
	}
	var owners int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM membership WHERE account_id = @account AND role = 'owner'`,
		pgx.NamedArgs{"account": account}).Scan(&owners)
	if err != nil {
		return fmt.Errorf("count owners: %w", err)
	}
	if owners < 2 {
		return fault.New(fault.LastOwner, "This is the account's only owner. Make somebody else an owner first, or delete the account.")
	}
	return nil
}

func checkRole(role access.Role) error {
	if slices.Contains(access.Roles(), role) {
		return nil
	}
	return fault.New(fault.InvalidInput, "Choose a role: owner, developer, billing or viewer.")
}
