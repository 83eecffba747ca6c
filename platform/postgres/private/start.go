package private

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// errMemoryInUse is a start that found processes of a killed server still on its shared memory.
var errMemoryInUse = errors.New("processes of a killed server are still ending")

// Start runs the server of cfg.Dir and returns when [Database] takes connections. It makes the database on the first
// start, stops a server that a killed run has left, and fails with [ErrInUse] when another process of ours runs one
// there, and with [ErrNotInstalled] when PostgreSQL is missing. The server lives until Stop, not until ctx ends; on
// Linux the kernel stops it when this process dies, elsewhere the next Start does.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, cfg.StartTimeout)
	defer cancel()
	s := &Server{stopTimeout: cfg.StopTimeout, done: make(chan struct{})}
	if err := s.start(ctx, cfg); err != nil {
		if s.out != nil {
			s.out.close()
		}
		s.locks.release()
		return nil, fmt.Errorf("start PostgreSQL in %s: %w", cfg.Dir, err)
	}
	go s.keep()
	cfg.Logger.InfoContext(ctx, "PostgreSQL is ready", slog.String("version", s.install.Version),
		slog.String("data", s.home.data()), slog.Duration("took", time.Since(began)))
	return s, nil
}

// start takes the folder's lock before it looks at anything else, and leaves what it took in s for the caller to give
// back.
func (s *Server) start(ctx context.Context, cfg Config) (err error) {
	if s.home, s.locks, err = hold(cfg, home.settle); err != nil {
		return err
	}
	installs, err := Installed(ctx)
	if err != nil {
		return err
	}
	if s.install, err = fitting(installs, s.home.data()); err != nil {
		return err
	}
	if err := s.home.clearLeftover(ctx, cfg); err != nil {
		return err
	}
	if s.out, err = openOutput(s.home.dir); err != nil {
		return err
	}
	if err := s.home.makeData(ctx, s.install, s.out, cfg.FastUnsafe); err != nil {
		return err
	}
	if err := s.home.writeAuth(); err != nil {
		return err
	}
	return s.run(ctx, cfg)
}

// run starts the server program, again while processes of a killed server are about to end.
func (s *Server) run(ctx context.Context, cfg Config) error {
	ticker := time.NewTicker(10 * poll)
	defer ticker.Stop()
	for {
		err := s.runOnce(ctx, cfg)
		if !errors.Is(err, errMemoryInUse) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticker.C:
		}
	}
}

func (s *Server) runOnce(ctx context.Context, cfg Config) error {
	if err := s.home.makeSocketFolder(); err != nil {
		return err
	}
	args := []string{"-D", s.home.data()}
	parameters := cfg.parameters(s.home)
	maps.Copy(parameters, cfg.Settings)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		args = append(args, "-c", name+"="+parameters[name])
	}
	unbound := context.WithoutCancel(ctx)
	cmd := exec.CommandContext(unbound, filepath.Join(s.install.Dir, "postgres"), args...) //nolint:gosec // an installed program
	s.home.prepare(cmd, s.out, syscall.SIGINT)
	var err error
	if s.process, err = launch(cmd); err != nil {
		return fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	err = s.waitReady(ctx)
	if err == nil {
		return nil
	}
	select {
	case <-s.process.gone:
		if strings.Contains(s.out.tail(), "is still in use") {
			err = errMemoryInUse
		}
		return fmt.Errorf("%w (%s)%s", err, cmd.ProcessState, s.out.quote())
	default:
		return errors.Join(fmt.Errorf("%w%s", err, s.out.quote()), s.process.stop(unbound, cfg.StopTimeout))
	}
}

// parameters are the settings by which a server is private, and with FastUnsafe fast.
func (c Config) parameters(h home) map[string]string {
	parameters := map[string]string{
		"listen_addresses":        "",
		"port":                    port,
		"unix_socket_directories": quoteToken(h.socketFolder()),
		"unix_socket_permissions": "0700",
		"hba_file":                h.hbaFile(),
		"ident_file":              h.identFile(),
		"log_destination":         "stderr",
		"logging_collector":       "off",
	}
	if c.FastUnsafe {
		for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
			parameters[name] = "off"
		}
	}
	return parameters
}
