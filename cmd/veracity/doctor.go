package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"veracity/engine"
	"veracity/migrations"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/platform/postgres/private"
	"veracity/platform/seal"
	"veracity/platform/storage"
)

// finding is one line of the doctor's report.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	// Mend says what to do when it is not OK.
	Mend string `json:"mend,omitempty"`
}

func doctorCommand(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Say what is installed, reachable and configured, and how to mend what is not", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := s.examine(cmd.Context())
			if err := s.printFindings(cmd, findings); err != nil {
				return err
			}
			for _, f := range findings {
				if !f.OK {
					return silentError{errors.New("something is to be mended")}
				}
			}
			return nil
		},
	}
}

func (s *Settings) examine(ctx context.Context) []finding {
	findings := []finding{examineProgram("ffmpeg"), examineProgram("ffprobe")}
	findings = append(findings, s.examineEngine(ctx)...)
	findings = append(findings, s.examineTrust(), s.examineIdentity())
	if s.Database.URL == "" {
		findings = append(findings, examinePrivate(ctx))
	} else {
		findings = append(findings, s.examineDatabase(ctx))
	}
	if s.Storage.URL != "" {
		findings = append(findings, s.examineStorage(ctx))
	}
	if s.Mail.URL != "" {
		findings = append(findings, s.examineMail(ctx))
	} else if s.Database.URL != "" {
		findings = append(findings, finding{What: "mail", OK: true, Says: "VERACITY_MAIL_URL is not set: mails are laid into " + s.outbox()})
	}
	if s.Stripe.SecretKey != "" {
		findings = append(findings, s.examinePayments())
	}
	if s.SecretKey != "" {
		_, err := seal.Parse(s.SecretKey)
		findings = append(findings, result("secret key", "well-formed", err, "write VERACITY_SECRET_KEY as id:base64 with 32 bytes"))
	}
	return findings
}

// result is a finding about something that worked or returned err.
func result(what, says string, err error, mend string) finding {
	if err != nil {
		return finding{What: what, Says: oneLine(err.Error()), Mend: mend}
	}
	return finding{What: what, OK: true, Says: says}
}

func examineProgram(name string) finding {
	path, err := exec.LookPath(name)
	return result(name, path, err, "install ffmpeg (`make setup`)")
}

func examinePrivate(ctx context.Context) finding {
	found, err := private.Installed(ctx)
	says := ""
	if err == nil {
		says = found[0].Version + " in " + found[0].Dir
	}
	return result("private PostgreSQL", says, err, "install PostgreSQL's server (`make setup`), or set VERACITY_DATABASE_URL")
}

func (s *Settings) examineDatabase(ctx context.Context) finding {
	db, err := postgres.Open(ctx, s.Database)
	if err != nil {
		return result("database", "", err, "start the database, or mend VERACITY_DATABASE_URL")
	}
	defer db.Close()
	return result("database", postgres.Redacted(s.Database.URL)+", schema is this version's", migrations.Check(ctx, db), "run `veracity migrate up`")
}

func (s *Settings) examineStorage(ctx context.Context) finding {
	const mend = "start the store, or mend VERACITY_STORAGE_URL and its keys"
	cfg := s.Storage
	// Tickets are not what is looked at here, and their key may not be made yet.
	cfg.TicketSecret = make([]byte, seal.KeySize)
	store, err := storage.Open(ctx, cfg, newLogger(s))
	if err != nil {
		return result("storage", "", err, mend)
	}
	defer func() { _ = store.Close() }()
	return result("storage", "answers and takes writes", store.Ready(ctx), mend)
}

// examineEngine is the look at the engine and at the models that it has loaded.
func (s *Settings) examineEngine(ctx context.Context) []finding {
	var state engine.State
	err := s.withEngine(ctx, func(ctx context.Context, started startedEngine) (err error) {
		state, err = started.State(ctx)
		return err
	})
	const mend = "see the message; libvips comes with `make setup`"
	switch {
	case err != nil:
		return []finding{result("engine", "", err, mend)}
	case state.Ready:
		return append([]finding{{What: "engine", OK: true, Says: "ready; " + describe(state)}}, s.examineModels(state)...)
	case state.Code == fault.ModelUnavailable:
		return append([]finding{{What: "engine", OK: true, Says: "ready, but for checks; " + describe(state)}}, finding{
			What: "models", Says: oneLine(state.Reason), Mend: "mend the setting, or set it to off: checks answer model_unavailable until then",
		})
	}
	return []finding{{What: "engine", Says: oneLine(state.Reason), Mend: mend}}
}

func (s *Settings) printFindings(cmd *cobra.Command, findings []finding) error {
	if s.JSON {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), toJSON(findings))
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	for _, f := range findings {
		state, says := "ok", f.Says
		if !f.OK {
			state, says = "MEND", f.Says+" → "+f.Mend
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", state, f.What, says); err != nil {
			return err
		}
	}
	return w.Flush()
}

// describe is an engine's state in a few words.
func describe(state engine.State) string {
	words := []string{fmt.Sprintf("%d checks at once", state.Slots)}
	for _, part := range slices.Sorted(maps.Keys(state.Sandbox)) {
		words = append(words, part+" "+state.Sandbox[part])
	}
	return strings.Join(words, ", ")
}
