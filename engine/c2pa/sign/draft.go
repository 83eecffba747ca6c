package sign

import (
	"crypto/sha256"
	"slices"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
)

// hashName is the only hash algorithm that is written, by its name in C2PA (specification 2.2, section 13.1).
const hashName = "sha256"

// Assertion is one assertion of a manifest.
type Assertion struct {
	// Label is its own in the manifest, with __1 and so on where there are several of a kind.
	Label string
	// Value is its content as [cbor.Encode] takes it. JSON is the content of one that is JSON, Boxes are those of any other
	// kind of superbox, whose type is UUID.
	Value any
	JSON  []byte
	UUID  [16]byte
	Boxes []byte
}

// body is the superbox without its header, which has eight bytes in boxes that are written.
func (a Assertion) body() []byte { return a.box()[8:] }

func (a Assertion) box() []byte {
	switch {
	case a.Boxes != nil:
		return jumbf.Super(a.UUID, a.Label, nil, a.Boxes)
	case a.JSON != nil:
		return jumbf.Super(jumbf.JSONContent, a.Label, nil, jumbf.Leaf("json", a.JSON))
	}
	return jumbf.Super(jumbf.CBORContent, a.Label, nil, jumbf.Leaf("cbor", cbor.Encode(a.Value)))
}

// Reference is a hashed URI of the assertion, for other assertions of its manifest.
func (a Assertion) Reference() cbor.Members {
	return Reference("c2pa.assertions/"+a.Label, a.body())
}

// Reference is a hashed URI of a superbox by its path: from the store's root when it begins with a slash, else from the
// manifest (specification 2.2, section 8.4.2.1). What is hashed is its body: the box without its header (section 8.4.2.3).
func Reference(path string, body []byte) cbor.Members {
	return cbor.Members{{Key: "url", Value: "self#jumbf=" + path}, {Key: "alg", Value: hashName}, {Key: "hash", Value: hashOf(body)}}
}

func hashOf(body []byte) []byte {
	sum := sha256.Sum256(body)
	return sum[:]
}

// Draft is a manifest while it is put together.
type Draft struct {
	Label string
	// Older are the manifests before it in the store, whole boxes.
	Older [][]byte
	// Version is that of the claim, 1 or 2; 0 stands for 2.
	Version int
	// Claim are the claim's members other than its assertions, signature and alg.
	Claim cbor.Members
	// Assertions are those that it makes, Gathered those that others gave it (claims of version 2 alone).
	Assertions, Gathered []Assertion
	// Room is the room for the signature in bytes.
	Room int
}

// Store is a manifest store whose last bytes are room for the signature of its last manifest.
type Store struct {
	Bytes []byte
	// Claim is that of the last manifest, a slice of Bytes. Signature is where its signature begins.
	Claim     []byte
	Signature int
}

// Composer writes a store with the assertion that binds it to its file. Stores of bindings of one length have one length.
type Composer func(binding Assertion) Store

// Compose is a [Composer] of the draft.
func (d Draft) Compose(binding Assertion) Store {
	created := slices.Concat(d.Assertions, []Assertion{binding})
	claim := cbor.Encode(d.claim(created))
	var assertions [][]byte
	for _, a := range slices.Concat(created, d.Gathered) {
		assertions = append(assertions, a.box())
	}
	label := "c2pa.claim.v2"
	if d.Version == 1 {
		label = "c2pa.claim"
	}
	claimBox := jumbf.Super(jumbf.Claim, label, nil, jumbf.Leaf("cbor", claim))
	signature := jumbf.Super(jumbf.Signature, "c2pa.signature", nil, jumbf.Leaf("cbor", make([]byte, d.Room)))
	manifest := jumbf.Super(jumbf.Manifest, d.Label, nil, jumbf.Super(jumbf.AssertionStore, "c2pa.assertions", nil, assertions...), claimBox, signature)
	store := jumbf.Super(jumbf.Store, "c2pa", nil, slices.Concat(d.Older, [][]byte{manifest})...)
	at := len(store) - len(signature) - len(claim)
	return Store{Bytes: store, Claim: store[at : at+len(claim) : at+len(claim)], Signature: len(store) - d.Room}
}

// claim is the claim (section 10.2.1).
func (d Draft) claim(created []Assertion) cbor.Members {
	list := "created_assertions"
	if d.Version == 1 {
		list = "assertions"
	}
	members := slices.Concat(d.Claim, cbor.Members{
		{Key: "signature", Value: "self#jumbf=/c2pa/" + d.Label + "/c2pa.signature"},
		{Key: list, Value: references(created)},
	})
	if len(d.Gathered) > 0 {
		members = append(members, cbor.Member{Key: "gathered_assertions", Value: references(d.Gathered)})
	}
	return append(members, cbor.Member{Key: "alg", Value: hashName})
}

func references(assertions []Assertion) []any {
	var list []any
	for _, a := range assertions {
		list = append(list, cbor.Members{{Key: "url", Value: "self#jumbf=c2pa.assertions/" + a.Label}, {Key: "hash", Value: hashOf(a.body())}})
	}
	return list
}
