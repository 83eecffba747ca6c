package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func configCommand(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Print the settings in force, secrets masked", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.JSON {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), toJSON(s.list()))
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			for _, line := range s.list() {
				if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", line.Name, line.Value, line.Source, line.Help); err != nil {
					return err
				}
			}
			return w.Flush()
		},
	}
}
