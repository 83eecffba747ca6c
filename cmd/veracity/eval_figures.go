package main

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
	"veracity/platform/measure"
)

const (
	// level is that of all intervals.
	level = 0.95
	// reliabilityBins is into how many parts probabilities are cut.
	reliabilityBins = 10
)

// foundRates are the false-positive rates at which what is found is told.
var foundRates = []float64{0.01, 0.05}

// evaluation is what a list says of an engine: the content of results.json.
type evaluation struct {
	List       string `json:"list"`
	ListSHA256 string `json:"list_sha256"`
	Split      string `json:"split,omitempty"`
	Lane       judged `json:"lane"`
	// Models are the models that answered, as "name version"; Engine is the version of the set of lanes.
	Models   []string         `json:"models"`
	Engine   string           `json:"engine"`
	At       time.Time        `json:"at"`
	Level    float64          `json:"interval_level"`
	Variants []variantFigures `json:"variants"`
}

// variantFigures are the figures of one variant.
type variantFigures struct {
	Variant string `json:"variant"`
	// AI, Real and Other are how many files have each label; Scored is how many of the first two have a score that ranks them.
	AI     int `json:"ai"`
	Real   int `json:"real"`
	Other  int `json:"other"`
	Scored int `json:"scored"`
	// Refused counts the files that were not judged, by code; Refusal has the first one's words.
	Refused map[fault.Code]int `json:"refused,omitempty"`
	Refusal string             `json:"refusal,omitempty"`
	// The figures of the score: nil where a class has no scored file. ROC are [false positives, found] in shares.
	AUC         *measure.Estimate    `json:"auc"`
	Found1      *measure.Estimate    `json:"found_at_1_percent"`
	Found5      *measure.Estimate    `json:"found_at_5_percent"`
	EqualError  *measure.Estimate    `json:"equal_error_rate"`
	ROC         [][2]float64         `json:"roc,omitempty"`
	Reliability *measure.Reliability `json:"reliability,omitempty"`
	// OnAI, OnReal and OnOther are what was answered on files of each label.
	OnAI    answers `json:"answers_on_ai"`
	OnReal  answers `json:"answers_on_real"`
	OnOther answers `json:"answers_on_other"`
	// DecidedBy are what the answers went by.
	DecidedBy []decided     `json:"decided_by"`
	Groups    []groupFigure `json:"groups"`
}

// answers counts verdicts, of the whole answer and of the lane.
type answers struct {
	Files   int                    `json:"files"`
	Verdict map[engine.Verdict]int `json:"verdict"`
	Lane    map[engine.Verdict]int `json:"lane"`
	// AI and LaneAI, Real and LaneReal are the shares that were called so, nil without files.
	AI       *measure.Estimate `json:"called_ai"`
	LaneAI   *measure.Estimate `json:"lane_called_ai"`
	Real     *measure.Estimate `json:"called_real"`
	LaneReal *measure.Estimate `json:"lane_called_real"`
}

// decided is how often answers of one decided_by called a file AI.
type decided struct {
	By engine.DecidedBy `json:"decided_by"`
	// Decided counts the answers that are ai or real, FalseAI photographs or recordings called ai, FalseReal AI called real.
	Decided   int              `json:"decided"`
	FalseAI   int              `json:"false_ai"`
	FalseReal int              `json:"false_real"`
	OfReal    measure.Estimate `json:"false_ai_of_all_real"`
}

// groupFigure is one generator, measured against all photographs, or one source of photographs.
type groupFigure struct {
	Group  string         `json:"group"`
	Label  engine.Verdict `json:"label"`
	Repos  int            `json:"repos"`
	Scored int            `json:"scored"`
	// AUC is that of the group against all files of the other label. At1 and At5 are the shares of it above the thresholds
	// that 1 % and 5 % of all photographs reach: found of a generator, wrong of a source.
	AUC *measure.Estimate `json:"auc"`
	At1 *measure.Estimate `json:"above_1_percent"`
	At5 *measure.Estimate `json:"above_5_percent"`
	answers
}

func evaluationOf(list labelledList, split string, by judged, variants []string, outcomes []outcome) evaluation {
	e := evaluation{
		List: filepath.Base(list.name), ListSHA256: list.sum, Split: split, Lane: by, Models: []string{}, Level: level, At: time.Now().UTC(),
	}
	for _, o := range outcomes {
		e.Engine = cmp.Or(o.engine, e.Engine)
		if o.reading == nil {
			continue
		}
		if name := o.reading.Model + " " + o.reading.Version; !slices.Contains(e.Models, name) {
			e.Models = append(e.Models, name)
		}
	}
	slices.Sort(e.Models)
	for _, variant := range variants {
		if of := only(outcomes, func(o outcome) bool { return o.variant == variant }); len(of) > 0 {
			e.Variants = append(e.Variants, variantOf(variant, by, of))
		}
	}
	return e
}

func only(list []outcome, keep func(outcome) bool) []outcome {
	var kept []outcome
	for _, o := range list {
		if keep(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

func labelled(list []outcome, label engine.Verdict) []outcome {
	return only(list, func(o outcome) bool { return o.label == label })
}

// casesOf are the photographs, recordings and files of generators that have a score, and the same with probabilities.
func casesOf(list []outcome, by judged) (scores, probabilities []measure.Case) {
	for _, o := range list {
		if v, scored := o.value(by); scored && o.label != other {
			scores = append(scores, measure.Case{Score: v, Positive: o.label == engine.AI})
			probabilities = append(probabilities, measure.Case{Score: o.probability(by), Positive: o.label == engine.AI})
		}
	}
	return scores, probabilities
}

func variantOf(variant string, by judged, list []outcome) variantFigures {
	scores, probabilities := casesOf(list, by)
	ai, real, drawn := labelled(list, engine.AI), labelled(list, engine.Real), labelled(list, other)
	f := variantFigures{
		Variant: variant, AI: len(ai), Real: len(real), Other: len(drawn), Scored: len(scores),
		OnAI: answersOf(ai), OnReal: answersOf(real), OnOther: answersOf(drawn),
		DecidedBy: decidedBy(ai, real), Groups: groupsOf(list, by),
	}
	for _, o := range list {
		if o.refusal != "" {
			if f.Refused == nil {
				f.Refused, f.Refusal = map[fault.Code]int{}, o.name+": "+oneLine(o.why)
			}
			f.Refused[o.refusal]++
		}
	}
	curve := measure.Curve(scores)
	if curve == nil {
		return f
	}
	for _, p := range curve {
		f.ROC = append(f.ROC, [2]float64{p.False, p.True})
	}
	summary := measure.Summarize(scores, foundRates, level)
	f.AUC, f.Found1, f.Found5, f.EqualError = &summary.AUC, &summary.Found[0], &summary.Found[1], &summary.EqualError
	reliability := measure.Reliable(probabilities, reliabilityBins, level)
	f.Reliability = &reliability
	return f
}

func answersOf(list []outcome) answers {
	a := answers{Verdict: map[engine.Verdict]int{}, Lane: map[engine.Verdict]int{}}
	for _, o := range list {
		if o.refusal == "" {
			a.Files++
			a.Verdict[o.verdict]++
			a.Lane[o.lane]++
		}
	}
	a.AI, a.LaneAI = shareOf(a.Verdict[engine.AI], a.Files), shareOf(a.Lane[engine.AI], a.Files)
	a.Real, a.LaneReal = shareOf(a.Verdict[engine.Real], a.Files), shareOf(a.Lane[engine.Real], a.Files)
	return a
}

// shareOf is nil where there is nothing to have a share of.
func shareOf(hits, n int) *measure.Estimate {
	if n == 0 {
		return nil
	}
	e := measure.Share(hits, n, level)
	return &e
}

func decidedBy(ai, real []outcome) []decided {
	by := map[engine.DecidedBy]*decided{}
	judged := 0
	for _, o := range slices.Concat(ai, real) {
		if o.refusal != "" {
			continue
		}
		if o.label == engine.Real {
			judged++
		}
		if o.verdict != engine.AI && o.verdict != engine.Real {
			continue
		}
		d := by[o.by]
		if d == nil {
			d = &decided{By: o.by}
			by[o.by] = d
		}
		d.Decided++
		switch {
		case o.verdict == o.label:
		case o.label == engine.Real:
			d.FalseAI++
		default:
			d.FalseReal++
		}
	}
	all := []decided{}
	for _, d := range by {
		if of := shareOf(d.FalseAI, judged); of != nil {
			d.OfReal = *of
		}
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b decided) int { return cmp.Compare(a.By, b.By) })
	return all
}

// groupsOf measures generators first, then sources, each by name.
func groupsOf(list []outcome, by judged) []groupFigure {
	type name struct {
		label engine.Verdict
		group string
	}
	of := map[name][]outcome{}
	for _, o := range list {
		at := name{o.label, o.group}
		of[at] = append(of[at], o)
	}
	all, _ := casesOf(list, by)
	at1, at5 := measure.ThresholdAt(all, foundRates[0]), measure.ThresholdAt(all, foundRates[1])
	figures := []groupFigure{}
	for n, members := range of {
		g := groupFigure{Group: cmp.Or(n.group, "not named"), Label: n.label, answers: answersOf(members)}
		repos := map[string]bool{}
		for _, o := range members {
			repos[o.repo] = true
		}
		g.Repos = len(repos)
		own, _ := casesOf(members, by)
		g.Scored = len(own)
		if !math.IsNaN(at1) {
			g.At1, g.At5 = shareOf(atLeast(own, at1), len(own)), shareOf(atLeast(own, at5), len(own))
		}
		for _, c := range all {
			if n.label != other && c.Positive != (n.label == engine.AI) {
				own = append(own, c)
			}
		}
		if auc := measure.AUCInterval(own, level); !math.IsNaN(auc.Value) {
			g.AUC = &auc
		}
		figures = append(figures, g)
	}
	slices.SortFunc(figures, func(a, b groupFigure) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Group, b.Group))
	})
	return figures
}

func atLeast(cases []measure.Case, threshold float64) int {
	n := 0
	for _, c := range cases {
		if c.Score >= threshold {
			n++
		}
	}
	return n
}
