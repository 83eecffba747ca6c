package storage_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

const (
	pictureType = "image/jpeg"
	// waitLimit is how long a condition may take before a test fails.
	waitLimit = 10 * time.Second
)

// stores are the backends; a test of what they share ranges over them and opens one of its own.
var stores = map[string]func(testing.TB) storage.Store{
	"disk": storagetest.OpenDisk,
	"s3":   storagetest.OpenS3,
}

func randomBytes(t *testing.T, size int) []byte {
	t.Helper()
	content := make([]byte, size)
	_, err := rand.Read(content)
	require.NoError(t, err)
	return content
}

func put(t *testing.T, store storage.Store, key string, content []byte) {
	t.Helper()
	require.NoError(t, store.Put(t.Context(), key, bytes.NewReader(content), int64(len(content)), pictureType))
}

func requireContent(t *testing.T, store storage.Store, key string, want []byte) {
	t.Helper()
	body, info, err := store.Open(t.Context(), key)
	require.NoError(t, err)
	got, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	require.True(t, bytes.Equal(want, got), "the blob has other bytes than were stored")
	require.Equal(t, int64(len(want)), info.Size)
}

func requireAbsent(t *testing.T, store storage.Store, key string) {
	t.Helper()
	_, err := store.Stat(t.Context(), key)
	require.ErrorIs(t, err, storage.ErrNotFound)
}

func newTicket(t *testing.T, store storage.Store, key string, size int) storage.Ticket {
	t.Helper()
	ticket, err := store.Ticket(t.Context(), storage.TicketRequest{
		Key: key, ContentType: pictureType, Size: int64(size), Expires: time.Now().Add(time.Hour),
	})
	require.NoError(t, err)
	return ticket
}

// uploadRequest is the PUT that a ticket's holder sends; tests change it before they send it.
func uploadRequest(t *testing.T, ticket storage.Ticket, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), ticket.Method, ticket.URL, body)
	require.NoError(t, err)
	for name, value := range ticket.Headers {
		req.Header.Set(name, value)
	}
	return req
}

// answer is what a test needs of a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, req *http.Request) answer {
	t.Helper()
	client := &http.Client{Timeout: waitLimit}
	res, err := client.Do(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return answer{status: res.StatusCode, header: res.Header, body: string(body)}
}

func upload(t *testing.T, ticket storage.Ticket, content []byte) answer {
	t.Helper()
	return send(t, uploadRequest(t, ticket, bytes.NewReader(content)))
}
