package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/postgres"
	"veracity/platform/postgres/private"
	"veracity/platform/seal"
)

// The embedded defaults live in the data folder: a private PostgreSQL, disk storage, and the secret key.
const (
	secretFile  = "secret-key"
	databaseDir = "postgres"
	storageDir  = "storage"
)

// embed fills in what the settings leave open with the embedded defaults, making them on first use, and returns what
// ends them. A private server that another command runs is used as it is.
func (s *Settings) embed(ctx context.Context, log *slog.Logger) (func(context.Context) error, error) {
	// Others may pass through, so that a server that must not run as root reaches its own folder, but see nothing.
	if err := os.MkdirAll(s.Data, 0o711); err != nil { //nolint:gosec // as said above
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	if s.Storage.URL == "" {
		s.Storage.URL = "disk:" + filepath.Join(s.Data, storageDir)
	}
	if s.SecretKey == "" {
		key, err := ownSecret(filepath.Join(s.Data, secretFile))
		if err != nil {
			return nil, err
		}
		s.SecretKey = key
	}
	if s.Database.URL != "" {
		return func(context.Context) error { return nil }, nil
	}
	return s.startDatabase(ctx, log)
}

// ownSecret reads the secret key of the data folder, or makes one that only this user can read.
func ownSecret(path string) (string, error) {
	b, err := os.ReadFile(path) //nolint:gosec // the operator's own folder
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	key := seal.NewKey("dev")
	// O_EXCL: of two first starts at once, one makes the key and the other fails rather than seal under a lost one.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // as above
	if err != nil {
		return "", fmt.Errorf("save the secret key: %w", err)
	}
	_, err = f.WriteString(key + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("save the secret key: %w", err)
	}
	return key, nil
}

func (s *Settings) startDatabase(ctx context.Context, log *slog.Logger) (func(context.Context) error, error) {
	cfg := private.DefaultConfig(filepath.Join(s.Data, databaseDir))
	cfg.Logger = log
	server, err := private.Start(ctx, cfg)
	if errors.Is(err, private.ErrInUse) {
		return s.attach(cfg, err)
	}
	if err != nil {
		return nil, err
	}
	s.Database.URL = server.URL()
	return server.Stop, nil
}

// attach uses the private server of a `veracity dev` that runs.
func (s *Settings) attach(cfg private.Config, inUse error) (func(context.Context) error, error) {
	address, ready, err := private.Find(cfg)
	if err != nil {
		return nil, err
	}
	if !ready {
		return nil, inUse
	}
	s.Database.URL = address
	return func(context.Context) error { return nil }, nil
}

// withDatabase runs act on the database that the settings name, or on the private one of the data folder.
func (s *Settings) withDatabase(ctx context.Context, act func(context.Context, *pgxpool.Pool) error) (err error) {
	stop, err := s.embed(ctx, newLogger(s))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(context.WithoutCancel(ctx))) }()
	db, err := postgres.Open(ctx, s.Database)
	if err != nil {
		return err
	}
	defer db.Close()
	return act(ctx, db)
}
