package private

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// Server is a running private server.
type Server struct {
	home        home
	install     Install
	process     *process
	out         *output
	locks       locks
	stopTimeout time.Duration

	stopping atomic.Bool
	done     chan struct{}
	// err says how the server ended; it is read after done alone.
	err error
}

// URL is the address of the application's database, as its owner [Role].
func (s *Server) URL() string { return address(s.home.socketFolder(), Role, Database) }

// AdminURL is the address of the maintenance database, as [Superuser].
func (s *Server) AdminURL() string { return address(s.home.socketFolder(), Superuser, "postgres") }

// Version is the server's version, such as 17.2.
func (s *Server) Version() string { return s.install.Version }

// Done is closed when the server has ended, by Stop or by itself, and its folder is free again.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err is nil while the server runs and after Stop; when the server ended by itself it says how, and quotes its log.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Stop ends all sessions, rolls back what they were doing and stops the server (fast shutdown). A server that is not
// gone within StopTimeout, or when ctx ends, is stopped at once as in a crash: it loses nothing that was committed, and
// Stop says so in an error. A second Stop, or one of a server that has ended, returns when it is gone.
func (s *Server) Stop(ctx context.Context) error {
	s.stopping.Store(true)
	err := s.process.stop(ctx, s.stopTimeout)
	select {
	case <-s.process.gone:
		<-s.done
	default:
	}
	return err
}

// keep waits for the server's end and gives its folder free.
func (s *Server) keep() {
	<-s.process.gone
	if !s.stopping.Load() {
		s.err = fmt.Errorf("PostgreSQL stopped by itself: %s%s", s.process.cmd.ProcessState, s.out.quote())
	}
	// What cannot be removed now is removed by the next start.
	_ = os.RemoveAll(s.home.socketFolder())
	s.out.close()
	s.locks.release()
	close(s.done)
}
