// Package mailtest is a mail server on loopback that speaks as much ESMTP (RFC 5321, with STARTTLS and AUTH PLAIN) as a
// client needs, and keeps what it is given. For tests only.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Options are how a server behaves.
type Options struct {
	// TLS is "" for none, "starttls", or "implicit".
	TLS string
	// User and Password are demanded when User is set.
	User, Password string
	// Refuse answers a command or the end of a message ("MAIL", "RCPT", "DATA", "CONTENT", "AUTH") by a line of its own, such
	// as "550 5.1.1 no such user". It is asked each time; "" lets it pass.
	Refuse func(verb, argument string) string
	// DropAfterContent takes a message and hangs up without a word.
	DropAfterContent bool
}

// Delivery is a message that was taken.
type Delivery struct {
	From, To string
	// Data is the message as it was sent, with line ends as in a file.
	Data []byte
	// Encrypted tells whether it came by TLS, User who had signed in.
	Encrypted bool
	User      string
}

// Server is a mail server.
type Server struct {
	options  Options
	listener net.Listener
	tls      *tls.Config

	mu    sync.Mutex
	taken []Delivery
}

// Start runs a server until the test ends.
func Start(tb testing.TB, options Options) *Server {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	s := &Server{options: options, listener: listener, tls: certificate().server}
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { s.serve(conn) })
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		sessions.Wait()
	})
	return s
}

// Address is host and port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Taken are the messages taken so far, in order.
func (s *Server) Taken() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Delivery(nil), s.taken...)
}

// patience ends a session in which the client says nothing.
const patience = 20 * time.Second

// session is one connection.
type session struct {
	server    *Server
	conn      net.Conn
	text      *textproto.Conn
	encrypted bool
	user      string
	from, to  string
}

func (s *Server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	session := &session{server: s, conn: conn}
	if s.options.TLS == "implicit" {
		session.encrypt()
	}
	session.text = textproto.NewConn(session.conn)
	session.say("220 mail.test ESMTP")
	for {
		line, err := session.text.ReadLine()
		if err != nil {
			return
		}
		verb, argument, _ := strings.Cut(line, " ")
		if !session.answer(strings.ToUpper(verb), argument) {
			return
		}
	}
}

func (c *session) encrypt() {
	c.conn, c.encrypted = tls.Server(c.conn, c.server.tls), true
}

func (c *session) say(line string) { _ = c.text.PrintfLine("%s", line) }

// refused says the refusal that the options have for a command.
func (c *session) refused(verb, argument string) bool {
	if c.server.options.Refuse == nil {
		return false
	}
	line := c.server.options.Refuse(verb, argument)
	if line != "" {
		c.say(line)
	}
	return line != ""
}

// answer is false when the session is over.
func (c *session) answer(verb, argument string) bool {
	if c.refused(verb, argument) {
		return true
	}
	switch verb {
	case "EHLO":
		c.greet()
	case "STARTTLS":
		c.say("220 2.0.0 go ahead")
		c.encrypt()
		c.text = textproto.NewConn(c.conn)
	case "AUTH":
		c.signIn(argument)
	case "MAIL":
		if c.server.options.User != "" && c.user == "" {
			c.say("530 5.7.0 sign in first")
			return true
		}
		c.from = path(argument)
		c.say("250 2.1.0 ok")
	case "RCPT":
		c.to = path(argument)
		c.say("250 2.1.5 ok")
	case "DATA":
		return c.take()
	case "NOOP", "RSET":
		c.say("250 2.0.0 ok")
	case "QUIT":
		c.say("221 2.0.0 bye")
		return false
	default:
		c.say("502 5.5.1 not known")
	}
	return true
}

func (c *session) greet() {
	lines := []string{"mail.test", "8BITMIME", "ENHANCEDSTATUSCODES"}
	if c.server.options.TLS == "starttls" && !c.encrypted {
		lines = append(lines, "STARTTLS")
	}
	if c.server.options.User != "" {
		lines = append(lines, "AUTH PLAIN")
	}
	for i, line := range lines {
		separator := "-"
		if i == len(lines)-1 {
			separator = " "
		}
		c.say("250" + separator + line)
	}
}

// signIn takes AUTH PLAIN with its response in the same line (RFC 4616). A refusal echoes what was sent, as a careless
// server would.
func (c *session) signIn(argument string) {
	_, response, _ := strings.Cut(argument, " ")
	given, err := base64.StdEncoding.DecodeString(response)
	options := c.server.options
	if err != nil || string(given) != "\x00"+options.User+"\x00"+options.Password {
		c.say("535 5.7.8 cannot sign in with " + response + " (" + strings.ReplaceAll(string(given), "\x00", " ") + ")")
		return
	}
	c.user = options.User
	c.say("235 2.7.0 welcome")
}

// take reads a message.
func (c *session) take() bool {
	c.say("354 end with a dot")
	data, err := io.ReadAll(bufio.NewReader(c.text.DotReader()))
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	if c.refused("CONTENT", "") {
		return true
	}
	c.server.mu.Lock()
	c.server.taken = append(c.server.taken, Delivery{From: c.from, To: c.to, Data: data, Encrypted: c.encrypted, User: c.user})
	c.server.mu.Unlock()
	if c.server.options.DropAfterContent {
		return false
	}
	c.say("250 2.0.0 taken")
	return true
}

// path is the address of "FROM:<a@b> SIZE=1".
func path(argument string) string {
	_, rest, _ := strings.Cut(argument, "<")
	address, _, _ := strings.Cut(rest, ">")
	return address
}
