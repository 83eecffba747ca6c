package provenance

import (
	"strings"

	"veracity/engine/provenance/iptc"
)

// googleCredits are the credit lines of Google's tools: what Gemini and Google Photos write by their own account
// (blog.google on AI edits in Google Photos, October 2024), and what the app holds for Magic Editor, which changes
// photographs (androidauthority.com, October 2024).
var googleCredits = map[string]Extent{
	"Made with Google AI":             Full,
	"Edited with Google AI":           Partly,
	"AI-Generated with Google":        Partly,
	"AI-Generated with Google Photos": Partly,
}

func (f *finder) credit(where, value string) {
	if ai, ok := googleCredits[strings.TrimSpace(value)]; ok {
		f.add(Credit, where, finding{generator: "Google", ai: ai}, value)
	}
}

// iptc adds what an IPTC-IIM block states.
func (f *finder) iptc(where string, records iptc.Records) {
	for _, value := range records[iptc.Credit] {
		f.credit(where+":2:110", value)
	}
	for _, value := range records[iptc.Caption] {
		f.midjourney(where+":2:120", value)
	}
}
