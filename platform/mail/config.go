package mail

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Ports of message submission (RFC 6409, RFC 8314).
const (
	portSubmission  = 587
	portSubmissions = 465
)

const (
	allowedForms = "want smtp://USER:PASSWORD@HOST:PORT, smtps://USER:PASSWORD@HOST:PORT or outbox:DIR " +
		"(characters such as @ : / ? # % in user and password percent-encoded)"
	// outboxFrom is the sender of mails that leave the machine never.
	outboxFrom = "Veracity <veracity@localhost>"
	maxTimeout = 2 * time.Minute
)

// Config says how mail leaves.
type Config struct {
	// URL is smtp://…, smtps://… or outbox:DIR. By smtp:// STARTTLS is demanded, except of a server on this machine and
	// with ?tls=none. It may hold credentials. VERACITY_MAIL_URL.
	URL string
	// From is the sender, "Name <address>" or an address. An outbox has a default. VERACITY_MAIL_FROM.
	From string
	// Timeout bounds each step with the server: to greet it and sign in, and to hand over a message.
	// VERACITY_MAIL_TIMEOUT.
	Timeout time.Duration
	// RootCAs are the authorities trusted for the server's certificate; nil means the system's.
	RootCAs *x509.CertPool
}

// DefaultConfig is every setting but where mail goes and who sends it.
func DefaultConfig() Config { return Config{Timeout: 30 * time.Second} }

// Validate names the first setting that cannot work, its value with secrets masked, and what is allowed.
func (c Config) Validate() error {
	_, err := c.parse()
	return err
}

// location is a parsed VERACITY_MAIL_URL: an outbox when dir is set.
type location struct {
	dir            string
	host           string
	port           int
	user, password string
	// implicit is TLS from the first byte, startTLS TLS before anything is said.
	implicit, startTLS bool
	from               *mail.Address
}

func (c Config) parse() (location, error) {
	loc, err := split(c.URL)
	if err != nil {
		return location{}, fmt.Errorf("VERACITY_MAIL_URL is %q: %w; %s", Redacted(c.URL), err, allowedForms)
	}
	from := c.From
	if from == "" && loc.dir != "" {
		from = outboxFrom
	}
	if from == "" {
		return location{}, errors.New("VERACITY_MAIL_FROM is not set: give the address that mails come from, such as Veracity <no-reply@example.com>")
	}
	if loc.from, err = mail.ParseAddress(from); err != nil || broken(from) {
		return location{}, fmt.Errorf("VERACITY_MAIL_FROM is %q: want an address, or Name <address>", from)
	}
	if c.Timeout < time.Second || c.Timeout > maxTimeout {
		return location{}, fmt.Errorf("VERACITY_MAIL_TIMEOUT is %s: allowed are 1s to %s", c.Timeout, maxTimeout)
	}
	return loc, nil
}

// split reads the URL. Its errors quote nothing of it, since a part taken for something else may be the password.
func split(raw string) (location, error) {
	if dir, ok := strings.CutPrefix(raw, "outbox:"); ok {
		if dir = strings.TrimPrefix(dir, "//"); dir == "" {
			return location{}, errors.New("the folder is missing")
		}
		return location{dir: dir}, nil
	}
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return location{}, errors.New("it is empty")
	case err != nil:
		return location{}, errors.New("it is no URL")
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return location{}, errors.New("the scheme is not known")
	case u.Hostname() == "":
		return location{}, errors.New("the host is missing")
	case (u.Path != "" && u.Path != "/") || u.Fragment != "" || u.Opaque != "":
		return location{}, errors.New("nothing may follow the host but ?tls=")
	}
	loc := location{host: u.Hostname(), port: portSubmission, implicit: u.Scheme == "smtps"}
	if loc.implicit {
		loc.port = portSubmissions
	}
	if text := u.Port(); text != "" {
		if loc.port, err = strconv.Atoi(text); err != nil || loc.port < 1 || loc.port > 65535 {
			return location{}, errors.New("the port is not between 1 and 65535")
		}
	}
	loc.user = u.User.Username()
	loc.password, _ = u.User.Password()
	if (loc.user == "") != (loc.password == "") {
		return location{}, errors.New("user and password come together")
	}
	err = loc.decideTLS(u)
	return loc, err
}

// decideTLS reads ?tls=. A password travels in the clear to this machine alone.
func (loc *location) decideTLS(u *url.URL) error {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errors.New("the parameters cannot be read")
	}
	for name := range query {
		if name != "tls" {
			return errors.New("the only parameter is tls")
		}
	}
	word := query.Get("tls")
	switch {
	case loc.implicit && query.Has("tls"):
		return errors.New("smtps:// always has TLS and takes no parameter")
	case loc.implicit:
	case word == "required":
		loc.startTLS = true
	case word == "none":
	case query.Has("tls"):
		return errors.New("tls is neither none nor required")
	default:
		loc.startTLS = !loopback(loc.host)
	}
	if loc.user != "" && !loc.implicit && !loc.startTLS && !loopback(loc.host) {
		return errors.New("with tls=none the password would travel in the clear")
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// Redacted is the URL without user and password, to be shown. Of what cannot be read as one of ours, no more than the
// scheme is left.
func Redacted(raw string) string {
	if raw == "" || strings.HasPrefix(raw, "outbox:") {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		if scheme, _, _ := strings.Cut(raw, ":"); scheme == "smtp" || scheme == "smtps" {
			return scheme + ":…"
		}
		return "…"
	}
	shown := u.Scheme + "://"
	if u.User != nil {
		shown += "***@"
	}
	return shown + u.Host
}
