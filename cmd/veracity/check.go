package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"veracity/api"
	"veracity/engine"
	"veracity/platform/fault"
	"veracity/web"
)

func checkCommand(s *Settings) *cobra.Command {
	var full, explain bool
	cmd := &cobra.Command{
		Use: "check FILE…", Short: "Check local files, without a server or an account", Args: someArgs("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			return s.withEngine(cmd.Context(), func(ctx context.Context, checker startedEngine) error {
				return s.checkFiles(ctx, cmd.OutOrStdout(), checker, files, shown{full: full, explain: explain})
			})
		},
	}
	cmd.Flags().BoolVar(&full, "detail", false, "add the engine's own report (with --json)")
	cmd.Flags().BoolVar(&explain, "explain", false, "say below each line what every lane goes by")
	return cmd
}

// shown is how much is said of a file.
type shown struct{ full, explain bool }

// withEngine runs act with an engine of its own, started for as long as it takes, or the one that the settings name.
func (s *Settings) withEngine(ctx context.Context, act func(context.Context, startedEngine) error) (err error) {
	if s.isDefault("engine-scratch") {
		s.EngineScratch = "" // the system's temporary folder: a look at a file makes no data folder
	}
	started, err := s.startEngine(ctx, quietLogger(s))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, started.stop(context.WithoutCancel(ctx))) }()
	if err := started.wait(ctx); err != nil {
		return err
	}
	return act(ctx, started)
}

// fileError is a refusal in the output of `check --json`.
type fileError struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Detail  any        `json:"detail,omitempty"`
}

func (s *Settings) checkFiles(ctx context.Context, out io.Writer, checker startedEngine, files []string, how shown) error {
	refused := 0
	for _, name := range files {
		report, err := checkFile(ctx, checker, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			refused++
		}
		if err := s.printCheck(out, name, report, err, how); err != nil {
			return err
		}
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d files could not be checked: see their lines", refused, len(files))
	}
	return nil
}

// checkFile checks one file, and once more when the engine went away under it: a file that kills the engine must not
// spoil the check of the next one.
func checkFile(ctx context.Context, started startedEngine, name string) (engine.Report, error) {
	report, err := checkOnce(ctx, started, name)
	if fault.CodeOf(err) != fault.EngineUnavailable {
		return report, err
	}
	if err := started.wait(ctx); err != nil {
		return engine.Report{}, err
	}
	return checkOnce(ctx, started, name)
}

func checkOnce(ctx context.Context, checker startedEngine, name string) (engine.Report, error) {
	f, err := openLocal(name)
	if err != nil {
		return engine.Report{}, err
	}
	defer func() { _ = f.Close() }()
	if f.media == engine.Video || f.media == engine.Audio {
		return checker.CheckClip(ctx, engine.ClipRequest{Source: f.source(), Media: f.media, MaxSeconds: engine.MaxClipSeconds})
	}
	return checker.CheckImage(ctx, f.source())
}

func (s *Settings) printCheck(out io.Writer, name string, report engine.Report, refusal error, how shown) error {
	if s.JSON {
		line := any(struct {
			File string `json:"file"`
			api.CheckResult
		}{name, api.ResultOf(report, how.full)})
		if refusal != nil {
			f := fault.From(refusal)
			line = struct {
				File  string    `json:"file"`
				Error fileError `json:"error"`
			}{name, fileError{f.Code, f.Message, f.Detail}}
		}
		return json.NewEncoder(out).Encode(line)
	}
	text := summary(report)
	if refusal != nil {
		f := fault.From(refusal)
		text = fmt.Sprintf("refused      %s: %s", f.Code, f.Message)
	}
	if how.explain && refusal == nil {
		for _, lane := range web.LanesInWords(report) {
			text += fmt.Sprintf("\n    %-11s %-12s %s", strings.ToLower(lane.Name), lane.Kind, oneLine(lane.Text))
		}
	}
	_, err := fmt.Fprintf(out, "%s  %s\n", name, text)
	return err
}

// summary is a report in one line.
func summary(r engine.Report) string {
	score := "  –"
	if r.Score != nil {
		score = fmt.Sprintf("%3d", *r.Score)
	}
	text := fmt.Sprintf("%-11s %s  decided by %s", r.Verdict, score, r.DecidedBy)
	if r.Lanes.Provenance.Issuer != nil {
		text += " (" + *r.Lanes.Provenance.Issuer + ")"
	}
	return text
}
