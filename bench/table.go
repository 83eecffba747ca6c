package main

import (
	"context"
	"fmt"
	"io"
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
	t.heading = fmt.Sprintf("%d cores, shared by load, server, engine and database; PostgreSQL %s, durable; %s",
		runtime.NumCPU(), r.database.Version(), version)
}

func (t *table) add(r row)                       { t.rows = append(t.rows, r) }
func (t *table) note(format string, args ...any) { t.notes = append(t.notes, fmt.Sprintf(format, args...)) }

func (t *table) print(out io.Writer) error {
	fmt.Fprintf(out, "\n%s\n\n", t.heading)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "measured\tfigure\tagainst\tratio\taim\t")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.figure, r.against, r.ratio, r.aim, r.verdict())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	for _, note := range t.notes {
		fmt.Fprintf(out, "%s\n", note)
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
