package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"veracity/account"
	"veracity/account/access"
	"veracity/billing"
	"veracity/jobs"
	"veracity/migrations"
	"veracity/platform/fault"
	"veracity/quota"
)

func accountCommand(s *Settings) *cobra.Command {
	return group("account", "Make, look at and limit accounts",
		accountCreate(s), accountShow(s), accountLimits(s), accountList(s),
		accountPlan(s),
		accountAct(s, "suspend", "Stop all calls of an account's keys", (*account.Accounts).Suspend),
		accountAct(s, "resume", "Lift a suspension", (*account.Accounts).Resume),
	)
}

// withAccounts runs act on a database whose schema is this version's. The embedded one is brought up to date first.
func (s *Settings) withAccounts(ctx context.Context, act func(context.Context, *account.Accounts) error) error {
	private := s.Database.URL == ""
	return s.withDatabase(ctx, func(ctx context.Context, db *pgxpool.Pool) error {
		if private {
			if err := migrations.Up(ctx, db); err != nil {
				return err
			}
		} else if err := migrations.Check(ctx, db); err != nil {
			return err
		}
		ring, err := s.ring()
		if err != nil {
			return err
		}
		queue, err := jobs.NewQueue(db)
		if err != nil {
			return err
		}
		return hinted(act(ctx, &account.Accounts{
			DB: db, Seal: ring, Plans: billing.Plans(), Queue: queue, Log: quietLogger(s), Config: s.Account,
		}))
	})
}

// hints are the commands that help after a refusal, whose own message speaks to people on the portal too.
var hints = map[fault.Code]string{
	fault.UnknownAccount:  "`veracity account list` shows the ids",
	fault.EmailTaken:      "`veracity account list` finds it, `veracity account plan` changes its plan",
	fault.UnknownKey:      "`veracity key list` shows the ids",
	fault.KeyLimitReached: "`veracity key revoke` and `veracity account limits --keys` make room",
	fault.NameTaken:       "`veracity key list` shows the names",
}

// hinted adds the command that helps to a refusal.
func hinted(err error) error {
	f := (*fault.Fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	hint, ok := hints[f.Code]
	if !ok {
		return err
	}
	return fault.Wrap(err, f.Code, "%s (%s)", f.Message, hint)
}

// limitFlags are the flags that account create and account limits share.
type limitFlags struct {
	credits         int64
	rpm, jobs, keys int
}

func (l *limitFlags) register(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&l.credits, "credits", 0, "credits that the current period and later ones grant")
	cmd.Flags().IntVar(&l.rpm, "rpm", 0, "requests a minute")
	cmd.Flags().IntVar(&l.jobs, "jobs", 0, "jobs at once")
	cmd.Flags().IntVar(&l.keys, "keys", 0, "live keys")
}

// overrides are the limits that the command line names; the rest stay the plan's.
func (l *limitFlags) overrides(cmd *cobra.Command) account.Overrides {
	var o account.Overrides
	if cmd.Flags().Changed("credits") {
		o.Credits = &l.credits
	}
	if cmd.Flags().Changed("rpm") {
		o.RPM = &l.rpm
	}
	if cmd.Flags().Changed("jobs") {
		o.Jobs = &l.jobs
	}
	if cmd.Flags().Changed("keys") {
		o.Keys = &l.keys
	}
	return o
}

func accountCreate(s *Settings) *cobra.Command {
	var (
		email, plan string
		limits      limitFlags
	)
	cmd := &cobra.Command{
		Use: "create --email E --plan P", Short: "Make an account on a plan that you answer for", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				made, err := accounts.Create(ctx, email, plan, limits.overrides(cmd))
				if err != nil {
					return err
				}
				return s.showAccount(ctx, cmd.OutOrStdout(), accounts, made.ID)
			})
		},
	}
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the owner")
	cmd.Flags().StringVar(&plan, "plan", "", "free, starter, pro or scale")
	limits.register(cmd)
	mandatory(cmd, "email", "plan")
	return cmd
}

func accountShow(s *Settings) *cobra.Command {
	return withID(&cobra.Command{
		Use: "show --id ID", Short: "Show an account, and recompute its balance from the journal", Args: noArgs,
	}, "account", func(cmd *cobra.Command, id uuid.UUID) error {
		return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
			return s.showAccount(ctx, cmd.OutOrStdout(), accounts, id)
		})
	})
}

func accountLimits(s *Settings) *cobra.Command {
	var (
		limits limitFlags
		clear  []string
	)
	cmd := withID(&cobra.Command{
		Use: "limits --id ID", Short: "Override limits of an account; they hold at once", Args: noArgs,
	}, "account", func(cmd *cobra.Command, id uuid.UUID) error {
		o := limits.overrides(cmd)
		var err error
		if o.Clear, err = cleared(clear); err != nil {
			return err
		}
		if o == (account.Overrides{}) {
			return usageError{errors.New("say which limits: --credits, --rpm, --jobs, --keys or --clear")}
		}
		return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
			if _, err := accounts.SetLimits(ctx, access.CLI(id), o); err != nil {
				return err
			}
			return s.showAccount(ctx, cmd.OutOrStdout(), accounts, id)
		})
	})
	limits.register(cmd)
	cmd.Flags().StringSliceVar(&clear, "clear", nil, "limits that are the plan's again: credits, rpm, jobs, keys")
	return cmd
}

// cleared reads the names of --clear.
func cleared(names []string) (account.Cleared, error) {
	var c account.Cleared
	for _, name := range names {
		switch name {
		case "credits":
			c.Credits = true
		case "rpm":
			c.RPM = true
		case "jobs":
			c.Jobs = true
		case "keys":
			c.Keys = true
		default:
			return account.Cleared{}, usageError{fmt.Errorf("--clear %q: allowed are credits, rpm, jobs and keys", name)}
		}
	}
	return c, nil
}

func accountPlan(s *Settings) *cobra.Command {
	var plan string
	cmd := withID(&cobra.Command{
		Use: "plan --id ID --plan P", Short: "Move an account to a plan that you answer for", Args: noArgs,
	}, "account", func(cmd *cobra.Command, id uuid.UUID) error {
		return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
			if _, err := accounts.SetPlan(ctx, access.CLI(id), plan); err != nil {
				return err
			}
			return s.showAccount(ctx, cmd.OutOrStdout(), accounts, id)
		})
	})
	cmd.Flags().StringVar(&plan, "plan", "", "free, starter, pro or scale")
	mandatory(cmd, "plan")
	return cmd
}

func accountAct(s *Settings, use, short string, act func(*account.Accounts, context.Context, access.Actor) error) *cobra.Command {
	return withID(&cobra.Command{Use: use + " --id ID", Short: short, Args: noArgs},
		"account", func(cmd *cobra.Command, id uuid.UUID) error {
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				if err := act(accounts, ctx, access.CLI(id)); err != nil {
					return err
				}
				return s.showAccount(ctx, cmd.OutOrStdout(), accounts, id)
			})
		})
}

func accountList(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all accounts, the newest first", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				all, err := accounts.List(ctx)
				if err != nil {
					return err
				}
				return s.printAccounts(cmd.OutOrStdout(), all)
			})
		},
	}
}

func (s *Settings) printAccounts(out io.Writer, all []account.Account) error {
	if s.JSON {
		lines := make([]accountLine, len(all))
		for i, acc := range all {
			lines[i] = lineOf(acc)
		}
		_, err := fmt.Fprintln(out, toJSON(lines))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, acc := range all {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", acc.ID, acc.Email, acc.Plan, acc.State); err != nil {
			return err
		}
	}
	return w.Flush()
}

// accountLine is an account in a list.
type accountLine struct {
	ID     uuid.UUID      `json:"id"`
	Email  string         `json:"email"`
	Plan   string         `json:"plan"`
	State  account.State  `json:"state"`
	Limits account.Limits `json:"limits"`
}

func lineOf(acc account.Account) accountLine {
	return accountLine{ID: acc.ID, Email: acc.Email, Plan: acc.Plan, State: acc.State, Limits: acc.Limits}
}

// accountView is one account as the operator's scripts read it.
type accountView struct {
	accountLine
	Credits quota.Balance `json:"credits"`
	Keys    []account.Key `json:"keys"`
	// Differences are balances that the journal does not bear out; there must be none.
	Differences []quota.Difference `json:"differences,omitempty"`
}

// showAccount prints one account with its balance, recomputed from the journal, and its keys.
func (s *Settings) showAccount(ctx context.Context, out io.Writer, accounts *account.Accounts, id uuid.UUID) error {
	acc, err := accounts.Get(ctx, id)
	if err != nil {
		return err
	}
	view := accountView{accountLine: lineOf(acc)}
	if view.Credits, err = quota.Read(ctx, accounts.DB, id); err != nil {
		return err
	}
	if view.Keys, err = accounts.ListKeys(ctx, id); err != nil {
		return err
	}
	if view.Differences, err = quota.Audit(ctx, accounts.DB, &id); err != nil {
		return err
	}
	if err := s.printAccount(out, view); err != nil {
		return err
	}
	if len(view.Differences) > 0 {
		return fmt.Errorf("the balance of account %s differs from its journal: see the differences above", id)
	}
	return nil
}

func (s *Settings) printAccount(out io.Writer, v accountView) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(v))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	resets := "no period is open"
	if v.Credits.ResetsAt != nil {
		resets = "until " + v.Credits.ResetsAt.Format("2006-01-02 15:04 MST")
	}
	_, err := fmt.Fprintf(w, "account\t%s\ne-mail\t%s\nplan\t%s\nstate\t%s\ncredits\t%d of %d left, %d held, %s\n"+
		"limits\t%d requests a minute, %d jobs at once, %d keys\n",
		v.ID, v.Email, v.Plan, v.State, v.Credits.Available, v.Credits.Granted, v.Credits.Held, resets,
		v.Limits.RPM, v.Limits.Jobs, v.Limits.Keys)
	for _, k := range v.Keys {
		_, err = fmt.Fprintf(w, "key\t%s  %s…  %s\n", k.ID, k.Start, k.Name)
	}
	for _, d := range v.Differences {
		_, err = fmt.Fprintf(w, "DIFFERS\t%s: recorded %d, journal %d\n", d.What, d.Recorded, d.Journal)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}
