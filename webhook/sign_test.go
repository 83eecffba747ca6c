package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// verifyService is what a receiver does with Service-Signature, written apart from what makes it.
func verifyService(t *testing.T, secret string, got received) {
	t.Helper()
	digest, ok := strings.CutPrefix(got.header.Get("Service-Signature"), "sha256=")
	require.True(t, ok)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(got.body)
	require.Equal(t, hex.EncodeToString(mac.Sum(nil)), digest)
}

// verifyStandard is what a Standard Webhooks library does.
func verifyStandard(t *testing.T, secret string, got received) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	require.NoError(t, err)
	at, err := strconv.ParseInt(got.header.Get("Webhook-Timestamp"), 10, 64)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), time.Unix(at, 0), time.Minute)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(got.header.Get("Webhook-Id") + "." + got.header.Get("Webhook-Timestamp") + "."))
	mac.Write(got.body)
	require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), got.header.Get("Webhook-Signature"))
}
