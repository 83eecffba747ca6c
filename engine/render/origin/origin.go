// Package origin carries what a file says of its own origin and of its rights over to the PNG or MP4 that is made of it:
// source types, AI labels and disclosures, generators' records, credit, creator, copyright and terms of use. What it takes
// is a list of what may pass, never of what may not: places, serial numbers, thumbnails, devices and their owners'
// names, edit histories, document ids and makers' notes have no way through. XMP, EXIF and texts are written anew, so no
// byte of the source's own blocks survives around a value.
//
// The promise: provenance reads of the output the verdict and the issuer that it reads of the source. It is kept by
// asking provenance itself, once about the source and once about what would be written.
//
// A C2PA manifest is not among what is carried here: it vouches for the exact bytes of the source. What it comes to, when it
// holds, is written down as a source type; where outputs are signed, engine/c2pa/sign takes the manifest over as an
// ingredient. The address of a remote store stays as dcterms:provenance, and the SHA-256 of an embedded one is noted in a
// namespace of our own. Watermarks in pixels are no concern of this package.
package origin

import (
	"bytes"
	"errors"
	"io"

	"veracity/engine/probe"
	"veracity/engine/provenance"
)

// ErrLost says that the source makes its statements in a way that cannot be written into the output, so that the output
// would read differently. No known tool writes such files.
var ErrLost = errors.New("the source's statements of origin cannot be carried over")

// Statements is what one source says of its origin and its rights, ready to be written. The zero value says nothing.
type Statements struct {
	cargo cargo
	// lost: what is to be written would not read as the source does.
	lost bool
}

// cargo is what is written: properties go into XMP, texts under keywords of PNG or keys of MP4, and tags into EXIF.
type cargo struct {
	properties properties
	texts      []text
	tags       tags
}

// text is one text by its keyword.
type text struct {
	key, value string
	// packed says that the source had it compressed.
	packed bool
}

// ReadImage takes the statements out of an image file of any format that provenance reads: JPEG, PNG, WebP, GIF, TIFF,
// AVIF and HEIF. data is the whole file, 25 MB at most. Other and damaged files give what can be read of them.
func ReadImage(data []byte) Statements {
	said := provenance.Read(data)
	found := openImage(data)
	return settle(said, []cargo{found.mapped(), found.kept()}, func(c cargo) provenance.Report {
		return provenance.Read(preview(c))
	})
}

// ReadClip takes the statements out of a video: MP4, MOV or WebM, size bytes long, of the format that [probe.Sniff]
// tells. It reads metadata alone, 8 MB at most.
func ReadClip(r io.ReaderAt, size int64, format probe.Format) Statements {
	said := provenance.ReadClip(r, size, format)
	return settle(said, []cargo{openClip(r, size, format)}, func(c cargo) provenance.Report {
		file := previewClip(c)
		return provenance.ReadClip(bytes.NewReader(file), int64(len(file)), probe.MP4)
	})
}

// settle picks the first form of the cargo that reads as the source does. One with another issuer is second best; one
// with another verdict never passes.
func settle(said provenance.Report, forms []cargo, read func(cargo) provenance.Report) Statements {
	second := Statements{lost: true}
	for _, form := range forms {
		got := read(form)
		switch {
		case got.Verdict != said.Verdict:
		case issuer(got) == issuer(said):
			return Statements{cargo: form}
		case second.lost:
			second = Statements{cargo: form}
		}
	}
	return second
}

func issuer(r provenance.Report) string {
	if r.Issuer == nil {
		return ""
	}
	return *r.Issuer
}

// Empty says that there is nothing to carry.
func (s Statements) Empty() bool {
	return !s.lost && len(s.cargo.properties) == 0 && len(s.cargo.texts) == 0 && s.cargo.tags == (tags{})
}

// Names lists what is carried, for reports: names of XMP properties, keywords of texts and EXIF tags, in the order in
// which they are written.
func (s Statements) Names() []string {
	names := []string{}
	for _, p := range s.cargo.properties {
		names = append(names, p.kind.prefix+":"+p.kind.local)
	}
	for _, t := range s.cargo.texts {
		names = append(names, t.key)
	}
	return append(names, s.cargo.tags.names()...)
}
