package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"veracity/engine"
	"veracity/platform/measure"
)

// printFigures prints an evaluation for people.
func printFigures(out io.Writer, e evaluation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "list   %s (sha256 %s)\nlane   %s%s\n", e.List, e.ListSHA256, e.Lane, modelWords(e))
	fmt.Fprintf(&b, "\nvariant\tai\treal\tscored\tAUC\tfound at 1 %%\tfound at 5 %%\tEER\treal called ai\tby the lane\n")
	for _, v := range e.Variants {
		fmt.Fprintf(&b, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", v.Variant, v.AI, v.Real, v.Scored, number(v.AUC), share(v.Found1), share(v.Found5),
			share(v.EqualError), share(v.OnReal.AI), share(v.OnReal.LaneAI))
	}
	for _, v := range e.Variants {
		printVariant(&b, v)
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return w.Flush()
}

func modelWords(e evaluation) string {
	if len(e.Models) == 0 {
		return ""
	}
	return ", model " + strings.Join(e.Models, ", ")
}

func printVariant(b *strings.Builder, v variantFigures) {
	fmt.Fprintf(b, "\n%s\tfiles\tai\treal\tuncertain\tnone\tunavailable\n", v.Variant)
	for _, row := range v.answerRows() {
		fmt.Fprintf(b, "%s\t%d\t%s\n", row.name, row.files, strings.Join(row.shares, "\t"))
	}
	for _, code := range slices.Sorted(maps.Keys(v.Refused)) {
		fmt.Fprintf(b, "refused: %s\t%d\n", code, v.Refused[code])
	}
	if v.Refusal != "" {
		fmt.Fprintf(b, "first: %s\n", v.Refusal)
	}
	fmt.Fprintf(b, "\n%s: decided by\tanswers ai or real\treal called ai\tai called real\n", v.Variant)
	for _, d := range v.DecidedBy {
		fmt.Fprintf(b, "%s\t%d\t%d (%s)\t%d\n", d.By, d.Decided, d.FalseAI, share(&d.OfReal), d.FalseReal)
	}
	fmt.Fprintf(b, "\n%s: group\tlabel\tfiles\tAUC\tat 1 %%\tat 5 %%\tlane ai\tlane real\tcalled ai\n", v.Variant)
	for _, g := range v.Groups {
		fmt.Fprintf(b, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", g.Group, g.Label, g.Files, number(g.AUC), share(g.At1), share(g.At5),
			share(g.LaneAI), share(g.LaneReal), share(g.AI))
	}
}

// answerRow is how often each verdict was given on files of one label.
type answerRow struct {
	name   string
	files  int
	shares []string
}

// verdicts are all that lanes and answers have.
var verdicts = []engine.Verdict{engine.AI, engine.Real, engine.Uncertain, engine.None, engine.Unavailable}

func (v variantFigures) answerRows() []answerRow {
	row := func(name string, a answers, of map[engine.Verdict]int) answerRow {
		r := answerRow{name: name, files: a.Files}
		for _, verdict := range verdicts {
			text := "–"
			if a.Files > 0 {
				text = percent(float64(of[verdict]) / float64(a.Files))
			}
			r.shares = append(r.shares, text)
		}
		return r
	}
	rows := []answerRow{
		row("ai: answer", v.OnAI, v.OnAI.Verdict), row("ai: lane", v.OnAI, v.OnAI.Lane),
		row("real: answer", v.OnReal, v.OnReal.Verdict), row("real: lane", v.OnReal, v.OnReal.Lane),
	}
	if v.Other > 0 {
		rows = append(rows, row("other: answer", v.OnOther, v.OnOther.Verdict), row("other: lane", v.OnOther, v.OnOther.Lane))
	}
	return rows
}

// Name, Files and Shares are for the page.
func (r answerRow) Name() string     { return r.name }
func (r answerRow) Files() int       { return r.files }
func (r answerRow) Shares() []string { return r.shares }

// number writes an estimate with its interval, share the same in percent.
func number(e *measure.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", e.Value, e.Low, e.High)
}

func share(e *measure.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*e.Value, 100*e.Low, 100*e.High)
}
