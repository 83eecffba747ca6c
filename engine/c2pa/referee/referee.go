// Package referee asks programs of other people what they make of Content Credentials: c2pa-rs, compiled to WebAssembly
// (@contentauth/c2pa-wasm), and c2pa-ts (@trustnxt/c2pa-ts). For tests only.
package referee

import (
	"encoding/json"
	"slices"
	"testing"
)

// Status is one code of a validation.
type Status struct {
	Code        string `json:"code"`
	URL         string `json:"url"`
	Explanation string `json:"explanation"`
	// Success is set by c2pa-ts alone.
	Success bool `json:"success"`
}

// Statuses are the codes of a manifest.
type Statuses struct {
	Success       []Status `json:"success"`
	Informational []Status `json:"informational"`
	Failure       []Status `json:"failure"`
}

// Report is what c2pa-rs says of a file.
type Report struct {
	// State is Invalid, Valid or Trusted; empty when there was nothing to read, which Error tells.
	State string
	Error string
	// Active is the label of the active manifest.
	Active string
	// Results are the statuses of the active manifest, Ingredients those by which its ingredients differ from what was found
	// when they were taken in.
	Results     Statuses
	Ingredients []Statuses
	// Raw is the whole report as c2pa-rs words it.
	Raw json.RawMessage
}

// Failures are the codes of all failures, sorted, each once: those of the active manifest and of ingredients.
func (r Report) Failures() []string {
	codes := r.Results.failures()
	for _, i := range r.Ingredients {
		codes = append(codes, i.failures()...)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// Succeeded are the codes of all successes of the active manifest, sorted, each once.
func (r Report) Succeeded() []string {
	codes := codesOf(r.Results.Success)
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (s Statuses) failures() []string { return codesOf(s.Failure) }

func codesOf(list []Status) []string {
	codes := []string{}
	for _, s := range list {
		codes = append(codes, s.Code)
	}
	return codes
}

// Manifests are the manifests of the report by their labels, as c2pa-rs words them.
func (r Report) Manifests(tb testing.TB) map[string]map[string]any {
	tb.Helper()
	var store struct {
		Manifests map[string]map[string]any `json:"manifests"`
	}
	parse(tb, r.Raw, &store)
	return store.Manifests
}

// Read lets c2pa-rs read and validate the file at path, whose format is that of its extension (.png, .jpg, .mp4 …), with
// roots in PEM as its only trust anchors; without any it trusts nobody.
func Read(tb testing.TB, path, anchorsPEM string) Report {
	tb.Helper()
	var answer struct {
		Error string          `json:"error"`
		Store json.RawMessage `json:"store"`
	}
	ask(tb, map[string]any{"act": "read", "path": path, "anchors": anchorsPEM}, &answer)
	r := Report{Error: answer.Error, Raw: answer.Store}
	if answer.Error != "" {
		return r
	}
	var store struct {
		Active  string `json:"active_manifest"`
		State   string `json:"validation_state"`
		Results struct {
			Active *Statuses `json:"activeManifest"`
			Deltas []struct {
				Statuses Statuses `json:"validationDeltas"`
			} `json:"ingredientDeltas"`
		} `json:"validation_results"`
	}
	parse(tb, answer.Store, &store)
	r.State, r.Active = store.State, store.Active
	if store.Results.Active != nil {
		r.Results = *store.Results.Active
	}
	for _, d := range store.Results.Deltas {
		r.Ingredients = append(r.Ingredients, d.Statuses)
	}
	return r
}

// Second is what c2pa-ts says of a file. It checks no chain of trust.
type Second struct {
	Valid    bool     `json:"valid"`
	Error    string   `json:"error"`
	Statuses []Status `json:"statuses"`
}

// Failures are the codes of failures, sorted, each once.
func (s Second) Failures() []string {
	codes := []string{}
	for _, e := range s.Statuses {
		if !e.Success {
			codes = append(codes, e.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// ReadTS lets c2pa-ts read and validate the PNG, JPEG or HEIF at path.
func ReadTS(tb testing.TB, path string) Second {
	tb.Helper()
	var answer Second
	ask(tb, map[string]any{"act": "readTS", "path": path}, &answer)
	return answer
}

// Ingredient is a file that c2pa-rs takes in as an ingredient. JSON says more of it, such as {"relationship":"parentOf"}.
type Ingredient struct {
	Path string `json:"path"`
	JSON string `json:"json"`
}

// Order is what c2pa-rs is to sign.
type Order struct {
	// Manifest is a ManifestDefinition of c2pa-rs in JSON.
	Manifest    string
	Ingredients []Ingredient
	// Certificates is the chain in PEM, the signer's first; Key is its key in PEM (PKCS #8): P-256, P-384, P-521, RSA or
	// Ed25519.
	Certificates, Key string
	// Intent is one of c2pa-rs in JSON, such as "edit" or {"create":"http://…"}; empty for none.
	Intent string
}

// Sign lets c2pa-rs sign the file at in and write the outcome to out, which has the same format. The test fails when it
// will not.
func Sign(tb testing.TB, in, out string, o Order) {
	tb.Helper()
	var answer struct {
		SHA256 string `json:"sha256"`
	}
	ask(tb, map[string]any{
		"act": "sign", "path": in, "out": out, "manifest": o.Manifest, "ingredients": o.Ingredients,
		"certificates": o.Certificates, "key": o.Key, "intent": o.Intent,
	}, &answer)
	if answer.SHA256 == "" {
		tb.Fatalf("c2pa-rs wrote no file")
	}
}

func parse(tb testing.TB, data []byte, into any) {
	tb.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		tb.Fatalf("read the referee's answer: %v\n%s", err, data)
	}
}
