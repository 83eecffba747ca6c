// Package status has the validation status codes of the C2PA specification (2.2, section 15.2).
package status

// Code is a status code in the specification's own letters, such as assertion.dataHash.mismatch.
type Code string

// Status is one result of validation.
type Status struct {
	Code Code `json:"code"`
	// URI is the JUMBF URI of what it speaks of.
	URI string `json:"url,omitempty"`
	// Explanation says more, in one sentence for people.
	Explanation string `json:"explanation,omitempty"`
}

// Kind sorts codes.
type Kind int

// Kinds of codes.
const (
	Success Kind = iota
	Informational
	Failure
)
