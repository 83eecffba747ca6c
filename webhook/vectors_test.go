package webhook

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// The vectors of docs/webhooks.md, computed with OpenSSL.
func TestSignaturesMatchTheDocumentedVectors(t *testing.T) {
	t.Parallel()
	secret := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	id := uuid.MustParse("0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f50")
	at := time.Unix(1_760_000_000, 0)
	body := []byte(`{"id":"5f0c7d1e-8a44-4a53-b4a1-3c2f6d9e7b10","status":"failed","media":"image","error":{"code":"job_timeout","message":"The job did not finish in time."}}` + "\n")
	require.Equal(t, "sha256=9113a10b4c3c61ac757c1903f5d1f1467aba301e3b48a964cd79836883053321", signature(secret, body))
	standard, err := standardSignature(secret, id, at, body)
	require.NoError(t, err)
	page, err := os.ReadFile("../docs/webhooks.md")
	require.NoError(t, err)
	for _, told := range []string{secret, id.String(), "`1760000000`", strings.TrimSpace(string(body)), signature(secret, body), standard} {
		require.Contains(t, string(page), told)
	}
	require.Equal(t, "v1,wWBRT4aqZia9IE2VUdKDlVfjjjqNIVzX0R6X+kwidOw=", standard)
}

func TestSecretThatIsNoBase64IsRefused(t *testing.T) {
	t.Parallel()
	_, err := standardSignature("whsec_***", uuid.New(), time.Now(), nil)
	require.Error(t, err)
}
