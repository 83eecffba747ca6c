package provenance

import (
	"encoding/json"
	"strconv"
	"strings"
)

const (
	// maxRecord bounds a record of parameters in bytes; workflows reach some hundred kilobytes.
	maxRecord = 4 << 20
	// maxKeys bounds the members of one object, repeated ones included.
	maxKeys = 4096
)

// object is a JSON object whose members are left undecoded.
type object map[string]json.RawMessage

// parseObject reads an object whole and alone, or answers false.
func parseObject(text string) (object, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxRecord || !strings.HasPrefix(text, "{") {
		return nil, false
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Infinity") {
		text = withoutNaN(text)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, false
	}
	obj := object{}
	for n := 0; decoder.More(); n++ {
		token, err := decoder.Token()
		key, ok := token.(string)
		if err != nil || !ok || n == maxKeys {
			return nil, false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, false
		}
		obj[key] = value
	}
	if _, err := decoder.Token(); err != nil || decoder.More() {
		return nil, false
	}
	return obj, true
}

// withoutNaN puts null for the numbers that Python writes and JSON does not know, outside of strings.
func withoutNaN(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quoted && c == '\\' && i+1 < len(text) {
			out.WriteString(text[i : i+2])
			i++
			continue
		}
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && (c == 'N' || c == 'I' || c == '-') {
			if n := notNumber(text[i:]); n > 0 {
				out.WriteString("null")
				i += n - 1
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.String()
}

// notNumber is the length of a non-number that text opens with, 0 for anything else.
func notNumber(text string) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if strings.HasPrefix(text, word) {
			return len(word)
		}
	}
	return 0
}

// str is the first of the members that is a string; empty when none is.
func (o object) str(keys ...string) string {
	for _, key := range keys {
		var s string
		if raw, ok := o[key]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// number says that one of the members is a number, or a string that holds one.
func (o object) number(keys ...string) bool {
	for _, key := range keys {
		var n json.Number
		if raw, ok := o[key]; !ok || json.Unmarshal(raw, &n) != nil {
			continue
		}
		if _, err := strconv.ParseFloat(n.String(), 64); err == nil {
			return true
		}
	}
	return false
}

// object is a member that is an object, or a string that holds one.
func (o object) object(key string) (object, bool) {
	raw, ok := o[key]
	if !ok {
		return nil, false
	}
	if s := o.str(key); s != "" {
		return parseObject(s)
	}
	return parseObject(string(raw))
}

func (o object) has(key string) bool {
	_, ok := o[key]
	return ok
}
