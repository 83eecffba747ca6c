package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"
)

// table gathers what was measured.
type table struct {
	heading string
	rows    []row
	notes   []string
}

// row is one figure beside its peer or limit.
type row struct {
	what, figure, against, ratio, aim string
	met                               bool
}

// about says what the figures were measured on.
func (t *table) about(ctx context.Context, r *rig) {
	version := "vips of unknown version"
	if said, err := exec.CommandContext(ctx, "vips", "--version").Output(); err == nil {
		version = strings.TrimSpace(string(said))
	}
	t.heading = fmt.Sprintf("%d cores, shared by load, server, engine and database; PostgreSQL %s, durable; %s; %s",
		runtime.NumCPU(), r.database.Version(), version, busy())
}

// busy says how many processes wanted a core in the minute before the run: with more than a few, only ratios count.
func busy() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load before the run unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return "load before the run " + minute
}

func (t *table) add(r row) { t.rows = append(t.rows, r) }
func (t *table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *table) print(out io.Writer) error {
	var columns, text bytes.Buffer
	columns.WriteString("measured\tfigure\tagainst\tratio\taim\t\n")
	for _, r := range t.rows {
		fmt.Fprintf(&columns, "%s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.figure, r.against, r.ratio, r.aim, r.verdict())
	}
	w := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	_, err := w.Write(columns.Bytes())
	if err := errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("align the table: %w", err)
	}
	if _, err := fmt.Fprintf(out, "\n%s\n\n%s\n%s\n", t.heading, text.String(), strings.Join(t.notes, "\n")); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}

func (r row) verdict() string {
	switch {
	case r.aim == "":
		return ""
	case r.met:
		return "met"
	}
	return "MISSED"
}
