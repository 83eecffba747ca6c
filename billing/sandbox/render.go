package sandbox

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// render is an object as an answer shows it: what is private left out, prices whole, addresses of pages filled in.
func (w *world) render(object any) map[string]any {
	m := asMap(object)
	w.finish(m)
	return m
}

func (w *world) finish(m map[string]any) {
	delete(m, private)
	switch m["object"] {
	case "subscription_item", "line_item", "invoiceitem":
		w.wholePrice(m)
	case "invoice":
		if m["status"] != draft && m["id"] != nil {
			m["hosted_invoice_url"] = w.url + invoicePath + m["id"].(string)
		}
	case "checkout.session":
		if m["status"] == open {
			m["url"] = w.url + payPath + m["id"].(string)
		}
	}
	for _, value := range m {
		switch value := value.(type) {
		case map[string]any:
			w.finish(value)
		case []any:
			for _, one := range value {
				if one, ok := one.(map[string]any); ok {
					w.finish(one)
				}
			}
		}
	}
}

func (w *world) wholePrice(m map[string]any) {
	id, ok := m["price"].(string)
	if !ok {
		return
	}
	p, ok := w.Prices.find(id)
	if !ok {
		return
	}
	m["price"], m["plan"] = asMap(p), p.plan()
}

// find is any object that can be named by an id.
func (w *world) find(id string) (any, bool) {
	prefix, _, _ := strings.Cut(id, "_")
	if prefix == "sub" && strings.HasPrefix(id, "sub_sched_") {
		prefix = "sub_sched"
	}
	switch prefix {
	case "cus":
		c, ok := w.Customers.find(id)
		if ok && c.Private.Deleted {
			return deletedOne{c.ID, c.Object, true}, true
		}
		return c, ok
	case "prod":
		return look(&w.Products, id)
	case "price":
		return look(&w.Prices, id)
	case "sub":
		return look(&w.Subscriptions, id)
	case "sub_sched":
		return look(&w.Schedules, id)
	case "in":
		return look(&w.Invoices, id)
	case "ii":
		return look(&w.Pending, id)
	case "pm":
		return look(&w.Methods, id)
	case "pi":
		return look(&w.Intents, id)
	case "ch":
		return look(&w.Charges, id)
	case "bpc":
		return look(&w.Configurations, id)
	}
	return look(&w.Products, id) // products may have ids of their makers
}

func look[T any, P interface {
	*T
	record
}](t *table[T, P], id string) (any, bool) {
	row, ok := t.find(id)
	return row, ok
}

// deletedOne is what is left of a deleted object.
type deletedOne struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// maxExpand is how deep expand may reach (https://docs.stripe.com/expand).
const maxExpand = 4

// expand puts whole objects in the place of ids. Paths are relative to the answer.
func (w *world) expand(m map[string]any, paths []string) error {
	for _, path := range paths {
		steps := strings.Split(path, ".")
		if len(steps) > maxExpand {
			return refuse("expand", "", "You cannot expand more than %d levels of a property. Property: %s", maxExpand, path)
		}
		if err := w.expandOne(m, steps, path); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) expandOne(m map[string]any, steps []string, path string) error {
	refused := refuse("expand", "", "This property cannot be expanded (%s).", path)
	value, ok := m[steps[0]]
	if !ok || steps[0] == "id" {
		return refused
	}
	if id, ok := value.(string); ok {
		object, ok := w.find(id)
		if !ok {
			return refused
		}
		value = w.render(object)
		m[steps[0]] = value
	}
	switch value := value.(type) {
	case map[string]any:
		if len(steps) > 1 {
			return w.expandOne(value, steps[1:], path)
		}
	case []any:
		for _, one := range value {
			one, ok := one.(map[string]any)
			if !ok || len(steps) == 1 {
				return refused
			}
			if err := w.expandOne(one, steps[1:], path); err != nil {
				return err
			}
		}
	case nil: // there is nothing to expand
	default:
		return refused
	}
	return nil
}

// previous is what before had of what after has differently: only the changed keys of an object, the whole of a list.
func previous(before, after map[string]any) map[string]any {
	changed := map[string]any{}
	for key, was := range before {
		is, ok := after[key]
		if reflect.DeepEqual(was, is) {
			continue
		}
		wasMap, wasOK := was.(map[string]any)
		isMap, isOK := is.(map[string]any)
		if ok && wasOK && isOK {
			was = previous(wasMap, isMap)
		}
		changed[key] = was
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			changed[key] = nil
		}
	}
	return changed
}

// mustJSON writes a value that has nothing in it that JSON has not.
func mustJSON(value any) json.RawMessage {
	b, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("write %T: %v", value, err))
	}
	return b
}
