package signin

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// AskEmailChange asks for a mail to a new address with a link that proves it; links that were asked for before work no
// more, so that a mistyped address can be taken back. An address that another person has gets no mail, and the answer does
// not tell. Refusals: wrong_password, invalid_email, too_many_tries.
func (p *People) AskEmailChange(ctx context.Context, user uuid.UUID, email, password string, c Client) error {
	u, err := p.confirm(ctx, user, password, c)
	if err != nil {
		return err
	}
	email, err = account.Address(email)
	if err != nil {
		return err
	}
	if email == u.email {
		return fault.New(fault.InvalidEmail, "%s is your address already. Enter the new one.", email)
	}
	mail, err := p.mayMail(ctx, account.LetterEmailChange, email, c)
	if err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make e-mail change id: %w", err)
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		if err := dropEmailChanges(ctx, tx, user); err != nil || !mail {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO email_change (id, user_id, email) VALUES (@id, @user, @email)`,
			pgx.NamedArgs{"id": id, "user": user, "email": email})
		if err != nil {
			return fmt.Errorf("save e-mail change: %w", err)
		}
		if err := trail.Write(ctx, tx, by(user, c), "email.change_asked", email, nil); err != nil {
			return err
		}
		return p.letter(ctx, tx, account.Letter{Name: account.LetterEmailChange, To: email, Subject: id})
	})
}

// ReadEmailChange tells which address a link proves. Refusal: link_expired.
func (p *People) ReadEmailChange(ctx context.Context, token string) (string, error) {
	ch, err := p.changing(ctx, token)
	return ch.to, err
}

// emailChange is a change of address that is still wanted.
type emailChange struct {
	id, user uuid.UUID
	from, to string
}

func (p *People) changing(ctx context.Context, token string) (emailChange, error) {
	id, err := peek(ctx, p.db, linkEmailChange, token)
	if err != nil {
		return emailChange{}, err
	}
	ch := emailChange{id: id}
	err = p.db.QueryRow(ctx, `
		SELECT u.id, u.email, c.email FROM email_change c JOIN app_user u ON u.id = c.user_id
		WHERE c.id = @id AND c.used_at IS NULL`, pgx.NamedArgs{"id": id}).Scan(&ch.user, &ch.from, &ch.to)
	if errors.Is(err, pgx.ErrNoRows) {
		return emailChange{}, expired()
	}
	if err != nil {
		return emailChange{}, fmt.Errorf("read e-mail change: %w", err)
	}
	return ch, nil
}

// ChangeEmail moves a person to the address that the link proves, and tells the old one. Accounts that the person owns and
// that bear the old address move along. Refusals: link_expired, email_taken.
func (p *People) ChangeEmail(ctx context.Context, token string, c Client) error {
	ch, err := p.changing(ctx, token)
	if err != nil {
		return err
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, ch.user); err != nil {
			return err
		}
		if _, err := spend(ctx, tx, linkEmailChange, token); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE email_change SET used_at = now() WHERE id = @id AND used_at IS NULL`, pgx.NamedArgs{"id": ch.id})
		if err != nil {
			return fmt.Errorf("use e-mail change: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return expired()
		}
		if err := moveEmail(ctx, tx, ch); err != nil {
			return err
		}
		// Links to a new password lie in the old mailbox.
		if err := dropLinks(ctx, tx, ch.user); err != nil {
			return err
		}
		if err := trail.Write(ctx, tx, by(ch.user, c), "email.changed", ch.to, map[string]string{"from": ch.from}); err != nil {
			return err
		}
		return p.letter(ctx, tx, account.Letter{Name: account.LetterEmailChanged, To: ch.from, Subject: ch.user, Detail: ch.to})
	})
}

func moveEmail(ctx context.Context, tx pgx.Tx, ch emailChange) error {
	_, err := tx.Exec(ctx, `UPDATE app_user SET email = @to WHERE id = @user`, pgx.NamedArgs{"to": ch.to, "user": ch.user})
	if postgres.IsUnique(err, "app_user_email_key") {
		return fault.New(fault.EmailTaken, "Another person has the address %s by now. Use another one.", ch.to)
	}
	if err != nil {
		return fmt.Errorf("save address: %w", err)
	}
	_, err = tx.Exec(ctx, `
		UPDATE account a SET email = @to FROM membership m
		WHERE m.account_id = a.id AND m.user_id = @user AND m.role = 'owner' AND lower(a.email) = lower(@from)`,
		pgx.NamedArgs{"to": ch.to, "user": ch.user, "from": ch.from})
	if err != nil {
		return fmt.Errorf("save address of account: %w", err)
	}
	return nil
}
