package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newRoot makes the command tree. Settings are read once, before any command runs.
func newRoot(getenv func(string) string) *cobra.Command {
	s := defaultSettings(getenv)
	root := &cobra.Command{
		Use:   "veracity",
		Short: "Tell whether media was made by AI",
		Long: "Veracity tells whether an image, a video or a voice clip was made by AI.\n\n" +
			"Every setting is a flag and a VERACITY_ variable; `veracity config` lists them all.",
		SilenceErrors: true, SilenceUsage: true,
		Args:              noArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return s.read(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w: see `%s --help`", err, cmd.CommandPath())}
	})
	s.register(root)
	root.AddCommand(
		devCommand(s), serveCommand(s), workerCommand(s), engineCommand(s), migrateCommand(s),
		accountCommand(s), keyCommand(s), operatorCommand(s), checkCommand(s), optimizeCommand(s), remoteCommand(s), jobsCommand(s), billingCommand(s), evalCommand(s), modelCommand(s), trustCommand(s), configCommand(s), doctorCommand(s),
	)
	return root
}

// noArgs refuses arguments; under a group of commands it is what an unknown command meets.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("%q is not known here: see `%s --help`", args[0], cmd.CommandPath())}
}

// oneArg asks for exactly one argument, called what.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return usageError{fmt.Errorf("name one %s: see `%s --help`", what, cmd.CommandPath())}
	}
}

// someArgs asks for at least one argument, called what.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return usageError{fmt.Errorf("name at least one %s: see `%s --help`", what, cmd.CommandPath())}
	}
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError{fmt.Errorf("say what to do: see `%s --help`", cmd.CommandPath())}
		},
	}
	cmd.AddCommand(children...)
	return cmd
}
