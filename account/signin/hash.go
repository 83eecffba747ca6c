package signin

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// maxPasswordBytes bounds what a form can make us hash.
const maxPasswordBytes = 1024

// hasher makes and compares Argon2id hashes, a few at a time, so that a flood of sign-ins waits instead of taking all
// memory.
type hasher struct {
	params argon2id.Params
	slots  chan struct{}
	// dummy is compared in place of the hash that an unknown person has not, so that both take as long.
	dummy string
}

func newHasher(cfg Config) (*hasher, error) {
	h := &hasher{params: cfg.Hash, slots: make(chan struct{}, cfg.HashesAtOnce)}
	dummy, err := argon2id.CreateHash("nobody's", &h.params)
	if err != nil {
		return nil, fmt.Errorf("hash dummy password: %w", err)
	}
	h.dummy = dummy
	return h, nil
}

// hash makes the PHC string of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	made, err := argon2id.CreateHash(normal(password), &h.params)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return made, nil
}

// matches compares a password with a PHC string, or, when that is nil, with the dummy, which nothing matches. stale tells
// that the hash was made with less work than new ones are.
func (h *hasher) matches(ctx context.Context, password string, hash *string) (ok, stale bool, err error) {
	if err := h.enter(ctx); err != nil {
		return false, false, err
	}
	defer h.leave()
	against := h.dummy
	if hash != nil {
		against = *hash
	}
	if len(password) > maxPasswordBytes {
		password = ""
	}
	ok, made, err := argon2id.CheckHash(normal(password), against)
	if err != nil {
		return false, false, fmt.Errorf("compare password: %w", err)
	}
	return ok && hash != nil, h.weaker(made), nil
}

func (h *hasher) weaker(made *argon2id.Params) bool {
	return made.Memory < h.params.Memory || made.Iterations < h.params.Iterations ||
		made.SaltLength < h.params.SaltLength || made.KeyLength < h.params.KeyLength
}

func (h *hasher) enter(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash password: %w", ctx.Err())
	}
}

func (h *hasher) leave() { <-h.slots }

// normal makes a password the same from every keyboard (NFKC; NIST SP 800-63B, section 5.1.1.2).
func normal(password string) string { return norm.NFKC.String(password) }
