package origin

import (
	"crypto/sha256"
	"encoding/hex"

	"veracity/engine/c2pa/carrier"
)

const (
	// storePresent is noted of a manifest store that cannot be cut out of its file whole.
	storePresent = "present"
	maxBoxes     = 4096
)

// storeNote is the note of an embedded manifest store: the SHA-256 of its bytes, as C2PA's own readers see them.
func storeNote(f carrier.File) string {
	found, err := carrier.Find(f)
	if err != nil || found == nil {
		return storePresent
	}
	sum := sha256.Sum256(found.Store)
	return "sha256:" + hex.EncodeToString(sum[:])
}
