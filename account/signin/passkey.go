package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
)

// relyingParty is nil for a base URL whose host is an IP address: a relying party's id is a domain (WebAuthn Level 3,
// section 5.1.3).
func relyingParty(cfg Config) (*webauthn.WebAuthn, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	if net.ParseIP(base.Hostname()) != nil {
		return nil, nil //nolint:nilnil // no passkeys is an answer, and New keeps it
	}
	timeout := webauthn.TimeoutConfig{Enforce: true, Timeout: cfg.ChallengeTTL, TimeoutUVD: cfg.ChallengeTTL}
	rp, err := webauthn.New(&webauthn.Config{
		RPID:                  base.Hostname(),
		RPDisplayName:         product,
		RPOrigins:             []string{origin(base)},
		AttestationPreference: protocol.PreferNoAttestation,
		Timeouts:              webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
	})
	if err != nil {
		return nil, fmt.Errorf("set up passkeys for %s: %w", cfg.BaseURL, err)
	}
	return rp, nil
}

// origin is a URL's, as browsers write it: without the scheme's own port (HTML, section 7.1.1).
func origin(u *url.URL) string {
	if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		return u.Scheme + "://" + u.Hostname()
	}
	return u.Scheme + "://" + u.Host
}

// HasPasskeys tells whether browsers can use passkeys at the portal's address at all: not where its host is an IP address.
func (p *People) HasPasskeys() bool { return p.webauthn != nil }

// purpose keeps a challenge of one ceremony from being used in another.
type purpose string

const (
	toEnrol  purpose = "enrol"
	toSignIn purpose = "sign_in"
)

// ceremony is what State holds.
type ceremony struct {
	Purpose purpose              `json:"purpose"`
	User    uuid.UUID            `json:"user"`
	Session webauthn.SessionData `json:"session"`
}

func newChallenge(options any, c ceremony) (Challenge, error) {
	made, err := json.Marshal(options)
	if err != nil {
		return Challenge{}, fmt.Errorf("encode passkey options: %w", err)
	}
	state, err := json.Marshal(c)
	if err != nil {
		return Challenge{}, fmt.Errorf("encode passkey state: %w", err)
	}
	return Challenge{Options: made, State: state}, nil
}

// resume reads a ceremony's state and uses its challenge up, so that an answer counts once also when it is sent twice at
// once, before the session has dropped the state. Refusal: sign_in_failed.
func (p *People) resume(ctx context.Context, state []byte, why purpose, user uuid.UUID) (ceremony, error) {
	if p.webauthn == nil {
		return ceremony{}, noPasskeys()
	}
	var c ceremony
	if err := json.Unmarshal(state, &c); err != nil {
		return ceremony{}, fault.Wrap(err, fault.SignInFailed, "The passkey took too long. Try again.")
	}
	if c.Purpose != why || c.User != user || c.Session.Challenge == "" {
		return ceremony{}, fault.New(fault.SignInFailed, "This passkey answers another question. Try again.")
	}
	wait, err := p.count(ctx, limit{bucket("challenge", c.Session.Challenge), Rate{Count: 1, Per: p.cfg.ChallengeTTL + time.Minute}})
	if err != nil {
		return ceremony{}, err
	}
	if wait > 0 {
		return ceremony{}, fault.New(fault.SignInFailed, "This passkey's answer was used before. Try again.")
	}
	return c, nil
}

// BeginPasskey asks for a passkey: any of the browser's when user is nil, which then verifies the person and stands for
// both steps, else one of the user's as the second step. Refusals: invalid_input where there can be none, not_found for a
// user without passkeys.
func (p *People) BeginPasskey(ctx context.Context, user uuid.UUID) (Challenge, error) {
	if p.webauthn == nil {
		return Challenge{}, noPasskeys()
	}
	if user == uuid.Nil {
		options, session, err := p.webauthn.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
		if err != nil {
			return Challenge{}, fmt.Errorf("begin passkey sign-in: %w", err)
		}
		return newChallenge(options, ceremony{Purpose: toSignIn, Session: *session})
	}
	holder, err := p.holder(ctx, user)
	if err != nil {
		return Challenge{}, err
	}
	if len(holder.credentials) == 0 {
		return Challenge{}, fault.New(fault.NotFound, "You have no passkey. Use another second step.")
	}
	options, session, err := p.webauthn.BeginLogin(holder, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return Challenge{}, fmt.Errorf("begin passkey as second step: %w", err)
	}
	return newChallenge(options, ceremony{Purpose: toSignIn, User: user, Session: *session})
}

// FinishPasskey checks a passkey's answer and says whose it is. user is as in [People.BeginPasskey]. A counter that did not
// move on is a copy of the passkey, and is refused. Refusals: sign_in_failed, too_many_tries.
func (p *People) FinishPasskey(ctx context.Context, user uuid.UUID, state, response []byte, c Client) (uuid.UUID, error) {
	if err := p.throttleClient(ctx, c); err != nil {
		return uuid.Nil, err
	}
	asked, err := p.resume(ctx, state, toSignIn, user)
	if err != nil {
		return uuid.Nil, err
	}
	holder, credential, err := p.assert(ctx, user, asked.Session, response)
	copied := err == nil && credential.Authenticator.CloneWarning
	if copied {
		p.log.WarnContext(ctx, "passkey refused: its counter went back, so there may be a copy", "user", holder.id)
	}
	if refused := new(protocol.Error); copied || errors.As(err, &refused) {
		if err := p.refused(ctx, holder.id, string(FactorPasskey), c); err != nil {
			return uuid.Nil, err
		}
		return uuid.Nil, fault.Wrap(err, fault.SignInFailed, "This passkey was not accepted. Try again, or sign in another way.")
	}
	if err != nil {
		return uuid.Nil, err
	}
	if err := p.usePasskey(ctx, holder, credential); err != nil {
		return uuid.Nil, err
	}
	return holder.id, nil
}

// assert verifies an answer. The holder is filled in as far as it is known also when the answer is refused, with a
// protocol.Error.
func (p *People) assert(ctx context.Context, user uuid.UUID, session webauthn.SessionData, response []byte) (holder, *webauthn.Credential, error) {
	answer, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return holder{}, nil, asRefusal(err)
	}
	if user != uuid.Nil {
		h, err := p.holder(ctx, user)
		if err != nil {
			return holder{}, nil, err
		}
		credential, err := p.webauthn.ValidateLogin(h, session, answer)
		return h, credential, asRefusal(err)
	}
	owner, err := uuid.FromBytes(answer.Response.UserHandle)
	if err != nil {
		return holder{}, nil, asRefusal(err)
	}
	h, err := p.holder(ctx, owner)
	if fault.CodeOf(err) == fault.SignInFailed {
		return holder{}, nil, asRefusal(err)
	}
	if err != nil {
		return holder{}, nil, err
	}
	found := func(_, _ []byte) (webauthn.User, error) { return h, nil }
	_, credential, err := p.webauthn.ValidatePasskeyLogin(found, session, answer)
	return h, credential, asRefusal(err)
}

// asRefusal makes any error of the WebAuthn library a protocol.Error, so that it is told from one of ours.
func asRefusal(err error) error {
	if err == nil {
		return nil
	}
	return protocol.ErrBadRequest.WithDetails("passkey refused").WithError(err)
}

// usePasskey notes a use. The guard on the counter refuses an answer that was overtaken.
func (p *People) usePasskey(ctx context.Context, h holder, credential *webauthn.Credential) error {
	tag, err := p.db.Exec(ctx, `
		UPDATE passkey SET credential = @credential, last_used_at = now()
		WHERE id = @id AND user_id = @user
		  AND (@count = 0 OR coalesce((credential->'authenticator'->>'signCount')::bigint, 0) < @count)`,
		pgx.NamedArgs{
			"id": credential.ID, "user": h.id, "credential": credential, "count": int64(credential.Authenticator.SignCount),
		})
	if err != nil {
		return fmt.Errorf("note use of passkey: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fault.New(fault.SignInFailed, "This passkey was removed or used elsewhere just now. Try again.")
	}
	return nil
}

func noPasskeys() error {
	return fault.New(fault.InvalidInput, "Passkeys need a host name in the address bar, not an IP address. Use another way.")
}

// holder is a person as the WebAuthn library wants one. The user handle is the id, which says nothing about the person.
type holder struct {
	person
	credentials []webauthn.Credential
}

func (h holder) WebAuthnID() []byte                         { return h.id[:] }
func (h holder) WebAuthnName() string                       { return h.email }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }
func (h holder) WebAuthnDisplayName() string {
	if h.name == "" {
		return h.email
	}
	return h.name
}

// holder reads a person with all passkeys. Refusal: sign_in_failed, for one who is gone.
func (p *People) holder(ctx context.Context, user uuid.UUID) (holder, error) {
	u, err := p.person(ctx, user)
	if err != nil {
		return holder{}, err
	}
	rows, err := p.db.Query(ctx, `SELECT credential FROM passkey WHERE user_id = @user ORDER BY created_at`,
		pgx.NamedArgs{"user": user})
	if err != nil {
		return holder{}, fmt.Errorf("read passkeys: %w", err)
	}
	credentials, err := pgx.CollectRows(rows, pgx.RowTo[webauthn.Credential])
	if err != nil {
		return holder{}, fmt.Errorf("read passkeys: %w", err)
	}
	return holder{person: u, credentials: credentials}, nil
}
