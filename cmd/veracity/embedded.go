package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/postgres"
	"veracity/platform/postgres/private"
	"veracity/platform/seal"
)

// The embedded defaults live in the data folder: a private PostgreSQL, disk storage, the secret key, and an outbox
// in place of mail.
const (
	secretFile  = "secret-key"
	databaseDir = "postgres"
	storageDir  = "storage"
)

// embedded is what the embedded defaults run. Its server is nil where the database is somebody else's.
type embedded struct {
	server *private.Server
	// lasting is the file that marks the server as a dev's, if it is one.
	lasting string
}

// stop ends the private server, if this process runs one.
func (e embedded) stop(ctx context.Context) error {
	if e.server == nil {
		return nil
	}
	if e.lasting != "" {
		_ = os.Remove(e.lasting) // the next start would remove it too
	}
	return e.server.Stop(ctx)
}

// embed fills in what the settings leave open with the embedded defaults, making them on first use. A private server
// that another process runs is private.ErrInUse.
func (s *Settings) embed(ctx context.Context, log *slog.Logger) (embedded, error) {
	// Others may pass through, so that a server that must not run as root reaches its own folder, but see nothing.
	if err := os.MkdirAll(s.Data, 0o711); err != nil { //nolint:gosec // as said above
		return embedded{}, fmt.Errorf("make the data folder: %w", err)
	}
	if s.Storage.URL == "" {
		s.Storage.URL = "disk:" + filepath.Join(s.Data, storageDir)
	}
	if s.Mail.URL == "" {
		s.Mail.URL = s.outbox()
	}
	if s.Database.URL != "" {
		// What is sealed for somebody else's database must open there: no key is invented for it.
		return embedded{}, nil
	}
	if s.SecretKey == "" {
		key, err := ownSecret(filepath.Join(s.Data, secretFile))
		if err != nil {
			return embedded{}, err
		}
		s.SecretKey = key
	}
	server, err := private.Start(ctx, s.private(log))
	if err != nil {
		return embedded{}, err
	}
	s.Database.URL = server.URL()
	return embedded{server: server}, nil
}

func (s *Settings) private(log *slog.Logger) private.Config {
	cfg := private.DefaultConfig(filepath.Join(s.Data, databaseDir))
	cfg.Logger = log
	return cfg
}

// ownSecret reads the secret key of the data folder, or makes one that only this user can read.
func ownSecret(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	key := seal.NewKey("dev")
	// O_EXCL: of two first starts at once, one makes the key and the other fails rather than seal under a lost one.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("save the secret key: %w", err)
	}
	_, err = f.WriteString(key + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("save the secret key: %w", err)
	}
	return key, nil
}

// lastingFile in the data folder says that a `veracity dev` runs its server. Only such a server is used by other
// commands: a short command's own is about to stop.
const lastingFile = "dev-running"

// patience is how long a command waits for another short one to be done with the private server.
const patience = 30 * time.Second

// embedForLong is embed for `veracity dev`. A second one on the same folder is refused.
func (s *Settings) embedForLong(ctx context.Context, log *slog.Logger) (embedded, error) {
	e, err := s.embedInTurn(ctx, log, func() (bool, error) {
		return false, nil
	})
	if err != nil || e.server == nil {
		return e, err
	}
	e.lasting = filepath.Join(s.Data, lastingFile)
	if err := os.WriteFile(e.lasting, nil, 0o600); err != nil {
		return embedded{}, errors.Join(fmt.Errorf("mark the data folder: %w", err), e.stop(ctx))
	}
	return e, nil
}

// embedOrAttach is embed for a command that is soon done: it uses the private server of a `veracity dev` that runs.
func (s *Settings) embedOrAttach(ctx context.Context, log *slog.Logger) (embedded, error) {
	return s.embedInTurn(ctx, log, func() (bool, error) {
		address, ready, err := private.Find(s.private(log))
		if err == nil && ready {
			s.Database.URL = address
		}
		return ready, err
	})
}

// embedInTurn is embed that waits for other short commands. Attach is asked when a `veracity dev` has the server.
func (s *Settings) embedInTurn(ctx context.Context, log *slog.Logger, attach func() (bool, error)) (embedded, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		e, err := s.embed(ctx, log)
		if err == nil && e.server != nil {
			// What a killed dev left says nothing any more.
			_ = os.Remove(filepath.Join(s.Data, lastingFile))
		}
		if !errors.Is(err, private.ErrInUse) {
			return e, err
		}
		if _, statErr := os.Stat(filepath.Join(s.Data, lastingFile)); statErr == nil {
			if attached, attachErr := attach(); attached || attachErr != nil {
				return embedded{}, attachErr
			}
			return embedded{}, err
		}
		select {
		case <-ctx.Done():
			return embedded{}, err
		case <-tick.C:
		}
	}
}

// withDatabase runs act on the database that the settings name, or on the private one of the data folder.
func (s *Settings) withDatabase(ctx context.Context, act func(context.Context, *pgxpool.Pool) error) (err error) {
	e, err := s.embedOrAttach(ctx, quietLogger(s))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop(context.WithoutCancel(ctx))) }()
	db, err := postgres.Open(ctx, s.Database)
	if err != nil {
		return err
	}
	defer db.Close()
	return act(ctx, db)
}
