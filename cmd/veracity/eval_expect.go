package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"veracity/engine"
	"veracity/engine/c2pa"
	"veracity/engine/c2pa/status"
	"veracity/engine/provenance"
)

// evalHelp tells what a manifest's column expected may say.
const evalHelp = "Runs the engine over the files of a tab-separated manifest, whose paths are relative to it.\n\n" +
	"With the columns path and label (ai, real or other), and if you have them generator_or_source, repo and split, it measures: ROC AUC,\n" +
	"what is found at 1 and 5 % false positives, EER, calibration and answers, for each variant, generator and source, with\n" +
	"intervals; --report writes a page to look at. docs/evaluation.md says what each figure means.\n\n" +
	"With the columns path and expected it prints hits, misses and a confusion table. expected begins with one of\n\n" +
	"  ai, real, uncertain, unavailable   the verdict of the result\n" +
	"  meta                               the provenance lane goes by metadata\n" +
	"  none                               the provenance lane finds nothing\n" +
	"  watermark                          the watermark lane says ai; with “-> … nothing” that it says none\n" +
	"  robustness                         the file is read or refused, and the engine lives\n" +
	"  c2pa:none                          no Content Credentials, and the provenance lane finds nothing\n" +
	"  c2pa:valid, c2pa:trusted           they fit the file; the signer is on a trust list\n" +
	"  c2pa:integrity ok, expired         they fit the file, and the certificate has expired\n" +
	"  c2pa:invalid CODE + CODE           they do not, with the validation codes named\n" +
	"  c2pa:error, c2pa:init              they cannot be checked whole\n" +
	"  c2pa:remote                        they are kept elsewhere\n\n" +
	"Behind a c2pa class, “AI full”, “AI partly”, “(partly)” and “NOT AI” say what the lane reads of them, and “untrusted” that\n" +
	"the signer is unknown. What else follows is a note for people, and so is all in parentheses but (partly)."

// expectation is what a row of a manifest asks for.
type expectation struct {
	// class is the first word, of Content Credentials with what follows c2pa:.
	class string
	// codes are validation codes that must be among those reported.
	codes []string
	// says is the provenance verdict that must be read, "" for any; not is one that must not.
	says, not engine.Verdict
	untrusted bool
	// silent: a watermark that nobody can decode here.
	silent bool
}

var (
	plainClasses = []string{"ai", "real", "uncertain", "unavailable", "meta", "none", "watermark", "robustness"}
	c2paClasses  = []string{"none", "valid", "trusted", "integrity", "invalid", "error", "init", "remote"}
	codeWords    = regexp.MustCompile(`[a-z][A-Za-z]*(\.[A-Za-z]+)+`)
	asides       = regexp.MustCompile(`\([^)]*\)`)
)

// parseExpectation reads the column expected; ok is false for what is not known.
func parseExpectation(text string) (e expectation, ok bool) {
	partly := strings.Contains(text, "(partly)")
	rest, isC2PA := strings.CutPrefix(text, "c2pa:")
	word := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(":; (,", r) })
	if len(word) == 0 {
		return expectation{}, false
	}
	e.class = word[0]
	if !isC2PA {
		e.silent = e.class == "watermark" && strings.Contains(text, "->") && strings.Contains(text, "nothing")
		return e, slices.Contains(plainClasses, e.class)
	}
	if !slices.Contains(c2paClasses, e.class) {
		return expectation{}, false
	}
	rest = asides.ReplaceAllString(rest, "")
	e.class = "c2pa:" + e.class
	if e.class == "c2pa:invalid" {
		e.codes = codeWords.FindAllString(rest, -1)
		e.not = engine.AI
	}
	e.untrusted = strings.Contains(rest, "untrusted")
	switch {
	case partly, strings.Contains(rest, "AI partly"):
		e.says = engine.Uncertain
	case strings.Contains(rest, "NOT AI"):
		e.not = engine.AI
	case strings.Contains(rest, "AI full"):
		e.says = engine.AI
	case strings.Contains(rest, "claims digitalCapture"):
		e.not = engine.Real
	}
	return e, true
}

// read is what the engine said of a file, as far as expectations ask for it.
type read struct {
	report     engine.Report
	provenance provenance.Report
}

func newRead(report engine.Report) (read, error) {
	r := read{report: report}
	text, err := json.Marshal(report.Detail.Provenance)
	if err == nil {
		err = json.Unmarshal(text, &r.provenance)
	}
	if err != nil {
		return read{}, fmt.Errorf("read the engine's report: %w", err)
	}
	return r, nil
}

// active is the active manifest, zero without one.
func (r read) active() c2pa.Manifest {
	c := r.provenance.ContentCredentials
	if c == nil || c.Validation == nil {
		return c2pa.Manifest{}
	}
	for _, m := range c.Validation.Manifests {
		if m.Label == c.Validation.Active {
			return m
		}
	}
	return c2pa.Manifest{}
}

// codes are all validation codes of the store and its manifests.
func (r read) codes() []string {
	c := r.provenance.ContentCredentials
	if c == nil || c.Validation == nil {
		return nil
	}
	var codes []string
	note := func(list []status.Status) {
		for _, s := range list {
			codes = append(codes, string(s.Code))
		}
	}
	note(c.Validation.Statuses)
	for _, m := range c.Validation.Manifests {
		note(m.Statuses)
		for _, i := range m.Ingredients {
			codes = append(codes, i.Recorded...)
		}
	}
	return codes
}

// class is what was read, in the words of what was asked for.
func (r read) class(e expectation) string {
	lanes := r.report.Lanes
	said := string(lanes.Provenance.Verdict)
	switch e.class {
	case "robustness":
		return e.class
	case "watermark":
		if want := map[bool]engine.Verdict{false: engine.AI, true: engine.None}[e.silent]; lanes.Watermark.Verdict == want {
			return e.class
		}
		return string(lanes.Watermark.Verdict)
	case "meta":
		for _, s := range r.provenance.Statements {
			if s.Kind != provenance.Credential && s.AI != provenance.No {
				return e.class
			}
		}
		return said
	case "none", "c2pa:none":
		if r.provenance.ContentCredentials != nil {
			return "c2pa"
		}
		if said == "none" {
			return e.class
		}
		return said
	case "ai", "real", "uncertain", "unavailable":
		return string(r.report.Verdict)
	}
	return r.c2paClass(e)
}

// malformed tells a manifest that is as it was signed, and was not as the specification says.
func malformed(m c2pa.Manifest) bool {
	return slices.ContainsFunc(m.Statuses, func(s status.Status) bool {
		return s.Code.Kind() == status.Failure && !strings.HasPrefix(string(s.Code), "signingCredential.")
	})
}

func (r read) c2paClass(e expectation) string {
	c, m, said := r.provenance.ContentCredentials, r.active(), r.report.Lanes.Provenance.Verdict
	switch {
	case c == nil:
		return "no Content Credentials"
	case e.says != "" && said != e.says, e.not != "" && said == e.not:
		return "provenance " + string(said)
	case !c.Present:
		return "c2pa:remote"
	case c.Validation == nil:
		return "not validated"
	}
	for _, code := range e.codes {
		if !slices.Contains(r.codes(), code) {
			return "c2pa without " + code
		}
	}
	signer := c2pa.Signer{}
	if m.Signer != nil {
		signer = *m.Signer
	}
	switch {
	case e.untrusted && signer.Trust.Trusted:
		return "c2pa:trusted"
	case e.class == "c2pa:init" && m.Integrity != c2pa.Intact && slices.Contains(r.codes(), "assertion.bmffHash.mismatch"):
		return e.class
	case m.Integrity == c2pa.Unchecked, e.class == "c2pa:error" && m.Integrity != c2pa.Intact:
		return "c2pa:error"
	case m.Integrity != c2pa.Intact || signer.Validity == c2pa.Unfit, e.class == "c2pa:invalid" && malformed(m):
		return "c2pa:invalid"
	case e.class == "c2pa:integrity" && signer.Validity == c2pa.Expired:
		return e.class
	case e.class == "c2pa:valid":
		return e.class
	case signer.Trust.Trusted && signer.Validity == c2pa.Valid:
		return "c2pa:trusted"
	}
	return "c2pa:valid"
}
