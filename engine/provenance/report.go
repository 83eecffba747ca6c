// Package provenance reads what a file says of its own origin: source types, generator parameters, credits, labels and
// signatures in its metadata, taken from the structures that hold them and never found by searching bytes. Whether the
// statements are true is not asked here. Unsigned statements speak for AI only: nobody gains by a lie in that direction,
// and everybody could by one in the other, so nothing here ever says real. Words do not count, structure does: a caption
// that mentions a generator states nothing.
//
// The packages below read formats and judge nothing: container walks images and clip walks videos and sound, ifd, exif,
// iptc and xmp read their blocks.
package provenance

import (
	"veracity/engine"
)

// Kind says what sort of statement it is.
type Kind string

// Kinds of statements, the most telling first: the order in which one is chosen as the deciding one.
const (
	// Parameters is a generator's record of how it made the picture.
	Parameters Kind = "generation_parameters"
	// Signature is a signature in metadata that is not verified, such as xAI's.
	Signature Kind = "signature"
	// Tool is a generator that names itself as the maker.
	Tool Kind = "generator"
	// Credit is a credit line that a vendor writes.
	Credit Kind = "credit"
	// Label is the Chinese AIGC label.
	Label Kind = "aigc_label"
	// Disclosure is IPTC's field for the AI system used.
	Disclosure Kind = "ai_disclosure"
	// SourceType is IPTC's digital source type.
	SourceType Kind = "digital_source_type"
	// Camera is a camera's record of a shot. It decides nothing.
	Camera Kind = "camera"
)

// Extent is how much of the picture a statement lays to AI.
type Extent string

// Extents. Possibly is the word of a platform that suspects it, not of a maker who knows.
const (
	Full     Extent = "full"
	Partly   Extent = "partly"
	Possibly Extent = "possibly"
	No       Extent = "no"
)

// Statement is one thing that the file says of its origin.
type Statement struct {
	Kind Kind `json:"kind"`
	// Where is the path to it in the file, such as jpeg:APP1:xmp:photoshop:Credit.
	Where string `json:"where"`
	// Generator is the tool, company or camera that speaks or is named; empty when unknown.
	Generator string `json:"generator,omitempty"`
	AI        Extent `json:"ai"`
	// Value is the statement as it stands, cut to 200 characters.
	Value string `json:"value"`
}

// ContentCredentials says that the file has a C2PA manifest store, or names where one is kept.
type ContentCredentials struct {
	// Present: a manifest store is embedded.
	Present bool `json:"present"`
	// Where is the path to the embedded store, or to the address of the remote one.
	Where string `json:"where"`
	// Remote is the address of the remote store; nothing is fetched from it.
	Remote string `json:"remote,omitempty"`
	// Validated is false: signatures and hashes have not been checked, so the store decides nothing.
	Validated bool `json:"validated"`
}

// Report is what the metadata of one file says.
type Report struct {
	// Verdict is ai, uncertain (the statements contradict each other, or only suspect AI) or none.
	Verdict engine.Verdict `json:"verdict"`
	// Issuer is who made the deciding statement, nil when unknown or when none decides.
	Issuer             *string             `json:"issuer"`
	Statements         []Statement         `json:"statements"`
	ContentCredentials *ContentCredentials `json:"content_credentials,omitempty"`
}

// Lane is the report in the contract's shape.
func (r Report) Lane() engine.ProvenanceLane {
	return engine.ProvenanceLane{Verdict: r.Verdict, Issuer: r.Issuer}
}
