package safefetch

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
)

// reasonPrivate is the one sentence for every address that is not public, so that answers do not map the network.
const reasonPrivate = "The URL points at a private, loopback or link-local address."

// CheckURL reads the URL of a source by its text alone: http or https on its default port, no user name or password, a
// host that is a name or a public IP address. A destination on the allow list passes with any port and address. The
// URL returned has its host in canonical spelling; errors are of kind [InvalidURL].
func (f *Fetcher) CheckURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, invalid("The URL cannot be read.", withoutURL(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, invalid("The URL must begin with http:// or https://.", nil)
	}
	if u.User != nil {
		return nil, invalid("The URL must not carry a user name or password.", nil)
	}
	h, err := parseHost(u.Hostname())
	if err != nil {
		return nil, invalid("The host of the URL must be a name or an IP address in its usual form.", err)
	}
	if err := f.checkDestination(u, h); err != nil {
		return nil, err
	}
	u.Host = canonicalHost(u, h)
	return u, nil
}

// CheckCallbackURL is [Fetcher.CheckURL] for the receiver of a webhook: https alone, also on the allow list. Whether
// the host's name leads to a public address is [Fetcher.ResolvePublic]'s question.
func (f *Fetcher) CheckCallbackURL(raw string) (*url.URL, error) {
	u, err := f.CheckURL(raw)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "https" {
		return nil, invalid("The URL must begin with https://.", nil)
	}
	return u, nil
}

// ResolvePublic looks up the host of a URL that CheckURL or CheckCallbackURL gave. A host with any address that is not
// public is [Forbidden], one without an address [Unreachable]; a destination on the allow list passes unasked. It is
// advice for an early answer, not the guard: names can change, so every connection is checked again as it is made.
func (f *Fetcher) ResolvePublic(ctx context.Context, u *url.URL) error {
	if f.allow[destination(u)] {
		return nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, f.cfg.ConnectTimeout, errTotal)
	defer cancel()
	addrs, err := f.resolver.LookupNetIP(limited, "ip", u.Hostname())
	if err != nil {
		return explain(ctx, limited, err)
	}
	for _, addr := range addrs {
		// A mapped address is dialled as IPv4, so it is judged as such.
		if err := f.guard.SafeAddr(addr.Unmap()); err != nil {
			return &Error{Forbidden, reasonPrivate, err}
		}
	}
	return nil
}

// checkDestination holds the rules that the allow list lifts: default port, public address.
func (f *Fetcher) checkDestination(u *url.URL, h host) error {
	if f.allow[net.JoinHostPort(h.name, portOf(u))] {
		return nil
	}
	if portOf(u) != defaultPort(u) {
		return invalid("The URL must use the default port of its scheme.", nil)
	}
	if !h.addr.IsValid() {
		return nil
	}
	if err := f.guard.SafeAddr(h.addr); err != nil {
		return invalid(reasonPrivate, err)
	}
	return nil
}

// destination is the host:port that u leads to, in the form of the allow list and of the transport's dials.
func destination(u *url.URL) string {
	return net.JoinHostPort(u.Hostname(), portOf(u))
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPort(u)
}

func defaultPort(u *url.URL) string {
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

func canonicalHost(u *url.URL, h host) string {
	if port := portOf(u); port != defaultPort(u) {
		return net.JoinHostPort(h.name, port)
	}
	if strings.Contains(h.name, ":") {
		return "[" + h.name + "]"
	}
	return h.name
}

func invalid(reason string, cause error) *Error {
	return &Error{InvalidURL, reason, cause}
}

// withoutURL keeps the URL out of the log: it may hold a password or a signature.
func withoutURL(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}
