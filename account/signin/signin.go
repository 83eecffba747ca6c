// Package signin keeps who the people are: how an address is proved, passwords, second factors, and the browsers that
// are signed in. It hands links to whoever sends the mails, and keeps only their hashes. It knows no page, no cookie
// and no session store.
package signin

import (
	"log/slog"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/account"
	"veracity/platform/seal"
)

// People are the acts of persons on their own sign-in. Make them with [New]. They are safe for concurrent use.
type People struct {
	cfg      Config
	db       *pgxpool.Pool
	accounts *account.Accounts
	seal     *seal.Ring
	queue    account.Inserter
	log      *slog.Logger
	hasher   *hasher
	// webauthn is nil where the address of the portal can have no passkeys.
	webauthn *webauthn.WebAuthn
}

// Parts are what [New] puts together.
type Parts struct {
	DB       *pgxpool.Pool
	Accounts *account.Accounts
	Seal     *seal.Ring
	Queue    account.Inserter
	Log      *slog.Logger
}

// Client is the browser that an act comes from.
type Client struct {
	// Address is the IP address, as text without a port.
	Address string
	// Agent is the User-Agent header.
	Agent string
	// Device is the value of the device cookie, or "". [People.Open] and [People.Reset] hand it out.
	Device string
}

// New checks cfg and makes the people's acts. It makes one password hash, so it takes as long as a sign-in.
func New(cfg Config, p Parts) (*People, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	h, err := newHasher(cfg)
	if err != nil {
		return nil, err
	}
	passkeys, err := relyingParty(cfg)
	if err != nil {
		return nil, err
	}
	return &People{
		cfg: cfg, db: p.DB, accounts: p.Accounts, seal: p.Seal, queue: p.Queue, log: p.Log, hasher: h, webauthn: passkeys,
	}, nil
}
