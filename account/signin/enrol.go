package signin

import (
	"context"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// maxPasskeys is how many a person may have.
const maxPasskeys = 20

// BeginPasskeyEnrolment asks the browser to make a passkey that it can find by itself and that verifies the person, so
// that it can stand for both steps. Refusals: wrong_password, too_many_tries; invalid_input where there can be none.
func (p *People) BeginPasskeyEnrolment(ctx context.Context, user uuid.UUID, password string, c Client) (Challenge, error) {
	if p.webauthn == nil {
		return Challenge{}, noPasskeys()
	}
	if _, err := p.confirm(ctx, user, password, c); err != nil {
		return Challenge{}, err
	}
	h, err := p.holder(ctx, user)
	if err != nil {
		return Challenge{}, err
	}
	options, session, err := p.webauthn.BeginRegistration(h,
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification:   protocol.VerificationRequired,
		}),
		webauthn.WithExclusions(webauthn.Credentials(h.credentials).CredentialDescriptors()))
	if err != nil {
		return Challenge{}, fmt.Errorf("begin passkey enrolment: %w", err)
	}
	return newChallenge(options, ceremony{Purpose: toEnrol, User: user, Session: *session})
}

// FinishPasskeyEnrolment keeps a passkey. The first factor of a person brings ten recovery codes, which are in the answer
// and nowhere else. Refusals: sign_in_failed for an answer that does not hold, invalid_name, invalid_input for a passkey
// that is kept already or one too many.
func (p *People) FinishPasskeyEnrolment(ctx context.Context, user uuid.UUID, name string, state, response []byte, c Client) ([]string, error) {
	name, err := personName(name)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = "Passkey"
	}
	asked, err := p.resume(ctx, state, toEnrol, user)
	if err != nil {
		return nil, err
	}
	h, err := p.holder(ctx, user)
	if err != nil {
		return nil, err
	}
	answer, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return nil, fault.Wrap(err, fault.SignInFailed, "The browser's answer could not be read. Try again.")
	}
	credential, err := p.webauthn.CreateCredential(h, asked.Session, answer)
	if err != nil {
		return nil, fault.Wrap(err, fault.SignInFailed, "This passkey was not accepted. Try again, or use another one.")
	}
	var codes []string
	err = postgres.Tx(ctx, p.db, func(tx pgx.Tx) (err error) {
		codes, err = p.keepPasskey(ctx, tx, user, name, credential, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

func (p *People) keepPasskey(ctx context.Context, tx pgx.Tx, user uuid.UUID, name string, credential *webauthn.Credential, c Client) ([]string, error) {
	if err := lockUser(ctx, tx, user); err != nil {
		return nil, err
	}
	first, err := withoutFactor(ctx, tx, user)
	if err != nil {
		return nil, err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO passkey (id, user_id, name, credential)
		SELECT @id, @user, @name, @credential WHERE (SELECT count(*) FROM passkey WHERE user_id = @user) < @most
		ON CONFLICT (id) DO NOTHING`,
		pgx.NamedArgs{"id": credential.ID, "user": user, "name": name, "credential": credential, "most": maxPasskeys})
	if err != nil {
		return nil, fmt.Errorf("save passkey: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil, fault.New(fault.InvalidInput, "This passkey is kept already, or you have %d and must remove one first.", maxPasskeys)
	}
	var codes []string
	if first {
		if codes, err = makeRecoveryCodes(ctx, tx, user); err != nil {
			return nil, err
		}
	}
	return codes, p.changed(ctx, tx, user, "passkey.added", toldPasskeyAdded, c)
}

// Passkeys lists a person's passkeys, the oldest first.
func (p *People) Passkeys(ctx context.Context, user uuid.UUID) ([]Passkey, error) {
	rows, err := p.db.Query(ctx, `
		SELECT id, name, created_at, last_used_at FROM passkey WHERE user_id = @user ORDER BY created_at, id`,
		pgx.NamedArgs{"user": user})
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Passkey])
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return all, nil
}

// RemovePasskey ends a passkey; with the last factor the recovery codes go too. Refusals: wrong_password, too_many_tries,
// not_found, also for another person's.
func (p *People) RemovePasskey(ctx context.Context, user uuid.UUID, id []byte, password string, c Client) error {
	if _, err := p.confirm(ctx, user, password, c); err != nil {
		return err
	}
	return postgres.Tx(ctx, p.db, func(tx pgx.Tx) error {
		if err := lockUser(ctx, tx, user); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM passkey WHERE id = @id AND user_id = @user`, pgx.NamedArgs{"id": id, "user": user})
		if err != nil {
			return fmt.Errorf("remove passkey: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.NotFound, "You have no such passkey.")
		}
		if err := dropRecoveryCodes(ctx, tx, user); err != nil {
			return err
		}
		return p.changed(ctx, tx, user, "passkey.removed", toldPasskeyRemoved, c)
	})
}
