// Package seal encrypts small secrets at rest with AES-256-GCM (NIST SP 800-38D) under a ring of keys, so that keys
// can be rotated: the first key seals, every key opens. It knows nothing of what the secrets are for.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// KeySize is the length of a key in bytes (AES-256).
const KeySize = 32

// ErrUnknownKey says that an envelope was sealed under a key which the ring no longer lists.
var ErrUnknownKey = errors.New("sealed under a key that VERACITY_SECRET_KEY no longer lists")

var keyID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// Ring is an ordered set of named keys. It is safe for concurrent use.
type Ring struct {
	first string
	aeads map[string]cipher.AEAD
}

// Parse reads a ring from its setting: `id:base64key` pairs separated by commas, the newest first. A key is 32 bytes
// in standard base64. The error names the pair by its place, never by its content.
func Parse(setting string) (*Ring, error) {
	r := &Ring{aeads: map[string]cipher.AEAD{}}
	for i, pair := range strings.Split(setting, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(pair), ":")
		if !ok || !keyID.MatchString(id) {
			return nil, fmt.Errorf("key %d must be written id:base64 with an id of letters, digits, - and _", i+1)
		}
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(raw) != KeySize {
			return nil, fmt.Errorf("key %d (%s) must be %d bytes in base64: make one with `openssl rand -base64 32`", i+1, id, KeySize)
		}
		if _, dup := r.aeads[id]; dup {
			return nil, fmt.Errorf("key id %s is listed twice", id)
		}
		aead, err := newAEAD(raw)
		if err != nil {
			return nil, err
		}
		r.aeads[id] = aead
		if r.first == "" {
			r.first = id
		}
	}
	return r, nil
}

// NewKey makes a setting for [Parse] with one fresh random key.
func NewKey(id string) string {
	raw := make([]byte, KeySize)
	_, _ = rand.Read(raw) // crypto/rand.Read never fails: https://pkg.go.dev/crypto/rand#Read
	return id + ":" + base64.StdEncoding.EncodeToString(raw)
}

// Seal encrypts plaintext for the place named by context, which [Ring.Open] must be given again: an envelope copied to
// another row does not open there. The envelope is text: key id, ".", base64url of nonce and ciphertext.
func (r *Ring) Seal(plaintext []byte, context string) string {
	aead := r.aeads[r.first]
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	sealed := aead.Seal(nonce, nonce, plaintext, []byte(context))
	return r.first + "." + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open decrypts an envelope. It returns [ErrUnknownKey] when the ring lacks its key, and an error without detail when
// the envelope was altered or belongs to another context.
func (r *Ring) Open(envelope, context string) ([]byte, error) {
	id, encoded, ok := strings.Cut(envelope, ".")
	if !ok {
		return nil, errors.New("not a sealed envelope")
	}
	aead, ok := r.aeads[id]
	if !ok {
		return nil, ErrUnknownKey
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(raw) < aead.NonceSize() {
		return nil, errors.New("not a sealed envelope")
	}
	plain, err := aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], []byte(context))
	if err != nil {
		return nil, fmt.Errorf("open sealed envelope: %w", err)
	}
	return plain, nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make GCM: %w", err)
	}
	return aead, nil
}
