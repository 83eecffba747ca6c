package safefetch

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hostileLiterals are spellings of addresses that are not public, as the host of a URL; all fall to their text alone.
var hostileLiterals = map[string]string{
	"loopback":                     "127.0.0.1",
	"loopback, other":              "127.255.255.254",
	"loopback, decimal":            "2130706433",
	"loopback, octal":              "0177.0.0.1",
	"loopback, octal whole":        "017700000001",
	"loopback, hex whole":          "0x7f000001",
	"loopback, hex parts":          "0x7f.0x0.0x0.0x1",
	"loopback, upper-case hex":     "0X7F.0.0.1",
	"loopback, two parts":          "127.1",
	"loopback, three parts":        "127.0.1",
	"loopback, leading zeros":      "127.000.000.001",
	"loopback, trailing dot":       "127.0.0.1.",
	"loopback, decimal and dot":    "2130706433.",
	"loopback, ideographic dots":   "127。0。0。1",
	"loopback, halfwidth dots":     "127｡0｡0｡1",
	"loopback, fullwidth digits":   "１２７.０.０.１",
	"loopback, circled digits":     "①②⑦.⓪.⓪.①",
	"loopback, escaped digits":     "%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1",
	"loopback, soft hyphen":        "127.0.0.1\u00ad",
	"loopback, escaped dots":       "127%2e0%2e0%2e1",
	"loopback, overflow":           "4425673729",
	"this host":                    "0.0.0.0",
	"this host, short":             "0",
	"this host, hex":               "0x",
	"private 10":                   "10.0.0.1",
	"private 172.16":               "172.31.255.254",
	"private 192.168":              "192.168.1.1",
	"private 192.168, short":       "192.168.257",
	"shared address space":         "100.64.0.1",
	"cloud metadata":               "169.254.169.254",
	"cloud metadata, decimal":      "2852039166",
	"cloud metadata, hex":          "0xa9fea9fe",
	"protocol assignments":         "192.0.0.170",
	"documentation":                "203.0.113.7",
	"benchmarking":                 "198.18.0.1",
	"6to4 relay":                   "192.88.99.1",
	"multicast":                    "224.0.0.1",
	"reserved":                     "240.0.0.1",
	"broadcast":                    "255.255.255.255",
	"IPv6 loopback":                "[::1]",
	"IPv6 loopback, long":          "[0:0:0:0:0:0:0:1]",
	"IPv6 unspecified":             "[::]",
	"IPv4-mapped":                  "[::ffff:127.0.0.1]",
	"IPv4-mapped, hex":             "[::ffff:7f00:1]",
	"IPv4-mapped, metadata":        "[::ffff:a9fe:a9fe]",
	"IPv4-mapped, public":          "[::ffff:8.8.8.8]",
	"IPv4-compatible":              "[::127.0.0.1]",
	"IPv4-translated":              "[::ffff:0:127.0.0.1]",
	"NAT64":                        "[64:ff9b::127.0.0.1]",
	"NAT64, local":                 "[64:ff9b:1::a00:1]",
	"6to4":                         "[2002:7f00:1::]",
	"Teredo":                       "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
	"ORCHIDv2":                     "[2001:20::1]",
	"IPv6 link-local":              "[fe80::1]",
	"IPv6 link-local, zone":        "[fe80::1%25eth0]",
	"IPv6 public, zone":            "[2606:4700::1111%25eth0]",
	"IPv6 site-local":              "[fec0::1]",
	"IPv6 unique local":            "[fd00:ec2::254]",
	"IPv6 multicast":               "[ff02::1]",
	"IPv6 discard":                 "[100::1]",
	"IPv6 documentation":           "[2001:db8::1]",
	"IPv6 segment routing":         "[5f00::1]",
	"IPv4 in brackets":             "[127.0.0.1]",
	"user name":                    "example.com@127.0.0.1",
	"user name and password":       "u:p@example.com",
	"empty user name":              "@example.com",
	"host hidden behind user name": "127.0.0.1:80@example.com",
	"backslash":                    `example.com\@127.0.0.1`,
	"backslash before name":        `127.0.0.1\.example.com`,
	"two at signs":                 "a@b@127.0.0.1",
	"no host":                      "",
	"port alone":                   ":80",
	"dot alone":                    ".",
	"two trailing dots":            "localhost..",
	"space":                        "127.0.0.1 .example.com",
	"tab":                          "127.0.0.1\t",
	"null byte":                    "127.0.0.1\x00.example.com",
	"line break":                   "127.0.0.1\r\nHost: example.com",
	"fullwidth slash":              "example.com／.internal",
	"fullwidth colon":              "127.0.0.1：80",
	"wrong port":                   "example.com:8080",
	"padded port":                  "example.com:080",
	"negative port":                "example.com:-80",
}

func TestHostileLiteralsAreRefusedByTextAlone(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{})
	for name, host := range hostileLiterals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := f.CheckURL("http://" + host + "/a.png")
			requireKind(t, InvalidURL, err)
			_, err = f.CheckCallbackURL("https://" + host + "/hook")
			requireKind(t, InvalidURL, err)
			_, err = f.Get(t.Context(), "http://"+host+"/a.png", roomy)
			requireKind(t, InvalidURL, err)
		})
	}
}

// hostileNames are names that lead to addresses which are not public. IPv6 ones stand beside an IPv4 one, so that the
// test means the same on a machine without IPv6.
var hostileNames = zone{
	"localhost":          {"127.0.0.1 ::1"},
	"loopback.test":      {"127.0.0.1"},
	"private.test":       {"10.1.2.3"},
	"metadata.test":      {"169.254.169.254"},
	"zero.test":          {"0.0.0.0"},
	"shared.test":        {"100.100.100.200"},
	"broadcast.test":     {"255.255.255.255"},
	"several.test":       {"127.0.0.1 10.0.0.1 192.168.0.1"},
	"both.test":          {"127.0.0.1 fd00::1"},
	"mapped.test":        {"::ffff:10.0.0.1"},
	"under_score.test":   {"172.16.0.1"},
	"xn--bcher-kva.test": {"192.168.1.1"},
	"intranet":           {"10.0.0.9"},
}

func TestNamesOfPrivateAddressesAreRefusedAtTheDial(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, hostileNames)
	spellings := []string{"LOCALHOST", "localhost.", "Loopback.Test", "loopback。test", "bücher.test", "ｉntranet"}
	for name := range hostileNames {
		spellings = append(spellings, name)
	}
	for _, name := range spellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := f.Get(t.Context(), "http://"+name+"/", roomy)
			requireKind(t, Forbidden, err)

			u, err := f.CheckCallbackURL("https://" + name + "/")
			require.NoError(t, err)
			requireKind(t, Forbidden, f.ResolvePublic(t.Context(), u))
		})
	}
}

// TestGuardStandsWithoutTheTextCheck dials what CheckURL would have stopped: the guard in the dialer is no less strict.
func TestGuardStandsWithoutTheTextCheck(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{})
	for _, address := range []string{
		"127.0.0.1:80", "10.0.0.1:443", "169.254.169.254:80", "0.0.0.0:80", "[::ffff:127.0.0.1]:80", "8.8.8.8:22",
	} {
		_, err := f.dial(t.Context(), "tcp", address)
		require.Equal(t, Forbidden, KindOf(err), "%s: %v", address, err)
	}
	for _, addr := range []string{"8.8.8.8", "2606:4700::1111"} {
		require.NoError(t, f.guard.SafeAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr), 443)))
	}
}

func TestNameThatTurnsPrivateIsRefused(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{"rebind.test": {"93.184.215.14", "127.0.0.1"}})
	u, err := f.CheckURL("http://rebind.test/")
	require.NoError(t, err)
	require.NoError(t, f.ResolvePublic(t.Context(), u), "public at first")

	_, err = f.Get(t.Context(), u.String(), roomy)
	requireKind(t, Forbidden, err)
	_, err = f.Post(t.Context(), "https://rebind.test/", nil, nil, roomy.Total)
	requireKind(t, Forbidden, err)
}

// TestNoSpellingOfAPrivateIPv4AddressPasses draws addresses of private networks in every mixture of parts and bases
// that inet_aton reads.
func TestNoSpellingOfAPrivateIPv4AddressPasses(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{})
	networks := []string{"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"}
	rapid.Check(t, func(rt *rapid.T) {
		prefix := netip.MustParsePrefix(rapid.SampledFrom(networks).Draw(rt, "network"))
		base := prefix.Addr().As4()
		value := binary.BigEndian.Uint32(base[:])
		value |= rapid.Uint32Range(0, 1<<(32-prefix.Bits())-1).Draw(rt, "host bits")

		// All parts but the last are one byte each; the last holds the bytes that are left.
		last := rapid.IntRange(0, 3).Draw(rt, "dots")
		spelled := ""
		for i := range last {
			spelled += spell(rt, value>>(24-8*i)&0xff) + "."
		}
		spelled += spell(rt, value&(1<<(32-8*last)-1))
		spelled += rapid.SampledFrom([]string{"", "."}).Draw(rt, "end")
		_, err := f.CheckURL("http://" + spelled + "/")
		if KindOf(err) != InvalidURL {
			rt.Fatalf("%s passed: %v", spelled, err)
		}
	})
}

func spell(rt *rapid.T, part uint32) string {
	return fmt.Sprintf(rapid.SampledFrom([]string{"%d", "0%o", "0x%x", "0X%X"}).Draw(rt, "base"), part)
}

// FuzzCheckURL holds what every accepted URL must be: stable under a second check, and public as far as text shows.
func FuzzCheckURL(f *testing.F) {
	for _, host := range hostileLiterals {
		f.Add("http://" + host + "/")
	}
	f.Add("HTTPS://Example.COM.:443/a?b=c#d")
	f.Add("http://bücher.example/%zz")
	fetcher, err := New(DefaultConfig())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := fetcher.CheckURL(raw)
		if err != nil {
			require.Equal(t, InvalidURL, KindOf(err))
			return
		}
		again, err := fetcher.CheckURL(u.String())
		require.NoError(t, err, "%q became %q", raw, u)
		require.Equal(t, u.String(), again.String())
		require.Nil(t, u.User)
		require.Empty(t, u.Port())
		if ip := net.ParseIP(u.Hostname()); ip != nil {
			require.False(t, ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
		}
	})
}
