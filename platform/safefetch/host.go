package safefetch

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// Limits on names: RFC 1035 section 2.3.4.
const (
	maxName  = 253
	maxLabel = 63
)

var (
	errHost       = errors.New("the host is not a name or an IP address")
	errOddAddress = errors.New("an IP address must be written in its usual form")
	errZone       = errors.New("an IP address must not carry a zone")
)

// host is a host in its one canonical spelling.
type host struct {
	// name is a lower-case ASCII name without trailing dot, or the text of addr (IPv6 without brackets).
	name string
	// addr is valid when the host is an IP literal.
	addr netip.Addr
}

// parseHost reads a URL's host (IPv6 without brackets). Everything that some parser could take for an IPv4 address,
// but that is not four decimal numbers (2130706433, 0x7f.1, 0177.0.0.1), is an error: parsers disagree on its meaning.
func parseHost(raw string) (host, error) {
	if strings.Contains(raw, ":") {
		return parseIPv6(raw)
	}
	name, err := asciiName(raw)
	if err != nil {
		return host{}, err
	}
	if endsInNumber(name) {
		addr, err := netip.ParseAddr(name)
		if err != nil {
			return host{}, errOddAddress
		}
		return host{name: name, addr: addr}, nil
	}
	if !isName(name) {
		return host{}, errHost
	}
	return host{name: name}, nil
}

func parseIPv6(raw string) (host, error) {
	addr, err := netip.ParseAddr(raw)
	if err != nil {
		return host{}, errHost
	}
	if addr.Zone() != "" {
		return host{}, errZone
	}
	return host{name: addr.String(), addr: addr}, nil
}

// asciiName folds case, maps other scripts and full-width forms as browsers do (UTS 46), and drops one trailing dot.
func asciiName(raw string) (string, error) {
	name := raw
	// The lookup profile refuses underscores, which DNS and many storage hosts have: ASCII names pass it by.
	if strings.ContainsFunc(raw, func(r rune) bool { return r > 0x7f }) {
		var err error
		if name, err = idna.Lookup.ToASCII(raw); err != nil {
			return "", fmt.Errorf("%w: %w", errHost, err)
		}
	}
	return strings.TrimSuffix(strings.ToLower(name), "."), nil
}

// endsInNumber is the WHATWG URL Standard's "ends in a number" (section 3.5): such a host is an IPv4 address or nothing.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// isName tells whether name can be asked of DNS: letters, digits, hyphens and underscores in labels of fair length.
func isName(name string) bool {
	if len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}
