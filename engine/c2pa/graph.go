package c2pa

import (
	"context"

	"veracity/engine/c2pa/status"
)

// load reads the active manifest and all that it leads to through ingredients, the active one first (specification 2.2,
// section 15.11.3.3). What nothing leads to is not read: nobody signed that it belongs there.
func (r *reader) load(ctx context.Context, m *manifest, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.loaded, m.index = true, len(r.loaded)
	r.loaded = append(r.loaded, m)
	if m.kind == compressed {
		m.skip(status.GeneralError, m.uri(""), "The manifest is compressed, which is not read here.")
		return nil
	}
	if !m.readClaim() {
		return nil
	}
	r.match(m)
	r.readContents(m)
	for _, in := range m.ingredients {
		if !in.ok {
			continue
		}
		next := r.store.labelled[in.to.manifest]
		if next == nil || next.loaded {
			continue
		}
		if depth == maxDepth || len(r.loaded) == maxManifests {
			m.skip(status.GeneralError, in.a.uri, "The ingredient's manifest lies deeper than is followed.")
			continue
		}
		if err := r.load(ctx, next, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// set is a set of loaded manifests, by their index; there are at most maxManifests.
type set uint64

func (s set) has(i int) bool { return s>>i&1 == 1 }

// below tells for each loaded manifest which others its ingredients lead to, at any depth.
func (r *reader) below() []set {
	below := make([]set, len(r.loaded))
	for changed := true; changed; {
		changed = false
		for i, m := range r.loaded {
			all := below[i]
			for _, in := range m.ingredients {
				if next := r.target(in); next != nil {
					all |= 1<<next.index | below[next.index]
				}
			}
			changed = changed || all != below[i]
			below[i] = all
		}
	}
	return below
}

// target is the loaded manifest of an ingredient, nil without one.
func (r *reader) target(in *ingredient) *manifest {
	if !in.ok {
		return nil
	}
	if m := r.store.labelled[in.to.manifest]; m != nil && m.loaded {
		return m
	}
	return nil
}

// spread gives each manifest the list of what was redacted of it (specification 2.2, section 15.10.2). Only manifests
// that have it among their ingredients, at any depth, may redact of it.
func (r *reader) spread(below []set) {
	for i, m := range r.loaded {
		if m.claim == nil {
			continue
		}
		for _, uri := range m.claim.redacted {
			t, ok := parseURI(uri, m.label)
			if ok && t.manifest == m.label {
				m.add(status.AssertionSelfRedacted, m.claim.uri, "The claim redacts an assertion of its own.")
				continue
			}
			if other := r.store.labelled[t.manifest]; ok && other != nil && other.loaded && below[i].has(other.index) {
				other.redactions[t.path] = true
			}
		}
	}
}
