package provenance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"veracity/engine"
	"veracity/engine/c2pa"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/certs"
	"veracity/engine/probe"
)

// Reader reads all that files say of their own origin, Content Credentials validated. It may be used by many at once.
type Reader struct {
	// Lists answers whom to trust now. Nil trusts nobody.
	Lists func() *certs.Lists
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// Image reads an image, data being the whole file. Its errors are ctx's alone.
func (r Reader) Image(ctx context.Context, data []byte) (Report, error) {
	format := probe.Sniff(data[:min(len(data), probe.HeadBytes)])
	return r.validated(ctx, Read(data), carrier.File{R: bytes.NewReader(data), Size: int64(len(data)), Format: format})
}

// Clip reads a video or voice clip, as [ReadClip] does. Its errors are those of reading the file, and ctx's.
func (r Reader) Clip(ctx context.Context, f io.ReaderAt, size int64, format probe.Format) (Report, error) {
	return r.validated(ctx, ReadClip(f, size, format), carrier.File{R: f, Size: size, Format: format})
}

// Options are whom to trust and what time it is.
func (r Reader) Options() c2pa.Options {
	o := c2pa.Options{Now: time.Now()}
	if r.Now != nil {
		o.Now = r.Now()
	}
	if r.Lists != nil {
		o.Lists = r.Lists()
	}
	return o
}

// validated adds to what the metadata says what the Content Credentials do.
func (r Reader) validated(ctx context.Context, said Report, f carrier.File) (Report, error) {
	found, err := c2pa.Read(ctx, f, r.Options())
	if err != nil {
		return Report{}, fmt.Errorf("read Content Credentials: %w", err)
	}
	if found.Present {
		said = said.with(found)
	}
	said.Explanation = explain(said)
	return said, nil
}

// with weighs a validated store together with what the metadata says.
func (r Report) with(found c2pa.Report) Report {
	j := judge(found)
	credentials := &ContentCredentials{
		Present: true, Where: found.Where, Validated: true, Origin: j.origin, Verdict: j.verdict, Validation: &found,
	}
	if r.ContentCredentials != nil {
		credentials.Remote = r.ContentCredentials.Remote
	}
	r.ContentCredentials = credentials
	unsigned := r.Verdict
	r.Statements = slices.Concat(j.statements, r.Statements)
	switch {
	case j.verdict == engine.AI:
		r.Verdict, r.Issuer = engine.AI, named(maker(j.by))
	case j.verdict == engine.Real && unsigned == engine.None:
		r.Verdict, r.Issuer = engine.Real, named(maker(j.by))
	case j.verdict == engine.Real:
		// Somebody labelled as AI what a trusted camera vouches for: one of them is wrong.
		r.Verdict, r.Issuer = engine.Uncertain, nil
	case j.verdict == engine.Uncertain && unsigned != engine.AI:
		r.Verdict, r.Issuer = engine.Uncertain, named(maker(j.by))
	}
	return r
}

// named is nil for no name.
func named(name string) *string {
	if name = shorten(name); name == "" {
		return nil
	}
	return &name
}
