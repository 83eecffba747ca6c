package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Words of [account.LetterSecurity]: what changed.
const (
	toldPassword       = "password"
	toldTOTPAdded      = "totp_added"
	toldTOTPRemoved    = "totp_removed"
	toldPasskeyAdded   = "passkey_added"
	toldPasskeyRemoved = "passkey_removed"
	toldRecoveryMade   = "recovery_codes"
	toldRecoveryUsed   = "recovery_code_used"
)

// maxAgent is the longest User-Agent that is kept, in bytes.
const maxAgent = 500

// letter asks for a mail, in the transaction of what it tells.
func (p *People) letter(ctx context.Context, tx pgx.Tx, l account.Letter) error {
	if err := p.queue.Insert(ctx, tx, l); err != nil {
		return fmt.Errorf("queue letter %s: %w", l.Name, err)
	}
	return nil
}

// changed writes the trail of a change to how a person signs in, and tells the person by mail.
func (p *People) changed(ctx context.Context, tx pgx.Tx, user uuid.UUID, act, told string, c Client) error {
	var email string
	err := tx.QueryRow(ctx, `SELECT email FROM app_user WHERE id = @user`, pgx.NamedArgs{"user": user}).Scan(&email)
	if err != nil {
		return fmt.Errorf("read address: %w", err)
	}
	if err := trail.Write(ctx, tx, by(user, c), act, email, nil); err != nil {
		return err
	}
	return p.letter(ctx, tx, account.Letter{Name: account.LetterSecurity, To: email, Subject: user, Detail: told})
}

// by is a person who acts on his own sign-in; nil for one who is not known.
func by(user uuid.UUID, c Client) access.Actor { return access.Actor{User: user, Address: c.Address} }

// person is a user as sign-in reads it.
type person struct {
	id          uuid.UUID
	email, name string
	// hash is nil until a password has been set.
	hash *string
}

// person reads a user. Refusal: sign_in_failed, for one who is gone.
func (p *People) person(ctx context.Context, id uuid.UUID) (person, error) {
	u := person{id: id}
	err := p.db.QueryRow(ctx, `SELECT email, name, password_hash FROM app_user WHERE id = @id`,
		pgx.NamedArgs{"id": id}).Scan(&u.email, &u.name, &u.hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return person{}, fault.New(fault.SignInFailed, "Sign in again.")
	}
	if err != nil {
		return person{}, fmt.Errorf("read user: %w", err)
	}
	return u, nil
}

// lockUser keeps two changes of one person's factors from passing each other.
func lockUser(ctx context.Context, tx pgx.Tx, user uuid.UUID) error {
	_, err := tx.Exec(ctx, `SELECT FROM app_user WHERE id = @user FOR NO KEY UPDATE`, pgx.NamedArgs{"user": user})
	if err != nil {
		return fmt.Errorf("lock user: %w", err)
	}
	return nil
}

// SetName changes what a person is called; empty is allowed. Refusal: invalid_name.
func (p *People) SetName(ctx context.Context, user uuid.UUID, name string) error {
	name, err := personName(name)
	if err != nil {
		return err
	}
	_, err = p.db.Exec(ctx, `UPDATE app_user SET name = @name WHERE id = @user`, pgx.NamedArgs{"name": name, "user": user})
	if err != nil {
		return fmt.Errorf("save name: %w", err)
	}
	return nil
}

// Confirm asks somebody who is signed in for the password again, as every change of a password, a factor or the address
// does. Refusals: wrong_password, also for a person who has none yet; too_many_tries.
func (p *People) Confirm(ctx context.Context, user uuid.UUID, password string, c Client) error {
	_, err := p.confirm(ctx, user, password, c)
	return err
}

func (p *People) confirm(ctx context.Context, user uuid.UUID, password string, c Client) (person, error) {
	if err := p.throttleClient(ctx, c); err != nil {
		return person{}, err
	}
	tries := limit{bucket("confirm", user.String()), p.cfg.Throttles.Codes}
	if err := p.take(ctx, tries); err != nil {
		return person{}, err
	}
	u, err := p.person(ctx, user)
	if err != nil {
		return person{}, err
	}
	if u.hash == nil {
		return person{}, fault.New(fault.WrongPassword, "You have no password yet. Ask for a password reset on the sign-in page to set one.")
	}
	ok, _, err := p.hasher.matches(ctx, password, u.hash)
	if err != nil {
		return person{}, err
	}
	if !ok {
		if err := trail.Write(ctx, p.db, by(user, c), "password.refused", u.email, nil); err != nil {
			return person{}, err
		}
		return person{}, fault.New(fault.WrongPassword, "This is not your current password. Type it again.")
	}
	p.giveBack(ctx, tries)
	return u, nil
}

// ChangePassword sets a new password, ends the person's other sign-ins and the links that were mailed before, and tells
// the person by mail. Refusals: wrong_password, weak_password, too_many_tries.
func (p *People) ChangePassword(ctx context.Context, user uuid.UUID, old, new string, keep uuid.UUID, c Client) error {
	u, err := p.confirm(ctx, user, old, c)
	if err != nil {
		return err
	}
	if err := checkPassword(new, u.email); err != nil {
		return err
	}
	hash, err := p.hasher.hash(ctx, new)
	if err != nil {
		return err
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		// Guarded by the hash that the old password matched: a reset in between must not be undone.
		tag, err := tx.Exec(ctx, `UPDATE app_user SET password_hash = @hash WHERE id = @user AND password_hash = @old`,
			pgx.NamedArgs{"hash": hash, "user": user, "old": u.hash})
		if err != nil {
			return fmt.Errorf("save password: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.WrongPassword, "The password was changed a moment ago. Sign in with the new one.")
		}
		return p.passwordChanged(ctx, tx, user, keep, "password.changed", c)
	})
}

// passwordChanged ends what the old password may have opened, and tells of the change.
func (p *People) passwordChanged(ctx context.Context, tx pgx.Tx, user, keep uuid.UUID, act string, c Client) error {
	if err := dropLinks(ctx, tx, user); err != nil {
		return err
	}
	if _, err := endAll(ctx, tx, user, keep); err != nil {
		return err
	}
	return p.changed(ctx, tx, user, act, toldPassword, c)
}

// cut makes a text one that PostgreSQL takes: UTF-8 without U+0000, of at most n bytes.
func cut(s string, n int) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
