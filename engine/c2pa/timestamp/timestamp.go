// Package timestamp reads and asks for RFC 3161 time-stamps. It verifies them itself, byte for byte as they were signed:
// the libraries at hand know neither RSASSA-PSS nor Ed25519 and check neither the signed attributes nor the authority.
package timestamp

import (
	"crypto"
	"errors"
	"fmt"
	"time"

	"veracity/engine/c2pa/certs"
)

// Errors of time-stamps.
var (
	// ErrMalformed: it is no time-stamp token, or its own signature is wrong.
	ErrMalformed = errors.New("malformed time-stamp")
	// ErrMismatch: it stamps other bytes.
	ErrMismatch = errors.New("the time-stamp is of other bytes")
	// ErrOutside: it was made outside the validity of its own certificate.
	ErrOutside = errors.New("the time-stamp lies outside its certificate's validity")
	// ErrUntrusted: it is signed by means, or with a certificate, that no list can make trusted (specification 2.2, section
	// 15.8.2: timeStamp.untrusted). It is an ErrMalformed too.
	ErrUntrusted = fmt.Errorf("%w: nothing to trust", ErrMalformed)
)

// MaxToken bounds a token or a response in bytes. Real ones have two to seven thousand.
const MaxToken = 128 << 10

// Stamp is a time-stamp that verifies in itself. Whether its authority is trusted is for certs.Lists to judge.
type Stamp struct {
	Time time.Time
	// Chain begins with the authority's certificate.
	Chain []certs.Certificate
}

// Verify reads a DER TimeStampToken or TimeStampResp over the message (RFC 3161, section 2.4.2; specification 2.2, section
// 15.8.2). What it answers was signed, together with exactly this time and message, by a certificate in the token that is
// for time-stamps and was valid at that time. Its errors wrap one of this package's.
func Verify(token, message []byte) (Stamp, error) {
	signed, err := parse(token)
	if err != nil {
		return Stamp{}, err
	}
	if err := signed.verify(); err != nil {
		return Stamp{}, err
	}
	if err := signed.info.stamps(message); err != nil {
		return Stamp{}, err
	}
	at, authority := signed.info.time, signed.chain[0]
	if at.Before(authority.NotBefore) || at.After(authority.NotAfter) {
		return Stamp{}, ErrOutside
	}
	return Stamp{Time: at, Chain: signed.chain}, nil
}

// stamps says whether the stamp is of the message.
func (i info) stamps(message []byte) error {
	if sum(i.hash, message) != string(i.imprint) {
		return ErrMismatch
	}
	return nil
}

func sum(h crypto.Hash, data []byte) string {
	state := h.New()
	state.Write(data)
	return string(state.Sum(nil))
}

func malformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

func untrusted(what string) error { return fmt.Errorf("%w: %s", ErrUntrusted, what) }
