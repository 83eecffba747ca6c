package c2pa

import (
	"context"
	"errors"
	"fmt"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/status"
)

// Read finds and validates a file's manifest store. It never fails over what the file holds; its errors are those of
// reading the file, and ctx's.
func Read(ctx context.Context, f carrier.File, o Options) (Report, error) {
	r, report, err := read(ctx, f, o)
	if err != nil || r == nil {
		return report, err
	}
	return r.report(), nil
}

// reader is the validation of one file.
type reader struct {
	f     carrier.File
	o     Options
	found *carrier.Found
	store *store
	// loaded are the active manifest and those that it leads to.
	loaded  []*manifest
	digests digests
	// stamps are time-stamps of assertions, by the manifest whose signature they stamp; ocsp are answers of OCSP.
	stamps map[string][][]byte
	ocsp   [][]byte
	// free: there are manifests that nothing leads to.
	free bool
}

// read validates a file. Without a store that can be read the reader is nil, and the report says all there is to say.
func read(ctx context.Context, f carrier.File, o Options) (*reader, Report, error) {
	found, err := carrier.Find(f)
	switch {
	case errors.Is(err, carrier.ErrSeveral):
		return nil, unreadable("", "The file holds several manifest stores."), nil
	case errors.Is(err, carrier.ErrBroken):
		return nil, unreadable("", "The manifest store is damaged."), nil
	case err != nil:
		return nil, Report{}, fmt.Errorf("find the manifest store: %w", err)
	case found == nil:
		return nil, Report{}, ctx.Err()
	}
	s, err := parseStore(found.Store)
	if err != nil {
		return nil, unreadable(found.Where, "The manifest store cannot be read."), ctx.Err()
	}
	if !presentable(s.manifests[len(s.manifests)-1].label) {
		return nil, unreadable(found.Where, "The active manifest has no label that can be shown."), ctx.Err()
	}
	r := &reader{f: f, o: o, found: found, store: s, digests: digests{}, stamps: map[string][][]byte{}}
	if err := r.validate(ctx); err != nil {
		return nil, Report{}, fmt.Errorf("validate the manifest store: %w", err)
	}
	return r, Report{}, nil
}

// unreadable is the report of a store that cannot be read.
func unreadable(where, explanation string) Report {
	return Report{
		Present: true, Where: where, State: invalid,
		Statuses: []status.Status{{Code: status.GeneralError, Explanation: explanation}},
	}
}

// validate runs the phases of validation (specification 2.2, section 15.1.2) over all manifests that count.
func (r *reader) validate(ctx context.Context) error {
	active := r.active()
	if err := r.load(ctx, active, 1); err != nil {
		return err
	}
	r.free = len(r.loaded) < len(r.store.manifests)
	below := r.below()
	r.spread(below)
	for _, m := range r.loaded {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.claim == nil {
			continue
		}
		r.checkSignature(ctx, m)
		if err := ctx.Err(); err != nil {
			return err
		}
		m.settle()
		m.checkKind()
		m.checkActions()
		r.checkIngredients(m, below)
		r.followRefers(m)
	}
	r.found.Updated = active.kind == update
	if err := r.bind(ctx, active); err != nil {
		return err
	}
	for _, m := range r.loaded {
		m.trim()
	}
	return nil
}

// active is the last manifest of the store (specification 2.2, section 15.5.1).
func (r *reader) active() *manifest { return r.store.manifests[len(r.store.manifests)-1] }
