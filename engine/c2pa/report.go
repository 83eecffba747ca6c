// Package c2pa reads Content Credentials: it finds a file's C2PA manifest store, validates it by the specification
// (C2PA 2.2, sections cited where they apply) and reports what its manifests say, who signed them and when. Integrity,
// trust in the signer and time are told apart: an expired certificate is no tampering, and an unknown signer no forgery.
// What it means for the origin of a picture is judged elsewhere (engine/provenance). Nothing is fetched from a network.
//
// The packages below know one layer each: carrier files, jumbf boxes, cbor items, cose signatures, certs certificates,
// timestamp RFC 3161, binding hashes over the file, status the specification's codes, and sign makes manifests.
package c2pa

import (
	"time"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/status"
)

// Integrity says whether a manifest and the file are as they were when it was signed.
type Integrity string

// Integrities. Unchecked: what would tell cannot be checked here, such as an algorithm that is not supported, a
// compressed manifest, or a fragment without its media.
const (
	Intact    Integrity = "intact"
	Altered   Integrity = "altered"
	Unchecked Integrity = "unchecked"
)

// Validity says whether the signer's certificate was valid when it signed.
type Validity string

// Validities. Expired: it is expired now and no trusted time-stamp says that it signed before. Unfit: the certificate is
// not one for signing claims. Revoked: a stapled OCSP answer says so.
const (
	Valid   Validity = "valid"
	Expired Validity = "expired"
	Unfit   Validity = "unfit"
	Revoked Validity = "revoked"
)

// Report is what a file's manifest store says. The zero Report says that there is none.
type Report struct {
	// Present: a store is embedded. Where is its place.
	Present bool   `json:"present"`
	Where   string `json:"where,omitempty"`
	// State is the specification's: invalid, valid or trusted (2.2, section 14.3); empty without a store.
	State string `json:"state,omitempty"`
	// Active is the label of the active manifest, empty when the store could not be read.
	Active string `json:"active,omitempty"`
	// Manifests are those that count: the active one first, then those that it leads to. What nothing leads to is not among
	// them: nobody signed that it belongs there.
	Manifests []Manifest `json:"manifests,omitempty"`
	// Statuses are those of the active manifest and of the store itself; those of ingredients are with their manifests.
	Statuses []status.Status `json:"statuses,omitempty"`
}

// Manifest is one manifest of a store.
type Manifest struct {
	Label string `json:"label"`
	// Version is that of the claim, 1 or 2; Update marks update manifests.
	Version int  `json:"claim_version"`
	Update  bool `json:"update,omitempty"`
	// Generator is the tool that made the claim, as it names itself.
	Generator  string `json:"generator,omitempty"`
	Title      string `json:"title,omitempty"`
	Format     string `json:"format,omitempty"`
	InstanceID string `json:"instance_id,omitempty"`
	// Binding is the label of its hard binding.
	Binding     string       `json:"binding,omitempty"`
	Signer      *Signer      `json:"signer,omitempty"`
	Integrity   Integrity    `json:"integrity"`
	Actions     []Action     `json:"actions,omitempty"`
	Ingredients []Ingredient `json:"ingredients,omitempty"`
	Assertions  []Assertion  `json:"assertions,omitempty"`
	// Statuses are the codes of this manifest, with those of its references to its ingredients.
	Statuses []status.Status `json:"statuses,omitempty"`
}

// Signer is who signed a manifest.
type Signer struct {
	// Organization and CommonName are those of the signing certificate, Issuer is the organisation of its issuer.
	Organization string      `json:"organization,omitempty"`
	CommonName   string      `json:"common_name,omitempty"`
	Issuer       string      `json:"issuer,omitempty"`
	Algorithm    string      `json:"algorithm,omitempty"`
	Validity     Validity    `json:"validity"`
	Trust        certs.Trust `json:"trust"`
	// SignedAt is when a trusted time-stamp says it was signed, nil without one. Authority is the stamp's.
	SignedAt  *time.Time `json:"signed_at,omitempty"`
	Authority string     `json:"time_stamp_authority,omitempty"`
	NotBefore time.Time  `json:"not_before"`
	NotAfter  time.Time  `json:"not_after"`
}

// Action is one action of a manifest (c2pa.actions, v1 and v2), in order.
type Action struct {
	Name string `json:"action"`
	// SourceType is the digital source type as it stands: an address of IPTC's or C2PA's vocabulary.
	SourceType  string `json:"digital_source_type,omitempty"`
	Agent       string `json:"software_agent,omitempty"`
	Description string `json:"description,omitempty"`
	When        string `json:"when,omitempty"`
	// Ingredients are the labels of the ingredient assertions that the action names.
	Ingredients []string `json:"ingredients,omitempty"`
}

// Ingredient is one ingredient assertion (v1 to v3).
type Ingredient struct {
	Label string `json:"label"`
	// Relationship is parentOf, componentOf or inputTo.
	Relationship string `json:"relationship"`
	Title        string `json:"title,omitempty"`
	Format       string `json:"format,omitempty"`
	// Manifest is the label of its manifest in the store, empty without one.
	Manifest string `json:"manifest,omitempty"`
	// Recorded are failure codes of the ingredient's own manifest that the signer itself wrote down when it took the
	// ingredient in.
	Recorded []string `json:"recorded_failures,omitempty"`
}

// Assertion is one assertion of a manifest.
type Assertion struct {
	Label    string `json:"label"`
	Redacted bool   `json:"redacted,omitempty"`
	// Intact: its hash is that in the claim.
	Intact bool `json:"intact"`
	// SourceType is that of assertions which state one beside actions, such as c2pa.metadata or stds.iptc.
	SourceType string `json:"digital_source_type,omitempty"`
	// Watermark: it claims a watermark (c2pa.watermarked.*, soft bindings). A claim is no detection.
	Watermark string `json:"claimed_watermark,omitempty"`
}

// Options says whom to trust and what time it is.
type Options struct {
	// Lists may be nil: then every signer is unknown.
	Lists *certs.Lists
	Now   time.Time
}
