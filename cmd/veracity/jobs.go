package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"veracity/media"
	"veracity/quota"
)

func jobsCommand(s *Settings) *cobra.Command {
	return group("jobs", "Look after jobs and what they hold", jobsReconcile(s))
}

func jobsReconcile(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "reconcile", Short: "Find holds and slots without a live job, and balances that their journal does not bear out", Args: noArgs,
		Long: "Compares credit holds with jobs, job slots with holds, and balances with their journal, changes nothing, and exits 1\n" +
			"when anything differs. The same runs every night; /metrics tells.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withDatabase(cmd.Context(), func(ctx context.Context, db *pgxpool.Pool) error {
				strays, err := media.Reconcile(ctx, db)
				if err != nil {
					return err
				}
				differences, err := quota.Audit(ctx, db, nil)
				if err != nil {
					return err
				}
				return s.printReconciliation(cmd.OutOrStdout(), strays, differences)
			})
		},
	}
}

func (s *Settings) printReconciliation(out io.Writer, strays []media.Stray, differences []quota.Difference) error {
	if s.JSON {
		if _, err := fmt.Fprintln(out, toJSON(map[string]any{"strays": strays, "differences": differences})); err != nil {
			return err
		}
	} else if err := tellReconciliation(out, strays, differences); err != nil {
		return err
	}
	if n := len(strays) + len(differences); n > 0 {
		return fmt.Errorf("%d things do not match: the log around their times says more", n)
	}
	return nil
}

func tellReconciliation(out io.Writer, strays []media.Stray, differences []quota.Difference) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, stray := range strays {
		if _, err := fmt.Fprintf(w, "%s\taccount %s\thold %s\tjob %s\t%d credits\n", stray.What, stray.Account, idOrNone(stray.Hold), idOrNone(stray.Job), stray.Credits); err != nil {
			return err
		}
	}
	for _, d := range differences {
		if _, err := fmt.Fprintf(w, "%s differs\taccount %s\tperiod %s\trecorded %d\tjournal %d\n", d.What, d.Account, d.PeriodStart.Format("2006-01-02"), d.Recorded, d.Journal); err != nil {
			return err
		}
	}
	if len(strays)+len(differences) == 0 {
		if _, err := fmt.Fprintln(w, "holds, slots, jobs and balances agree"); err != nil {
			return err
		}
	}
	return w.Flush()
}

func idOrNone(id *uuid.UUID) string {
	if id == nil {
		return "none"
	}
	return id.String()
}
