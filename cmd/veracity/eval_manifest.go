package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"veracity/engine"
	"veracity/platform/fault"
)

// expected is one row of a manifest.
type expected struct {
	path, text string
	want       expectation
}

// expectations reads a table with the columns path and expected.
func expectations(t table) ([]expected, error) {
	var rows []expected
	for i := range t.rows {
		row := expected{path: filepath.Join(filepath.Dir(t.name), t.at(i, "path")), text: t.at(i, "expected")}
		var known bool
		if row.want, known = parseExpectation(row.text); !known {
			return nil, usageError{fmt.Errorf("%s: row %d expects %q: see `veracity eval --help` for what is known", t.name, i+2, row.text)}
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

func (s *Settings) evaluate(ctx context.Context, out io.Writer, checker startedEngine, rows []expected) error {
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
			misses = append(misses, fmt.Sprintf("%s\texpected %s\tread %s", filepath.Base(row.path), row.text, got))
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
