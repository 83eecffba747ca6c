package sandbox

import (
	"slices"
	"strings"
)

// keepEvents is how many events are remembered beside those that are still to be posted.
const keepEvents = 2_000

// emit writes down that something happened to an object, and what it was before if it changed.
func (w *world) emit(kind string, object record, before map[string]any) {
	e := &event{head: w.newHead("evt", "event"), APIVersion: Version, Type: kind, Request: w.cause}
	shown := w.render(object)
	e.Data.Object = mustJSON(shown)
	if before != nil {
		e.Data.PreviousAttributes = mustJSON(previous(before, shown))
	}
	e.Private.Subject = object.key()
	w.send(e)
	w.Events.add(e)
	if len(w.Events.rows) > keepEvents*5/4 {
		from := w.Events.rows[len(w.Events.rows)-keepEvents]
		recent := false
		w.Events.keep(func(e *event) bool {
			recent = recent || e == from
			return recent || e.waits()
		})
	}
}

// update runs a change and emits it, unless it changed nothing.
func (w *world) update(kind string, object record, change func()) {
	w.saved = false
	before := w.render(object)
	change()
	if len(previous(before, w.render(object))) > 0 {
		w.emit(kind, object, before)
	}
}

func listEvents(c *call) (any, error) {
	kind, kinds := c.str("type"), c.strings("types")
	if kind != "" {
		kinds = append(kinds, kind)
	}
	return pageOf(c, &c.Events, func(e *event) bool { return len(kinds) == 0 || covers(kinds, e.Type) })
}

// covers tells whether a list of kinds names one: * is all, customer.* all that begin with customer and a dot.
func covers(kinds []string, kind string) bool {
	return slices.ContainsFunc(kinds, func(one string) bool {
		start, all := strings.CutSuffix(one, "*")
		return one == kind || all && strings.HasPrefix(kind, start)
	})
}

func createEndpoint(c *call) (any, error) {
	made := &endpoint{Status: "enabled"}
	made.URL, made.EnabledEvents = c.str("url"), c.strings("enabled_events")
	c.replace("description", &made.Description)
	c.replace("api_version", &made.APIVersion)
	made.Metadata = c.merge("metadata", nil)
	switch err := c.done(); {
	case err != nil:
		return nil, err
	case made.URL == "":
		return nil, required("url")
	case len(made.EnabledEvents) == 0:
		return nil, required("enabled_events")
	case made.APIVersion != nil && *made.APIVersion != Version:
		return nil, refuse("api_version", "", "Invalid Stripe API version: %s. The sandbox speaks %s.", *made.APIVersion, Version)
	}
	made.head = c.newHead("we", "webhook_endpoint")
	made.Private.Secret = newID("whsec")
	c.Endpoints.add(made)
	shown := asMap(made)
	shown["secret"] = made.Private.Secret // told once, as Stripe does
	return shown, nil
}

func updateEndpoint(c *call) (any, error) {
	found, ok := c.Endpoints.find(c.id)
	if !ok {
		return nil, missing("webhook endpoint", "id", c.id)
	}
	next := *found
	if url, ok := c.text("url"); ok {
		next.URL = url
	}
	if c.has("enabled_events") {
		next.EnabledEvents = c.strings("enabled_events")
	}
	if off := c.flag("disabled"); off != nil {
		next.Status = "enabled"
		if *off {
			next.Status = "disabled"
		}
	}
	c.replace("description", &next.Description)
	next.Metadata = c.merge("metadata", found.Metadata)
	if err := c.done(); err != nil {
		return nil, err
	}
	c.saved = false
	*found = next
	return found, nil
}

func deleteEndpoint(c *call) (any, error) {
	found, ok := c.Endpoints.find(c.id)
	if !ok {
		return nil, missing("webhook endpoint", "id", c.id)
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	c.saved = false
	c.Endpoints.keep(func(e *endpoint) bool { return e != found })
	return deletedOne{found.ID, found.Object, true}, nil
}

func listEndpoints(c *call) (any, error) {
	return pageOf(c, &c.Endpoints, func(*endpoint) bool { return true })
}
