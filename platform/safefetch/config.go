package safefetch

import (
	"crypto/x509"
	"fmt"
	"net"
	"strconv"
	"time"

	"golang.org/x/net/http/httpguts"
)

// maxRedirectsAllowed bounds Config.MaxRedirects: browsers stop at 20.
const maxRedirectsAllowed = 20

// Config holds the settings of a [Fetcher].
type Config struct {
	// ConnectTimeout bounds name resolution and TCP connect together, and then the TLS handshake. Above 0.
	ConnectTimeout time.Duration
	// IdleTimeout is how long a peer may send no byte; it also bounds the wait for complete response headers. Above 0.
	IdleTimeout time.Duration
	// MaxRedirects is how many redirects Get follows, 0 to 20.
	MaxRedirects int
	// Allow lists the host:port pairs that may be reached although they are not public or not on a default port, over
	// plain http too. Host is compared as the URL writes it, after case, IDNA and a trailing dot are taken away.
	Allow []string
	// UserAgent is sent with every request that does not set its own.
	UserAgent string
	// Resolver looks up names; nil is the system's.
	Resolver *net.Resolver
	// RootCAs are the certificate authorities trusted for https; nil is the system's, which follow SSL_CERT_FILE.
	RootCAs *x509.CertPool
}

// DefaultConfig is what a deployment starts from: public addresses on default ports only.
func DefaultConfig() Config {
	return Config{
		ConnectTimeout: 5 * time.Second,
		IdleTimeout:    10 * time.Second,
		MaxRedirects:   5,
		UserAgent:      "Veracity/1.0",
	}
}

// Validate names the first field that is out of range, its value and what is allowed.
func (c Config) Validate() error {
	if c.ConnectTimeout <= 0 {
		return fmt.Errorf("VERACITY_FETCH_CONNECT_TIMEOUT: ConnectTimeout is %s: it must be above 0", c.ConnectTimeout)
	}
	if c.IdleTimeout <= 0 {
		return fmt.Errorf("VERACITY_FETCH_IDLE_TIMEOUT: IdleTimeout is %s: it must be above 0", c.IdleTimeout)
	}
	if c.MaxRedirects < 0 || c.MaxRedirects > maxRedirectsAllowed {
		return fmt.Errorf("VERACITY_FETCH_REDIRECTS: MaxRedirects is %d: it must be 0 to %d", c.MaxRedirects, maxRedirectsAllowed)
	}
	if c.UserAgent == "" || !httpguts.ValidHeaderFieldValue(c.UserAgent) {
		return fmt.Errorf("safefetch: UserAgent is %q: it must be a non-empty header value", c.UserAgent)
	}
	_, err := c.allowed()
	return err
}

// allowed reads Allow into a set of destinations in the spelling that CheckURL gives to URLs.
func (c Config) allowed() (map[string]bool, error) {
	set := make(map[string]bool, len(c.Allow))
	for _, entry := range c.Allow {
		rawHost, port, err := net.SplitHostPort(entry)
		if err != nil {
			return nil, fmt.Errorf("VERACITY_FETCH_ALLOW: Allow has %q: it must be host:port: %w", entry, err)
		}
		h, err := parseHost(rawHost)
		if err != nil {
			return nil, fmt.Errorf("VERACITY_FETCH_ALLOW: Allow has %q: its host must be a name or an IP address: %w", entry, err)
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return nil, fmt.Errorf("VERACITY_FETCH_ALLOW: Allow has %q: its port must be 1 to 65535", entry)
		}
		set[net.JoinHostPort(h.name, strconv.FormatUint(number, 10))] = true
	}
	return set, nil
}
