package c2pa

import (
	"slices"
	"strings"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// Names of actions that have rules (specification 2.2, section 15.10.3.2.2).
const (
	actionCreated    = "c2pa.created"
	actionOpened     = "c2pa.opened"
	actionPlaced     = "c2pa.placed"
	actionRemoved    = "c2pa.removed"
	actionTranscoded = "c2pa.transcoded"
	actionRepackaged = "c2pa.repackaged"
	actionRedacted   = "c2pa.redacted"
)

// watermarked begins the actions that put a watermark in: c2pa.watermarked, .bound and .unbound (later versions).
const watermarked = "c2pa.watermarked"

// Bounds of the actions of one manifest that are read, and of what one of them, or an assertion for all, may list.
const (
	maxActionsRead = 4096
	maxShared      = 256
)

// action is an action with what its rules speak of.
type action struct {
	Action
	// a is the assertion that it stands in, first that it is the first one there.
	a     *assertion
	first bool
	refs  []hashedURI
	// redacted is the assertion that c2pa.redacted names.
	redacted string
	// instance is the instance of the ingredient that actions of early versions name instead of its assertion.
	instance string
}

// shared is what the actions of one assertion share (specification 2.2, section 18.14.6).
type shared struct {
	agents    []string
	templates []Action
}

// readActions reads an actions assertion (specification 2.2, section 18.14).
func (m *manifest) readActions(a *assertion, v cbor.Value) {
	list := v.Get("actions").Elements()
	if len(list) == 0 {
		m.add(status.ActionMalformed, a.uri, "The assertion has no actions.")
		return
	}
	with := m.readShared(a, v)
	for i, item := range list {
		if len(m.actions) >= maxActionsRead {
			m.skip(status.GeneralError, a.uri, "The manifest has more actions than are read.")
			return
		}
		primary := m.readAction(a, item, with)
		primary.first = i == 0
		m.actions = append(m.actions, primary)
		for _, other := range m.few(a, item.Get("related")) {
			related := m.readAction(a, other, with)
			related.inherit(primary.Action)
			m.actions = append(m.actions, related)
		}
	}
}

// few are the elements of a list. A manifest with one that is longer than is read is not judged.
func (m *manifest) few(a *assertion, list cbor.Value) []cbor.Value {
	all := list.Elements()
	if len(all) > maxShared {
		m.skip(status.GeneralError, a.uri, "A list of the assertion is longer than is read.")
	}
	return head(all, maxShared)
}

func (m *manifest) readShared(a *assertion, v cbor.Value) shared {
	var with shared
	for _, agent := range m.few(a, v.Get("softwareAgents")) {
		with.agents = append(with.agents, agentOf(agent))
		m.refer(a, agent.Get("icon"))
	}
	for _, t := range m.few(a, v.Get("templates")) {
		with.templates = append(with.templates, common(t, with.agents))
		m.refer(a, t.Get("icon"))
	}
	return with
}

// common reads the fields that actions and templates both have.
func common(v cbor.Value, agents []string) Action {
	act := Action{
		Name:        textOf(v.Get("action")),
		SourceType:  textOf(v.Get("digitalSourceType")),
		Agent:       agentOf(v.Get("softwareAgent")),
		Description: textOf(v.Get("description")),
	}
	if i, ok := v.Get("softwareAgentIndex").Int(); ok && act.Agent == "" && i >= 0 && i < int64(len(agents)) {
		act.Agent = agents[i]
	}
	return act
}

// readAction reads one action of either version.
func (m *manifest) readAction(a *assertion, v cbor.Value, with shared) action {
	parameters := v.Get("parameters")
	act := action{a: a, Action: common(v, with.agents)}
	act.When = textOf(v.Get("when"))
	if act.Name == "" {
		m.add(status.ActionMalformed, a.uri, "An action has no name.")
	}
	if act.Description == "" {
		act.Description = textOf(parameters.Get("description"))
	}
	if strings.HasPrefix(act.Name, watermarked) {
		a.watermark = act.Name
	}
	act.fill(with.templates)
	act.redacted, _ = parameters.Get("redacted").Text()
	for _, field := range []cbor.Value{parameters.Get("instanceID"), parameters.Get("instanceId")} {
		if act.instance == "" {
			act.instance = textOf(field)
		}
	}
	m.refer(a, v.Get("softwareAgent").Get("icon"))
	refs := append([]cbor.Value{parameters.Get("ingredient")}, m.few(a, parameters.Get("ingredients"))...)
	for _, ref := range refs {
		if u, ok := readHashedURI(ref); ok {
			act.refs = append(act.refs, u)
			m.refer(a, ref)
		}
	}
	return act
}

// inherit takes what an action leaves unsaid from another.
func (a *action) inherit(from Action) {
	if a.SourceType == "" {
		a.SourceType = from.SourceType
	}
	if a.Agent == "" {
		a.Agent = from.Agent
	}
	if a.Description == "" {
		a.Description = from.Description
	}
	if a.When == "" {
		a.When = from.When
	}
}

// fill takes what an action leaves unsaid from the templates of its name, then from those of all names; of several the
// later one counts (specification 2.2, section 18.14.6.1).
func (a *action) fill(templates []Action) {
	for _, name := range []string{a.Name, "*"} {
		for _, t := range slices.Backward(templates) {
			if t.Name == name {
				a.inherit(t)
			}
		}
	}
}

// checkActions checks the rules of actions (specification 2.2, sections 15.10.1.2 and 15.10.3.2.2). Those of earlier
// versions contradict each other and were never kept; as c2pa-rs does (sdk/src/claim.rs, verify_actions), claims of
// version 1 are held to one actions assertion alone.
func (m *manifest) checkActions() {
	var lists []*assertion
	for _, a := range m.assertions {
		if versioned(a.base, actionsLabel) {
			lists = append(lists, a)
		}
	}
	if m.claim.version == 1 {
		if len(lists) > 1 {
			m.add(status.ActionMalformed, lists[1].uri, "A claim of version 1 has several actions assertions.")
		}
		return
	}
	beginnings := 0
	for _, act := range m.actions {
		if act.Name == actionCreated || act.Name == actionOpened {
			beginnings++
			if !act.first || !m.firstActions(act.a, lists) {
				m.add(status.ActionMalformed, act.a.uri, "An action that begins a file is not the first one.")
			}
		}
		m.checkAction(act)
	}
	if beginnings != 1 && m.kind == standard {
		m.add(status.ActionMalformed, m.claim.uri, "The manifest does not begin with one created or opened action.")
	}
}

// firstActions tells the first actions assertion of the created or of the gathered ones.
func (m *manifest) firstActions(a *assertion, lists []*assertion) bool {
	for _, other := range lists {
		if other.created == a.created {
			return other == a
		}
	}
	return false
}

// checkAction checks one action's references.
func (m *manifest) checkAction(act action) {
	bad := false
	switch act.Name {
	case actionOpened:
		bad = len(act.refs) != 1 || !m.allRelated(act, "parentOf")
	case actionPlaced:
		bad = len(act.refs) == 0 || !m.allRelated(act, "componentOf")
	case actionRemoved:
		// The specification has the ingredient in another manifest, c2pa-rs in the same one: both pass.
		bad = len(act.refs) == 0 || !m.allRelated(act, "componentOf")
	case actionTranscoded, actionRepackaged:
		bad = !m.allRelated(act, "parentOf")
	case actionRedacted:
		if !m.namesAssertion(act.redacted) {
			m.add(status.ActionRedactionMismatch, act.a.uri, "A redaction does not name the assertion that it took away.")
		}
	}
	if bad {
		m.add(status.ActionIngredientMismatch, act.a.uri, "The action "+act.Name+" does not name the ingredient that it must.")
	}
}

// allRelated tells whether all that an action refers to are ingredients of the relationship, of this manifest but for
// c2pa.removed.
func (m *manifest) allRelated(act action, relationship string) bool {
	for _, ref := range act.refs {
		t, ok := parseURI(ref.url, m.label)
		if !ok || t.manifest != m.label && act.Name != actionRemoved {
			return false
		}
		in := m.store.ingredient(m, t)
		if in == nil || in.Relationship != relationship {
			return false
		}
	}
	return true
}

// namesAssertion tells whether a reference leads to an assertion that the claim of another manifest names, be it still
// there or not.
func (m *manifest) namesAssertion(uri string) bool {
	t, ok := parseURI(uri, m.label)
	if !ok {
		return false
	}
	other := m.store.labelled[t.manifest]
	if other == nil {
		return false
	}
	if strings.HasPrefix(t.path, databoxesLabel+"/") {
		return true
	}
	return slices.ContainsFunc(other.assertions, func(a *assertion) bool { return a.target == t })
}
