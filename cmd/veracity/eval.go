package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"veracity/engine"
	"veracity/platform/fault"
)

func evalCommand(s *Settings) *cobra.Command {
	var manifest string
	cmd := &cobra.Command{
		Use: "eval --manifest FILE.tsv", Short: "Judge the engine by a labelled folder", Args: noArgs,
		Long: evalHelp,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := readManifest(manifest)
			if err != nil {
				return err
			}
			return s.withEngine(cmd.Context(), func(ctx context.Context, checker startedEngine) error {
				return s.evaluate(ctx, cmd.OutOrStdout(), checker, rows)
			})
		},
	}
	cmd.Flags().StringVar(&manifest, "manifest", "", "tab-separated file with the columns path and expected")
	mandatory(cmd, "manifest")
	return cmd
}

// labelled is one row of a manifest.
type labelled struct {
	path, expected string
	want           expectation
}

func readManifest(name string) ([]labelled, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, usageError{fmt.Errorf("--manifest: %w", err)}
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', -1, true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, usageError{fmt.Errorf("%s is no tab-separated table: %w", name, err)}
	}
	if len(lines) == 0 {
		return nil, usageError{fmt.Errorf("%s is empty", name)}
	}
	pathAt, expectedAt := slices.Index(lines[0], "path"), slices.Index(lines[0], "expected")
	if pathAt < 0 || expectedAt < 0 {
		return nil, usageError{fmt.Errorf("%s lacks the column path or expected in its first line", name)}
	}
	var rows []labelled
	for i, line := range lines[1:] {
		if len(line) <= max(pathAt, expectedAt) {
			return nil, usageError{fmt.Errorf("%s: row %d is too short", name, i+2)}
		}
		row := labelled{path: filepath.Join(filepath.Dir(name), line[pathAt]), expected: line[expectedAt]}
		var known bool
		if row.want, known = parseExpectation(row.expected); !known {
			return nil, usageError{fmt.Errorf("%s: row %d expects %q: see `veracity eval --help` for what is known", name, i+2, row.expected)}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// refusals are how the engine says that it has read a file and will not judge it.
var refusals = []fault.Code{
	fault.UnsupportedMedia, fault.InvalidImage, fault.VideoUnsupported, fault.AudioUnsupported, fault.VideoTooLong, fault.AudioTooLong,
}

// observed is what the engine said, in the words of what was asked for.
func observed(e expectation, report engine.Report, err error) (string, error) {
	if err != nil {
		code := fault.CodeOf(err)
		// A stream's init segment has no frames, so that no check of it has a verdict.
		if (e.class == "robustness" || e.class == "c2pa:init") && slices.Contains(refusals, code) {
			return e.class, nil
		}
		return string(code), nil
	}
	r, err := newRead(report)
	if err != nil {
		return "", err
	}
	return r.class(e), nil
}

func (s *Settings) evaluate(ctx context.Context, out io.Writer, checker startedEngine, rows []labelled) error {
	confusion := map[string]map[string]int{}
	var misses []string
	for _, row := range rows {
		report, err := checkFile(ctx, checker, row.path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, os.ErrNotExist) {
			return usageError{fmt.Errorf("the manifest names %s, which is not there", row.path)}
		}
		got, err := observed(row.want, report, err)
		if err != nil {
			return err
		}
		class := row.want.class
		if confusion[class] == nil {
			confusion[class] = map[string]int{}
		}
		confusion[class][got]++
		if got != class {
			misses = append(misses, fmt.Sprintf("%s\texpected %s\tread %s", filepath.Base(row.path), row.expected, got))
		}
	}
	return s.printEvaluation(out, len(rows), misses, confusion)
}

func (s *Settings) printEvaluation(out io.Writer, total int, misses []string, confusion map[string]map[string]int) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(map[string]any{
			"files": total, "hits": total - len(misses), "misses": misses, "confusion": confusion,
		}))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	var b strings.Builder
	for _, miss := range misses {
		b.WriteString("miss\t" + miss + "\n")
	}
	fmt.Fprintf(&b, "\n%d files, %d hits, %d misses\n\nexpected\tread as\tfiles\n", total, total-len(misses), len(misses))
	for _, class := range slices.Sorted(maps.Keys(confusion)) {
		for _, got := range slices.Sorted(maps.Keys(confusion[class])) {
			fmt.Fprintf(&b, "%s\t%s\t%d\n", class, got, confusion[class][got])
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return w.Flush()
}
