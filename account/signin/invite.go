package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// ReadInvite shows what a link invites to. Refusal: link_expired.
func (p *People) ReadInvite(ctx context.Context, token string) (Invitation, error) {
	id, err := peek(ctx, p.db, linkInvite, token)
	if err != nil {
		return Invitation{}, err
	}
	i := Invitation{ID: id}
	err = p.db.QueryRow(ctx, `
		SELECT coalesce(nullif(a.name, ''), a.email), coalesce(nullif(by.name, ''), by.email, ''), i.email, i.role,
		       EXISTS (SELECT FROM app_user u WHERE lower(u.email) = lower(i.email) AND u.password_hash IS NOT NULL)
		FROM invite i JOIN account a ON a.id = i.account_id LEFT JOIN app_user by ON by.id = i.invited_by
		WHERE i.id = @id AND i.ended_at IS NULL AND i.expires_at > now()`,
		pgx.NamedArgs{"id": id}).Scan(&i.AccountName, &i.InvitedBy, &i.Email, &i.Role, &i.Known)
	if errors.Is(err, pgx.ErrNoRows) {
		return Invitation{}, expired()
	}
	if err != nil {
		return Invitation{}, fmt.Errorf("read invite: %w", err)
	}
	return i, nil
}

// AcceptInvite brings a person into the account that a link invites to: user when signed in, else one made from n, whose
// address the link proves, so that n.Email does not count. Refusals: link_expired; forbidden for a person with another
// address; sign_in_failed for an address that has a password, whose person must sign in first; invalid_name,
// weak_password, and what [account.Accounts.Join] refuses.
func (p *People) AcceptInvite(ctx context.Context, token string, user uuid.UUID, n NewPerson, c Client) (person, account uuid.UUID, err error) {
	i, err := p.ReadInvite(ctx, token)
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	var hash string
	if user == uuid.Nil {
		n.Email = i.Email
		hash, err = p.newcomer(ctx, &n, i)
	} else {
		err = p.invited(ctx, user, i)
	}
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if _, err := spend(ctx, tx, linkInvite, token); err != nil {
			return err
		}
		if user == uuid.Nil {
			made, err := insertUser(ctx, tx, n.Email, n.Name, hash)
			if err != nil {
				return err
			}
			user = made
			if err := trail.Write(ctx, tx, by(user, c), "user.signed_up", n.Email, nil); err != nil {
				return err
			}
		}
		account, err = p.accounts.Join(ctx, tx, i.ID, user)
		return err
	})
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	return user, account, nil
}

// newcomer checks what a person without a password entered, and hashes the password.
func (p *People) newcomer(ctx context.Context, n *NewPerson, i Invitation) (hash string, err error) {
	if i.Known {
		return "", fault.New(fault.SignInFailed, "Sign in as %s, then open the link again.", i.Email)
	}
	if n.Name, err = personName(n.Name); err != nil {
		return "", err
	}
	if err := checkPassword(n.Password, i.Email); err != nil {
		return "", err
	}
	return p.hasher.hash(ctx, n.Password)
}

// invited refuses somebody whose address is not the invite's: a link that was passed on lets nobody else in.
func (p *People) invited(ctx context.Context, user uuid.UUID, i Invitation) error {
	u, err := p.person(ctx, user)
	if err != nil {
		return err
	}
	if !strings.EqualFold(u.email, i.Email) {
		return fault.New(fault.Forbidden, "This invitation is for %s. Sign in with that address, or ask for an invitation to %s.", i.Email, u.email)
	}
	return nil
}
