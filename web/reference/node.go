package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// node is a value of a JSON document whose members keep their order: readers meet them as they were written.
type node struct {
	// keys and members are an object's, items an array's, and plain is what all else is: string, json.Number, bool or nil.
	keys    []string
	members map[string]*node
	items   []*node
	plain   any
}

func parse(document []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	n, err := next(d)
	if err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	return n, nil
}

func next(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return &node{plain: token}, nil
	}
	n := &node{}
	if delim == '{' {
		n.members = map[string]*node{}
	}
	for d.More() {
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, ok := key.(string)
			if !ok {
				return nil, errors.New("a member without a name")
			}
			value, err := next(d)
			if err != nil {
				return nil, err
			}
			n.keys, n.members[name] = append(n.keys, name), value
			continue
		}
		value, err := next(d)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, value)
	}
	_, err = d.Token()
	return n, err
}

// at follows members by name; nil where there is none.
func (n *node) at(names ...string) *node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		n = n.members[name]
	}
	return n
}

// list are an array's items.
func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// text is a string, "" for all else.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	s, _ := n.plain.(string)
	return s
}

// is tells a true.
func (n *node) is() bool {
	if n == nil {
		return false
	}
	b, _ := n.plain.(bool)
	return b
}

// each calls do for every member in order.
func (n *node) each(do func(name string, value *node)) {
	if n == nil {
		return
	}
	for _, key := range n.keys {
		do(key, n.members[key])
	}
}

// holds says that an array of strings has the word.
func (n *node) holds(word string) bool {
	for _, item := range n.list() {
		if item.text() == word {
			return true
		}
	}
	return false
}

// word is a plain value as JSON writes it, without the quotes of a string.
func (n *node) word() string {
	switch v := n.plain.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}

// json writes the value with line breaks, each level further in; a value that is short stays on its line.
func (n *node) json(indent string) string {
	if line := n.line(); len(indent)+len(line) <= 76 {
		return line
	}
	deeper := indent + "  "
	var parts []string
	open, end := "{", "}"
	if n.members == nil {
		open, end = "[", "]"
		for _, item := range n.items {
			parts = append(parts, deeper+item.json(deeper))
		}
	}
	n.each(func(name string, value *node) {
		parts = append(parts, deeper+strconv.Quote(name)+": "+value.json(deeper))
	})
	if len(parts) == 0 {
		return n.line()
	}
	return open + "\n" + strings.Join(parts, ",\n") + "\n" + indent + end
}

// line writes the value on one line.
func (n *node) line() string {
	var parts []string
	switch {
	case n.members != nil:
		n.each(func(name string, value *node) { parts = append(parts, strconv.Quote(name)+": "+value.line()) })
		return "{" + strings.Join(parts, ", ") + "}"
	case n.items != nil:
		for _, item := range n.items {
			parts = append(parts, item.line())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case n.plain == nil:
		return "null"
	}
	text, err := json.Marshal(n.plain)
	if err != nil {
		return "null"
	}
	return string(text)
}
