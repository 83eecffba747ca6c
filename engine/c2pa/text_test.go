package c2pa

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTextIsFitToBeShown(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"Photoshop 26.9":             "Photoshop 26.9",
		"line\r\nbreak\x00\x1b[31m":  "linebreak[31m",
		" spaces ":                   "spaces",
		"bild\u202egnp.exe":          "bildgnp.exe",
		"\u2066a\u2069\ufeff\u2028b": "ab",
		"Привет":                     "Привет",
		"bad\xff\xfeutf8":            "badutf8",
		strings.Repeat("ä", 500):     strings.Repeat("ä", maxText),
		strings.Repeat("a", 500):     strings.Repeat("a", maxText),
	}
	for in, want := range tests {
		require.Equal(t, want, clean(in))
	}
}

func TestTextStaysWithinItsBoundsWhateverComes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clean(string(rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "bytes")))
		require.True(t, utf8.ValidString(s))
		require.LessOrEqual(t, utf8.RuneCountInString(s), maxText)
		require.False(t, strings.ContainsFunc(s, misleading))
		require.Equal(t, s, clean(s), "cleaning twice changes nothing")
	})
}

func TestListsAreCutWithoutWhatWeighs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 40).Draw(t, "list")
		n := rapid.IntRange(1, 20).Draw(t, "room")
		odd := func(i int) bool { return i%2 == 1 }
		kept, all := keep(list, n, odd)
		require.Len(t, kept, min(n, len(list)))
		require.True(t, subsequence(kept, list), "the order stays")
		weight := count(list, odd)
		require.Equal(t, weight <= n || len(list) <= n, all)
		require.Equal(t, min(weight, len(kept)), max(count(kept, odd), min(weight, len(kept))))
		if all {
			require.Equal(t, weight, count(kept, odd))
		}
	})
}

func count(list []int, is func(int) bool) int {
	n := 0
	for _, i := range list {
		if is(i) {
			n++
		}
	}
	return n
}

func subsequence(part, whole []int) bool {
	for _, i := range whole {
		if len(part) > 0 && part[0] == i {
			part = part[1:]
		}
	}
	return len(part) == 0
}
