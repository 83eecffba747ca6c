package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"veracity/migrations"
)

func migrateCommand(s *Settings) *cobra.Command {
	return group("migrate", "Bring the database schema up to date, or look at it",
		migrateStep(s, "up", "Bring the schema, River's included, to this version", migrations.Up),
		migrateStep(s, "down", "Take back the newest migration", migrations.Down),
		migrateStep(s, "status", "List the migrations and whether the database has them", nil),
	)
}

func migrateStep(s *Settings, use, short string, act func(context.Context, *pgxpool.Pool) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withDatabase(cmd.Context(), func(ctx context.Context, db *pgxpool.Pool) error {
				if act != nil {
					if err := act(ctx, db); err != nil {
						return err
					}
				}
				steps, err := migrations.Status(ctx, db)
				if err != nil {
					return err
				}
				return s.printSteps(cmd, steps)
			})
		},
	}
}

func (s *Settings) printSteps(cmd *cobra.Command, steps []migrations.Step) error {
	out := cmd.OutOrStdout()
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(steps))
		return err
	}
	for _, step := range steps {
		state := "missing"
		if step.Applied {
			state = "applied"
		}
		if _, err := fmt.Fprintf(out, "%-8s %s\n", state, step.Name); err != nil {
			return err
		}
	}
	return nil
}
