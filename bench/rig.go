package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"veracity/platform/postgres/private"
	"veracity/platform/seal"
)

// rig is what is measured: the program serving, on a database and a folder of the run's own.
type rig struct {
	dir      string
	options  options
	database *private.Server
	program  program
	server   *server
	// pictures serves the run's own files, as a customer's web server would.
	pictures *http.Server
	// address is where the program serves, pictureAddress where the files lie.
	address, pictureAddress string
}

// setUp starts everything. The caller tears the rig down.
func setUp(ctx context.Context, o options) (*rig, error) {
	dir, err := os.MkdirTemp("", "veracity-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	r := &rig{dir: dir}
	if err := r.start(ctx, o); err != nil {
		return nil, errors.Join(err, r.tearDown(context.WithoutCancel(ctx)))
	}
	return r, nil
}

func (r *rig) databaseConfig() private.Config {
	return private.DefaultConfig(filepath.Join(r.dir, "database"))
}

func (r *rig) pictureDir() string { return filepath.Join(r.dir, "pictures") }

func (r *rig) start(ctx context.Context, o options) error {
	r.options = o
	// A server that root starts runs as another user and must pass to its own folder.
	if err := os.Chmod(r.dir, 0o711); err != nil { //nolint:gosec // as said above
		return fmt.Errorf("open the folder: %w", err)
	}
	var err error
	if r.database, err = private.Start(ctx, r.databaseConfig()); err != nil {
		return err
	}
	if err := r.servePictures(ctx); err != nil {
		return err
	}
	if r.address, err = freeAddress(ctx); err != nil {
		return err
	}
	r.program = program{path: o.program, settings: []string{
		"--data", filepath.Join(r.dir, "data"), "--database-url", r.database.URL(), "--secret-key", seal.NewKey("bench"),
		"--storage-url", "disk:" + filepath.Join(r.dir, "storage"), "--listen", r.address, "--metrics-listen", "off",
		"--fetch-allow", r.pictureAddress, "--mail-url", "outbox:" + r.outboxDir(),
	}}
	if err := r.program.run(ctx, nil, "migrate", "up"); err != nil {
		return err
	}
	r.server, err = startServer(ctx, r.program, r.address, filepath.Join(r.dir, "serve.log"))
	return err
}

// servePictures answers the files of pictureDir on loopback.
func (r *rig) servePictures(ctx context.Context) error {
	if err := os.Mkdir(r.pictureDir(), 0o700); err != nil {
		return fmt.Errorf("make the pictures' folder: %w", err)
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve pictures: %w", err)
	}
	r.pictureAddress = ln.Addr().String()
	r.pictures = &http.Server{Handler: http.FileServer(http.Dir(r.pictureDir())), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.pictures.Serve(ln) }() // a server that is gone shows in the checks
	return nil
}

// freeAddress gives a loopback address that nobody listens on at present.
func freeAddress(ctx context.Context) (string, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free address: %w", err)
	}
	return ln.Addr().String(), ln.Close()
}

// tearDown stops what was started, the last first, and removes what it left.
func (r *rig) tearDown(ctx context.Context) error {
	var errs []error
	if r.server != nil {
		errs = append(errs, r.server.stop())
	}
	if r.pictures != nil {
		errs = append(errs, r.pictures.Close())
	}
	if r.database != nil {
		errs = append(errs, r.database.Stop(ctx))
	}
	// Data that root's server could not keep in the folder lie elsewhere.
	errs = append(errs, private.Remove(ctx, r.databaseConfig()), os.RemoveAll(r.dir))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}
