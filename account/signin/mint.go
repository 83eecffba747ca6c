package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Each Mint is called by whoever sends the mail, just before it is sent, and again when the sending is repeated. It reads
// the present state, stores the hash of a fresh token, and is false when there is nothing to send any more.

// MintSignUp is for the mail to an address that somebody signed up with.
func (p *People) MintSignUp(ctx context.Context, signUp uuid.UUID) (SignUpLetter, bool, error) {
	s, err := p.signUp(ctx, signUp)
	if errors.Is(err, expired()) {
		return SignUpLetter{}, false, nil
	}
	if err != nil {
		return SignUpLetter{}, false, err
	}
	l := SignUpLetter{Email: s.email, Name: s.name}
	err = p.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM app_user WHERE lower(email) = lower(@email) AND password_hash IS NOT NULL)`,
		pgx.NamedArgs{"email": s.email}).Scan(&l.Known)
	if err != nil {
		return SignUpLetter{}, false, fmt.Errorf("look for address: %w", err)
	}
	if l.Known {
		return l, true, nil
	}
	l.Token, err = mint(ctx, p.db, linkSignUp, signUp, p.cfg.SignUpTTL)
	return l, err == nil, err
}

// MintReset is for the mail with a link to a new password. An unknown address gets none.
func (p *People) MintReset(ctx context.Context, email string) (ResetLetter, bool, error) {
	var (
		l    ResetLetter
		user uuid.UUID
	)
	err := p.db.QueryRow(ctx, `SELECT id, email, name FROM app_user WHERE lower(email) = lower(@email)`,
		pgx.NamedArgs{"email": email}).Scan(&user, &l.Email, &l.Name)
	if errors.Is(err, pgx.ErrNoRows) {
		return ResetLetter{}, false, nil
	}
	if err != nil {
		return ResetLetter{}, false, fmt.Errorf("find user: %w", err)
	}
	l.Token, err = mint(ctx, p.db, linkReset, user, p.cfg.ResetTTL)
	return l, err == nil, err
}

// MintInvite is for the mail that asks somebody into an account. The link ends with the invite.
func (p *People) MintInvite(ctx context.Context, invite uuid.UUID) (InviteLetter, bool, error) {
	var (
		l    InviteLetter
		left time.Duration
	)
	err := p.db.QueryRow(ctx, `
		SELECT i.email, i.role, coalesce(nullif(a.name, ''), a.email), coalesce(nullif(u.name, ''), u.email, ''), i.expires_at - now()
		FROM invite i JOIN account a ON a.id = i.account_id LEFT JOIN app_user u ON u.id = i.invited_by
		WHERE i.id = @id AND i.ended_at IS NULL AND i.expires_at > now()`,
		pgx.NamedArgs{"id": invite}).Scan(&l.Email, &l.Role, &l.AccountName, &l.InvitedBy, &left)
	if errors.Is(err, pgx.ErrNoRows) {
		return InviteLetter{}, false, nil
	}
	if err != nil {
		return InviteLetter{}, false, fmt.Errorf("read invite: %w", err)
	}
	l.Token, err = mint(ctx, p.db, linkInvite, invite, min(left, p.cfg.InviteTTL))
	return l, err == nil, err
}

// MintEmailChange is for the mail to a person's new address. One that another person has gets none.
func (p *People) MintEmailChange(ctx context.Context, id uuid.UUID) (EmailChangeLetter, bool, error) {
	var l EmailChangeLetter
	err := p.db.QueryRow(ctx, `
		SELECT c.email, u.name FROM email_change c JOIN app_user u ON u.id = c.user_id
		WHERE c.id = @id AND c.used_at IS NULL AND c.created_at > now() - @ttl::interval
		  AND NOT EXISTS (SELECT FROM app_user o WHERE lower(o.email) = lower(c.email) AND o.id <> u.id)`,
		pgx.NamedArgs{"id": id, "ttl": p.cfg.EmailChangeTTL}).Scan(&l.Email, &l.Name)
	if errors.Is(err, pgx.ErrNoRows) {
		return EmailChangeLetter{}, false, nil
	}
	if err != nil {
		return EmailChangeLetter{}, false, fmt.Errorf("read e-mail change: %w", err)
	}
	l.Token, err = mint(ctx, p.db, linkEmailChange, id, p.cfg.EmailChangeTTL)
	return l, err == nil, err
}
