// Package provenance reads what a file says of its own origin: source types, generator parameters, credits, labels and
// signatures in its metadata, taken from the structures that hold them and never found by searching bytes. Whether the
// statements are true is not asked of unsigned ones. They speak for AI only: nobody gains by a lie in that direction, and
// everybody could by one in the other. Content Credentials (C2PA) are validated, and they alone may say real. Words do
// not count, structure does: a caption that mentions a generator states nothing.
//
// The packages below read formats and judge nothing: container walks images and clip walks videos and sound, ifd, exif,
// iptc and xmp read their blocks.
package provenance

import (
	"veracity/engine"
	"veracity/engine/c2pa"
)

// Kind says what sort of statement it is.
type Kind string

// Kinds of statements, the most telling first: the order in which one is chosen as the deciding one.
const (
	// Credential is a statement of Content Credentials that hold.
	Credential Kind = "content_credentials"
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

// ContentCredentials says that the file has a C2PA manifest store, or names where one is kept, and what that comes to.
type ContentCredentials struct {
	// Present: a manifest store is embedded.
	Present bool `json:"present"`
	// Where is the path to the embedded store, or to the address of the remote one.
	Where string `json:"where"`
	// Remote is the address of the remote store; nothing is fetched from it.
	Remote string `json:"remote,omitempty"`
	// Validated: signatures and hashes were checked, with the outcome in Validation. [Read] and [ReadClip] check none.
	Validated bool `json:"validated"`
	// Origin is what the store comes to, Verdict what it says by itself: ai, real, uncertain or none.
	Origin  Origin         `json:"origin,omitempty"`
	Verdict engine.Verdict `json:"verdict,omitempty"`
	// Validation is the whole outcome.
	Validation *c2pa.Report `json:"validation,omitempty"`
}

// Report is what one file says of its origin.
type Report struct {
	// Verdict is ai, real (Content Credentials of a capture that hold, by trusted signers), uncertain (the statements
	// contradict each other, only suspect AI, or speak of an edit with AI) or none.
	Verdict engine.Verdict `json:"verdict"`
	// Issuer is who made the deciding statement, nil when unknown or when none decides.
	Issuer             *string             `json:"issuer"`
	Statements         []Statement         `json:"statements"`
	ContentCredentials *ContentCredentials `json:"content_credentials,omitempty"`
	// Explanation says in plain words what the lane goes by.
	Explanation string `json:"explanation"`
}

// Lane is the report in the contract's shape.
func (r Report) Lane() engine.ProvenanceLane {
	return engine.ProvenanceLane{Verdict: r.Verdict, Issuer: r.Issuer}
}
