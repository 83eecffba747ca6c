package provenance

import (
	"fmt"

	"veracity/engine"
	"veracity/engine/c2pa"
)

// explain says in plain words what a report goes by. It is shown to people as it is.
func explain(r Report) string {
	c := r.ContentCredentials
	var credentials string
	if c != nil {
		credentials = explainCredentials(c)
	}
	unsigned := explainUnsigned(r)
	switch {
	case credentials == "" && unsigned == "":
		return "The file says nothing about how it was made. Most files do not, and copies lose what their originals say."
	case credentials == "":
		return unsigned
	case unsigned == "":
		return credentials
	case c.Verdict == engine.Real:
		return credentials + " But " + lower(unsigned) + " The two contradict each other."
	}
	return credentials + " " + unsigned
}

func explainCredentials(c *ContentCredentials) string {
	if !c.Present {
		return "The file names an address where its Content Credentials are kept. Nothing is fetched from there, so they say nothing here."
	}
	if !c.Validated {
		return "The file has Content Credentials, which were not checked."
	}
	active := activeOf(c)
	switch c.Origin {
	case Generated:
		return "Content Credentials " + by(active) + " say that a model made this file. " + holds(active)
	case EditedWithAI:
		return "Content Credentials " + by(active) + " say that a model made or changed a part of this file. " + holds(active)
	case Captured:
		return "Content Credentials " + by(active) + " say that a device captured this file and that nothing was made up since. " + holds(active)
	case ClaimedCapture:
		return "Content Credentials " + by(active) + " claim a capture by a device. " + doubt(active) + " Anybody can write such a claim, so it proves nothing."
	case NotOfThisFile:
		return "The Content Credentials do not fit the file: one of them was changed after signing, or they belong to another file. They say nothing about its origin."
	case NotChecked:
		return "The file has Content Credentials that cannot be checked here, so they say nothing."
	case Silent:
	}
	return "Content Credentials " + by(active) + " hold, and say neither that a model made this file nor that a device captured it."
}

func activeOf(c *ContentCredentials) *c2pa.Manifest {
	if c.Validation != nil {
		for i := range c.Validation.Manifests {
			if c.Validation.Manifests[i].Label == c.Validation.Active {
				return &c.Validation.Manifests[i]
			}
		}
	}
	return &c2pa.Manifest{}
}

// by names the signer.
func by(m *c2pa.Manifest) string {
	if name := maker(m); name != "" {
		return "signed in the name of " + shorten(name)
	}
	return "by an unnamed signer"
}

// holds says how much stands behind a statement that fits its file.
func holds(m *c2pa.Manifest) string {
	if trusted(m) {
		return "They fit the file, and the signer is on a trust list."
	}
	return "They fit the file. " + doubt(m)
}

// doubt says why a signer is not trusted.
func doubt(m *c2pa.Manifest) string {
	if m.Signer == nil {
		return "Nobody signed them."
	}
	switch m.Signer.Validity {
	case c2pa.Expired:
		return "The signer's certificate has expired, and no trusted time-stamp says that it signed before."
	case c2pa.Unfit:
		return "The signer's certificate is not one for this purpose."
	case c2pa.Revoked:
		return "The signer's certificate was revoked."
	case c2pa.Valid:
	}
	if !m.Signer.Trust.Trusted {
		return "No trust list knows the signer."
	}
	return "Somebody who signed on the way is on no trust list, or did what cannot be judged."
}

// told are kinds of unsigned statements in words; %s is the maker, or its stand-in.
var told = map[Kind]string{ //nolint:gosec // No credentials are among these words.
	Parameters: "It carries the record that %s leaves of how it made a picture or clip.",
	Signature:  "Its metadata has a signature of %s, which cannot be verified here.",
	Tool:       "Its metadata names %s as its maker.",
	Credit:     "Its metadata carries the credit line of %s.",
	Label:      "It carries the label for AI-generated content that China's rules demand, by %s.",
	Disclosure: "Its metadata discloses the use of %s.",
	SourceType: "Its metadata states a digital source type that names a trained model%s.",
}

// explainUnsigned explains the most telling statement of the metadata that speaks for AI.
func explainUnsigned(r Report) string {
	for _, kind := range []Kind{Parameters, Signature, Tool, Credit, Label, Disclosure, SourceType} {
		for _, s := range r.Statements {
			if s.Kind != kind || s.AI == No {
				continue
			}
			name := s.Generator
			switch {
			case kind == SourceType:
				name = ""
			case name == "":
				name = "an AI generator"
			}
			text := fmt.Sprintf(told[kind], name)
			switch s.AI {
			case Possibly:
				text += " It is a suspicion, no certainty."
			case Partly:
				text += " It speaks of a part or an edit, not of the whole."
			case Full, No:
			}
			return text + " Such statements are not signed."
		}
	}
	return ""
}

// lower begins a sentence within another.
func lower(sentence string) string {
	return string(sentence[0]|0x20) + sentence[1:]
}
