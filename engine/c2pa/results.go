package c2pa

import (
	"context"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// ReadIngredient validates a file that another is made of, for the manifest of that other one: it answers the file's manifest
// store without padding, the label of its active manifest, and the results of its validation as an ingredient assertion
// records them (validation-results-map, specification 2.2, section 15.2.1), which cbor encodes. All are empty for files
// without a store, and with one that cannot be read or referred to. Its errors are those of Read.
func ReadIngredient(ctx context.Context, f carrier.File, o Options) (store []byte, active string, results any, err error) {
	r, _, err := read(ctx, f, o)
	if err != nil || r == nil {
		return nil, "", nil, err
	}
	m := r.active()
	if r.store.labelled[m.label] == nil {
		return nil, "", nil, nil
	}
	return r.store.raw, m.label, r.results(), nil
}

// results is the validation-results-map of the file.
func (r *reader) results() cbor.Members {
	deltas := []any{}
	for _, m := range r.loaded {
		for _, in := range m.ingredients {
			next := r.target(in)
			if next == nil || len(deltas) == maxIngredients {
				continue
			}
			deltas = append(deltas, cbor.Members{
				{Key: "ingredientAssertionURI", Value: in.a.uri},
				{Key: "validationDeltas", Value: codes(next.list, in.active)},
			})
		}
	}
	return cbor.Members{
		{Key: "activeManifest", Value: codes(r.active().list, nil)},
		{Key: "ingredientDeltas", Value: deltas},
	}
}

// codes is the status-codes-map of statuses, but for those that are known: of the same code and reference (specification
// 2.2, section 18.15.12.4.3).
func codes(list []status.Status, known map[status.Status]bool) cbor.Members {
	sorted := map[status.Kind][]any{status.Success: {}, status.Informational: {}, status.Failure: {}}
	for _, s := range list {
		if known[status.Status{Code: s.Code, URI: s.URI}] {
			continue
		}
		entry := cbor.Members{{Key: "code", Value: string(s.Code)}, {Key: "url", Value: s.URI}}
		if s.Explanation != "" {
			entry = append(entry, cbor.Member{Key: "explanation", Value: s.Explanation})
		}
		sorted[s.Code.Kind()] = append(sorted[s.Code.Kind()], entry)
	}
	return cbor.Members{
		{Key: "success", Value: sorted[status.Success]},
		{Key: "informational", Value: sorted[status.Informational]},
		{Key: "failure", Value: sorted[status.Failure]},
	}
}
