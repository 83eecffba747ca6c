package c2patest

import (
	"slices"
	"strconv"

	"github.com/google/uuid"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/sign"
)

// Source types of IPTC that tests need often.
const (
	Generated = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
	Composite = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia"
	Captured  = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
)

// Manifest is what a manifest says. The zero Manifest is a good one that says nothing but its hash.
type Manifest struct {
	// Version is that of the claim: 1, or 2 when 0.
	Version int
	// Label and InstanceID are new when empty. Generator is "c2patest" when empty.
	Label, InstanceID, Generator, Title string
	// Format is the media type, which claims of version 1 have.
	Format string
	// Actions become one assertion, none without any.
	Actions     []Action
	Ingredients []Ingredient
	// Extra and Gathered are further assertions.
	Extra, Gathered []sign.Assertion
	// Room is the room for the signature in bytes, 16,000 when 0.
	Room int

	// Rebind changes the hard binding, such as its hash or its label.
	Rebind func(*sign.Assertion)
	// Change changes the store before it is signed, without changing its length. The claim in it is what gets signed.
	Change func(*sign.Store)
	// Forged signs another claim than this.
	Forged bool
}

// Action is one action. Those that open, place or remove refer to the ingredients (parentOf for c2pa.opened, else
// componentOf), unless Parameters are given.
type Action struct {
	Name, SourceType, Description string
	// Agent is the softwareAgent's name.
	Agent      string
	Parameters cbor.Members
}

// Ingredient is one ingredient.
type Ingredient struct {
	// Relationship is parentOf when empty.
	Relationship, Title, Format string
	// Of is the file that it was, with its manifests; nil for one without any.
	Of *Made
	// Failed are the codes of failures that the signer found in it. NoResults leaves out what it found.
	Failed    []string
	NoResults bool
	// Changed says that the ingredient's manifest is not what the hash is of.
	Changed bool
}

// Made is a file with its manifest store and the label of its active manifest.
type Made struct {
	File, Store []byte
	Label       string
}

// draft is the manifest without its hard binding.
func (m Manifest) draft(older [][]byte) sign.Draft {
	d := sign.Draft{Label: m.Label, Version: m.Version, Older: older, Gathered: m.Gathered, Room: m.Room}
	if d.Label == "" {
		d.Label = "urn:c2pa:" + uuid.NewString()
	}
	if d.Room == 0 {
		d.Room = 16_000
	}
	d.Claim = m.claim()
	for i, in := range m.Ingredients {
		d.Assertions = append(d.Assertions, in.assertion(m.Version, i))
	}
	if len(m.Actions) > 0 {
		d.Assertions = append(d.Assertions, m.actions(d.Assertions))
	}
	d.Assertions = append(d.Assertions, m.Extra...)
	return d
}

// claim are the claim's own members (specification 2.2, section 10.2.1).
func (m Manifest) claim() cbor.Members {
	generator, id := m.Generator, m.InstanceID
	if generator == "" {
		generator = "c2patest"
	}
	if id == "" {
		id = "xmp:iid:" + uuid.NewString()
	}
	info := cbor.Members{{Key: "name", Value: generator}}
	claim := cbor.Members{{Key: "instanceID", Value: id}}
	if m.Version == 1 {
		claim = append(claim, cbor.Members{
			{Key: "claim_generator", Value: generator},
			{Key: "claim_generator_info", Value: []any{info}},
			{Key: "dc:format", Value: m.Format},
		}...)
	} else {
		claim = append(claim, cbor.Member{Key: "claim_generator_info", Value: info})
	}
	if m.Title != "" {
		claim = append(claim, cbor.Member{Key: "dc:title", Value: m.Title})
	}
	return claim
}

// assertion is the ingredient, the n-th of the manifest.
func (i Ingredient) assertion(version, n int) sign.Assertion {
	label, reference := "c2pa.ingredient.v3", "activeManifest"
	if version == 1 {
		label, reference = "c2pa.ingredient", "c2pa_manifest"
	}
	if n > 0 {
		label += "__" + strconv.Itoa(n)
	}
	value := cbor.Members{{Key: "dc:title", Value: i.Title}}
	add := func(key string, v any) { value = append(value, cbor.Member{Key: key, Value: v}) }
	if i.Format != "" || version == 1 {
		add("dc:format", i.Format)
	}
	if version == 1 {
		add("instanceID", "xmp:iid:"+uuid.NewString())
	}
	add("relationship", i.relationship())
	if i.Of != nil {
		manifest := i.Of.find(i.Of.Label)
		if i.Changed {
			manifest = slices.Concat(manifest, []byte{0})
		}
		path := "/c2pa/" + i.Of.Label
		add(reference, sign.Reference(path, manifest))
		if version != 1 {
			add("claimSignature", sign.Reference(path+"/c2pa.signature", i.Of.find(i.Of.Label+"/c2pa.signature")))
		}
		if !i.NoResults {
			add(i.results(version))
		}
	}
	return sign.Assertion{Label: label, Value: value}
}

func (i Ingredient) relationship() string {
	if i.Relationship == "" {
		return "parentOf"
	}
	return i.Relationship
}

// results is what the signer found, as member of the ingredient.
func (i Ingredient) results(version int) (key string, value any) {
	failures := []any{}
	for _, code := range i.Failed {
		failures = append(failures, cbor.Members{{Key: "code", Value: code}, {Key: "url", Value: "self#jumbf=/c2pa/" + i.Of.Label}})
	}
	if version == 1 {
		return "validationStatus", failures
	}
	return "validationResults", cbor.Members{{Key: "activeManifest", Value: cbor.Members{
		{Key: "success", Value: []any{}},
		{Key: "informational", Value: []any{}},
		{Key: "failure", Value: failures},
	}}}
}

// actions is the actions assertion, given those of the ingredients.
func (m Manifest) actions(ingredients []sign.Assertion) sign.Assertion {
	label, plural := "c2pa.actions.v2", true
	if m.Version == 1 {
		label, plural = "c2pa.actions", false
	}
	var list []any
	for _, a := range m.Actions {
		action := cbor.Members{{Key: "action", Value: a.Name}}
		add := func(key string, v any) { action = append(action, cbor.Member{Key: key, Value: v}) }
		if a.SourceType != "" {
			add("digitalSourceType", a.SourceType)
		}
		if a.Description != "" {
			add("description", a.Description)
		}
		switch {
		case a.Agent != "" && plural:
			add("softwareAgent", cbor.Members{{Key: "name", Value: a.Agent}})
		case a.Agent != "":
			add("softwareAgent", a.Agent)
		}
		if p := a.parameters(m.Ingredients, ingredients, plural); p != nil {
			add("parameters", p)
		}
		list = append(list, action)
	}
	return sign.Assertion{Label: label, Value: cbor.Members{{Key: "actions", Value: list}}}
}

// parameters refer to the ingredients that the action is about.
func (a Action) parameters(ingredients []Ingredient, assertions []sign.Assertion, plural bool) cbor.Members {
	relationship := map[string]string{"c2pa.opened": "parentOf", "c2pa.placed": "componentOf", "c2pa.removed": "componentOf"}[a.Name]
	if a.Parameters != nil || relationship == "" {
		return a.Parameters
	}
	references := []any{}
	for n, i := range ingredients {
		if i.relationship() == relationship {
			references = append(references, assertions[n].Reference())
		}
	}
	if !plural && len(references) > 0 {
		return cbor.Members{{Key: "ingredient", Value: references[0]}}
	}
	return cbor.Members{{Key: "ingredients", Value: references}}
}
