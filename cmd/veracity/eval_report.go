package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"veracity/engine"
	"veracity/platform/measure"
)

// The files of a report.
const (
	reportPage    = "index.html"
	reportResults = "results.json"
)

//go:embed eval_report.html
var reportText string

var reportTemplate = template.Must(template.New(reportPage).Funcs(template.FuncMap{
	"value": valueOf, "reach": rangeOf, "times100": func(v float64) float64 { return 100 * v }, "percent": percentOf, "span": spanOf, "fixed": func(v float64) string { return fmt.Sprintf("%.3f", v) },
}).Parse(reportText))

// reportView is what the page shows.
type reportView struct {
	evaluation
	Lane   string
	Models string
	Files  string
	Charts []chart
	// Names are the variants' names in the order of the curves.
	Names  []curve
	Tables []variantView
}

// variantView is one variant's tables.
type variantView struct {
	variantFigures
	Open       bool
	Rows       []answerRow
	Generators []groupFigure
	Sources    []groupFigure
	Others     []groupFigure
	Refusals   []string
}

// writeReport lays a page and results.json into the folder.
func writeReport(folder string, e evaluation) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // A report is to be looked at.
		return usageError{fmt.Errorf("--report: %w", err)}
	}
	var page bytes.Buffer
	if err := reportTemplate.Execute(&page, viewOf(e)); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	for name, data := range map[string][]byte{reportPage: page.Bytes(), reportResults: []byte(toJSON(e) + "\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil { //nolint:gosec // As above.
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

func viewOf(e evaluation) reportView {
	v := reportView{
		evaluation: e, Lane: laneWords[e.Lane], Models: strings.Join(e.Models, ", "),
		Charts: []chart{rocChart(e), lowChart(e), reliabilityChart(e)},
	}
	if len(v.Charts[0].Curves) == 0 {
		v.Charts = nil
	}
	for i, f := range e.Variants {
		if i == 0 {
			v.Files = fmt.Sprintf("%d made by AI, %d real", f.AI, f.Real)
		}
		v.Names = append(v.Names, curve{Name: f.Variant, Style: i})
		t := variantView{variantFigures: f, Open: i == 0, Rows: f.answerRows()}
		for _, g := range f.Groups {
			switch g.Label { //nolint:exhaustive // These are the labels of a list.
			case engine.AI:
				t.Generators = append(t.Generators, g)
			case engine.Real:
				t.Sources = append(t.Sources, g)
			case other:
				t.Others = append(t.Others, g)
			}
		}
		for _, code := range slices.Sorted(maps.Keys(f.Refused)) {
			t.Refusals = append(t.Refusals, fmt.Sprintf("%s: %d", code, f.Refused[code]))
		}
		v.Tables = append(v.Tables, t)
	}
	return v
}

var laneWords = map[judged]string{byPixels: "Pixels lane", byVoice: "Voice lane", byVerdict: "Whole answer"}

// valueOf and rangeOf write a figure of 0 to 1 and its interval, percentOf and spanOf the same in percent.
func valueOf(e *measure.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", e.Value)
}

func rangeOf(e *measure.Estimate) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%.3f–%.3f", e.Low, e.High)
}

func percentOf(e *measure.Estimate) string {
	if e == nil {
		return "–"
	}
	return percent(e.Value)
}

func spanOf(e *measure.Estimate) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%.1f–%.1f", 100*e.Low, 100*e.High)
}
