package signin

import (
	"fmt"
	"net/url"
	"runtime"
	"time"

	"github.com/alexedwards/argon2id"
)

// product is the name that browsers and authenticator apps show.
const product = "Veracity"

// Config are the settings of sign-in.
type Config struct {
	// BaseURL is the portal's own address: its host is the WebAuthn RP id, its origin the only one allowed.
	BaseURL string

	// How long mailed links hold.
	SignUpTTL, ResetTTL, InviteTTL, EmailChangeTTL time.Duration
	// ChallengeTTL is how long a passkey's challenge may take.
	ChallengeTTL time.Duration
	// IdleTTL ends a sign-in that was not seen, MaxTTL any sign-in.
	IdleTTL, MaxTTL time.Duration

	// Hash are the parameters of Argon2id; KiB of memory.
	Hash argon2id.Params
	// HashesAtOnce bounds the memory that sign-ins take together to this many times Hash.Memory.
	HashesAtOnce int

	Throttles Throttles
}

// Rate is how often something may happen: Count times at once, and then one more every Per/Count.
type Rate struct {
	Count int
	Per   time.Duration
}

// Throttles are the rates of tries. A client is an IPv4 address or an IPv6 /64.
type Throttles struct {
	// ClientMinute and ClientHour are tries of one client at any password or code, right or wrong. The others count wrong
	// ones.
	ClientMinute, ClientHour Rate
	// Familiar are tries at one account by one client, or by one browser that has signed in to it before.
	Familiar Rate
	// Strangers are tries at one account by all browsers together that have not signed in to it before, and at one
	// person's one-time codes by all browsers whatever.
	Strangers Rate
	// Codes are tries at one person's one-time codes by all strangers together, and at his password by somebody signed in.
	Codes Rate
	// MailsByClient are forms of one client that send mails; MailsTo are the mails of a kind to one address.
	MailsByClient, MailsTo Rate
}

// DefaultConfig is what holds when nothing is set, except BaseURL. Argon2id as the OWASP Password Storage Cheat Sheet has
// it: 19 MiB, 2 passes, 1 lane.
func DefaultConfig() Config {
	return Config{
		SignUpTTL: 24 * time.Hour, ResetTTL: 30 * time.Minute, InviteTTL: 7 * 24 * time.Hour, EmailChangeTTL: 24 * time.Hour,
		ChallengeTTL: 5 * time.Minute, IdleTTL: 7 * 24 * time.Hour, MaxTTL: 30 * 24 * time.Hour,
		Hash:         argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32},
		HashesAtOnce: runtime.GOMAXPROCS(0),
		Throttles: Throttles{
			ClientMinute: Rate{20, time.Minute}, ClientHour: Rate{100, time.Hour},
			Familiar: Rate{10, 15 * time.Minute}, Strangers: Rate{100, time.Hour}, Codes: Rate{10, 15 * time.Minute},
			MailsByClient: Rate{20, time.Hour}, MailsTo: Rate{5, time.Hour},
		},
	}
}

// Validate names the first setting that cannot be.
func (c Config) Validate() error {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return fmt.Errorf("sign-in: base URL %q must be http:// or https:// with a host", c.BaseURL)
	}
	for name, d := range map[string]time.Duration{
		"SignUpTTL": c.SignUpTTL, "ResetTTL": c.ResetTTL, "InviteTTL": c.InviteTTL, "EmailChangeTTL": c.EmailChangeTTL,
		"ChallengeTTL": c.ChallengeTTL, "IdleTTL": c.IdleTTL, "MaxTTL": c.MaxTTL,
	} {
		if d < time.Second {
			return fmt.Errorf("sign-in: %s %s must be at least a second", name, d)
		}
	}
	if c.Hash.Memory < 8 || c.Hash.Iterations < 1 || c.Hash.Parallelism < 1 || c.Hash.SaltLength < 16 || c.Hash.KeyLength < 16 {
		return fmt.Errorf("sign-in: Argon2id needs at least 8 KiB, 1 pass, 1 lane, and 16 bytes of salt and key")
	}
	if c.HashesAtOnce < 1 {
		return fmt.Errorf("sign-in: HashesAtOnce %d must be at least 1", c.HashesAtOnce)
	}
	t := c.Throttles
	for name, r := range map[string]Rate{
		"ClientMinute": t.ClientMinute, "ClientHour": t.ClientHour, "Familiar": t.Familiar, "Strangers": t.Strangers,
		"Codes": t.Codes, "MailsByClient": t.MailsByClient, "MailsTo": t.MailsTo,
	} {
		if r.Count < 1 || r.Per < time.Second || r.Per/time.Duration(r.Count) < time.Microsecond {
			return fmt.Errorf("sign-in: throttle %s of %d in %s must be at least 1 in a second, and at most 1 a microsecond", name, r.Count, r.Per)
		}
	}
	return nil
}
