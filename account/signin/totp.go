package signin

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"image/png"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// RFC 6238 as every authenticator app knows it: SHA-1, 6 digits, 30 seconds, one step of clock skew each way.
const (
	codeDigits = 6
	codePeriod = 30
	codeSkew   = 1
	qrPixels   = 240
)

// BeginTOTP makes a secret that counts from [People.ConfirmTOTP] on. Beginning again replaces a secret that was not
// confirmed. Refusals: wrong_password, too_many_tries; invalid_input when TOTP is set up already.
func (p *People) BeginTOTP(ctx context.Context, user uuid.UUID, password string, c Client) (TOTP, error) {
	u, err := p.confirm(ctx, user, password, c)
	if err != nil {
		return TOTP{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: product, AccountName: u.email, Period: codePeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	if err != nil {
		return TOTP{}, fmt.Errorf("make TOTP secret: %w", err)
	}
	qr, err := qrCode(key)
	if err != nil {
		return TOTP{}, err
	}
	tag, err := p.db.Exec(ctx, `
		INSERT INTO totp (user_id, sealed_secret) VALUES (@user, @secret)
		ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, last_step = 0 WHERE totp.confirmed_at IS NULL`,
		pgx.NamedArgs{"user": user, "secret": p.seal.Seal([]byte(key.Secret()), totpContext(user))})
	if err != nil {
		return TOTP{}, fmt.Errorf("save TOTP secret: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return TOTP{}, fault.New(fault.InvalidInput, "One-time codes are set up already. Remove them first to move to another app.")
	}
	return TOTP{Secret: key.Secret(), URL: key.URL(), QR: qr}, nil
}

func qrCode(key *otp.Key) ([]byte, error) {
	picture, err := key.Image(qrPixels, qrPixels)
	if err != nil {
		return nil, fmt.Errorf("draw QR code: %w", err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return nil, fmt.Errorf("encode QR code: %w", err)
	}
	return file.Bytes(), nil
}

func totpContext(user uuid.UUID) string { return "totp/" + user.String() }

// ConfirmTOTP puts the secret in force once a code has shown that the app holds it. The first factor of a person brings
// ten recovery codes, which are in the answer and nowhere else. Refusals: wrong_code, too_many_tries; invalid_input
// without [People.BeginTOTP].
func (p *People) ConfirmTOTP(ctx context.Context, user uuid.UUID, code string, c Client) ([]string, error) {
	if err := p.take(ctx, limit{bucket("confirm TOTP", user.String()), p.cfg.Throttles.Codes}); err != nil {
		return nil, err
	}
	step, err := p.step(ctx, user, plainCode(code), false)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.InvalidInput, "There is nothing to confirm. Begin the set-up of one-time codes again.")
	}
	if err != nil {
		return nil, err
	}
	if step == 0 {
		return nil, fault.New(fault.WrongCode, "This code does not fit. Check that your device's clock is right, and enter the next code.")
	}
	var codes []string
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		first, err := withoutFactor(ctx, tx, user)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			UPDATE totp SET confirmed_at = now(), last_step = @step WHERE user_id = @user AND confirmed_at IS NULL`,
			pgx.NamedArgs{"user": user, "step": step})
		if err != nil {
			return fmt.Errorf("confirm TOTP: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.InvalidInput, "One-time codes are set up already.")
		}
		if first {
			if codes, err = makeRecoveryCodes(ctx, tx, user); err != nil {
				return err
			}
		}
		return p.changed(ctx, tx, user, "totp.added", toldTOTPAdded, c)
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// RemoveTOTP ends one-time codes; with the last factor the recovery codes go too. Refusals: wrong_password,
// too_many_tries; not_found where none are set up.
func (p *People) RemoveTOTP(ctx context.Context, user uuid.UUID, password string, c Client) error {
	if _, err := p.confirm(ctx, user, password, c); err != nil {
		return err
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM totp WHERE user_id = @user AND confirmed_at IS NOT NULL`, pgx.NamedArgs{"user": user})
		if err != nil {
			return fmt.Errorf("remove TOTP: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.NotFound, "One-time codes are not set up.")
		}
		if err := dropRecoveryCodes(ctx, tx, user); err != nil {
			return err
		}
		return p.changed(ctx, tx, user, "totp.removed", toldTOTPRemoved, c)
	})
}

// useTOTP takes a code at sign-in. The guard on the last step lets no code work twice (RFC 6238, section 5.2), also when
// it is sent twice at once.
func (p *People) useTOTP(ctx context.Context, user uuid.UUID, code string, _ Client) (bool, error) {
	step, err := p.step(ctx, user, code, true)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil || step == 0 {
		return false, err
	}
	tag, err := p.db.Exec(ctx, `
		UPDATE totp SET last_step = @step WHERE user_id = @user AND confirmed_at IS NOT NULL AND last_step < @step`,
		pgx.NamedArgs{"user": user, "step": step})
	if err != nil {
		return false, fmt.Errorf("use one-time code: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// step is the time step whose code this is, or 0 for a wrong one. A person without a secret is pgx.ErrNoRows.
func (p *People) step(ctx context.Context, user uuid.UUID, code string, confirmed bool) (int64, error) {
	var sealed string
	err := p.db.QueryRow(ctx, `SELECT sealed_secret FROM totp WHERE user_id = @user AND (confirmed_at IS NOT NULL) = @confirmed`,
		pgx.NamedArgs{"user": user, "confirmed": confirmed}).Scan(&sealed)
	if err != nil {
		return 0, fmt.Errorf("read TOTP secret: %w", err)
	}
	secret, err := p.seal.Open(sealed, totpContext(user))
	if err != nil {
		return 0, fmt.Errorf("open TOTP secret: %w", err)
	}
	now := time.Now().Unix() / codePeriod
	for step := now - codeSkew; step <= now+codeSkew; step++ {
		want, err := hotp.GenerateCodeCustom(string(secret), uint64(step), //nolint:gosec // the clock stands after 1970
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, fmt.Errorf("make one-time code: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, nil
		}
	}
	return 0, nil
}

// isOneTimeCode tells six digits from a recovery code, which is longer.
func isOneTimeCode(code string) bool {
	if len(code) != codeDigits {
		return false
	}
	for _, r := range code {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
