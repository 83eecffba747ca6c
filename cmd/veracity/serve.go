package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

func serveCommand(s *Settings) *cobra.Command {
	var noWorkers bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run portal, API and workers against your database and storage", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if noWorkers {
				s.Workers = false
			}
			if err := s.bind(cmd.Context()); err != nil {
				return err
			}
			app, err := newApp(cmd.Context(), s, newLogger(s))
			if err != nil {
				return errors.Join(err, s.listener.Close())
			}
			return app.run(cmd.Context(), nil)
		},
	}
	cmd.Flags().BoolVar(&noWorkers, "no-workers", false, "leave the queues to `veracity worker`")
	return cmd
}

// run serves until ctx ends and then closes the App: it stops accepting, lets requests end, stops the workers softly,
// then the engine, then what is left. Started, when set, runs once the service answers.
func (a *App) run(ctx context.Context, started func(context.Context) error) error {
	err := a.serve(ctx, started)
	return errors.Join(err, a.Close(context.WithoutCancel(ctx)))
}

func (a *App) serve(ctx context.Context, started func(context.Context) error) error {
	ln := a.Settings.listener
	if err := a.serveMetrics(ctx); err != nil {
		_ = ln.Close()
		return err
	}
	if a.Settings.Workers {
		if err := a.startWorker(ctx); err != nil {
			_ = ln.Close()
			return err
		}
	}
	a.address = ln.Addr().String()
	srv := &http.Server{
		Handler: a.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(a.Log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	a.Log.InfoContext(ctx, "serving", "address", ln.Addr().String(), "base_url", a.Settings.BaseURL, "workers", a.Settings.Workers)
	if started != nil {
		if err := started(ctx); err != nil && ctx.Err() == nil {
			a.Log.ErrorContext(ctx, "after the start", "error", err)
		}
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.Log.InfoContext(ctx, "stopping: requests may end", "within", a.Settings.Shutdown)
	if a.stopWorker != nil {
		// Beside the requests, so that no job begins that would have to be given back. Close waits for it.
		go func() { _ = a.stopWorker() }()
	}
	// A request under way outlives the signal that ended ctx.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Settings.Shutdown)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		_ = srv.Close()
		return fmt.Errorf("end requests within %s: %w", a.Settings.Shutdown, err)
	}
	return nil
}

// Address is where the App listens, once it serves.
func (a *App) Address() string { return a.address }

// bind begins to listen, so that the addresses given to clients are those that they reach: with a port that the system
// chose, and by this machine's own name where VERACITY_LISTEN names none but this machine's.
func (s *Settings) bind(ctx context.Context) error {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return usageError{fmt.Errorf("VERACITY_LISTEN is %q, which cannot be listened on: %w", s.Listen, err)}
	}
	s.listener = ln
	bound, ok := ln.Addr().(*net.TCPAddr)
	if !ok || !s.isDefault("base-url") {
		return nil
	}
	host := bound.IP.String()
	if bound.IP.IsUnspecified() || bound.IP.IsLoopback() {
		host = "localhost" // passkeys belong to names: they work at no bare address (WebAuthn level 3, section 5.1.2)
	}
	s.BaseURL = "http://" + net.JoinHostPort(host, strconv.Itoa(bound.Port))
	s.Storage.PublicURL, s.Media.BaseURL = s.BaseURL, s.BaseURL
	return nil
}
