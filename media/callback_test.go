package media

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"veracity/platform/fault"
	"veracity/platform/safefetch"
)

// names is a DNS server of a few names, which counts what it is asked.
type names struct{ asked atomic.Int64 }

// resolver speaks to it as over TCP (RFC 1035, section 4.2.2).
func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, peer := net.Pipe()
		go n.serve(peer)
		return client, nil
	}}
}

func (n *names) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		n.asked.Add(1)
		var msg dnsmessage.Message
		if msg.Unpack(query) != nil || len(msg.Questions) != 1 {
			return
		}
		question := msg.Questions[0]
		msg.Response, msg.Additionals = true, nil
		var address [4]byte
		switch question.Name.String() {
		case "public.test.":
			address = [4]byte{93, 184, 215, 14}
		case "inside.test.":
			address = [4]byte{10, 0, 0, 1}
		case "broken.test.":
			msg.RCode = dnsmessage.RCodeServerFailure
		case "silent.test.":
			continue
		default:
			msg.RCode = dnsmessage.RCodeNameError
		}
		if msg.RCode == dnsmessage.RCodeSuccess && question.Type == dnsmessage.TypeA {
			msg.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: 60},
				Body:   &dnsmessage.AResource{A: address},
			}}
		}
		answer, err := msg.Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// checker is a Service that can check callbacks, and the names that it asks for.
func checker(t *testing.T) (*Service, *names) {
	t.Helper()
	n := &names{}
	cfg := safefetch.DefaultConfig()
	cfg.Resolver, cfg.ConnectTimeout = n.resolver(), 300*time.Millisecond
	fetch, err := safefetch.New(cfg)
	require.NoError(t, err)
	return &Service{fetch: fetch}, n
}

func TestCallbackThatCannotBeLookedUpIsNotSaidToHaveNoAddress(t *testing.T) {
	t.Parallel()
	s, _ := checker(t)
	for host, said := range map[string]string{
		"inside.test":  "not public",
		"unknown.test": "could not be looked up",
		"broken.test":  "could not be looked up",
		"silent.test":  "could not be looked up",
	} {
		err := s.checkCallback(t.Context(), "https://"+host+"/hook")
		require.Equal(t, fault.InvalidCallback, fault.CodeOf(err), host)
		require.Contains(t, fault.From(err).Message, said, host)
	}
	require.NoError(t, s.checkCallback(t.Context(), "https://public.test/hook"))
	require.NoError(t, s.checkCallback(t.Context(), ""))
}

func TestCallerWhoLeavesIsNotToldOfABadCallback(t *testing.T) {
	t.Parallel()
	s, _ := checker(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	err := s.checkCallback(ctx, "https://silent.test/hook")
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, fault.InvalidCallback, fault.CodeOf(err))
}

func TestCallbackOverTheLengthIsRefusedUnasked(t *testing.T) {
	t.Parallel()
	s, n := checker(t)
	longest := "https://public.test/"
	longest += strings.Repeat("x", maxCallbackBytes-len(longest))
	for _, long := range []string{longest + "x", strings.Repeat("é", maxCallbackBytes), longest + strings.Repeat("x", 6<<20)} {
		require.Equal(t, fault.InvalidURL, fault.CodeOf(s.checkCallback(t.Context(), long)))
	}
	require.Zero(t, n.asked.Load())
	require.NoError(t, s.checkCallback(t.Context(), longest))
}
