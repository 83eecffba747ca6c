package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Find gives the URL of the server that another process of ours runs in cfg.Dir, and false when none is ready there.
func Find(cfg Config) (string, bool, error) {
	if err := cfg.Validate(); err != nil {
		return "", false, err
	}
	dir, err := resolve(cfg.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	h, err := locate(cfg, dir)
	if err != nil {
		return "", false, err
	}
	running, noted, err := readPostmaster(h.data())
	if err != nil || !noted || !running.ready {
		return "", false, err
	}
	alive, err := serves(running.pid, h.data())
	if err != nil || !alive {
		return "", false, err
	}
	return address(running.socket, Role, Database), true, nil
}

// Remove deletes the database of cfg.Dir and Dir itself, and stops a server that a killed run has left there. It fails
// with [ErrInUse] while a process of ours runs one. A Dir that does not exist is no error.
func Remove(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if _, err := resolve(cfg.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	h, held, err := hold(cfg, func(h home, _ Config) (home, error) { return h, nil })
	defer held.release()
	if err != nil {
		return fmt.Errorf("remove the database in %s: %w", cfg.Dir, err)
	}
	if err := h.clearLeftover(ctx, cfg); err != nil {
		return fmt.Errorf("remove the database in %s: %w", cfg.Dir, err)
	}
	// Dir goes last: while it stands, its location says what is left to remove.
	for _, folder := range []string{h.socketFolder(), h.path, h.dir} {
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("remove the database in %s: %w", cfg.Dir, err)
		}
	}
	return nil
}
