package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash/crc32"
	"math/big"
	"strings"
)

// Shape of an API key: prefix, 30 random base62 digits (178 bits), and the CRC-32 (IEEE) of both in 6 base62 digits, so
// that a malformed key is told apart, by a secret scanner or by us, without the database.
const (
	keyPrefix    = "svc_live_"
	keyRandom    = 30
	keyChecksum  = 6
	keyLength    = len(keyPrefix) + keyRandom + keyChecksum
	keyShown     = len(keyPrefix) + 4
	secretPrefix = "whsec_"
	secretBytes  = 32
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// newToken makes an API key.
func newToken() (string, error) {
	var b strings.Builder
	b.WriteString(keyPrefix)
	for range keyRandom {
		digit, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			return "", err
		}
		b.WriteByte(base62[digit.Int64()])
	}
	return b.String() + checksum(b.String()), nil
}

// wellFormed tells whether a string can be a key of ours: prefix, length, alphabet and checksum.
func wellFormed(token string) bool {
	if len(token) != keyLength || !strings.HasPrefix(token, keyPrefix) {
		return false
	}
	body, sum := token[:keyLength-keyChecksum], token[keyLength-keyChecksum:]
	for _, c := range body[len(keyPrefix):] {
		if !strings.ContainsRune(base62, c) {
			return false
		}
	}
	return checksum(body) == sum
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	digits := make([]byte, keyChecksum)
	for i := keyChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits)
}

// hashToken is what is stored of a key. A key has 178 random bits, so a fast hash is enough.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// newSecret makes a webhook signing secret in the form of Standard Webhooks (whsec_ and base64).
func newSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // crypto/rand.Read never fails: https://pkg.go.dev/crypto/rand#Read
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}
