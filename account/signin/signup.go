package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// maxName is the longest name of a person or a passkey, in characters.
const maxName = 100

// SignUp keeps what a person entered and asks for a mail that proves the address. Answer and work are the same whether
// or not the address has an account: the mail says which. The id belongs in the browser's session, for [People.Verify].
// Refusals: invalid_email, invalid_name, weak_password, too_many_tries.
func (p *People) SignUp(ctx context.Context, n NewPerson, c Client) (uuid.UUID, error) {
	email, err := account.Address(n.Email)
	if err != nil {
		return uuid.Nil, err
	}
	name, err := personName(n.Name)
	if err != nil {
		return uuid.Nil, err
	}
	if err := checkPassword(n.Password, email); err != nil {
		return uuid.Nil, err
	}
	mail, err := p.mayMail(ctx, account.LetterSignUp, email, c)
	if err != nil {
		return uuid.Nil, err
	}
	hash, err := p.hasher.hash(ctx, n.Password)
	if err != nil {
		return uuid.Nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make sign-up id: %w", err)
	}
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO sign_up (id, email, name, password_hash) VALUES (@id, @email, @name, @hash)`,
			pgx.NamedArgs{"id": id, "email": email, "name": name, "hash": hash})
		if err != nil {
			return fmt.Errorf("save sign-up: %w", err)
		}
		if !mail {
			return nil
		}
		return p.letter(ctx, tx, account.Letter{Name: account.LetterSignUp, To: email, Subject: id})
	})
	if err != nil {
		return uuid.Nil, err
	}
	return id, nil
}

// ResendSignUp asks for the mail of a sign-up again. An id that is unknown, used or too old changes nothing, and is no
// error. Refusal: too_many_tries.
func (p *People) ResendSignUp(ctx context.Context, id uuid.UUID, c Client) error {
	s, err := p.signUp(ctx, id)
	if errors.Is(err, expired()) {
		return nil
	}
	if err != nil {
		return err
	}
	mail, err := p.mayMail(ctx, account.LetterSignUp, s.email, c)
	if err != nil || !mail {
		return err
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		return p.letter(ctx, tx, account.Letter{Name: account.LetterSignUp, To: s.email, Subject: id})
	})
}

// ReadSignUp shows what a link would complete. Refusal: link_expired.
func (p *People) ReadSignUp(ctx context.Context, token string) (Pending, error) {
	id, err := peek(ctx, p.db, linkSignUp, token)
	if err != nil {
		return Pending{}, err
	}
	s, err := p.signUp(ctx, id)
	if err != nil {
		return Pending{}, err
	}
	return Pending{ID: s.id, Email: s.email}, nil
}

// Verify completes a sign-up: it makes the user, or gives a first password to one that an operator entered, and an
// account on the free plan unless the person belongs to one. The link proves the address, and proof that whoever opens
// it began the sign-up: so nobody confirms what another began in his name. Refusals: link_expired, also for a link used
// before; wrong_password, too_many_tries.
func (p *People) Verify(ctx context.Context, token string, proof Proof, c Client) (uuid.UUID, error) {
	id, err := peek(ctx, p.db, linkSignUp, token)
	if err != nil {
		return uuid.Nil, err
	}
	s, err := p.signUp(ctx, id)
	if err != nil {
		return uuid.Nil, err
	}
	if proof.SignUp != id {
		if err := p.proveSignUp(ctx, s, proof.Password, c); err != nil {
			return uuid.Nil, err
		}
	}
	var user uuid.UUID
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) (err error) {
		user, err = p.verify(ctx, tx, token, s, c)
		return err
	})
	if err != nil {
		return uuid.Nil, err
	}
	return user, nil
}

func (p *People) proveSignUp(ctx context.Context, s signUp, password string, c Client) error {
	if err := p.throttleClient(ctx, c); err != nil {
		return err
	}
	if err := p.take(ctx, limit{bucket("sign-up", s.id.String()), p.cfg.Throttles.Codes}); err != nil {
		return err
	}
	ok, _, err := p.hasher.matches(ctx, password, &s.hash)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.WrongPassword,
			"This is not the password of the sign-up. Enter the one that you chose; if you did not sign up, close this page.")
	}
	return nil
}

func (p *People) verify(ctx context.Context, tx pgx.Tx, token string, s signUp, c Client) (uuid.UUID, error) {
	if _, err := spend(ctx, tx, linkSignUp, token); err != nil {
		return uuid.Nil, err
	}
	tag, err := tx.Exec(ctx, `UPDATE sign_up SET used_at = now() WHERE id = @id AND used_at IS NULL`, pgx.NamedArgs{"id": s.id})
	if err != nil {
		return uuid.Nil, fmt.Errorf("use sign-up: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return uuid.Nil, expired()
	}
	user, err := insertUser(ctx, tx, s.email, s.name, s.hash)
	if err != nil {
		return uuid.Nil, err
	}
	var belongs bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM membership WHERE user_id = @user)`, pgx.NamedArgs{"user": user}).Scan(&belongs)
	if err != nil {
		return uuid.Nil, fmt.Errorf("look for accounts: %w", err)
	}
	by := access.Actor{User: user, Address: c.Address}
	if !belongs {
		if by.Account, err = p.accounts.CreateFor(ctx, tx, user, s.email, s.name); err != nil {
			return uuid.Nil, fmt.Errorf("open account: %w", err)
		}
	}
	return user, trail.Write(ctx, tx, by, "user.signed_up", s.email, nil)
}

// insertUser makes a user whose address is proved, or gives the first password to one who has none. One who has keeps it:
// link_expired.
func insertUser(ctx context.Context, tx pgx.Tx, email, name, hash string) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make user id: %w", err)
	}
	err = tx.QueryRow(ctx, `
		INSERT INTO app_user (id, email, name, password_hash) VALUES (@id, @email, @name, @hash)
		ON CONFLICT (lower(email)) DO UPDATE
			SET password_hash = excluded.password_hash, name = coalesce(nullif(app_user.name, ''), excluded.name)
			WHERE app_user.password_hash IS NULL
		RETURNING id`,
		pgx.NamedArgs{"id": id, "email": email, "name": name, "hash": hash}).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, fault.New(fault.LinkExpired, "This address has an account already. Sign in, or ask for a new password.")
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("save user: %w", err)
	}
	return id, nil
}

// signUp is a row whose address is not proved yet.
type signUp struct {
	id                uuid.UUID
	email, name, hash string
}

// signUp reads one that is open still. Refusal: link_expired.
func (p *People) signUp(ctx context.Context, id uuid.UUID) (signUp, error) {
	s := signUp{id: id}
	err := p.db.QueryRow(ctx, `
		SELECT email, name, password_hash FROM sign_up
		WHERE id = @id AND used_at IS NULL AND created_at > now() - @ttl::interval`,
		pgx.NamedArgs{"id": id, "ttl": 2 * p.cfg.SignUpTTL}).Scan(&s.email, &s.name, &s.hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return signUp{}, expired()
	}
	if err != nil {
		return signUp{}, fmt.Errorf("read sign-up: %w", err)
	}
	return s, nil
}

// personName trims a name, which may be empty. Refusal: invalid_name.
func personName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.New(fault.InvalidName, "A name has at most %d characters and no control characters.", maxName)
	}
	return name, nil
}
