package main

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// mandatory makes flags mandatory: a missing one is a usage error that names it.
func mandatory(cmd *cobra.Command, names ...string) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range names {
			if !cmd.Flags().Changed(name) {
				return usageError{fmt.Errorf("--%s is missing: see `%s --help`", name, cmd.CommandPath())}
			}
		}
		return run(cmd, args)
	}
}

// withID gives cmd a mandatory --id flag for something called what.
func withID(cmd *cobra.Command, what string, act func(*cobra.Command, uuid.UUID) error) *cobra.Command {
	var raw string
	cmd.Flags().StringVar(&raw, "id", "", "id of the "+what)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		id, err := parseID(what, raw)
		if err != nil {
			return err
		}
		return act(cmd, id)
	}
	mandatory(cmd, "id")
	return cmd
}

func parseID(what, raw string) (uuid.UUID, error) {
	id, err := uuid.Parse(raw)
	if err != nil {
		return uuid.Nil, usageError{fmt.Errorf("%q is no %s id: ids are UUIDs, and `veracity account list` and `veracity key list` show them", raw, what)}
	}
	return id, nil
}
