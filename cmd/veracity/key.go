package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/account"
	"veracity/account/access"
)

func keyCommand(s *Settings) *cobra.Command {
	return group("key", "Make, list and revoke API keys", keyCreate(s), keyList(s), keyRevoke(s))
}

func keyCreate(s *Settings) *cobra.Command {
	var accountID, name string
	cmd := &cobra.Command{
		Use: "create --account ID --name N", Short: "Make a key; key and signing secret are shown this once", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := parseID("account", accountID)
			if err != nil {
				return err
			}
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				made, err := accounts.CreateKey(ctx, access.CLI(id), name)
				if err != nil {
					return err
				}
				if s.JSON {
					_, err := fmt.Fprintln(cmd.OutOrStdout(), toJSON(made))
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "id              %s\nkey             %s\nsigning secret  %s\n"+
					"Save both now: they cannot be shown again.\n", made.ID, made.Key, made.SigningSecret)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&accountID, "account", "", "id of the account")
	cmd.Flags().StringVar(&name, "name", "", "name of the key, unique in the account")
	mandatory(cmd, "account", "name")
	return cmd
}

func keyList(s *Settings) *cobra.Command {
	list := withID(&cobra.Command{
		Use: "list --id ACCOUNT", Short: "List an account's live keys", Args: noArgs,
	}, "account", func(cmd *cobra.Command, id uuid.UUID) error {
		return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
			if _, err := accounts.Get(ctx, id); err != nil {
				return err
			}
			keys, err := accounts.ListKeys(ctx, id)
			if err != nil {
				return err
			}
			return s.printKeys(cmd.OutOrStdout(), keys)
		})
	})
	// `key create` calls the same thing --account, so that is understood here too.
	list.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "account" {
			name = "id"
		}
		return pflag.NormalizedName(name)
	})
	return list
}

func (s *Settings) printKeys(out io.Writer, keys []account.Key) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(keys))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, k := range keys {
		used := "never used"
		if k.LastUsedAt != nil {
			used = "used " + k.LastUsedAt.Format("2006-01-02 15:04 MST")
		}
		if _, err := fmt.Fprintf(w, "%s\t%s…\t%s\tmade %s\t%s\n", k.ID, k.Start, k.Name, k.CreatedAt.Format("2006-01-02"), used); err != nil {
			return err
		}
	}
	return w.Flush()
}

func keyRevoke(s *Settings) *cobra.Command {
	return withID(&cobra.Command{
		Use: "revoke --id KEY", Short: "End a key at once", Args: noArgs,
	}, "key", func(cmd *cobra.Command, id uuid.UUID) error {
		return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
			owner, err := accounts.KeyOwner(ctx, id)
			if err != nil {
				return err
			}
			return accounts.RevokeKey(ctx, access.CLI(owner), id)
		})
	})
}
