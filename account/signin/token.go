package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// link is a kind of mailed link, as the table names it.
type link string

const (
	linkSignUp      link = "sign_up"
	linkReset       link = "reset"
	linkInvite      link = "invite"
	linkEmailChange link = "email_change"
)

// tokenBytes is the length of a token before base64url.
const tokenBytes = 32

// hashToken is what is stored of a token. It has 256 random bits, so a fast hash is enough, and the lookup by hash gives
// away nothing by its time.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// mint makes a link's token and stores its hash. An earlier one of the same subject stays good: a mail that was sent twice
// works by either copy.
func mint(ctx context.Context, db postgres.DB, kind link, subject uuid.UUID, ttl time.Duration) (string, error) {
	raw := make([]byte, tokenBytes)
	_, _ = rand.Read(raw) // crypto/rand.Read never fails: https://pkg.go.dev/crypto/rand#Read
	token := base64.RawURLEncoding.EncodeToString(raw)
	_, err := db.Exec(ctx, `
		INSERT INTO mail_token (hash, kind, subject, expires_at) VALUES (@hash, @kind, @subject, now() + @ttl::interval)`,
		pgx.NamedArgs{"hash": hashToken(token), "kind": kind, "subject": subject, "ttl": ttl})
	if err != nil {
		return "", fmt.Errorf("save mail token: %w", err)
	}
	return token, nil
}

// peek finds the subject of a link that still holds, without using it up. Refusal: link_expired.
func peek(ctx context.Context, db postgres.DB, kind link, token string) (uuid.UUID, error) {
	var subject uuid.UUID
	err := db.QueryRow(ctx, `
		SELECT subject FROM mail_token WHERE hash = @hash AND kind = @kind AND used_at IS NULL AND expires_at > now()`,
		pgx.NamedArgs{"hash": hashToken(token), "kind": kind}).Scan(&subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, expired()
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("read mail token: %w", err)
	}
	return subject, nil
}

// spend uses a link up, in the transaction of what it is for. Of two at once, one is refused: link_expired.
func spend(ctx context.Context, tx pgx.Tx, kind link, token string) (uuid.UUID, error) {
	var subject uuid.UUID
	err := tx.QueryRow(ctx, `
		UPDATE mail_token SET used_at = now()
		WHERE hash = @hash AND kind = @kind AND used_at IS NULL AND expires_at > now() RETURNING subject`,
		pgx.NamedArgs{"hash": hashToken(token), "kind": kind}).Scan(&subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, expired()
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("use mail token: %w", err)
	}
	return subject, nil
}

// dropLinks ends what was mailed to a person before the password or the address changed: links to a new password, and
// changes of the address, which whoever knew the old password may have asked for.
func dropLinks(ctx context.Context, tx pgx.Tx, user uuid.UUID) error {
	_, err := tx.Exec(ctx, `
		UPDATE mail_token SET used_at = now() WHERE kind = 'reset' AND subject = @user AND used_at IS NULL`,
		pgx.NamedArgs{"user": user})
	if err != nil {
		return fmt.Errorf("end reset links: %w", err)
	}
	return dropEmailChanges(ctx, tx, user)
}

func dropEmailChanges(ctx context.Context, tx pgx.Tx, user uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE email_change SET used_at = now() WHERE user_id = @user AND used_at IS NULL`,
		pgx.NamedArgs{"user": user})
	if err != nil {
		return fmt.Errorf("end e-mail changes: %w", err)
	}
	return nil
}

func expired() error {
	return fault.New(fault.LinkExpired, "This link was used before, or has expired. Ask for a new one.")
}
