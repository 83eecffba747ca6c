package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"
)

// listen opens the engine's address. It happens before the lock, under which no socket can be made.
func listen(ctx context.Context, cfg Config) (net.Listener, error) {
	var config net.ListenConfig
	if cfg.Listen != "" {
		listener, err := config.Listen(ctx, "tcp", cfg.Listen)
		if err != nil {
			return nil, fmt.Errorf("listen on Listen %q: %w", cfg.Listen, err)
		}
		return listener, nil
	}
	if err := removeStale(ctx, cfg.Socket); err != nil {
		return nil, err
	}
	listener, err := config.Listen(ctx, "unix", cfg.Socket)
	if err != nil {
		return nil, fmt.Errorf("listen on Socket %q: %w", cfg.Socket, err)
	}
	if unixListener, ok := listener.(*net.UnixListener); ok {
		// The socket stays when this process becomes the locked one, which may not remove it.
		unixListener.SetUnlinkOnClose(false)
	}
	if err := os.Chmod(cfg.Socket, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close Socket to others: %w", err), listener.Close())
	}
	return listener, nil
}

// removeStale removes the socket of an engine that is gone, and nothing else.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at Socket: %w", err)
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("engine: Socket is %q, which is a file of another kind", path)
	}
	dialer := net.Dialer{Timeout: time.Second}
	if conn, err := dialer.DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close()
		return fmt.Errorf("engine: Socket is %q, on which an engine listens already", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove a stale Socket: %w", err)
	}
	return nil
}
