package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"veracity/migrations"
	"veracity/platform/postgres"
)

func devCommand(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "dev", Short: "Run everything on this machine, with a database and storage of its own (--listen ADDR)", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.dev(cmd.Context(), cmd)
		},
	}
}

// dev runs the service on the embedded defaults. The private PostgreSQL ends last; when it ends by itself, so does dev.
func (s *Settings) dev(ctx context.Context, cmd *cobra.Command) (err error) {
	log := newLogger(s)
	s.development = true
	e, err := s.embedForLong(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop(context.WithoutCancel(ctx))) }()
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := s.ownIdentity(); err != nil {
		return err
	}
	if err := s.bind(ctx); err != nil {
		return err
	}
	stopSandbox, err := s.startSandbox(ctx)
	if err != nil {
		return errors.Join(err, s.listener.Close())
	}
	defer func() { err = errors.Join(err, stopSandbox(context.WithoutCancel(ctx))) }()
	app, err := newApp(ctx, s, log)
	if err != nil {
		return errors.Join(err, s.listener.Close())
	}
	if s.payClock != nil {
		if _, err := app.Billing.Setup(ctx); err != nil {
			return errors.Join(err, app.Close(context.WithoutCancel(ctx)), s.listener.Close())
		}
	}
	ctx, lost := context.WithCancel(ctx)
	defer lost()
	if e.server != nil {
		go func() {
			<-e.server.Done()
			lost()
		}()
	}
	err = app.run(ctx, func(ctx context.Context) error {
		return app.demonstrate(ctx, cmd.OutOrStdout())
	})
	if e.server != nil {
		err = errors.Join(e.server.Err(), err)
	}
	return err
}

func (s *Settings) migrate(ctx context.Context) error {
	db, err := postgres.Open(ctx, s.Database)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := migrations.Up(ctx, db); err != nil {
		return fmt.Errorf("bring the embedded database up to date: %w", err)
	}
	return nil
}
