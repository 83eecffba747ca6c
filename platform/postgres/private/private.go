// Package private runs a PostgreSQL server of our own on this machine: `veracity dev` keeps its database in one, and
// tests use throw-away ones. It finds the installed server programs, makes the data folder, starts and stops the
// server, and guards it: the server listens on a unix socket alone, inside a folder that only its user can enter, and
// asks the kernel who is calling (peer authentication), so that there is neither a port to collide on nor a password
// to keep. It knows no schema; servers that somebody else runs are package postgres's business.
package private

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"
)

// Names inside every private server.
const (
	// Superuser owns the server. Applications do not connect as it.
	Superuser = "postgres"
	// Role owns the application's database and has no rights beyond it, as in a hosted database.
	Role = "veracity"
	// Database is the application's database.
	Database = "veracity"
)

var (
	// ErrInUse is the refusal to start or remove a server that another process of ours runs.
	ErrInUse = errors.New("in use by another process")
	// ErrNotInstalled is the refusal to start without PostgreSQL's server programs.
	ErrNotInstalled = errors.New("PostgreSQL's server programs are not installed")
)

// Config says where a private server lives. Make one with [DefaultConfig].
type Config struct {
	// Dir is the server's own folder: data, socket, log and lock lie in it. It is made when missing.
	Dir string
	// StateDir takes the data of a server that root starts when PostgreSQL, which refuses to run as root, cannot reach
	// Dir: below /root, say. Dir then keeps a file named location that says where the data are.
	StateDir string
	// Logger hears what the starter does; the server's own output goes to server.log in Dir.
	Logger *slog.Logger
	// FastUnsafe trades the data's safety in a power cut for speed. For tests.
	FastUnsafe bool
	// Settings are further run-time parameters of the server, such as max_connections.
	Settings map[string]string
	// StartTimeout bounds a start, recovery from a crash included.
	StartTimeout time.Duration
	// StopTimeout is how long a stop waits for running statements to be rolled back before it becomes a crash stop.
	StopTimeout time.Duration
}

// DefaultConfig is a durable server in dir.
func DefaultConfig(dir string) Config {
	return Config{
		Dir:          dir,
		StateDir:     "/var/lib/veracity",
		Logger:       slog.New(slog.DiscardHandler),
		StartTimeout: time.Minute,
		StopTimeout:  20 * time.Second,
	}
}

// Validate reports every setting that is out of its range.
func (c Config) Validate() error {
	var errs []error
	if c.Dir == "" {
		errs = append(errs, errors.New("folder Dir is empty: want a path"))
	}
	if !filepath.IsAbs(c.StateDir) {
		errs = append(errs, fmt.Errorf("StateDir is %q: want an absolute path", c.StateDir))
	}
	if c.Logger == nil {
		errs = append(errs, errors.New("no Logger is given: want one"))
	}
	for name := range c.Settings {
		if _, taken := c.parameters(home{})[name]; taken {
			errs = append(errs, fmt.Errorf("parameter %q in Settings is the starter's own: want others", name))
		}
	}
	if c.StartTimeout <= 0 {
		errs = append(errs, fmt.Errorf("StartTimeout is %s: want more than 0", c.StartTimeout))
	}
	if c.StopTimeout <= 0 {
		errs = append(errs, fmt.Errorf("StopTimeout is %s: want more than 0", c.StopTimeout))
	}
	return errors.Join(errs...)
}
