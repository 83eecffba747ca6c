package c2pa

import (
	"veracity/engine/c2pa/status"
)

// Bounds of the statuses of one manifest. Failures have room of their own, so that no crowd of successes hides them.
const (
	maxGood = 300
	maxBad  = 100
)

// findings are the statuses of a manifest, and what they mean for its integrity.
type findings struct {
	list      []status.Status
	good, bad int
	// beyond: there were failures that no room was left for.
	beyond bool
	// altered: something shows that manifest or file are not as they were signed. unchecked: something that would show it
	// cannot be checked here.
	altered, unchecked bool
}

// add records a status. A failure counts as alteration unless it is one of the signer's own doing.
func (f *findings) add(code status.Code, uri, explanation string) {
	if code.Kind() != status.Failure {
		if f.good < maxGood {
			f.good++
			f.append(code, uri, explanation)
		}
		return
	}
	switch {
	case code == status.AlgorithmUnsupported:
		f.unchecked = true
	case !blameless[code]:
		f.altered = true
	}
	f.fail(code, uri, explanation)
}

// skip records a failure that comes of what cannot be checked here.
func (f *findings) skip(code status.Code, uri, explanation string) {
	f.unchecked = true
	f.fail(code, uri, explanation)
}

func (f *findings) fail(code status.Code, uri, explanation string) {
	if f.bad == maxBad {
		f.beyond = true
		return
	}
	f.bad++
	f.append(code, uri, explanation)
}

func (f *findings) append(code status.Code, uri, explanation string) {
	f.list = append(f.list, status.Status{Code: code, URI: clean(uri), Explanation: clean(explanation)})
}

// has tells whether a code was recorded.
func (f *findings) has(code status.Code) bool {
	for _, s := range f.list {
		if s.Code == code {
			return true
		}
	}
	return false
}

// blameless are failures of a manifest that is still as it was signed: of trust, of time, and of signers who did not do
// as the specification says. The contents that they speak of are bound by hashes that match.
var blameless = map[status.Code]bool{
	status.SigningCredentialUntrusted:    true,
	status.SigningCredentialInvalid:      true,
	status.OCSPRevoked:                   true,
	status.OCSPUnknown:                   true,
	status.ClaimSignatureOutsideValidity: true,
	status.ActionMalformed:               true,
	status.ActionIngredientMismatch:      true,
	status.ActionRedactionMismatch:       true,
	status.IngredientMalformed:           true,
	status.MetadataDisallowed:            true,
	status.CloudDataActions:              true,
	status.CloudDataHardBinding:          true,
	status.CloudDataMalformed:            true,
	status.TimestampMalformed:            true,
	status.ManifestMultipleParents:       true,
	status.AssertionCBORInvalid:          true,
	status.IdentityCBORInvalid:           true,
	status.AssertionJSONInvalid:          true,
}
