package signin

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// AskReset asks for a mail with a link to a new password. It answers and works the same whether or not the address has an
// account; only then does a mail go out. Refusals: invalid_email, too_many_tries.
func (p *People) AskReset(ctx context.Context, email string, c Client) error {
	email, err := account.Address(email)
	if err != nil {
		return err
	}
	mail, err := p.mayMail(ctx, account.LetterReset, email, c)
	if err != nil || !mail {
		return err
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		return p.letter(ctx, tx, account.Letter{Name: account.LetterReset, To: email})
	})
}

// ReadReset tells whose password a link sets. Refusal: link_expired.
func (p *People) ReadReset(ctx context.Context, token string) (string, error) {
	u, err := p.resetting(ctx, token)
	return u.email, err
}

func (p *People) resetting(ctx context.Context, token string) (person, error) {
	user, err := peek(ctx, p.db, linkReset, token)
	if err != nil {
		return person{}, err
	}
	u, err := p.person(ctx, user)
	if fault.CodeOf(err) == fault.SignInFailed {
		return person{}, expired()
	}
	return u, err
}

// Reset sets a password by a mailed link, and ends every sign-in and every earlier link of the person. It signs nobody in,
// and second steps stay in force: whoever reads the mail alone gets no further than the password. The browser gets a value
// for the device cookie, so that a person whom strangers' tries keep out gets in. Refusals: link_expired, weak_password.
func (p *People) Reset(ctx context.Context, token, password string, c Client) (user uuid.UUID, device string, err error) {
	u, err := p.resetting(ctx, token)
	if err != nil {
		return uuid.Nil, "", err
	}
	if err := checkPassword(password, u.email); err != nil {
		return uuid.Nil, "", err
	}
	hash, err := p.hasher.hash(ctx, password)
	if err != nil {
		return uuid.Nil, "", err
	}
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		// The user's row comes first, as in every change of a password: two links used at once must not wait for each other.
		if err := lockUser(ctx, tx, u.id); err != nil {
			return err
		}
		if _, err := spend(ctx, tx, linkReset, token); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE app_user SET password_hash = @hash WHERE id = @user`,
			pgx.NamedArgs{"hash": hash, "user": u.id})
		if err != nil {
			return fmt.Errorf("save password: %w", err)
		}
		return p.passwordChanged(ctx, tx, u.id, uuid.Nil, "password.reset", c)
	})
	if err != nil {
		return uuid.Nil, "", err
	}
	return u.id, p.newDevice(u.id), nil
}
