package c2pa

import (
	"bytes"
	"encoding/json"
	"strings"

	"veracity/engine/c2pa/status"
)

// sourceTypeOf is the digital source type that metadata in JSON-LD states: the first string under the key
// DigitalSourceType of whatever prefix (specification 2.2, section 18.16.3; IPTC photo metadata).
func sourceTypeOf(content []byte) string {
	found := ""
	walkJSON(content, func(path []string, value string) bool {
		for _, key := range path {
			if strings.EqualFold(localName(key), "DigitalSourceType") {
				found = clean(value)
			}
		}
		return found == ""
	})
	return found
}

// localName is a key without its prefix.
func localName(key string) string {
	return key[strings.LastIndexAny(key, ":/#")+1:]
}

// maxJSONDepth bounds how deep metadata is read; what stands deeper is passed over.
const maxJSONDepth = 8

// walkJSON calls see for every string of a document, with the keys that lead to it, until it answers false.
func walkJSON(content []byte, see func(path []string, value string) bool) {
	dec := json.NewDecoder(bytes.NewReader(content))
	dec.UseNumber()
	w := jsonWalk{dec: dec, see: see}
	w.value(0)
}

// jsonWalk reads a document token by token, so that no more of it is in memory than the keys of one path.
type jsonWalk struct {
	dec  *json.Decoder
	see  func(path []string, value string) bool
	path []string
}

// value reads one value; it is false when the walk is over.
func (w *jsonWalk) value(depth int) bool {
	token, err := w.dec.Token()
	if err != nil {
		return false
	}
	switch t := token.(type) {
	case string:
		return len(w.path) > maxJSONDepth || w.see(w.path, t)
	case json.Delim:
		if depth == 1000 {
			return false
		}
		return w.members(t == '{', depth)
	}
	return true
}

// members reads what stands in an object or an array, and its end.
func (w *jsonWalk) members(keyed bool, depth int) bool {
	for w.dec.More() {
		if keyed {
			key, err := w.dec.Token()
			name, ok := key.(string)
			if err != nil || !ok {
				return false
			}
			w.path = append(w.path, name)
		}
		if !w.value(depth + 1) {
			return false
		}
		if keyed {
			w.path = w.path[:len(w.path)-1]
		}
	}
	_, err := w.dec.Token()
	return err == nil
}

// checkMetadata checks that c2pa.metadata has allowed fields alone (specification 2.2, section 15.10.3.2.3 and appendix B).
func (m *manifest) checkMetadata(a *assertion, content []byte) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(content, &fields); err != nil {
		m.add(status.AssertionJSONInvalid, a.uri, "The metadata is no object.")
		return
	}
	for field := range fields {
		if !metadataAllowed(field) {
			m.add(status.MetadataDisallowed, a.uri, "The metadata has a field that it must not have.")
			return
		}
	}
}
