package signin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// SignIn checks a password. An address without an account, one without a password and a wrong password are one refusal
// after the same work and the same throttles, so that nobody learns who has an account. Where Factors come back, the
// person is not signed in before one of them has followed: [People.EnterCode] or [People.FinishPasskey], then
// [People.OpenStarted]. Refusals: sign_in_failed, too_many_tries.
func (p *People) SignIn(ctx context.Context, email, password string, c Client) (Started, error) {
	if err := p.throttleClient(ctx, c); err != nil {
		return Started{}, err
	}
	found, factors, err := p.find(ctx, email)
	if err != nil {
		return Started{}, err
	}
	tries := p.tries("password", accountName(email), p.cfg.Throttles.Strangers, found.id, c)
	if err := p.take(ctx, tries...); err != nil {
		return Started{}, err
	}
	ok, stale, err := p.hasher.matches(ctx, password, found.hash)
	if err != nil {
		return Started{}, err
	}
	if !ok {
		if err := p.refused(ctx, found.id, "password", c); err != nil {
			return Started{}, err
		}
		return Started{}, fault.New(fault.SignInFailed,
			"E-mail address or password is wrong. Check both, or ask for a new password.")
	}
	if stale {
		if err := p.rehash(ctx, &found, password); err != nil {
			return Started{}, err
		}
	}
	p.giveBack(ctx, tries...)
	return Started{User: found.id, Factors: factors, Stamp: stamp(*found.hash)}, nil
}

// accountName is what tries at an address are counted by, however it is written.
func accountName(email string) string { return folded(cut(email, maxPasswordBytes)) }

// find reads who has an address, and the second steps that must follow the password. Nobody is no error.
func (p *People) find(ctx context.Context, email string) (person, []Factor, error) {
	email, err := account.Address(email)
	if err != nil {
		email = "" // no address: nobody has it, and the lookup runs all the same
	}
	var (
		u             person
		totp, passkey bool
		recovery      bool
	)
	err = p.db.QueryRow(ctx, `
		SELECT u.id, u.email, u.name, u.password_hash,
		       EXISTS (SELECT FROM totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL),
		       EXISTS (SELECT FROM passkey k WHERE k.user_id = u.id),
		       EXISTS (SELECT FROM recovery_code r WHERE r.user_id = u.id AND r.used_at IS NULL)
		FROM app_user u WHERE lower(u.email) = lower(@email)`,
		pgx.NamedArgs{"email": email}).Scan(&u.id, &u.email, &u.name, &u.hash, &totp, &passkey, &recovery)
	if errors.Is(err, pgx.ErrNoRows) {
		return person{}, nil, nil
	}
	if err != nil {
		return person{}, nil, fmt.Errorf("find user: %w", err)
	}
	return u, steps(totp, passkey, recovery), nil
}

// steps are the second steps that a person may choose from: none without TOTP and passkey, whatever codes are left.
func steps(totp, passkey, recovery bool) []Factor {
	if !totp && !passkey {
		return nil
	}
	var all []Factor
	if passkey {
		all = append(all, FactorPasskey)
	}
	if totp {
		all = append(all, FactorTOTP)
	}
	if recovery {
		all = append(all, FactorRecovery)
	}
	return all
}

// refused writes a failed sign-in to the trail, also one at an address without an account: the same work, and an operator
// sees who knocks.
func (p *People) refused(ctx context.Context, user uuid.UUID, step string, c Client) error {
	return trail.Write(ctx, p.db, by(user, c), "sign_in.failed", "", map[string]string{"step": step, "agent": cut(c.Agent, maxAgent)})
}

// rehash brings a hash to the present parameters, unless the password has changed meanwhile.
func (p *People) rehash(ctx context.Context, u *person, password string) error {
	hash, err := p.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	tag, err := p.db.Exec(ctx, `UPDATE app_user SET password_hash = @hash WHERE id = @user AND password_hash = @old`,
		pgx.NamedArgs{"hash": hash, "user": u.id, "old": u.hash})
	if err != nil {
		return fmt.Errorf("save password anew: %w", err)
	}
	if tag.RowsAffected() == 1 {
		u.hash = &hash
	}
	return nil
}

// EnterCode takes a one-time code or a recovery code after the password, and says which it was. Each works once. Spaces,
// hyphens and letter case do not matter. Refusals: wrong_code, too_many_tries.
func (p *People) EnterCode(ctx context.Context, user uuid.UUID, code string, c Client) (Factor, error) {
	if err := p.throttleClient(ctx, c); err != nil {
		return "", err
	}
	// The last limit holds for known browsers too: whoever reads a person's mail gets a new one with every reset, and must
	// not get new tries at the codes with it.
	tries := append(p.tries("code", user.String(), p.cfg.Throttles.Codes, user, c),
		limit{bucket("code, all browsers", user.String()), p.cfg.Throttles.Strangers})
	if err := p.take(ctx, tries...); err != nil {
		return "", err
	}
	code = plainCode(code)
	factor, use := FactorRecovery, p.useRecoveryCode
	if isOneTimeCode(code) {
		factor, use = FactorTOTP, p.useTOTP
	}
	ok, err := use(ctx, user, code, c)
	if err != nil {
		return "", err
	}
	if !ok {
		if err := p.refused(ctx, user, string(factor), c); err != nil {
			return "", err
		}
		if factor == FactorRecovery {
			return "", fault.New(fault.WrongCode, "This recovery code is wrong or was used before. Each works once: try another of yours.")
		}
		return "", fault.New(fault.WrongCode, "This code is wrong or was used before. Wait for the next one, or use a recovery code.")
	}
	p.giveBack(ctx, tries...)
	return factor, nil
}

// plainCode drops what people type between the characters of a code.
func plainCode(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, code)
}

// Open signs a browser in. Whoever calls it vouches for the steps that came before; method names them for the list of
// sign-ins, at most 40 bytes.
func (p *People) Open(ctx context.Context, user uuid.UUID, method string, c Client) (Opened, error) {
	return p.open(ctx, user, method, c, func(pgx.Tx) error { return nil })
}

// OpenStarted is [People.Open] after a password: stamp is that of [Started]. A password that has been changed since opens
// nothing, also where the change and this come at once. Refusal: sign_in_failed.
func (p *People) OpenStarted(ctx context.Context, user uuid.UUID, stamp, method string, c Client) (Opened, error) {
	return p.open(ctx, user, method, c, func(tx pgx.Tx) error { return sameStamp(ctx, tx, user, stamp) })
}

func (p *People) open(ctx context.Context, user uuid.UUID, method string, c Client, check func(pgx.Tx) error) (Opened, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Opened{}, fmt.Errorf("make sign-in id: %w", err)
	}
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := check(tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO sign_in (id, user_id, method, address, agent) VALUES (@id, @user, @method, @address, @agent)`,
			pgx.NamedArgs{
				"id": id, "user": user, "method": cut(method, 40), "address": cut(c.Address, 64), "agent": cut(c.Agent, maxAgent),
			})
		if err != nil {
			return fmt.Errorf("save sign-in: %w", err)
		}
		return trail.Write(ctx, tx, by(user, c), "sign_in.opened", method, map[string]string{"agent": cut(c.Agent, maxAgent)})
	})
	if err != nil {
		return Opened{}, err
	}
	return Opened{SignIn: id, Device: p.newDevice(user)}, nil
}

// stamp tells a password from any other that a person had or will have: each has a salt of its own.
func stamp(hash string) string {
	return base64.RawURLEncoding.EncodeToString(hashToken("stamp/" + hash))
}

// sameStamp refuses a password that has been changed. The lock makes a change that is under way come first.
func sameStamp(ctx context.Context, tx pgx.Tx, user uuid.UUID, was string) error {
	var hash *string
	err := tx.QueryRow(ctx, `SELECT password_hash FROM app_user WHERE id = @user FOR SHARE`, pgx.NamedArgs{"user": user}).Scan(&hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read password again: %w", err)
	}
	if hash == nil || stamp(*hash) != was {
		return fault.New(fault.SignInFailed, "The password was changed a moment ago. Sign in with the new one.")
	}
	return nil
}
