package c2pa

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a report. Strings count in runes.
const (
	maxText        = 300
	maxManifests   = 64
	maxAssertions  = 256
	maxActions     = 256
	maxIngredients = 128
	maxNames       = 64
	// maxDepth bounds how far ingredients of ingredients are followed.
	maxDepth = 32
)

// clean makes a string fit to be shown: valid UTF-8 of at most maxText runes, without control characters and without
// those that turn the direction of what stands around it.
func clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	runes := 0
	for _, r := range s {
		if runes == maxText {
			break
		}
		if r == utf8.RuneError || misleading(r) {
			continue
		}
		b.WriteRune(r)
		runes++
	}
	return strings.TrimSpace(b.String())
}

// plain tells strings that need no cleaning; nearly all are.
func plain(s string) bool {
	if len(s) > maxText {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}

// misleading tells control characters, separators of lines, and the marks that override the direction of text (Unicode
// annex 9).
func misleading(r rune) bool {
	return unicode.IsControl(r) || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0xFEFF
}

// head is the beginning of a list, at most n long.
func head[T any](list []T, n int) []T {
	if len(list) > n {
		return list[:n:n]
	}
	return list
}

// keep cuts a list to n items in their order, those of weight before the others. It is false when even some of these had
// to go.
func keep[T any](list []T, n int, weighs func(T) bool) ([]T, bool) {
	if len(list) <= n {
		return list, true
	}
	heavy := make([]bool, len(list))
	weight := 0
	for i, item := range list {
		if heavy[i] = weighs(item); heavy[i] {
			weight++
		}
	}
	kept, light := make([]T, 0, n), n-min(weight, n)
	for i, item := range list {
		switch {
		case len(kept) == n:
			return kept, weight <= n
		case heavy[i]:
			kept = append(kept, item)
		case light > 0:
			light--
			kept = append(kept, item)
		}
	}
	return kept, weight <= n
}
