package sign

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/jumbf"
)

const (
	// maxSource bounds the store of a source that goes along, in bytes. Those of long histories with thumbnails have some
	// megabytes.
	maxSource = 8 << 20
	// maxRoom bounds the room for a signature, in bytes; chains and time-stamps take some ten thousand.
	maxRoom = 1 << 20
)

// Labels of the assertions that are written.
const (
	ingredientLabel = "c2pa.ingredient.v3"
	actionsLabel    = "c2pa.actions.v2"
)

// draft is the order as a manifest without its hard binding.
func (o Order) draft() (Draft, error) {
	if o.Generator == "" || o.Room <= 0 || o.Room > maxRoom {
		return Draft{}, fmt.Errorf("%w: a generator and room for a signature are needed", errOrder)
	}
	ids := [2]uuid.UUID{}
	for i := range ids {
		id, err := uuid.NewRandom()
		if err != nil {
			return Draft{}, fmt.Errorf("name the manifest: %w", err)
		}
		ids[i] = id
	}
	ingredient, older := o.Source.ingredient()
	generator := cbor.Members{{Key: "name", Value: o.Generator}}
	if o.Version != "" {
		generator = append(generator, cbor.Member{Key: "version", Value: o.Version})
	}
	claim := cbor.Members{{Key: "instanceID", Value: "xmp:iid:" + ids[0].String()}, {Key: "claim_generator_info", Value: generator}}
	if o.Title != "" {
		claim = append(claim, cbor.Member{Key: "dc:title", Value: o.Title})
	}
	return Draft{
		Label:      "urn:c2pa:" + ids[1].String(),
		Older:      older,
		Claim:      claim,
		Assertions: []Assertion{ingredient, o.actions(ingredient)},
		Room:       o.Room,
	}, nil
}

// refers are actions that name the ingredient they were done to. All but the first do so for older validators (section
// 18.14.4.7).
var refers = map[string]bool{"c2pa.opened": true, "c2pa.transcoded": true, "c2pa.repackaged": true}

// actions is the actions assertion (specification 2.2, section 18.14): the source was opened, then what was ordered.
func (o Order) actions(ingredient Assertion) Assertion {
	var list []any
	for _, a := range append([]Action{{Name: "c2pa.opened"}}, o.Actions...) {
		m := o.when(cbor.Members{{Key: "action", Value: a.Name}})
		if a.Description != "" {
			m = append(m, cbor.Member{Key: "description", Value: a.Description})
		}
		if refers[a.Name] {
			m = append(m, cbor.Member{Key: "parameters", Value: cbor.Members{{Key: "ingredients", Value: []any{ingredient.Reference()}}}})
		}
		list = append(list, m)
	}
	return Assertion{Label: actionsLabel, Value: cbor.Members{{Key: "actions", Value: list}}}
}

func (o Order) when(m cbor.Members) cbor.Members {
	const dateString = 0 // RFC 8949, section 3.4.1.
	if o.Now.IsZero() {
		return m
	}
	return append(m, cbor.Member{Key: "when", Value: cbor.TagOf{Number: dateString, Content: o.Now.UTC().Format(time.RFC3339)}})
}

// ingredient is the ingredient assertion (section 18.15), and the manifests of the source that go along.
func (s Source) ingredient() (Assertion, [][]byte) {
	var m cbor.Members
	add := func(key string, value any) { m = append(m, cbor.Member{Key: key, Value: value}) }
	if s.Title != "" {
		add("dc:title", s.Title)
	}
	if s.Format != "" {
		add("dc:format", s.Format)
	}
	add("relationship", "parentOf")
	id := s.InstanceID
	manifests, active, why := s.manifests()
	if why == "" {
		path := "/c2pa/" + s.Active
		signature, _ := active.Find("c2pa.signature") // Found, or there is a reason why not.
		add("validationResults", s.Results)
		add("activeManifest", Reference(path, active.Body))
		add("claimSignature", Reference(path+"/c2pa.signature", signature.Body))
		if own := instanceOf(active); own != "" {
			id = own
		}
	} else if s.Store != nil {
		add("description", "Its Content Credentials stayed behind: "+why+".")
	}
	if id != "" {
		add("instanceID", id)
	}
	return Assertion{Label: ingredientLabel, Value: m}, manifests
}

// manifests are the boxes of the source's store and its active manifest, or the reason why they cannot go along.
func (s Source) manifests() (boxes [][]byte, active jumbf.Box, why string) {
	switch {
	case s.Store == nil:
		return nil, jumbf.Box{}, "there are none"
	case len(s.Store) > maxSource:
		return nil, jumbf.Box{}, "they are too large"
	case s.Results == nil:
		return nil, jumbf.Box{}, "they could not be checked"
	}
	store, err := jumbf.Parse(s.Store)
	if err != nil || store.UUID != jumbf.Store {
		return nil, jumbf.Box{}, "they cannot be read"
	}
	seen := map[string]bool{}
	for _, c := range store.Children {
		if c.UUID != jumbf.Manifest && c.UUID != jumbf.UpdateManifest && c.UUID != jumbf.CompressedMark {
			continue // It need not go along (section 18.15.12.2), and readers stumble over some that they do not know.
		}
		if seen[c.Label] {
			return nil, jumbf.Box{}, "two manifests have one label"
		}
		seen[c.Label] = true
		boxes = append(boxes, jumbf.Leaf(c.Type, c.Body)) // With a length of its own, also where it reached to the end.
	}
	active, ok := store.Find(s.Active)
	if _, signed := active.Find("c2pa.signature"); !ok || !signed {
		return nil, jumbf.Box{}, "the manifest of the file is missing"
	}
	return boxes, active, ""
}

// instanceOf is the instanceID in the claim of a manifest.
func instanceOf(manifest jumbf.Box) string {
	for _, label := range []string{"c2pa.claim.v2", "c2pa.claim"} {
		box, ok := manifest.Find(label)
		if !ok {
			continue
		}
		content, _ := box.First("cbor")
		if claim, err := cbor.Decode(content); err == nil {
			id, _ := claim.Get("instanceID").Text()
			return id
		}
	}
	return ""
}
