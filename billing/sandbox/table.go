package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// head is what every object of Stripe begins with.
type head struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Created  int64  `json:"created"`
	Livemode bool   `json:"livemode"`
}

func (h *head) key() string      { return h.ID }
func (h *head) createdAt() int64 { return h.Created }

// record is an object of a table.
type record interface {
	key() string
	createdAt() int64
}

// table holds the objects of one kind in the order of their making.
type table[T any, P interface {
	*T
	record
}] struct {
	rows  []P
	index map[string]P
}

func (t *table[T, P]) add(row P) P {
	if t.index == nil {
		t.index = map[string]P{}
	}
	t.rows = append(t.rows, row)
	t.index[row.key()] = row
	return row
}

func (t *table[T, P]) find(id string) (P, bool) {
	row, ok := t.index[id]
	return row, ok
}

// keep drops the rows that want does not name.
func (t *table[T, P]) keep(want func(P) bool) {
	rows := t.rows
	t.rows, t.index = nil, nil
	for _, row := range rows {
		if want(row) {
			t.add(row)
		}
	}
}

// MarshalJSON implements json.Marshaler.
func (t table[T, P]) MarshalJSON() ([]byte, error) { return json.Marshal(t.rows) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *table[T, P]) UnmarshalJSON(b []byte) error {
	var rows []P
	if err := json.Unmarshal(b, &rows); err != nil {
		return fmt.Errorf("read table: %w", err)
	}
	t.rows, t.index = nil, nil
	for _, row := range rows {
		t.add(row)
	}
	return nil
}

// newID is a prefix with what nobody can guess, since the addresses of pages are made of it.
func newID(prefix string) string { return prefix + "_" + rand.Text()[:24] }

// list is how Stripe answers with several objects.
type list[T any] struct {
	Object  string `json:"object"`
	Data    []T    `json:"data"`
	HasMore bool   `json:"has_more"`
	URL     string `json:"url"`
}

func listOf[T any](url string, rows ...T) list[T] {
	if rows == nil {
		rows = []T{}
	}
	return list[T]{Object: "list", Data: rows, URL: url}
}
