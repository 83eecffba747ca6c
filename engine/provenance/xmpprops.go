package provenance

import (
	"net/url"

	"veracity/engine/provenance/xmp"
)

// xmp adds what an XMP packet states.
func (f *finder) xmp(p packet) {
	f.sourceType(p)
	for _, value := range p.Get(xmp.NSPhotoshop, "Credit") {
		f.credit(p.where+":photoshop:Credit", value)
	}
	// Some writers declare the prefix wrongly or not at all; the reader then gives the prefix for the namespace.
	for _, space := range []string{xmp.NSTC260, "TC260"} {
		for _, value := range p.Get(space, "AIGC") {
			f.label(p.where+":TC260:AIGC", value)
		}
	}
	// IPTC Photo Metadata 2025.1: "the AI engine and/or the model name used to generate this image", and "the
	// information that was given to the generative AI service" for it.
	system := p.First(xmp.NSIptcExt, "AISystemUsed")
	for _, name := range []string{"AISystemUsed", "AIPromptInformation"} {
		if value := p.First(xmp.NSIptcExt, name); value != "" {
			f.add(Disclosure, p.where+":Iptc4xmpExt:"+name, finding{generator: system, ai: Full}, value)
		}
	}
	for _, value := range p.Get(xmp.NSExif, "UserComment") {
		f.record(p.where+":exif:UserComment", value)
	}
	for _, value := range p.Get(xmp.NSDublinCore, "description") {
		f.midjourney(p.where+":dc:description", value)
	}
	f.provenance(p)
}

// provenance notes the address of a remote manifest store (C2PA specification, external manifests). Older writers put a reference to
// the embedded store there, which is not remote.
func (f *finder) provenance(p packet) {
	value := p.First(xmp.NSTerms, "provenance")
	address, err := url.Parse(value)
	if f.remote != "" || err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return
	}
	f.remote, f.remoteAt = shorten(value), p.where+":dcterms:provenance"
}
