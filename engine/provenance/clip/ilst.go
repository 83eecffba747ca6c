package clip

import (
	"encoding/binary"
	"unicode/utf8"

	"veracity/engine/probe"
)

// Limits of one list of items.
const (
	maxKeys     = 1024
	maxKeyBytes = 256 << 10
	maxItems    = 1024
	maxParts    = 16
)

// Types of an item's value (QuickTime File Format, Well-Known Types). Undeclared is what writers without a choice put.
const (
	typeUndeclared = 0
	typeUTF8       = 1
	typeUTF16      = 2
	// itemHeader is the size of a value's type and locale.
	itemHeader = 8
)

// meta reads a metadata box: the handler tells whether the list's items are named by codes, as iTunes does it, or by
// keys of the writer's. QuickTime's own form has no version before the first box.
func (c *collector) meta(where string, meta probe.Box) {
	start := meta.Body + fullBox
	if head, err := c.blocks.Bytes(meta.Body, min(8, meta.Len())); err != nil {
		return
	} else if len(head) == 8 && string(head[4:]) == "hdlr" {
		start = meta.Body
	}
	var keys []string
	var list *probe.Box
	for box, err := range c.blocks.Boxes(start, meta.End, maxBoxes) {
		if err != nil {
			break
		}
		switch box.Kind {
		case "keys":
			keys = c.keys(box)
		case "ilst":
			list = &box
		}
	}
	if list != nil {
		c.items(where, *list, keys)
	}
}

// keys reads the names of a list's items: version and flags, their number, and each with its length and its namespace.
func (c *collector) keys(box probe.Box) []string {
	if box.Len() > maxKeyBytes {
		return nil
	}
	body, ok := c.bytes(box.Body, box.End)
	if !ok || len(body) < 8 {
		return nil
	}
	var keys []string
	for body = body[8:]; len(body) >= 8 && len(keys) < maxKeys; {
		size := uint64(binary.BigEndian.Uint32(body))
		if size < 8 || size > uint64(len(body)) {
			break
		}
		keys = append(keys, string(body[8:size]))
		body = body[size:]
	}
	return keys
}

// items reads a list. Its items are named by keys when there are any.
func (c *collector) items(where string, list probe.Box, keys []string) {
	for item, err := range c.blocks.Boxes(list.Body, list.End, maxItems) {
		if err != nil {
			return
		}
		field, name := fourccs[item.Kind], fourcc(item.Kind)
		// Keys count from 1. Codes are far above any number of keys.
		if n := uint64(binary.BigEndian.Uint32([]byte(item.Kind))); n >= 1 && n <= uint64(len(keys)) {
			name = keys[n-1]
			field = named(name)
		}
		c.item(where+":", field, name, item)
	}
}

// item reads the texts of an item. An item of iTunes' free form tells its domain and name in boxes before them.
func (c *collector) item(where, field, name string, item probe.Box) {
	free := item.Kind == "----"
	var domain, own string
	for box, err := range c.blocks.Boxes(item.Body, item.End, maxParts) {
		if err != nil {
			return
		}
		switch {
		case free && box.Kind == "mean":
			domain = c.itemName(box)
		case free && box.Kind == "name":
			own = c.itemName(box)
		case box.Kind == "data":
			if free {
				name = domain + ":" + own
				field = named(name)
			}
			if field == "" {
				return
			}
			if value, ok := c.itemText(box); ok {
				c.text(field, where+label(name), value)
			}
		}
	}
}

func (c *collector) itemName(box probe.Box) string {
	body, err := c.blocks.Bytes(box.Body, min(maxName+fullBox, box.Len()))
	if err != nil || len(body) < fullBox {
		return ""
	}
	return string(body[fullBox:])
}

// itemText reads a value when its type is a text's: covers and numbers stay where they are.
func (c *collector) itemText(data probe.Box) (string, bool) {
	head, err := c.blocks.Bytes(data.Body, min(itemHeader, data.Len()))
	if err != nil || len(head) < itemHeader {
		return "", false
	}
	kind := binary.BigEndian.Uint32(head)
	if kind != typeUndeclared && kind != typeUTF8 && kind != typeUTF16 {
		return "", false
	}
	body, ok := c.bytes(data.Body+itemHeader, data.End)
	if !ok {
		return "", false
	}
	if kind == typeUTF16 {
		return decodeUTF16(body, binary.BigEndian), true
	}
	return decode(body), kind == typeUTF8 || utf8.Valid(body)
}
