package provenance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/c2pa"
	"veracity/engine/c2pa/certs"
)

const (
	trainedType   = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
	editedType    = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia"
	captureType   = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
	algorithmType = "http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia"
)

// made is a manifest that fits, by a signer of the name; trust is on by default.
func made(label, who string, parts ...func(*c2pa.Manifest)) c2pa.Manifest {
	m := c2pa.Manifest{
		Label: label, Integrity: c2pa.Intact,
		Signer: &c2pa.Signer{Organization: who, Validity: c2pa.Valid, Trust: certs.Trust{Trusted: true, List: "c2pa"}},
	}
	for _, part := range parts {
		part(&m)
	}
	return m
}

func did(action, sourceType string) func(*c2pa.Manifest) {
	return func(m *c2pa.Manifest) {
		m.Actions = append(m.Actions, c2pa.Action{Name: action, SourceType: sourceType})
	}
}

func from(relationship, label string, recorded ...string) func(*c2pa.Manifest) {
	return func(m *c2pa.Manifest) {
		m.Ingredients = append(m.Ingredients, c2pa.Ingredient{Relationship: relationship, Manifest: label, Recorded: recorded})
	}
}

func unknown(m *c2pa.Manifest)  { m.Signer.Trust = certs.Trust{} }
func expired(m *c2pa.Manifest)  { m.Signer.Validity = c2pa.Expired }
func altered(m *c2pa.Manifest)  { m.Integrity = c2pa.Altered }
func uncheck(m *c2pa.Manifest)  { m.Integrity = c2pa.Unchecked }
func unsigned(m *c2pa.Manifest) { m.Signer = nil }
func updated(m *c2pa.Manifest)  { m.Update = true }

func described1(action, description string) func(*c2pa.Manifest) {
	return func(m *c2pa.Manifest) {
		m.Actions = append(m.Actions, c2pa.Action{Name: action, Description: description})
	}
}

func TestContentCredentialsSayWhatTheirLineageDoes(t *testing.T) {
	t.Parallel()
	const parent, component, input = "parentOf", "componentOf", "inputTo"
	tests := map[string]struct {
		manifests []c2pa.Manifest
		origin    Origin
		verdict   engine.Verdict
		by        string
	}{
		"generated":                       {[]c2pa.Manifest{made("a", "Google LLC", did("c2pa.created", trainedType))}, Generated, engine.AI, "Google LLC"},
		"generated, by nobody known":      {[]c2pa.Manifest{made("a", "X", did("c2pa.created", trainedType), unknown)}, Generated, engine.AI, "X"},
		"generated, expired":              {[]c2pa.Manifest{made("a", "X", did("c2pa.created", trainedType), expired)}, Generated, engine.AI, "X"},
		"generated, of another file":      {[]c2pa.Manifest{made("a", "X", did("c2pa.created", trainedType), altered)}, NotOfThisFile, engine.None, "X"},
		"generated, not to be checked":    {[]c2pa.Manifest{made("a", "X", did("c2pa.created", trainedType), uncheck)}, NotChecked, engine.None, "X"},
		"data of a model":                 {[]c2pa.Manifest{made("a", "X", did("c2pa.created", "http://c2pa.org/digitalsourcetype/trainedAlgorithmicData"))}, Generated, engine.AI, "X"},
		"an algorithm without training":   {[]c2pa.Manifest{made("a", "X", did("c2pa.created", algorithmType))}, Silent, engine.None, "X"},
		"nothing yet":                     {[]c2pa.Manifest{made("a", "X", did("c2pa.created", "http://c2pa.org/digitalsourcetype/empty"))}, Silent, engine.None, "X"},
		"no source type":                  {[]c2pa.Manifest{made("a", "X", did("c2pa.created", ""))}, Silent, engine.None, "X"},
		"described by its known signer":   {[]c2pa.Manifest{made("a", "Microsoft Corporation", described1("c2pa.created", "AI Generated Image"))}, Generated, engine.AI, "Microsoft Corporation"},
		"described by somebody else":      {[]c2pa.Manifest{made("a", "X", described1("c2pa.created", "AI Generated Image"))}, Silent, engine.None, "X"},
		"edited with a model":             {[]c2pa.Manifest{made("a", "Adobe Inc.", did("c2pa.opened", ""), did("c2pa.edited", editedType))}, EditedWithAI, engine.Uncertain, "Adobe Inc."},
		"a generated edit is a part":      {[]c2pa.Manifest{made("a", "X", did("c2pa.edited", trainedType))}, EditedWithAI, engine.Uncertain, "X"},
		"a generated component":           {[]c2pa.Manifest{made("a", "X", did("c2pa.created", ""), did("c2pa.placed", ""), from(component, "b")), made("b", "Google LLC", did("c2pa.created", trainedType))}, EditedWithAI, engine.Uncertain, "Google LLC"},
		"a generated picture to go by":    {[]c2pa.Manifest{made("a", "X", did("c2pa.created", ""), from(input, "b")), made("b", "Y", did("c2pa.created", trainedType))}, Silent, engine.None, "X"},
		"gone by, and then opened":        {[]c2pa.Manifest{made("a", "X", did("c2pa.opened", ""), from(input, "b"), from(parent, "b")), made("b", "OpenAI", did("c2pa.created", trainedType))}, Generated, engine.AI, "OpenAI"},
		"transcoded from generated":       {[]c2pa.Manifest{made("a", "X", did("c2pa.opened", ""), did("c2pa.transcoded", ""), from(parent, "b")), made("b", "OpenAI", did("c2pa.created", trainedType))}, Generated, engine.AI, "OpenAI"},
		"edited from generated":           {[]c2pa.Manifest{made("a", "Adobe Inc.", did("c2pa.edited", editedType), from(parent, "b")), made("b", "OpenAI", did("c2pa.created", trainedType))}, Generated, engine.AI, "OpenAI"},
		"three generations":               {[]c2pa.Manifest{made("a", "X", from(parent, "b")), made("b", "Y", from(parent, "c")), made("c", "OpenAI", did("c2pa.created", trainedType), unknown)}, Generated, engine.AI, "OpenAI"},
		"an altered parent":               {[]c2pa.Manifest{made("a", "X", from(parent, "b")), made("b", "Y", did("c2pa.created", trainedType), altered)}, Silent, engine.None, "X"},
		"a parent that did not fit":       {[]c2pa.Manifest{made("a", "X", from(parent, "b", "assertion.dataHash.mismatch")), made("b", "Y", did("c2pa.created", trainedType))}, Silent, engine.None, "X"},
		"a parent of unknown trust":       {[]c2pa.Manifest{made("a", "X", from(parent, "b", "signingCredential.untrusted")), made("b", "Y", did("c2pa.created", trainedType))}, Generated, engine.AI, "Y"},
		"a parent that is missing":        {[]c2pa.Manifest{made("a", "X", from(parent, "b"))}, Silent, engine.None, "X"},
		"its own parent":                  {[]c2pa.Manifest{made("a", "X", did("c2pa.opened", ""), from(parent, "a"))}, Silent, engine.None, "X"},
		"captured":                        {[]c2pa.Manifest{made("a", "Leica Camera AG", did("c2pa.created", captureType))}, Captured, engine.Real, "Leica Camera AG"},
		"captured, by nobody known":       {[]c2pa.Manifest{made("a", "X", did("c2pa.created", captureType), unknown)}, ClaimedCapture, engine.None, "X"},
		"captured, expired":               {[]c2pa.Manifest{made("a", "X", did("c2pa.created", captureType), expired)}, ClaimedCapture, engine.None, "X"},
		"captured, not signed":            {[]c2pa.Manifest{made("a", "X", did("c2pa.created", captureType), unsigned)}, ClaimedCapture, engine.None, ""},
		"captured, then cropped":          {[]c2pa.Manifest{made("a", "Google LLC", did("c2pa.opened", ""), did("c2pa.cropped", ""), from(parent, "b")), made("b", "Leica", did("c2pa.created", captureType))}, Captured, engine.Real, "Leica"},
		"captured, then nobody says what": {[]c2pa.Manifest{made("a", "Google LLC", from(parent, "b")), made("b", "Leica", did("c2pa.created", captureType))}, ClaimedCapture, engine.None, "Leica"},
		"captured, then updated":          {[]c2pa.Manifest{made("a", "Google LLC", updated, from(parent, "b")), made("b", "Leica", did("c2pa.created", captureType))}, Captured, engine.Real, "Leica"},
		"captured, cropped by anybody":    {[]c2pa.Manifest{made("a", "X", did("c2pa.cropped", ""), from(parent, "b"), unknown), made("b", "Leica", did("c2pa.created", captureType))}, ClaimedCapture, engine.None, "Leica"},
		"captured, then edited somehow":   {[]c2pa.Manifest{made("a", "Adobe Inc.", did("c2pa.edited", ""), from(parent, "b")), made("b", "Leica", did("c2pa.created", captureType))}, ClaimedCapture, engine.None, "Leica"},
		"captured, then edited with AI":   {[]c2pa.Manifest{made("a", "Google LLC", did("c2pa.edited", editedType), from(parent, "b")), made("b", "Google LLC", did("c2pa.created", captureType))}, EditedWithAI, engine.Uncertain, "Google LLC"},
		"captured, with a vendor's act":   {[]c2pa.Manifest{made("a", "X", did("c2pa.created", captureType), did("com.vendor.magic", ""))}, ClaimedCapture, engine.None, "X"},
		"captured and generated at once":  {[]c2pa.Manifest{made("a", "X", did("c2pa.created", captureType), did("c2pa.created", trainedType))}, Generated, engine.AI, "X"},
		"captured from two parents":       {[]c2pa.Manifest{made("a", "X", from(parent, "b"), from(parent, "c")), made("b", "L", did("c2pa.created", captureType)), made("c", "L", did("c2pa.created", captureType))}, Silent, engine.None, "X"},
		"captured, of an earlier capture": {[]c2pa.Manifest{made("a", "X", did("c2pa.created", captureType), from(parent, "b")), made("b", "Y", did("c2pa.created", captureType))}, ClaimedCapture, engine.None, "X"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judge(c2pa.Report{Present: true, Active: "a", Manifests: tt.manifests})
			require.Equal(t, tt.origin, j.origin)
			require.Equal(t, tt.verdict, j.verdict)
			require.Equal(t, tt.by, maker(j.by))
		})
	}
}

func TestAStoreWithoutAnActiveManifestSaysNothing(t *testing.T) {
	t.Parallel()
	j := judge(c2pa.Report{Present: true})
	require.Equal(t, NotChecked, j.origin)
	require.Equal(t, engine.None, j.verdict)
}

func TestALineageEndsAtItsDepth(t *testing.T) {
	t.Parallel()
	var chain []c2pa.Manifest
	name := func(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	for i := range 40 {
		chain = append(chain, made(name(i), "X", from("parentOf", name(i+1))))
	}
	chain = append(chain, made(name(40), "Y", did("c2pa.created", trainedType)))
	require.Equal(t, Silent, judge(c2pa.Report{Active: name(0), Manifests: chain}).origin)
	require.Equal(t, Generated, judge(c2pa.Report{Active: name(10), Manifests: chain}).origin)
}

func TestContentCredentialsAndMetadataAreWeighed(t *testing.T) {
	t.Parallel()
	generated := c2pa.Report{Present: true, Active: "a", Manifests: []c2pa.Manifest{made("a", "OpenAI", did("c2pa.created", trainedType))}}
	captured := c2pa.Report{Present: true, Active: "a", Manifests: []c2pa.Manifest{made("a", "Leica", did("c2pa.created", captureType))}}
	edited := c2pa.Report{Present: true, Active: "a", Manifests: []c2pa.Manifest{made("a", "Adobe Inc.", did("c2pa.edited", editedType))}}
	silent := c2pa.Report{Present: true, Active: "a", Manifests: []c2pa.Manifest{made("a", "X")}}
	label := []Statement{{Kind: Label, AI: Full, Generator: "Maker"}}
	suspicion := []Statement{{Kind: Label, AI: Possibly}}
	tests := map[string]struct {
		credentials c2pa.Report
		metadata    []Statement
		verdict     engine.Verdict
		issuer      string
	}{
		"generated":              {generated, nil, engine.AI, "OpenAI"},
		"generated and labelled": {generated, label, engine.AI, "OpenAI"},
		"captured":               {captured, nil, engine.Real, "Leica"},
		"captured and labelled":  {captured, label, engine.Uncertain, ""},
		"captured and suspected": {captured, suspicion, engine.Uncertain, ""},
		"edited":                 {edited, nil, engine.Uncertain, "Adobe Inc."},
		"edited and labelled":    {edited, label, engine.AI, "Maker"},
		"silent":                 {silent, nil, engine.None, ""},
		"silent and labelled":    {silent, label, engine.AI, "Maker"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := decide(tt.metadata).with(tt.credentials)
			require.Equal(t, tt.verdict, r.Verdict)
			issuer := ""
			if r.Issuer != nil {
				issuer = *r.Issuer
			}
			require.Equal(t, tt.issuer, issuer)
			require.True(t, r.ContentCredentials.Validated)
			require.NotEmpty(t, explain(r))
		})
	}
}

func TestExplanationsTellTamperingFromUnknownAndExpiredSigners(t *testing.T) {
	t.Parallel()
	tell := func(m c2pa.Manifest) string {
		return explain(decide(nil).with(c2pa.Report{Present: true, Active: "a", Manifests: []c2pa.Manifest{m}}))
	}
	tests := map[string]struct {
		manifest c2pa.Manifest
		says     string
	}{
		"trusted": {made("a", "OpenAI", did("c2pa.created", trainedType)), "signed in the name of OpenAI say that a model made this file. They fit the file, and the signer is on a trust list."},
		"unknown": {made("a", "OpenAI", did("c2pa.created", trainedType), unknown), "No trust list knows the signer."},
		"expired": {made("a", "Nikon", did("c2pa.created", captureType), expired), "has expired, and no trusted time-stamp"},
		"forged":  {made("a", "Leica", did("c2pa.created", captureType), unknown), "Anybody can write such a claim, so it proves nothing."},
		"altered": {made("a", "OpenAI", did("c2pa.created", trainedType), altered), "do not fit the file"},
		"silent":  {made("a", "X"), "neither that a model made this file nor that a device captured it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, tell(tt.manifest), tt.says)
		})
	}
}
