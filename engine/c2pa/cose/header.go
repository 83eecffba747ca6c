package cose

import (
	"fmt"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
)

// Labels of header parameters (RFC 9052, section 3.1; RFC 9360, section 2). C2PA also took the text for x5chain
// (specification 2.2, section 14.5).
const (
	labelAlgorithm = 1
	labelCritical  = 2
	labelChain     = 33
	textChain      = "x5chain"
)

// headers are both maps of header parameters.
type headers struct {
	protected, unprotected cbor.Value
}

// readHeaders reads the protected map out of its bytes, which are none for an empty map. A label in both maps is refused
// (RFC 9052, section 3), as is a parameter that the signer calls critical and nobody here knows.
func readHeaders(protected []byte, unprotected cbor.Value) (headers, error) {
	h := headers{unprotected: unprotected}
	if len(protected) > 0 {
		var err error
		if h.protected, err = cbor.Decode(protected); err != nil {
			return headers{}, fmt.Errorf("%w: protected header: %w", ErrInvalid, err)
		}
		if h.protected.Kind() != cbor.Map {
			return headers{}, invalid("the protected header is no map")
		}
	}
	seen := map[any]bool{}
	for _, p := range h.protected.Pairs() {
		label, ok := labelOf(p.Key)
		if !ok {
			return headers{}, invalid("a label of another kind")
		}
		seen[label] = true
	}
	for _, p := range unprotected.Pairs() {
		label, ok := labelOf(p.Key)
		if !ok {
			return headers{}, invalid("a label of another kind")
		}
		if seen[label] {
			return headers{}, invalid("the label %v in both headers", label)
		}
	}
	if unprotected.GetInt(labelCritical).Kind() != cbor.Absent {
		return headers{}, invalid("critical labels outside the protected header")
	}
	return h, h.checkCritical()
}

// labelOf is an integer or a text.
func labelOf(key cbor.Value) (any, bool) {
	if n, ok := key.Int(); ok {
		return n, true
	}
	text, ok := key.Text()
	return text, ok
}

func (h headers) checkCritical() error {
	critical := h.protected.GetInt(labelCritical)
	if critical.Kind() == cbor.Absent {
		return nil
	}
	if len(critical.Elements()) == 0 {
		return invalid("no critical labels")
	}
	for _, label := range critical.Elements() {
		switch name, _ := labelOf(label); name {
		case int64(labelAlgorithm), int64(labelChain), textChain:
		default:
			return invalid("unknown critical parameter")
		}
	}
	return nil
}

// text is a parameter of either header.
func (h headers) text(label string) cbor.Value {
	if v := h.protected.Get(label); v.Kind() != cbor.Absent {
		return v
	}
	return h.unprotected.Get(label)
}

// algorithm is that of the protected header: one that is not signed does not count (specification 2.2, section 13.2.3).
func (h headers) algorithm() (Algorithm, error) {
	number, ok := h.protected.GetInt(labelAlgorithm).Int()
	if !ok {
		return 0, fmt.Errorf("%w: none is stated", ErrAlgorithm)
	}
	if _, ok = names[Algorithm(number)]; !ok {
		return Algorithm(number), fmt.Errorf("%w: %d", ErrAlgorithm, number)
	}
	return Algorithm(number), nil
}

// chain is x5chain from either header, under its number before its name (specification 2.2, section 14.5).
func (h headers) chain() ([][]byte, error) {
	v := h.protected.GetInt(labelChain)
	if v.Kind() == cbor.Absent {
		v = h.unprotected.GetInt(labelChain)
	}
	if v.Kind() == cbor.Absent {
		v = h.text(textChain)
	}
	if one, ok := v.Bytes(); ok {
		return [][]byte{one}, nil
	}
	elements := v.Elements()
	if len(elements) == 0 || len(elements) > certs.MaxChain {
		return nil, invalid("%d certificates", len(elements))
	}
	chain := make([][]byte, len(elements))
	for i, e := range elements {
		der, ok := e.Bytes()
		if !ok {
			return nil, invalid("a certificate is no byte string")
		}
		chain[i] = der
	}
	return chain, nil
}

// stamps are the tokens of a tstContainer (specification 2.2, section 10.3.2.5.4).
func stamps(container cbor.Value) [][]byte {
	if container.Kind() == cbor.Absent {
		return nil
	}
	tokens := container.Get("tstTokens").Elements()
	if len(tokens) == 0 {
		return [][]byte{{}}
	}
	list := make([][]byte, 0, maxStamps)
	for _, token := range tokens[:min(len(tokens), maxStamps)] {
		value, _ := token.Get("val").Bytes()
		list = append(list, append([]byte{}, value...))
	}
	return list
}

// responses are the OCSP responses of rVals (specification 2.2, section 14.5.2), those that are byte strings.
func responses(container cbor.Value) [][]byte {
	var list [][]byte
	for _, e := range container.Get("ocspVals").Elements() {
		if der, ok := e.Bytes(); ok && len(list) < maxOCSP {
			list = append(list, der)
		}
	}
	return list
}
