package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"veracity/account"
)

func operatorCommand(s *Settings) *cobra.Command {
	return group("operator", "Say who may use the operator pages",
		operatorSet(s, "grant", "Let a person who has signed up use the operator pages", true),
		operatorSet(s, "revoke", "Take the operator pages from a person", false),
		operatorList(s),
	)
}

func operatorSet(s *Settings, use, short string, on bool) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: use + " --email E", Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				if err := accounts.SetOperator(ctx, email, on); err != nil {
					return err
				}
				return s.showOperators(ctx, cmd.OutOrStdout(), accounts)
			})
		},
	}
	cmd.Flags().StringVar(&email, "email", "", "e-mail address that the person signs in with")
	mandatory(cmd, "email")
	return cmd
}

func operatorList(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List who may use the operator pages", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				return s.showOperators(ctx, cmd.OutOrStdout(), accounts)
			})
		},
	}
}

func (s *Settings) showOperators(ctx context.Context, out io.Writer, accounts *account.Accounts) error {
	all, err := accounts.Operators(ctx)
	if err != nil {
		return err
	}
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(all))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, o := range all {
		factor := "second factor set up"
		if !o.SecondFactor {
			factor = "must set up a second factor first"
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", o.Email, o.Name, factor); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		if _, err := fmt.Fprintln(w, "nobody: `veracity operator grant --email E` names the first"); err != nil {
			return err
		}
	}
	return w.Flush()
}
