package timestamp_test

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	digitorus "github.com/digitorus/timestamp"
	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/timestamp"
	"veracity/engine/c2pa/timestamp/tsatest"
)

var message = []byte("a signature")

func TestStampsOfAnotherMakerVerify(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	for name, c := range map[string]struct {
		kind certstest.Kind
		hash crypto.Hash
	}{
		"P-256, SHA-256": {certstest.P256, crypto.SHA256}, "P-384, SHA-384": {certstest.P384, crypto.SHA384},
		"P-521, SHA-512": {certstest.P521, crypto.SHA512}, "RSA, SHA-256": {certstest.RSA, crypto.SHA256},
		"RSA, SHA-512": {certstest.RSA, crypto.SHA512},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sub := root.Sub(t, "Sub")
			tsa := tsatest.New(t, sub, certstest.Of(c.kind))
			tsa.Hash = c.hash
			at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
			tsa.Clock = func() time.Time { return at }
			token, err := tsa.Stamp(message)
			require.NoError(t, err)
			stamp, err := timestamp.Verify(token, message)
			require.NoError(t, err)
			require.Equal(t, at, stamp.Time)
			require.Equal(t, tsa.Certificate.Raw, stamp.Chain[0].Raw)
			require.Len(t, stamp.Chain, 2)
			require.Equal(t, sub.Certificate.Raw, stamp.Chain[1].Raw)
		})
	}
}

func TestRequestAndAnswerOverHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(tsatest.New(t, certstest.Root(t, "Root")))
	t.Cleanup(server.Close)
	request, err := timestamp.Request(message)
	require.NoError(t, err)
	post := func(body []byte) []byte {
		answer, err := http.Post(server.URL, "application/timestamp-query", bytes.NewReader(body)) //nolint:forbidigo // a server of the test
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Equal(t, "application/timestamp-reply", answer.Header.Get("Content-Type"))
		response, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return response
	}
	response := post(request)
	token, err := timestamp.Token(response, request, message)
	require.NoError(t, err)
	for _, der := range [][]byte{token, response} {
		stamp, err := timestamp.Verify(der, message)
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), stamp.Time, time.Minute)
	}
	_, err = timestamp.Token(post([]byte("no request")), request, message)
	require.ErrorIs(t, err, timestamp.ErrMalformed, "a rejection")
}

func TestRequestsAreReadByAnotherMaker(t *testing.T) {
	t.Parallel()
	first, err := timestamp.Request(message)
	require.NoError(t, err)
	second, err := timestamp.Request(message)
	require.NoError(t, err)
	require.NotEqual(t, first, second, "each has a nonce of its own")
	parsed, err := digitorus.ParseRequest(first)
	require.NoError(t, err)
	digest := sha256.Sum256(message)
	require.Equal(t, digest[:], parsed.HashedMessage)
	require.Equal(t, crypto.SHA256, parsed.HashAlgorithm)
	require.True(t, parsed.Certificates)
	require.Positive(t, parsed.Nonce.BitLen())
}

func TestTokenRefusesAnswersToOtherRequests(t *testing.T) {
	t.Parallel()
	tsa := tsatest.New(t, certstest.Root(t, "Root"))
	request, err := timestamp.Request(message)
	require.NoError(t, err)
	again, err := timestamp.Request(message)
	require.NoError(t, err)
	response, err := tsa.Answer(request)
	require.NoError(t, err)
	token, err := timestamp.Token(response, request, message)
	require.NoError(t, err)

	_, err = timestamp.Token(response, again, message)
	require.ErrorIs(t, err, timestamp.ErrMismatch, "another nonce")
	_, err = timestamp.Token(response, request, []byte("another"))
	require.ErrorIs(t, err, timestamp.ErrMismatch)
	_, err = timestamp.Token(token, request, message)
	require.ErrorIs(t, err, timestamp.ErrMalformed, "a token is no response")
	_, err = timestamp.Token(response, nil, message)
	require.ErrorIs(t, err, timestamp.ErrMalformed)
	other, err := timestamp.Request([]byte("another"))
	require.NoError(t, err)
	_, err = timestamp.Token(response, other, message)
	require.ErrorIs(t, err, timestamp.ErrMismatch)
}

func TestStampsOfOtherBytesAndTimesAreToldApart(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	tsa := tsatest.New(t, root)
	token, err := tsa.Stamp(message)
	require.NoError(t, err)
	_, err = timestamp.Verify(token, []byte("another"))
	require.ErrorIs(t, err, timestamp.ErrMismatch)
	require.NotErrorIs(t, err, timestamp.ErrMalformed)

	for _, at := range []time.Time{tsa.Certificate.NotBefore.Add(-time.Second), tsa.Certificate.NotAfter.Add(time.Second)} {
		tsa.Clock = func() time.Time { return at }
		_, err = tsa.Stamp(message)
		require.ErrorIs(t, err, timestamp.ErrOutside)
	}
	tsa.Clock = func() time.Time { return tsa.Certificate.NotAfter }
	_, err = tsa.Stamp(message)
	require.NoError(t, err)
}

func TestWhatIsNoTokenIsMalformed(t *testing.T) {
	t.Parallel()
	tsa := tsatest.New(t, certstest.Root(t, "Root"))
	token, err := tsa.Stamp(message)
	require.NoError(t, err)
	rejection, err := digitorus.CreateErrorResponse(digitorus.Rejection, digitorus.BadAlgorithm)
	require.NoError(t, err)
	for name, der := range map[string][]byte{
		"nothing": nil, "an empty sequence": {0x30, 0}, "cut": token[:len(token)-1],
		"more behind it": append(bytes.Clone(token), 0), "too long": make([]byte, timestamp.MaxToken+1),
		"a rejection": rejection, "a certificate": tsa.Certificate.Raw, "text": []byte("token"),
	} {
		_, err := timestamp.Verify(der, message)
		require.ErrorIs(t, err, timestamp.ErrMalformed, name)
	}
}

func TestEveryBitOfATokenCounts(t *testing.T) {
	t.Parallel()
	tsa := tsatest.New(t, certstest.Root(t, "Root"))
	token, err := tsa.Stamp(message)
	require.NoError(t, err)
	whole, err := timestamp.Verify(token, message)
	require.NoError(t, err)
	for i := range token {
		broken := bytes.Clone(token)
		broken[i] ^= 1 << (i % 8)
		stamp, err := timestamp.Verify(broken, message)
		// What is not signed is versions, the digest algorithms named outside and the certificate's own signature.
		if err == nil {
			require.Equal(t, whole.Time, stamp.Time, "byte %d", i)
			require.Equal(t, whole.Chain[0].RawTBSCertificate, stamp.Chain[0].RawTBSCertificate, "byte %d", i)
		}
	}
}
