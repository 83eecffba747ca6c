package safefetch

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// roomy are limits that no test reaches unless it means to.
var roomy = Limits{MaxBytes: 1 << 20, Total: 20 * time.Second}

// newFetcher makes a fetcher whose names come from zone and that may reach the destinations in allow.
func newFetcher(t *testing.T, zone zone, allow ...string) *Fetcher {
	t.Helper()
	return newFetcherWith(t, func(cfg *Config) {
		cfg.Allow = allow
		cfg.Resolver = zone.resolver()
	})
}

func newFetcherWith(t *testing.T, edit func(*Config)) *Fetcher {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Resolver = zone{}.resolver()
	edit(&cfg)
	f, err := New(cfg)
	require.NoError(t, err)
	return f
}

// fetch gets url and reads the body to its end, as a caller would.
func fetch(t *testing.T, f *Fetcher, url string, limits Limits) ([]byte, error) {
	t.Helper()
	resp, err := f.Get(t.Context(), url, limits)
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, resp.Body.Close()) }()
	return io.ReadAll(resp.Body)
}

// requireKind also holds every refusal to a reason that gives nothing away.
func requireKind(t *testing.T, want Kind, err error) {
	t.Helper()
	requireReason(t, want, "", err)
}

// requireReason is requireKind for a reason that has part in it.
func requireReason(t *testing.T, want Kind, part string, err error) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, want, e.Kind, "%v", err)
	require.Regexp(t, `^The [^:]*\.$|^The URL must begin with http`, e.Reason)
	require.NotContains(t, e.Reason, "127.0.0.1")
	require.Contains(t, e.Reason, part)
}

// serve starts an HTTP server on loopback and gives its host:port and URL.
func serve(t *testing.T, handler http.HandlerFunc) (hostPort, url string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), server.URL
}

// serveTLS starts an HTTPS server with httptest's certificate, for 127.0.0.1 and example.com.
func serveTLS(t *testing.T, handler http.HandlerFunc, edit func(*httptest.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	edit(server)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// serveRaw answers every connection, once its request is read, with what answer writes. The connection then stays open
// until the client drops it, so that a client which trusts the peer to hang up would hang itself.
func serveRaw(t *testing.T, answer func(conn net.Conn)) (hostPort, url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer func() { _ = conn.Close() }()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					return
				}
				answer(conn)
				_, _ = io.Copy(io.Discard, conn)
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		open.Wait()
	})
	return listener.Addr().String(), "http://" + listener.Addr().String() + "/"
}

// listenDeaf gives the host:port of a listener whose connections are made by the kernel and then never read.
func listenDeaf(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	return listener.Addr().String()
}

// write is for handlers, whose peer may have gone: that is what many tests are about.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

// drip writes text again and again, a little apart, until the peer is gone.
func drip(w io.Writer, text string) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

// zone maps a name to the addresses of each successive lookup; the last one repeats. Other names do not exist.
type zone map[string][]string

// resolver is Go's own, speaking to a DNS server that holds z.
func (z zone) resolver() *net.Resolver {
	server := &dnsServer{zone: z, asked: map[dnsmessage.Question]int{}}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, peer := net.Pipe()
		go server.serve(peer)
		return client, nil
	}}
}

type dnsServer struct {
	zone  zone
	mu    sync.Mutex
	asked map[dnsmessage.Question]int
}

// serve answers queries framed as over TCP (RFC 1035 section 4.2.2), which Go speaks on any stream.
func (s *dnsServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var size uint16
		if err := binary.Read(conn, binary.BigEndian, &size); err != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer, err := s.answer(query)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (s *dnsServer) answer(query []byte) ([]byte, error) {
	var msg dnsmessage.Message
	if err := msg.Unpack(query); err != nil {
		return nil, err
	}
	if len(msg.Questions) != 1 {
		return nil, errors.New("not one question")
	}
	question := msg.Questions[0]
	msg.Response, msg.Additionals = true, nil
	lookups, known := s.zone[strings.TrimSuffix(question.Name.String(), ".")]
	if !known {
		msg.RCode = dnsmessage.RCodeNameError
		return msg.Pack()
	}
	s.mu.Lock()
	turn := min(s.asked[question], len(lookups)-1)
	s.asked[question]++
	s.mu.Unlock()
	for text := range strings.FieldsSeq(lookups[turn]) {
		addr := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
		switch {
		case question.Type == dnsmessage.TypeA && addr.Is4():
			msg.Answers = append(msg.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case question.Type == dnsmessage.TypeAAAA && addr.Is6():
			msg.Answers = append(msg.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return msg.Pack()
}
