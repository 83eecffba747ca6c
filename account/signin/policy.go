package signin

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"

	"veracity/platform/fault"
)

// minPassword is the shortest password, in characters.
const minPassword = 10

//go:embed common.txt.gz
var commonFile []byte

// common are the passwords that people choose most, folded; see COMMON.md for their sources.
var common = sync.OnceValues(func() (map[string]struct{}, error) {
	file, err := gzip.NewReader(bytes.NewReader(commonFile))
	if err != nil {
		return nil, fmt.Errorf("open common passwords: %w", err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read common passwords: %w", err)
	}
	set := map[string]struct{}{}
	for word := range strings.FieldsSeq(string(text)) {
		set[word] = struct{}{}
	}
	return set, nil
})

// walks are rows, columns and ladders of keyboards, the alphabet and the digits. A part of one, in either direction, is
// no password.
var walks = []string{
	"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
	"012345678901234567890123456789",
	"`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
	"qazwsxedcrfvtgbyhnujmikolp",
	"1q2w3e4r5t6y7u8i9o0p",
	"q1w2e3r4t5y6u7i8o9p0",
	"zaq12wsxcde34rfvbgt56yhnmju78ik,",
	"qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn",
}

// leet undoes the letters that people put in disguise.
var leet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// checkPassword refuses, as weak_password, what is short, common or made of what everybody knows. NIST SP 800-63B,
// section 5.1.1.2, asks for exactly this and for no rules on kinds of characters.
func checkPassword(password, email string) error {
	switch n := utf8.RuneCountInString(normal(password)); {
	case !utf8.ValidString(password):
		return weak("This password has bytes that are no characters. Type another one.")
	case n < minPassword:
		return weak("Choose a password of at least %d characters. Several unrelated words make a good one.", minPassword)
	case len(password) > maxPasswordBytes:
		return weak("Choose a password of at most %d bytes.", maxPasswordBytes)
	}
	p := folded(password)
	if repeats(p) || walked(p) {
		return weak("This password is one pattern repeated or a run of keys, so it is easy to guess. Choose several unrelated words.")
	}
	for _, known := range knownWords(email) {
		if rest := strings.ReplaceAll(p, known, ""); rest != p && utf8.RuneCountInString(rest) < minOwn {
			return weak("This password is little more than your address or our name. Choose several unrelated words.")
		}
	}
	set, err := common()
	if err != nil {
		return err
	}
	if guessable(p, set) || guessable(leet.Replace(p), set) {
		return weak("This password is common, or little more than common ones joined, so it is guessed early. Choose several unrelated words.")
	}
	return nil
}

// minOwn is how many characters a password must have beside the address and the product's name.
const minOwn = 6

func weak(format string, args ...any) error { return fault.New(fault.WeakPassword, format, args...) }

func folded(s string) string { return cases.Fold().String(normal(strings.TrimSpace(s))) }

// knownWords are what a guesser tries first: the address, its local part, the domain's name and the product's.
func knownWords(email string) []string {
	email = folded(email)
	words := []string{email}
	local, domain, _ := strings.Cut(email, "@")
	host, _, _ := strings.Cut(domain, ".")
	words = append(words, local, domain, host, folded(product))
	known := words[:0]
	for _, w := range words {
		if utf8.RuneCountInString(w) >= 3 {
			known = append(known, w)
		}
	}
	return known
}

// repeats tells whether a string is a block of one to four characters over and over; the last may be cut short.
func repeats(s string) bool {
	r := []rune(s)
	for block := 1; block <= 4; block++ {
		same := true
		for i := block; i < len(r) && same; i++ {
			same = r[i] == r[i-block]
		}
		if same {
			return true
		}
	}
	return false
}

// walked tells whether a string is a part of one of the walks, forwards or backwards.
func walked(s string) bool {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	back := string(r)
	for _, w := range walks {
		if strings.Contains(w, s) || strings.Contains(w, back) {
			return true
		}
	}
	return false
}

// What a part of a password adds to the work of guessing it, and the least that a password must come to: three common
// words, or one with four characters beside it.
const (
	wordWork = 2
	runeWork = 1
	minWork  = 6
	// longestWord is the longest common password, and minWord the shortest, in characters.
	longestWord, minWord = 18, 4
)

// guessable finds the cheapest way to write a password as common ones, years and single characters.
func guessable(s string, set map[string]struct{}) bool {
	r := []rune(s)
	if len(r) > minWork*longestWord {
		return false
	}
	work := make([]int, len(r)+1)
	for end := 1; end <= len(r); end++ {
		work[end] = work[end-1] + runeWork
		for length := minWord; length <= min(end, longestWord); length++ {
			part := string(r[end-length : end])
			if _, ok := set[part]; ok || year(part) {
				work[end] = min(work[end], work[end-length]+wordWork)
			}
		}
	}
	return work[len(r)] < minWork
}

// year tells whether s is a year between 1900 and 2099.
func year(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && strings.Trim(s[2:], "0123456789") == ""
}
