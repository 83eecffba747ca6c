package provenance

import (
	"strings"

	"veracity/engine/provenance/xmp"
)

// sourceTypes is the IPTC vocabulary of digital source types (cv.iptc.org/newscodes/digitalsourcetype, October 2024),
// retired terms included. Only terms whose definition names a trained model are AI: trainedAlgorithmicMedia ("created
// algorithmically using an Artificial Intelligence model trained on captured content"), compositeSynthetic ("mix or
// composite of several elements, at least one of which is Generative AI") and compositeWithTrainedAlgorithmicMedia
// ("augmentation, correction or enhancement using a Generative AI model"). algorithmicMedia is defined by the absence of
// training data.
var sourceTypes = map[string]Extent{
	"trainedAlgorithmicMedia":              Full,
	"compositeSynthetic":                   Partly,
	"compositeWithTrainedAlgorithmicMedia": Partly,
	"trainedAlgorithmicData":               Full, // of C2PA's own vocabulary

	"algorithmicMedia":               No,
	"algorithmicallyEnhanced":        No,
	"composite":                      No,
	"compositeCapture":               No,
	"computationalCapture":           No,
	"dataDrivenMedia":                No,
	"digitalArt":                     No,
	"digitalCapture":                 No,
	"digitalCreation":                No,
	"humanEdits":                     No,
	"minorHumanEdits":                No,
	"multiFrameComputationalCapture": No,
	"negativeFilm":                   No,
	"positiveFilm":                   No,
	"print":                          No,
	"screenCapture":                  No,
	"softwareImage":                  No,
	"virtualRecording":               No,
}

// sourceType adds a digital source type: a term's address, its short form digsrctype:…, or the bare term. The packet's
// CreatorTool is not taken for its author: whatever re-saves a file puts its own name there.
func (f *finder) sourceType(p packet) {
	for _, value := range p.Get(xmp.NSIptcExt, "DigitalSourceType") {
		if ai, ok := sourceTypes[sourceTerm(strings.TrimSpace(value))]; ok {
			f.add(SourceType, p.where+":Iptc4xmpExt:DigitalSourceType", finding{ai: ai}, value)
		}
	}
}

func sourceTerm(value string) string {
	for _, prefix := range []string{
		"http://cv.iptc.org/newscodes/digitalsourcetype/",
		"https://cv.iptc.org/newscodes/digitalsourcetype/",
		"digsrctype:",
	} {
		if term, ok := strings.CutPrefix(value, prefix); ok {
			return term
		}
	}
	return value
}
