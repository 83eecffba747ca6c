package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// secretPrefix starts every signing secret, as Standard Webhooks has it.
const secretPrefix = "whsec_"

// signature is the value of Service-Signature: HMAC-SHA256 (RFC 2104) of the body, keyed with the whole signing secret
// as the customer was shown it, in lower-case hex.
func signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// standardSignature is the value of webhook-signature (Standard Webhooks 1.0, "Signature scheme"): HMAC-SHA256 over
// id.timestamp.body, keyed with the bytes that the secret's base64 stands for.
func standardSignature(secret string, id uuid.UUID, at time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", fmt.Errorf("read signing secret: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id.String() + "." + unix(at) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// headers are those of one attempt. The id is the same at each, so that a receiver counts what comes twice once.
func headers(secret string, id uuid.UUID, at time.Time, body []byte) (map[string][]string, error) {
	standard, err := standardSignature(secret, id, at, body)
	if err != nil {
		return nil, err
	}
	return map[string][]string{
		"Content-Type":      {"application/json"},
		"Service-Signature": {signature(secret, body)},
		"Webhook-Id":        {id.String()},
		"Webhook-Timestamp": {unix(at)},
		"Webhook-Signature": {standard},
	}, nil
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
