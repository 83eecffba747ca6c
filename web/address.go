package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the proxies in front of the service. What they say of a client's address is believed;
// what anybody else says is not.
type Proxies []netip.Prefix

// ParseProxies reads networks such as 10.0.0.0/8 and single addresses.
func ParseProxies(texts []string) (Proxies, error) {
	found := make(Proxies, 0, len(texts))
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil {
				return nil, fmt.Errorf("%q is no network: want an address or a network such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		found = append(found, prefix)
	}
	return found, nil
}

// client is the address of whoever asks: the last one in X-Forwarded-For that none of the proxies has.
func (p Proxies) client(r *http.Request) string {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	client := port.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.has(client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = hop.Unmap()
	}
	return client.WithZone("").String()
}

func (p Proxies) has(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
