package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"veracity/engine"
)

// table is a tab-separated file with a line of column names.
type table struct {
	name    string
	columns []string
	rows    [][]string
	// sum is the SHA-256 of the file in hex.
	sum string
}

func readTable(flag, name string) (table, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return table{}, usageError{fmt.Errorf("--%s: %w", flag, err)}
	}
	r := csv.NewReader(strings.NewReader(string(data)))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', -1, true
	lines, err := r.ReadAll()
	if err != nil {
		return table{}, usageError{fmt.Errorf("%s is no tab-separated table: %w", name, err)}
	}
	if len(lines) == 0 {
		return table{}, usageError{fmt.Errorf("%s is empty", name)}
	}
	sum := sha256.Sum256(data)
	return table{name: name, columns: lines[0], rows: lines[1:], sum: hex.EncodeToString(sum[:])}, nil
}

func (t table) has(column string) bool { return slices.Contains(t.columns, column) }

// need refuses a table without the columns, or with a row that lacks one of them.
func (t table) need(columns ...string) error {
	last := 0
	for _, column := range columns {
		if !t.has(column) {
			return usageError{fmt.Errorf("%s lacks the column %s in its first line", t.name, column)}
		}
		last = max(last, slices.Index(t.columns, column))
	}
	for i, row := range t.rows {
		if len(row) <= last {
			return usageError{fmt.Errorf("%s: row %d is too short", t.name, i+2)}
		}
	}
	return nil
}

// at is the field of a row, "" where the table or the row lacks it.
func (t table) at(row int, column string) string {
	i := slices.Index(t.columns, column)
	if i < 0 || i >= len(t.rows[row]) {
		return ""
	}
	return t.rows[row][i]
}

// other labels what people made without a camera or a microphone, such as screens, drawings and scans: no photograph, and as
// wrong to be called AI.
const other engine.Verdict = "other"

// sample is a file of which it is known whether AI made it.
type sample struct {
	// path is where it lies, name how the list names it.
	path, name string
	// label is engine.AI, engine.Real or other.
	label engine.Verdict
	// group is the generator or the source of photographs or recordings, "" where the list does not say.
	group, repo, split string
}

// labelledList is a list of such files.
type labelledList struct {
	table
	samples []sample
}

// readList reads a list with the columns path and label, and of those that there are generator_or_source, repo and split.
// With a split only its rows count. Every file must be there.
func readList(t table, split string) (labelledList, error) {
	if err := t.need("path", "label"); err != nil {
		return labelledList{}, err
	}
	l := labelledList{table: t}
	for i := range t.rows {
		s := sample{
			name: t.at(i, "path"), label: engine.Verdict(t.at(i, "label")),
			group: t.at(i, "generator_or_source"), repo: t.at(i, "repo"), split: t.at(i, "split"),
		}
		if s.label != engine.AI && s.label != engine.Real && s.label != other {
			return labelledList{}, usageError{fmt.Errorf("%s: row %d has the label %q: ai, real or other is needed", t.name, i+2, s.label)}
		}
		if split != "" && s.split != split {
			continue
		}
		if s.path = s.name; !filepath.IsAbs(s.path) {
			s.path = filepath.Join(filepath.Dir(t.name), s.name)
		}
		l.samples = append(l.samples, s)
	}
	if len(l.samples) == 0 {
		return labelledList{}, usageError{fmt.Errorf("%s names no file%s", t.name, ofSplit(split))}
	}
	return l, l.complete()
}

func ofSplit(split string) string {
	if split == "" {
		return ""
	}
	return fmt.Sprintf(" of split %q", split)
}

// complete says how many files are missing, and how to get them.
func (l labelledList) complete() error {
	missing, first := 0, ""
	for _, s := range l.samples {
		if _, err := os.Stat(s.path); err != nil {
			if missing++; missing == 1 {
				first = s.path
			}
		}
	}
	if missing == 0 {
		return nil
	}
	return usageError{fmt.Errorf("%d of the %d files of %s are not there, the first is %s: paths are taken from the list's own folder; "+
		"`train/rebuild.py LIST --mirrors DIR --out DIR` rebuilds the files of train/data and writes a list.tsv beside them that this command takes",
		missing, len(l.samples), l.name, first)}
}
