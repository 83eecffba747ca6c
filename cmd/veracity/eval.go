package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/engine"
	"veracity/engine/serve"
)

// evalFlags are what `veracity eval` is told.
type evalFlags struct {
	manifest, lane, split, scores, report string
	degrade                               []string
	jobs                                  int
}

func evalCommand(s *Settings) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use: "eval --manifest FILE.tsv", Short: "Measure the engine by a list of labelled files", Args: noArgs,
		Long: evalHelp,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := readTable("manifest", f.manifest)
			if err != nil {
				return err
			}
			if t.has("label") {
				return s.measureList(cmd, t, f)
			}
			return s.meetExpectations(cmd, t)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.manifest, "manifest", "", "tab-separated file with the columns path and label, or path and expected")
	fs.StringVar(&f.lane, "lane", "", "what is measured: pixels, voice or verdict; default pixels, of voice clips voice")
	fs.StringSliceVar(&f.degrade, "degrade", []string{clean}, "variants of each file: clean, jpeg85, resize75, webp80, mp3_64, opus_24, phone, h264_28")
	registerTrial(fs, &f.split, &f.scores, &f.jobs)
	fs.StringVar(&f.report, "report", "", "folder for a report to look at and results.json")
	mandatory(cmd, "manifest")
	return cmd
}

// registerTrial declares the flags that eval and model test share.
func registerTrial(fs *pflag.FlagSet, split, scores *string, jobs *int) {
	fs.StringVar(split, "split", "", "only rows of this split")
	fs.StringVar(scores, "scores", "", "file that takes a line of raw scores for each file and variant")
	fs.IntVar(jobs, "jobs", 0, "files worked on at once; default the engine's cores")
}

// meetExpectations compares the engine's answers with the column expected.
func (s *Settings) meetExpectations(cmd *cobra.Command, t table) error {
	if err := t.need("path", "expected"); err != nil {
		return err
	}
	rows, err := expectations(t)
	if err != nil {
		return err
	}
	return s.withEngine(cmd.Context(), func(ctx context.Context, checker startedEngine) error {
		return s.evaluate(ctx, cmd.OutOrStdout(), checker, rows)
	})
}

// measureList measures by labels.
func (s *Settings) measureList(cmd *cobra.Command, t table, f evalFlags) error {
	list, err := readList(t, f.split)
	if err != nil {
		return err
	}
	if f.lane == "" {
		f.lane = string(laneOfFile(list.samples[0].path))
	}
	by, err := parseJudged(f.lane)
	if err != nil {
		return err
	}
	variants, err := parseVariants(f.degrade)
	if err != nil {
		return err
	}
	outcomes, err := s.tryList(cmd, list, tried{variants: variants, by: by, scores: f.scores, jobs: f.jobs})
	if err != nil {
		return err
	}
	result := evaluationOf(list, f.split, by, variants, outcomes)
	if f.report != "" {
		if err := writeReport(f.report, result); err != nil {
			return err
		}
	}
	if s.JSON {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), toJSON(result))
		return err
	}
	if err := printFigures(cmd.OutOrStdout(), result); err != nil || f.report == "" {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "\nreport: %s\n", filepath.Join(f.report, reportPage))
	return err
}

// laneOfFile is the lane that reads files of this kind.
func laneOfFile(path string) judged {
	if mediaOf(path) == engine.Audio {
		return byVoice
	}
	return byPixels
}

// tried says how a list is run.
type tried struct {
	variants []string
	by       judged
	scores   string
	jobs     int
}

// tryList runs a list through an engine started for it, or the one that the settings name.
func (s *Settings) tryList(cmd *cobra.Command, list labelledList, how tried) (outcomes []outcome, err error) {
	if how.jobs < 0 {
		return nil, usageError{fmt.Errorf("--jobs is %d: 1 or more is needed", how.jobs)}
	}
	if how.jobs == 0 {
		how.jobs = s.Serve.Cores
	}
	s.makeRoom(how.jobs)
	treat, clear, err := newTreatments(s.Serve.Exec)
	if err != nil {
		return nil, fmt.Errorf("make a folder for variants: %w", err)
	}
	defer clear()
	scores, err := newScoreFile(how.scores)
	if err != nil {
		return nil, err
	}
	defer func() { err = scores.close(err) }()
	err = s.withEngine(cmd.Context(), func(ctx context.Context, checker startedEngine) error {
		bar := newProgressBar(cmd.ErrOrStderr())
		defer bar.done()
		run := engineTrial(checker, treat, how.variants, how.by, how.jobs)
		run.told, run.done = scores.write, bar.set
		outcomes, err = run.run(ctx, list.samples)
		return err
	})
	return outcomes, err
}

// makeRoom lets an engine of this process's own work on that many files at once, where the settings leave it to choose.
func (s *Settings) makeRoom(jobs int) {
	if s.isDefault("engine-cores") {
		s.Serve.Cores = max(s.Serve.Cores, jobs)
	}
	if s.isDefault("engine-jobs") {
		s.Serve.Jobs = max(s.Serve.Jobs, jobs)
	}
	if s.isDefault("engine-memory") {
		s.Serve.MemoryBytes = max(s.Serve.MemoryBytes, serve.DefaultMemory(s.Serve.Cores, s.Serve.Jobs))
	}
}

// percent writes a share as people read it.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
