package storage_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

func TestTicketTakesOneFile(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			content := randomBytes(t, 5<<20)
			ticket := newTicket(t, store, "uploads/one", len(content))
			require.Equal(t, http.MethodPut, ticket.Method)
			require.Equal(t, map[string]string{"Content-Type": pictureType, "If-None-Match": "*"}, ticket.Headers)
			requireAbsent(t, store, "uploads/one")

			first := upload(t, ticket, content)
			require.Equal(t, http.StatusOK, first.status, first.body)
			require.Regexp(t, `^"[^"]+"$`, first.header.Get("ETag"))
			require.NotContains(t, first.header, "Access-Control-Allow-Origin")
			requireContent(t, store, "uploads/one", content)
			info, err := store.Stat(t.Context(), "uploads/one")
			require.NoError(t, err)
			require.Equal(t, pictureType, info.ContentType)
		})
	}
}

func TestSecondPutIsRefused(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			ticket := newTicket(t, store, "uploads/two", 5)
			require.Equal(t, http.StatusOK, upload(t, ticket, []byte("first")).status)
			second := upload(t, ticket, []byte("other"))
			require.Equal(t, http.StatusPreconditionFailed, second.status, second.body)
			requireContent(t, store, "uploads/two", []byte("first"))
		})
	}
}

func TestOfRacingPutsExactlyOneIsTaken(t *testing.T) {
	t.Parallel()
	const racers, size = 8, 256 << 10
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			ticket := newTicket(t, store, "uploads/race", size)
			start := make(chan struct{})
			statuses := make([]int, racers)
			var race sync.WaitGroup
			for i := range racers {
				req := uploadRequest(t, ticket, bytes.NewReader(bytes.Repeat([]byte{byte('a' + i)}, size)))
				race.Go(func() {
					<-start
					statuses[i] = sendAnyway(req)
				})
			}
			close(start)
			race.Wait()

			winner := -1
			for i, status := range statuses {
				if status == http.StatusOK {
					require.Equal(t, -1, winner, "two uploads were taken: %v", statuses)
					winner = i
					continue
				}
				require.Equal(t, http.StatusPreconditionFailed, status)
			}
			require.NotEqual(t, -1, winner, "no upload was taken")
			requireContent(t, store, "uploads/race", bytes.Repeat([]byte{byte('a' + winner)}, size))
		})
	}
}

// sendAnyway is the status of an answer, 0 when none came; unlike send it may run beside the test's own goroutine.
func sendAnyway(req *http.Request) int {
	client := &http.Client{Timeout: waitLimit}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	if err := res.Body.Close(); err != nil {
		return 0
	}
	return res.StatusCode
}

func TestPutThatDiffersFromItsTicketIsRefused(t *testing.T) {
	t.Parallel()
	const size = 1000
	for name, tc := range map[string]struct {
		size   int
		change func(*http.Request)
		status int
	}{
		"another type":          {size, func(r *http.Request) { r.Header.Set("Content-Type", "image/png") }, http.StatusForbidden},
		"the type in capitals":  {size, func(r *http.Request) { r.Header.Set("Content-Type", "IMAGE/JPEG") }, http.StatusForbidden},
		"no type":               {size, func(r *http.Request) { r.Header.Del("Content-Type") }, http.StatusForbidden},
		"no If-None-Match":      {size, func(r *http.Request) { r.Header.Del("If-None-Match") }, http.StatusForbidden},
		"another If-None-Match": {size, func(r *http.Request) { r.Header.Set("If-None-Match", `"x"`) }, http.StatusForbidden},
		"a longer file":         {size + 1, nil, http.StatusForbidden},
		"a shorter file":        {size - 1, nil, http.StatusForbidden},
		"an empty file":         {0, nil, http.StatusForbidden},
		"another key":           {size, func(r *http.Request) { r.URL.Path += "x" }, http.StatusForbidden},
		"no signature":          {size, func(r *http.Request) { r.URL.RawQuery = "x=1" }, http.StatusForbidden},
		"another method":        {0, func(r *http.Request) { r.Method = http.MethodDelete }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, open := range stores {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					store := open(t)
					ticket := newTicket(t, store, "uploads/strict", size)
					req := uploadRequest(t, ticket, bytes.NewReader(randomBytes(t, tc.size)))
					if tc.change != nil {
						tc.change(req)
					}
					got := send(t, req)
					if tc.status != 0 {
						require.Equal(t, tc.status, got.status, got.body)
					}
					require.GreaterOrEqual(t, got.status, http.StatusBadRequest)
					require.Contains(t, got.body, "<Error>")
					requireAbsent(t, store, "uploads/strict")
				})
			}
		})
	}
}

func TestTamperedTicketIsRefused(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			ticket := newTicket(t, store, "uploads/tampered", 4)
			address, err := url.Parse(ticket.URL)
			require.NoError(t, err)
			for name := range address.Query() {
				query := address.Query()
				value := query.Get(name)
				last := byte('1')
				if value[len(value)-1] == last {
					last = '2'
				}
				query.Set(name, value[:len(value)-1]+string(last))
				changed := ticket
				changed.URL = strings.TrimSuffix(ticket.URL, address.RawQuery) + query.Encode()
				got := upload(t, changed, []byte("evil"))
				require.Contains(t, []int{http.StatusBadRequest, http.StatusForbidden}, got.status, "%s: %s", name, got.body)
				requireAbsent(t, store, "uploads/tampered")
			}
			require.Equal(t, http.StatusOK, upload(t, ticket, []byte("good")).status)
		})
	}
}

func TestExpiredTicketIsRefused(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			expires := time.Now().Add(time.Second)
			ticket, err := store.Ticket(t.Context(), storage.TicketRequest{
				Key: "uploads/late", ContentType: pictureType, Size: 4, Expires: expires,
			})
			require.NoError(t, err)
			// Signatures count whole seconds, rounded up.
			<-time.After(time.Until(expires.Add(2 * time.Second)))
			got := upload(t, ticket, []byte("late"))
			require.Equal(t, http.StatusForbidden, got.status, got.body)
			require.Contains(t, got.body, "expired")
			requireAbsent(t, store, "uploads/late")
		})
	}
}

func TestTicketsThatCannotWorkAreNotMade(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			good := storage.TicketRequest{Key: "k", ContentType: pictureType, Size: 1, Expires: time.Now().Add(time.Hour)}
			for name, change := range map[string]func(*storage.TicketRequest){
				"nothing to upload": func(r *storage.TicketRequest) { r.Size = 0 },
				"too large":         func(r *storage.TicketRequest) { r.Size = storage.MaxSize + 1 },
				"no type":           func(r *storage.TicketRequest) { r.ContentType = "" },
				"expired already":   func(r *storage.TicketRequest) { r.Expires = time.Now().Add(-time.Second) },
				"valid for too long": func(r *storage.TicketRequest) {
					r.Expires = time.Now().Add(storage.MaxTicketLife + time.Minute)
				},
			} {
				req := good
				change(&req)
				_, err := store.Ticket(t.Context(), req)
				require.ErrorContains(t, err, "want", name)
			}
			longest := good
			longest.Expires = time.Now().Add(storage.MaxTicketLife)
			_, err := store.Ticket(t.Context(), longest)
			require.NoError(t, err)
		})
	}
}

func TestUploadWithoutContentLengthIsRefused(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			ticket := newTicket(t, store, "uploads/chunked", 4)
			// In one write: a body of its own could meet a connection that the refusal has closed.
			conn := rawPut(t, ticket, "Transfer-Encoding: chunked", "4\r\ndata\r\n0\r\n\r\n")
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Contains(t, []int{http.StatusForbidden, http.StatusLengthRequired}, res.StatusCode)
			requireAbsent(t, store, "uploads/chunked")
		})
	}
}

// A bucket on versitygw 1.8.0 keeps the short file (its issue 2414; AWS and later versions drop it), so what both
// stores promise is that nobody takes it for the whole one. TestBrokenUploadLeavesNothing says more of the disk.
func TestUploadThatBreaksOffIsNeverWhole(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			conn := rawUpload(t, newTicket(t, store, "uploads/broken", size), size)
			_, err := conn.Write(randomBytes(t, size/2))
			require.NoError(t, err)
			require.NoError(t, conn.CloseWrite())
			// The server ends the connection once it is done with the upload.
			_, err = io.Copy(io.Discard, conn)
			require.NoError(t, err)
			info, err := store.Stat(t.Context(), "uploads/broken")
			if err != nil {
				require.ErrorIs(t, err, storage.ErrNotFound)
			}
			require.Less(t, info.Size, int64(size))
		})
	}
}

// rawUpload sends the head of a ticket's PUT, with a Content-Length of its own, and leaves the body to the test.
func rawUpload(t *testing.T, ticket storage.Ticket, length int64) *net.TCPConn {
	t.Helper()
	return rawPut(t, ticket, fmt.Sprintf("Content-Length: %d", length), "")
}

// rawPut sends an upload in one write, its body framed as a header says.
func rawPut(t *testing.T, ticket storage.Ticket, framing, body string) *net.TCPConn {
	t.Helper()
	address, err := url.Parse(ticket.URL)
	require.NoError(t, err)
	var message strings.Builder
	fmt.Fprintf(&message, "PUT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", address.RequestURI(), address.Host, framing)
	for name, value := range ticket.Headers {
		fmt.Fprintf(&message, "%s: %s\r\n", name, value)
	}
	message.WriteString("\r\n" + body)
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address.Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(waitLimit)))
	_, err = io.WriteString(conn, message.String())
	require.NoError(t, err)
	tcp, ok := conn.(*net.TCPConn)
	require.True(t, ok)
	return tcp
}
