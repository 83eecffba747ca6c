package sandbox

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	maxBody   = 1 << 20
	maxParams = 1_000
	maxDepth  = 8
)

// params are the parameters of a request as a tree: items[0][price]=x is x at items, 0, price. Reading marks them, so
// that what nobody reads is refused as unknown, as Stripe does.
type params struct {
	path  string
	value string
	set   bool
	read  bool
	under map[string]*params
	root  *params
	// fault is the first parameter that could not be read; at the root alone.
	fault *apiError
}

// parseParams builds the tree. Indexes of arrays may be left empty: a[]=x&a[]=y.
func parseParams(values url.Values) (*params, error) {
	root := &params{}
	root.root = root
	if len(values) > maxParams {
		return nil, refuse("", "", "Too many parameters.")
	}
	for key, all := range values {
		name, rest, _ := strings.Cut(key, "[")
		steps := []string{name}
		if rest != "" {
			steps = append(steps, strings.Split(strings.TrimSuffix(rest, "]"), "][")...)
		}
		if name == "" || len(steps) > maxDepth {
			return nil, refuse(key, "parameter_unknown", "Received unknown parameter: %s", key)
		}
		for i, value := range all {
			node := root
			for _, step := range steps {
				if step == "" {
					step = strconv.Itoa(i)
				}
				node = node.grow(step)
			}
			node.value, node.set = value, true
		}
	}
	return root, nil
}

func (p *params) grow(name string) *params {
	if p.under == nil {
		p.under = map[string]*params{}
	}
	child, ok := p.under[name]
	if !ok {
		child = &params{path: p.pathOf(name), root: p.root}
		p.under[name] = child
	}
	return child
}

func (p *params) pathOf(name string) string {
	if p.path == "" {
		return name
	}
	return p.path + "[" + name + "]"
}

// in is the subtree below name, empty when there is none.
func (p *params) in(name string) *params {
	if child, ok := p.under[name]; ok {
		return child
	}
	return &params{path: p.pathOf(name), root: p.root}
}

// has tells whether a parameter or anything below it was given.
func (p *params) has(name string) bool {
	_, ok := p.under[name]
	return ok
}

// text is a parameter's value, and whether it was given.
func (p *params) text(name string) (string, bool) {
	child, ok := p.under[name]
	if !ok || !child.set {
		return "", false
	}
	child.read = true
	return child.value, true
}

func (p *params) str(name string) string {
	value, _ := p.text(name)
	return value
}

// oneOf is a parameter that may have a few values; the first is what it is when it was not given.
func (p *params) oneOf(name string, allowed ...string) string {
	value, ok := p.text(name)
	if !ok {
		return allowed[0]
	}
	if !slices.Contains(allowed, value) {
		p.wrong(refuse(p.pathOf(name), "", "Invalid %s: must be one of %s", p.pathOf(name), strings.Join(allowed, ", ")))
	}
	return value
}

// whole is an integer, nil when it was not given.
func (p *params) whole(name string) *int64 {
	value, ok := p.text(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		p.wrong(refuse(p.pathOf(name), "parameter_invalid_integer", "Invalid integer: %s", value))
		return nil
	}
	return &n
}

// flag is a boolean, nil when it was not given.
func (p *params) flag(name string) *bool {
	value, ok := p.text(name)
	if !ok {
		return nil
	}
	yes := value == "true"
	if !yes && value != "false" {
		p.wrong(refuse(p.pathOf(name), "", "Invalid boolean: %s", value))
	}
	return &yes
}

// list is the subtrees of an array in its order.
func (p *params) list(name string) []*params {
	node := p.in(name)
	keys := make([]int, 0, len(node.under))
	for key := range node.under {
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 {
			p.wrong(refuse(node.path, "", "Invalid array"))
			return nil
		}
		keys = append(keys, n)
	}
	slices.Sort(keys)
	all := make([]*params, len(keys))
	for i, n := range keys {
		all[i] = node.under[strconv.Itoa(n)]
	}
	node.read = true // an empty array is given as name=""
	return all
}

// strings is an array of values.
func (p *params) strings(name string) []string {
	values := []string{}
	for _, item := range p.list(name) {
		item.read = true
		values = append(values, item.value)
	}
	return values
}

// merge puts the parameter's keys over old as Stripe treats metadata: an empty value removes its key, an empty whole
// removes all.
func (p *params) merge(name string, old map[string]string) map[string]string {
	merged := map[string]string{}
	node := p.in(name)
	node.read = true
	if !node.set || node.value != "" {
		for key, value := range old {
			merged[key] = value
		}
	}
	for key, child := range node.under {
		child.read = true
		if child.value == "" {
			delete(merged, key)
			continue
		}
		merged[key] = child.value
	}
	return merged
}

// replace sets field when the parameter was given; an empty value unsets it.
func (p *params) replace(name string, field **string) {
	value, ok := p.text(name)
	switch {
	case !ok:
	case value == "":
		*field = nil
	default:
		*field = &value
	}
}

func (p *params) wrong(err *apiError) {
	if p.root.fault == nil {
		p.root.fault = err
	}
}

// done is the first fault: a value that could not be read, or a parameter that nobody read. An act calls it before it
// changes anything.
func (p *params) done() error {
	if p.root.fault != nil {
		return p.root.fault
	}
	if unread := p.unread(); unread != "" {
		return refuse(unread, "parameter_unknown", "Received unknown parameter: %s (or one that the sandbox does not play)", unread)
	}
	return nil
}

func (p *params) unread() string {
	if p.set && !p.read {
		return p.path
	}
	names := make([]string, 0, len(p.under))
	for name := range p.under {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if unread := p.under[name].unread(); unread != "" {
			return unread
		}
	}
	return ""
}

// String is the parameters in one order, to tell two requests apart.
func (p *params) String() string {
	var b strings.Builder
	if p.set {
		_, _ = fmt.Fprintf(&b, "%q=%q\n", p.path, p.value)
	}
	names := make([]string, 0, len(p.under))
	for name := range p.under {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(p.under[name].String())
	}
	return b.String()
}
