package provenance

import (
	"cmp"
	"slices"
	"strings"

	"veracity/engine"
)

const (
	maxStatements = 64
	maxValue      = 200
)

// finding is what a recogniser makes of a value.
type finding struct {
	generator string
	ai        Extent
}

// finder gathers statements while the blocks of a file are read.
type finder struct {
	statements []Statement
	texts      texts
	// remote is the first address of a remote manifest store, remoteAt its place.
	remote, remoteAt string
}

func (f *finder) add(kind Kind, where string, found finding, value string) {
	s := Statement{Kind: kind, Where: where, Generator: shorten(found.generator), AI: found.ai, Value: shorten(value)}
	if len(f.statements) < maxStatements && !slices.Contains(f.statements, s) {
		f.statements = append(f.statements, s)
	}
}

// record adds a generator's record of parameters, when the value is one.
func (f *finder) record(where, value string) {
	if found, ok := record(value); ok {
		f.add(Parameters, where, found, value)
	}
}

// report is what was found, and where a manifest store sits.
func (f *finder) report(manifest string) Report {
	r := decide(f.statements)
	r.ContentCredentials = f.credentials(manifest)
	r.Explanation = explain(r)
	return r
}

func (f *finder) credentials(manifest string) *ContentCredentials {
	if manifest == "" && f.remote == "" {
		return nil
	}
	return &ContentCredentials{Present: manifest != "", Where: cmp.Or(manifest, f.remoteAt), Remote: f.remote}
}

// shorten cuts a value to what a report shows.
func shorten(s string) string {
	s = strings.ToValidUTF8(s, "")
	n, cut := 0, 0
	for i := range s {
		if n++; n == maxValue {
			cut = i
		}
		if n > maxValue {
			return s[:cut] + "…"
		}
	}
	return s
}

// decide weighs the statements. A record, signature, tool, credit or label that lays the whole to AI decides. Source types
// that contradict each other, one wholly AI and one not at all, leave it open, and so do mere suspicion and the word of
// an edit with AI: what was captured and then retouched is neither.
func decide(statements []Statement) Report {
	r := Report{Verdict: engine.None, Statements: statements}
	if r.Statements == nil {
		r.Statements = []Statement{}
	}
	var ai, doubtful []Statement
	for _, s := range statements {
		switch {
		case s.AI == Full, s.AI == Partly && s.Kind != SourceType && s.Kind != Credit:
			ai = append(ai, s)
		case s.AI == Partly, s.AI == Possibly:
			doubtful = append(doubtful, s)
		}
	}
	if len(ai) > 0 {
		r.Verdict, r.Issuer = engine.AI, issuer(ai)
		if contradicted(ai, statements) {
			r.Verdict = engine.Uncertain
		}
	} else if len(doubtful) > 0 {
		r.Verdict, r.Issuer = engine.Uncertain, issuer(doubtful)
	}
	return r
}

// contradicted says that nothing but source types speaks for AI, wholly, and that another source type denies it.
func contradicted(ai, all []Statement) bool {
	for _, s := range ai {
		if s.Kind != SourceType || s.AI != Full {
			return false
		}
	}
	return slices.ContainsFunc(all, func(s Statement) bool { return s.Kind == SourceType && s.AI == No })
}

// issuer is the generator of the most telling statement that names one. A source type names nobody.
func issuer(statements []Statement) *string {
	rank := []Kind{Parameters, Signature, Tool, Credit, Label, Disclosure}
	for _, kind := range rank {
		for _, s := range statements {
			if s.Kind == kind && s.Generator != "" {
				return &s.Generator
			}
		}
	}
	return nil
}
