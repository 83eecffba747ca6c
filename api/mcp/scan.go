package mcp

import (
	"bytes"
	"encoding/json"
)

// The functions here read JSON that is known to be valid, without a copy and at the speed of a search for quotes: a call
// with an image holds megabytes of base64, which encoding/json would go through a dozen times.

// split gives the members of an object, and false for any other value. Of members with one name the last one counts.
func split(value json.RawMessage) (map[string]json.RawMessage, bool) {
	i := afterBlanks(value, 0)
	if i == len(value) || value[i] != '{' {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for i = afterBlanks(value, i+1); value[i] != '}'; i = afterBlanks(value, i) {
		if value[i] == ',' {
			i = afterBlanks(value, i+1)
		}
		end := endOfString(value, i) + 1
		var name string
		if json.Unmarshal(value[i:end], &name) != nil {
			return nil, false
		}
		begin := afterBlanks(value, afterBlanks(value, end)+1) // behind the colon
		i = endOfValue(value, begin)
		members[name] = value[begin:i:i]
	}
	return members, true
}

// afterBlanks is where the first byte lies, from i on, that is no white space (RFC 8259, section 2).
func afterBlanks(value []byte, i int) int {
	for i < len(value) && (value[i] == ' ' || value[i] == '\t' || value[i] == '\r' || value[i] == '\n') {
		i++
	}
	return i
}

// endOfValue is where the value that begins at i has ended.
func endOfValue(value []byte, i int) int {
	for depth := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			i = endOfString(value, i)
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // a number or a word has no end of its own
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// endOfString is where the string that begins at i ends: at the next quote that no odd run of backslashes escapes.
func endOfString(value []byte, i int) int {
	for from := i + 1; ; {
		end := from + bytes.IndexByte(value[from:], '"')
		escapes := 0
		for end-1-escapes > i && value[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
		from = end + 1
	}
}

// intricate tells JSON with more parts or deeper nesting than a call has: decoded, it takes many times its length in
// memory.
func intricate(value []byte) bool {
	parts, depth := 0, 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			i = endOfString(value, i)
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		case ',':
			if parts++; parts > maxParts {
				return true
			}
		}
	}
	return false
}
