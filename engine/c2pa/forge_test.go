package c2pa_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
	"veracity/engine/c2pa/timestamp/tsatest"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// A forge makes files with manifests, as they should be or in one way not.
type forge struct {
	tb        testing.TB
	authority *certstest.Identity
	signer    *certstest.Identity
	lists     *certs.Lists
	now       time.Time
	// room is how long signatures are made, in bytes.
	room int
}

func newForge(tb testing.TB) *forge {
	tb.Helper()
	root := certstest.Root(tb, "Root")
	lists, err := certs.Read(fstest.MapFS{
		"c2pa-trust-list.pem":     {Data: certstest.PEM(root)},
		"c2pa-tsa-trust-list.pem": {Data: certstest.PEM(root)},
	})
	require.NoError(tb, err)
	return &forge{tb: tb, authority: root, signer: root.Signer(tb, "Maker"), lists: lists, now: time.Now(), room: 12 << 10}
}

// in is the forge within a subtest.
func (f *forge) in(tb testing.TB) *forge {
	tb.Helper()
	inner := *f
	inner.tb = tb
	return &inner
}

// claimOf are the fields of a claim beside its assertions.
func claimOf(version int) cbor.Members {
	if version == 1 {
		return cbor.Members{
			{Key: "claim_generator", Value: "Forge/1.0"},
			{Key: "dc:format", Value: "image/png"},
			{Key: "dc:title", Value: "picture.png"},
			{Key: "instanceID", Value: "xmp:iid:1"},
		}
	}
	return cbor.Members{
		{Key: "claim_generator_info", Value: cbor.Members{{Key: "name", Value: "Forge"}, {Key: "version", Value: "1.0"}}},
		{Key: "dc:title", Value: "picture.png"},
		{Key: "instanceID", Value: "xmp:iid:1"},
	}
}

// part is an assertion. json is used where it is set, else value.
type part struct {
	label string
	value any
	json  string
	// gathered assertions are in the claim's other list; hidden ones are in the store alone, absent ones in the claim.
	gathered, hidden, absent bool
	// box replaces the whole superbox, hash that in the claim.
	box, hash []byte
}

func (p part) superbox() []byte {
	switch {
	case p.box != nil:
		return p.box
	case p.json != "":
		return jumbf.Super(jumbf.JSONContent, p.label, nil, jumbf.Leaf("json", []byte(p.json)))
	}
	return jumbf.Super(jumbf.CBORContent, p.label, []byte("sixteen bytes ok"), jumbf.Leaf("cbor", cbor.Encode(p.value)))
}

func (p part) reference(path string) cbor.Members {
	hash := p.hash
	if hash == nil {
		hash = hashOf(p.superbox())
	}
	return cbor.Members{{Key: "url", Value: "self#jumbf=" + path + "c2pa.assertions/" + p.label}, {Key: "hash", Value: hash}}
}

// hashOf is the hash of a superbox (specification 2.2, section 8.4.2.3).
func hashOf(box []byte) []byte {
	sum := sha256.Sum256(box[8:])
	return sum[:]
}

// draft is a manifest that is made.
type draft struct {
	label   string
	version int
	uuid    [16]byte
	parts   []part
	claim   cbor.Members
	// signer defaults to that of the forge, chain to the signer's.
	signer  *certstest.Identity
	stamp   cose.Stamper
	chain   [][]byte
	changed func(boxes *boxes)
}

// boxes are those of a manifest, to be tampered with.
type boxes struct {
	assertions, claim, signature []byte
	more                         [][]byte
}

// action is one action of an actions assertion.
func action(name string, more ...cbor.Member) cbor.Members {
	return append(cbor.Members{{Key: "action", Value: name}}, more...)
}

const aiMedia = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"

func created(sourceType string) part {
	return actions(action("c2pa.created", cbor.Member{Key: "digitalSourceType", Value: sourceType}))
}

func actions(list ...cbor.Members) part {
	items := make([]any, len(list))
	for i := range list {
		items[i] = list[i]
	}
	return part{label: "c2pa.actions.v2", value: cbor.Members{{Key: "actions", Value: items}}}
}

// manifest makes the superbox of a draft.
func (f *forge) manifest(d draft) []byte {
	f.tb.Helper()
	if d.version == 0 {
		d.version = 2
	}
	if d.uuid == [16]byte{} {
		d.uuid = jumbf.Manifest
	}
	if d.claim == nil {
		d.claim = claimOf(d.version)
	}
	var made, gathered []any
	var store [][]byte
	for _, p := range d.parts {
		if !p.absent {
			store = append(store, p.superbox())
		}
		switch {
		case p.hidden:
		case p.gathered:
			gathered = append(gathered, p.reference(""))
		default:
			made = append(made, p.reference(""))
		}
	}
	label, list := "c2pa.claim.v2", "created_assertions"
	if d.version == 1 {
		label, list = "c2pa.claim", "assertions"
	}
	fields := slices.Concat(d.claim, cbor.Members{
		{Key: "signature", Value: "self#jumbf=c2pa.signature"}, {Key: list, Value: made}, {Key: "alg", Value: "sha256"},
	})
	if gathered != nil {
		fields = append(fields, cbor.Member{Key: "gathered_assertions", Value: gathered})
	}
	claim := cbor.Encode(dedupe(fields))
	b := &boxes{
		assertions: jumbf.Super(jumbf.AssertionStore, "c2pa.assertions", nil, store...),
		claim:      jumbf.Super(jumbf.Claim, label, nil, jumbf.Leaf("cbor", claim)),
		signature:  jumbf.Super(jumbf.Signature, "c2pa.signature", nil, jumbf.Leaf("cbor", f.sign(d, claim))),
	}
	if d.changed != nil {
		d.changed(b)
	}
	return jumbf.Super(d.uuid, d.label, nil, append([][]byte{b.assertions, b.claim, b.signature}, b.more...)...)
}

// dedupe lets the first member of a name count, so that a draft can replace what the forge adds. Nil leaves it out.
func dedupe(members cbor.Members) cbor.Members {
	seen := map[any]bool{}
	var out cbor.Members
	for _, m := range members {
		if !seen[m.Key] && m.Value != nil {
			out = append(out, m)
		}
		seen[m.Key] = true
	}
	return out
}

func (f *forge) sign(d draft, claim []byte) []byte {
	f.tb.Helper()
	signer := d.signer
	if signer == nil {
		signer = f.signer
	}
	chain := d.chain
	if chain == nil {
		chain = signer.DER()
	}
	signature, err := cose.Signer{Key: signer.Key, Chain: chain, Stamp: d.stamp}.Sign(claim, f.room)
	require.NoError(f.tb, err)
	return signature
}

// authorityAt is a time-stamp authority whose clock stands.
func (f *forge) authorityAt(at time.Time) *tsatest.Authority {
	f.tb.Helper()
	tsa := tsatest.New(f.tb, f.authority, certstest.Valid(f.now.AddDate(-5, 0, 0), f.now.AddDate(5, 0, 0)))
	tsa.Clock = func() time.Time { return at }
	return tsa
}

// ingredient is an ingredient assertion (version 3) with the manifest that it leads to.
func ingredient(label, relationship string, manifest []byte, more ...cbor.Member) part {
	fields := cbor.Members{{Key: "dc:title", Value: "source"}, {Key: "relationship", Value: relationship}}
	if manifest != nil {
		box, err := jumbf.Parse(manifest)
		if err != nil {
			panic(err)
		}
		signature, _ := box.Find("c2pa.signature")
		at := "self#jumbf=/c2pa/" + box.Label
		fields = append(fields,
			cbor.Member{Key: "activeManifest", Value: cbor.Members{{Key: "url", Value: at}, {Key: "hash", Value: hashOf(manifest)}}},
			cbor.Member{Key: "claimSignature", Value: cbor.Members{{Key: "url", Value: at + "/c2pa.signature"}, {Key: "hash", Value: hashOf(signature.Raw)}}},
			cbor.Member{Key: "validationResults", Value: cbor.Members{{Key: "activeManifest", Value: cbor.Members{
				{Key: "success", Value: []any{}}, {Key: "informational", Value: []any{}}, {Key: "failure", Value: []any{}},
			}}}})
	}
	return part{label: label, value: dedupe(append(more, fields...))}
}

// names is the parameter of an action that names ingredients.
func names(parts ...part) cbor.Member {
	list := make([]any, len(parts))
	for i, p := range parts {
		list[i] = p.reference("")
	}
	return cbor.Member{Key: "parameters", Value: cbor.Members{{Key: "ingredients", Value: list}}}
}

func storeOf(manifests ...[]byte) []byte { return jumbf.Super(jumbf.Store, "c2pa", nil, manifests...) }

// picture is where a store is put into a PNG: behind its header chunk.
const pngHeader = 8 + 25

// file makes a PNG around the store that build makes of the binding to it.
func (f *forge) file(build func(binding part) []byte) []byte {
	f.tb.Helper()
	png := mediatest.PNG(f.tb, 16, 16)
	hash := sha256.Sum256(png)
	binding := func(length int) part {
		return part{label: "c2pa.hash.data", value: cbor.Members{
			{Key: "exclusions", Value: []any{cbor.Members{{Key: "start", Value: pngHeader}, {Key: "length", Value: length}}}},
			{Key: "alg", Value: "sha256"},
			{Key: "hash", Value: hash[:]},
			{Key: "pad", Value: []byte{}},
		}}
	}
	store := build(binding(1 << 15))
	for range 4 {
		length := len(store) + 12
		store = build(binding(length))
		if len(store)+12 == length {
			return withStore(png, store)
		}
	}
	f.tb.Fatal("the length of the store does not settle")
	return nil
}

func withStore(png, store []byte) []byte {
	return bytes.Join([][]byte{png[:pngHeader], mediatest.Chunk("caBX", store), png[pngHeader:]}, nil)
}

// storeIn is the store of a file made here.
func storeIn(file []byte) []byte {
	size := int(file[pngHeader])<<24 | int(file[pngHeader+1])<<16 | int(file[pngHeader+2])<<8 | int(file[pngHeader+3])
	return file[pngHeader+8 : pngHeader+8+size]
}

// replace puts another store of the same length into a file made here.
func replace(file, store []byte) []byte {
	old := storeIn(file)
	plain := append(bytes.Clone(file[:pngHeader]), file[pngHeader+12+len(old):]...)
	return withStore(plain, store)
}

func fileOf(png []byte) carrier.File {
	return carrier.File{R: bytes.NewReader(png), Size: int64(len(png)), Format: probe.PNG}
}

func (f *forge) read(png []byte) c2pa.Report {
	f.tb.Helper()
	report, err := c2pa.Read(f.tb.Context(), fileOf(png), c2pa.Options{Lists: f.lists, Now: f.now})
	require.NoError(f.tb, err)
	return report
}

// failures are the codes of failures among statuses, in their order.
func failures(list []status.Status) []status.Code {
	codes := []status.Code{}
	for _, s := range list {
		if s.Code.Kind() == status.Failure {
			codes = append(codes, s.Code)
		}
	}
	return codes
}

func has(list []status.Status, code status.Code) bool {
	for _, s := range list {
		if s.Code == code {
			return true
		}
	}
	return false
}
