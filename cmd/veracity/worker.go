package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func workerCommand(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "worker", Short: "Run job workers alone (--queues NAME,… for some of them)", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			s.Workers = true // whatever the setting says to `veracity serve`
			app, err := newApp(ctx, s, newLogger(s))
			if err != nil {
				return err
			}
			err = app.work(ctx)
			return errors.Join(err, app.Close(context.WithoutCancel(ctx)))
		},
	}
}

func (a *App) work(ctx context.Context) error {
	if err := a.serveMetrics(ctx); err != nil {
		return err
	}
	if err := a.startWorker(ctx); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "working", "queues", a.Settings.Jobs.Queues)
	<-ctx.Done()
	return nil
}
