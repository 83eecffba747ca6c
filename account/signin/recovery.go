package signin

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// A recovery code is 80 random bits in base32, in four groups of four: as many as a fast hash needs, and few enough to
// copy from paper.
const (
	recoveryCodes = 10
	recoveryBytes = 10
	recoveryGroup = 4
)

// alike are characters that base32 lacks and people read for ones it has.
var alike = strings.NewReplacer("0", "o", "1", "l", "8", "b")

// NewRecoveryCodes makes ten codes, which are in the answer and nowhere else; earlier ones stop working. Refusals:
// wrong_password, too_many_tries; invalid_input for a person without a second factor, to whom they are no use.
func (p *People) NewRecoveryCodes(ctx context.Context, user uuid.UUID, password string, c Client) ([]string, error) {
	if _, err := p.confirm(ctx, user, password, c); err != nil {
		return nil, err
	}
	var codes []string
	err := postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		none, err := withoutFactor(ctx, tx, user)
		if err != nil {
			return err
		}
		if none {
			return fault.New(fault.InvalidInput, "Recovery codes stand in for a second step. Set up one-time codes or a passkey first.")
		}
		if codes, err = makeRecoveryCodes(ctx, tx, user); err != nil {
			return err
		}
		return p.changed(ctx, tx, user, "recovery_codes.made", toldRecoveryMade, c)
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// RecoveryCodesLeft counts the codes that still work.
func (p *People) RecoveryCodesLeft(ctx context.Context, user uuid.UUID) (int, error) {
	f, err := p.Factors(ctx, user)
	return f.RecoveryLeft, err
}

// Factors tells which second steps a person has set up.
func (p *People) Factors(ctx context.Context, user uuid.UUID) (Factors, error) {
	var f Factors
	err := p.db.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM totp WHERE user_id = @user AND confirmed_at IS NOT NULL),
		       (SELECT count(*) FROM passkey WHERE user_id = @user),
		       (SELECT count(*) FROM recovery_code WHERE user_id = @user AND used_at IS NULL)`,
		pgx.NamedArgs{"user": user}).Scan(&f.TOTP, &f.Passkeys, &f.RecoveryLeft)
	if err != nil {
		return Factors{}, fmt.Errorf("read second factors: %w", err)
	}
	return f, nil
}

// withoutFactor tells whether a person has neither TOTP nor a passkey.
func withoutFactor(ctx context.Context, tx pgx.Tx, user uuid.UUID) (bool, error) {
	var none bool
	err := tx.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM totp WHERE user_id = @user AND confirmed_at IS NOT NULL)
		   AND NOT EXISTS (SELECT FROM passkey WHERE user_id = @user)`, pgx.NamedArgs{"user": user}).Scan(&none)
	if err != nil {
		return false, fmt.Errorf("look for second factors: %w", err)
	}
	return none, nil
}

// makeRecoveryCodes replaces a person's codes.
func makeRecoveryCodes(ctx context.Context, tx pgx.Tx, user uuid.UUID) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		hashes[i] = hashRecoveryCode(plainCode(codes[i]))
	}
	if _, err := tx.Exec(ctx, `DELETE FROM recovery_code WHERE user_id = @user`, pgx.NamedArgs{"user": user}); err != nil {
		return nil, fmt.Errorf("drop recovery codes: %w", err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO recovery_code (user_id, hash) SELECT @user, unnest(@hashes::bytea[])`,
		pgx.NamedArgs{"user": user, "hashes": hashes})
	if err != nil {
		return nil, fmt.Errorf("save recovery codes: %w", err)
	}
	return codes, nil
}

// dropRecoveryCodes removes the codes of a person who has no factor left that they could stand in for.
func dropRecoveryCodes(ctx context.Context, tx pgx.Tx, user uuid.UUID) error {
	none, err := withoutFactor(ctx, tx, user)
	if err != nil || !none {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM recovery_code WHERE user_id = @user`, pgx.NamedArgs{"user": user}); err != nil {
		return fmt.Errorf("drop recovery codes: %w", err)
	}
	return nil
}

// useRecoveryCode takes a code at sign-in, once also when it is sent twice at once, and tells the person by mail.
func (p *People) useRecoveryCode(ctx context.Context, user uuid.UUID, code string, c Client) (bool, error) {
	used := false
	err := postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE recovery_code SET used_at = now() WHERE user_id = @user AND hash = @hash AND used_at IS NULL`,
			pgx.NamedArgs{"user": user, "hash": hashRecoveryCode(code)})
		if err != nil {
			return fmt.Errorf("use recovery code: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		used = true
		return p.changed(ctx, tx, user, "recovery_code.used", toldRecoveryUsed, c)
	})
	return used && err == nil, err
}

func newRecoveryCode() string {
	raw := make([]byte, recoveryBytes)
	_, _ = rand.Read(raw) // crypto/rand.Read never fails: https://pkg.go.dev/crypto/rand#Read
	text := strings.ToLower(base32.StdEncoding.EncodeToString(raw))
	var groups []string
	for i := 0; i < len(text); i += recoveryGroup {
		groups = append(groups, text[i:i+recoveryGroup])
	}
	return strings.Join(groups, "-")
}

func hashRecoveryCode(plain string) []byte { return hashToken(alike.Replace(plain)) }
