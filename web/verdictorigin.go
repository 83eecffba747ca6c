package web

import (
	"encoding/json"
	"strings"

	"veracity/engine"
	"veracity/views"
)

// origin is the part of a report's detail that tells what a file says of itself.
type origin struct {
	Statements []struct {
		Kind, Where, Generator, Value string
	} `json:"statements"`
	ContentCredentials *credentials `json:"content_credentials"`
	Explanation        string       `json:"explanation"`
}

// credentials are the file's Content Credentials.
type credentials struct {
	Where      string `json:"where"`
	Remote     string `json:"remote"`
	Validated  bool   `json:"validated"`
	Origin     string `json:"origin"`
	Validation *struct {
		Manifests []manifest `json:"manifests"`
	} `json:"validation"`
}

// manifest is one manifest of a store.
type manifest struct {
	Label     string `json:"label"`
	Generator string `json:"generator"`
	Signer    *struct {
		Organization string `json:"organization"`
		SignedAt     string `json:"signed_at"`
		Validity     string `json:"validity"`
		Trust        struct {
			Trusted bool `json:"trusted"`
		} `json:"trust"`
	} `json:"signer"`
	Actions []struct {
		Action string `json:"action"`
	} `json:"actions"`
}

var statementWords = map[string]string{
	"content_credentials":   "A statement in Content Credentials",
	"generation_parameters": "A generator's record of how it made the file",
	"signature":             "A signature in the metadata, not verified",
	"generator":             "A generator that names itself as the maker",
	"credit":                "A credit line",
	"aigc_label":            "The Chinese AIGC label",
	"ai_disclosure":         "A field that names the AI system used",
	"digital_source_type":   "The IPTC digital source type",
	"camera":                "A camera's record of the shot, which anybody can write",
}

// provenanceWords are what the lane's verdicts mean where the report has no explanation of its own.
var provenanceWords = laneWords{
	"ai":          "The file itself says that AI made it, and nobody gains by such a lie.",
	"real":        "The file carries a capture record whose signature holds.",
	"uncertain":   "What the file says of its origin contradicts itself, speaks of an edit with AI, or only suspects AI.",
	"none":        "The file says nothing of its origin that decides. Most files do not: sharing strips it.",
	"unavailable": "What the file says of its origin could not be read.",
}

func provenanceLane(r engine.Report) views.Lane {
	p := r.Lanes.Provenance
	kind := string(p.Verdict)
	l := views.Lane{Name: "Provenance", Kind: kind, Word: verdictWord(kind), Text: provenanceWords[kind]}
	said := originOf(r)
	if said.Explanation != "" {
		l.Text = printable(said.Explanation)
	}
	if p.Issuer != nil {
		l.Text += " Issuer: " + strings.TrimSuffix(printable(*p.Issuer), ".") + "."
	}
	l.Found = findings(said)
	return l
}

// originOf reads the detail, whose shape may change: what is not understood is left out.
func originOf(r engine.Report) origin {
	var said origin
	raw, err := json.Marshal(r.Detail.Provenance)
	if err != nil || json.Unmarshal(raw, &said) != nil {
		return origin{}
	}
	return said
}

// findings lists what the file says of itself.
func findings(said origin) []views.Finding {
	found := make([]views.Finding, 0, len(said.Statements)+1)
	for _, s := range said.Statements {
		what, ok := statementWords[s.Kind]
		if !ok {
			what = "A statement"
		}
		if s.Generator != "" {
			what += " (" + printable(s.Generator) + ")"
		}
		found = append(found, views.Finding{What: what, Where: printable(s.Where), Value: printable(s.Value)})
	}
	if c := said.ContentCredentials; c != nil {
		found = append(found, c.findings()...)
	}
	return found
}

// credentialWords are the outcomes of validation.
var credentialWords = map[string]string{
	"altered":   "Content Credentials (C2PA) that do not fit the file",
	"unchecked": "Content Credentials (C2PA) that cannot be checked here",
}

func (c *credentials) findings() []views.Finding {
	what := "Content Credentials (C2PA) that are kept elsewhere"
	switch {
	case c.Validated && credentialWords[c.Origin] != "":
		what = credentialWords[c.Origin]
	case c.Validated:
		what = "Content Credentials (C2PA) that fit the file"
	case c.Remote == "":
		what = "Content Credentials (C2PA) that were not checked"
	}
	found := []views.Finding{{What: what, Where: printable(c.Where), Value: printable(c.Remote)}}
	if c.Validation == nil {
		return found
	}
	for _, m := range c.Validation.Manifests {
		found = append(found, m.finding())
	}
	return found
}

// finding says who made a manifest, how far to trust that, and what was done.
func (m manifest) finding() views.Finding {
	who, trust := "nobody who is named", "not signed"
	if s := m.Signer; s != nil {
		if s.Organization != "" {
			who = printable(s.Organization)
		}
		trust = "unknown to the trust lists"
		if s.Trust.Trusted {
			trust = "on a trust list"
		}
		if s.Validity != "valid" && s.Validity != "" {
			trust += ", certificate " + printable(s.Validity)
		}
		if s.SignedAt != "" {
			trust += ", signed " + printable(s.SignedAt)
		}
	}
	what := "A manifest of " + who + " (" + trust + ")"
	if m.Generator != "" {
		what += ", made with " + printable(m.Generator)
	}
	actions := make([]string, len(m.Actions))
	for i, a := range m.Actions {
		actions[i] = a.Action
	}
	return views.Finding{What: what, Where: printable(m.Label), Value: printable(strings.Join(actions, ", "))}
}
