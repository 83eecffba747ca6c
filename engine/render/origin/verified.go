package origin

import (
	"slices"

	"veracity/engine/provenance"
)

// verifiedTerms are the source types that Content Credentials which hold come to. There is none for a capture: written
// without a signature it would be everybody's word.
var verifiedTerms = map[provenance.Origin]string{
	provenance.Generated:    "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
	provenance.EditedWithAI: "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia",
}

var sourceTypeKind = kindOf("Iptc4xmpExt", "DigitalSourceType")

// Verified adds what the source's Content Credentials say, when they hold, as a source type that readers of metadata find.
// What is made of the source is another file, which they do not vouch for. said is what [provenance.Reader] reads of the
// source.
func (s Statements) Verified(said provenance.Report) Statements {
	if said.ContentCredentials == nil {
		return s
	}
	term, ok := verifiedTerms[said.ContentCredentials.Origin]
	if !ok || s.lost {
		return s
	}
	kind := passing[sourceTypeKind]
	stated := func(p property) bool { return p.kind == kind }
	if slices.ContainsFunc(s.cargo.properties, stated) && said.ContentCredentials.Origin != provenance.Generated {
		return s
	}
	// A source type beside it would contradict it.
	rest := slices.DeleteFunc(slices.Clone(s.cargo.properties), stated)
	s.cargo.properties = append(properties{{kind: kind, values: []string{term}}}, rest...)
	return s
}
