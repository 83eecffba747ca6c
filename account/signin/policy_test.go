package signin

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

func TestPasswordsThatAreGuessedEarlyAreRefused(t *testing.T) {
	t.Parallel()
	for name, password := range map[string]string{
		"nine characters":           "k7#vQ2pL9",
		"nine characters, 27 bytes": strings.Repeat("\u4e2d\u6587\u5b57", 3),
		"too long":                  strings.Repeat("quiet lantern ", 74),
		"no text":                   "\xff\xfe lantern over moss",
		"one character":             "aaaaaaaaaaaa",
		"a block repeated":          "abc!abc!abc!",
		"a block cut short":         "qweqweqweq",
		"digits in order":           "1234567890",
		"digits backwards":          "9876543210",
		"the alphabet":              "ABCDEFGHIJKL",
		"a row of keys":             "qwertyuiop",
		"a ladder of keys":          "1qaz2wsx3edc",
		"two rows in turn":          "q1w2e3r4t5",
		"common":                    "Password123",
		"common in disguise":        "P@ssw0rd123",
		"common with a year":        "sunshine2024",
		"common with a mark":        "Minecraft2023!",
		"two common joined":         "dragonmonkey",
		"common twice":              "iloveyouiloveyou",
		"not English":               "contrase\u00f1a123",
		"the address":               "ada.lovelace@analytical.example",
		"the address, shouted":      "ADA.LOVELACE@ANALYTICAL.EXAMPLE",
		"the local part":            "ada.lovelace1843",
		"the domain":                "analytical.example",
		"the domain's name":         "Analytical!!",
		"the product":               "Veracity2026!",
		"the product repeated":      "veracityVERACITY",
	} {
		err := checkPassword(password, "Ada.Lovelace@analytical.example")
		require.Equal(t, fault.WeakPassword, fault.CodeOf(err), name)
		require.Regexp(t, `(Choose|Type) `, fault.From(err).Message, "it says what to do: %s", name)
	}
}

func TestGoodPasswordsNeedNoRules(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"quiet lantern over moss", "correct horse battery staple", "k7#vQ2pL9x", "zufriedenheit-am-see", strings.Repeat("\u6f22\u5b57\u4eee\u540d\u4ea4", 2) + "\u308a",
		"gB4nTq8wZr1m", "my dog eats 7 socks", "         lantern         moss", "veracity is what I sell", strings.Repeat("lantern moss owl ", 60),
	} {
		require.NoError(t, checkPassword(password, "ada.lovelace@analytical.example"), password)
	}
	require.NoError(t, checkPassword("abacus-quilt-9", "ab@a.example"), "short parts of an address bar nothing")
}

func TestCommonPasswordsAreShippedFolded(t *testing.T) {
	t.Parallel()
	set, err := common()
	require.NoError(t, err)
	require.Greater(t, len(set), 5000)
	for word := range set {
		require.Equal(t, folded(word), word)
		n := len([]rune(word))
		require.True(t, n >= minWord && n <= longestWord, word)
	}
}

func TestClientsAreCountedByNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "pipe": "pipe",
	} {
		require.Equal(t, want, Client{Address: address}.network(), address)
	}
}

func TestBucketsOfDifferentThingsDiffer(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, bucket("a", "b", "c"), bucket("a", "bc"))
	require.NotEqual(t, bucket("a", "bc", ""), bucket("ab", "c", ""))
	require.Len(t, bucket("a"), 32)
}

func TestHashingWaitsForAPlaceAndGivesUpWithItsCaller(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	cfg.Hash = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	cfg.HashesAtOnce = 1
	h, err := newHasher(cfg)
	require.NoError(t, err)
	require.NoError(t, h.enter(t.Context()), "the only place is taken")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, _, err = h.matches(ctx, "x", nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = h.hash(ctx, "x")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	h.leave()
	_, err = h.hash(t.Context(), "x")
	require.NoError(t, err)
	ok, _, err := h.matches(t.Context(), "nobody's", nil)
	require.NoError(t, err)
	require.False(t, ok, "nothing matches the dummy")
}

func TestConfigNamesWhatCannotBe(t *testing.T) {
	t.Parallel()
	good := DefaultConfig()
	require.ErrorContains(t, good.Validate(), "base URL")
	good.BaseURL = "https://veracity.test"
	require.NoError(t, good.Validate())
	require.GreaterOrEqual(t, good.Hash.Memory, uint32(19*1024), "OWASP's least")
	for want, change := range map[string]func(*Config){
		"base URL":     func(c *Config) { c.BaseURL = "ftp://veracity.test" },
		"ResetTTL":     func(c *Config) { c.ResetTTL = 0 },
		"Argon2id":     func(c *Config) { c.Hash.Memory = 1 },
		"HashesAtOnce": func(c *Config) { c.HashesAtOnce = 0 },
		"Strangers":    func(c *Config) { c.Throttles.Strangers.Count = 0 },
		"MailsTo":      func(c *Config) { c.Throttles.MailsTo.Per = 0 },
	} {
		c := good
		change(&c)
		require.ErrorContains(t, c.Validate(), want)
	}
}

func TestWaitsAreToldInWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Millisecond: "a second", 59 * time.Second: "59 seconds", 61 * time.Second: "2 minutes", 2 * time.Hour: "2 hours",
	} {
		require.Equal(t, want, inWords(d))
	}
}
