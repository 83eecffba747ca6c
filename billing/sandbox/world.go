package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const stateFile = "stripe.json"

// state is everything that outlives a restart.
type state struct {
	SecretKey     string `json:"secret_key"`
	WebhookSecret string `json:"webhook_secret"`
	// Offset is how far the sandbox's clock is ahead of the real one.
	Offset time.Duration `json:"offset"`
	Faults Faults        `json:"faults"`

	Customers      table[customer, *customer]           `json:"customers"`
	Products       table[product, *product]             `json:"products"`
	Prices         table[price, *price]                 `json:"prices"`
	Subscriptions  table[subscription, *subscription]   `json:"subscriptions"`
	Schedules      table[schedule, *schedule]           `json:"schedules"`
	Invoices       table[invoice, *invoice]             `json:"invoices"`
	Pending        table[pendingItem, *pendingItem]     `json:"invoice_items"`
	Methods        table[method, *method]               `json:"payment_methods"`
	Intents        table[intent, *intent]               `json:"payment_intents"`
	Charges        table[charge, *charge]               `json:"charges"`
	Disputes       table[dispute, *dispute]             `json:"disputes"`
	Sessions       table[session, *session]             `json:"sessions"`
	Configurations table[configuration, *configuration] `json:"configurations"`
	Visits         table[portalSession, *portalSession] `json:"portal_sessions"`
	Endpoints      table[endpoint, *endpoint]           `json:"endpoints"`
	Events         table[event, *event]                 `json:"events"`
	Answers        table[answer, *answer]               `json:"answers"`
}

// world is the state and the rules that change it. Its owner holds the lock.
type world struct {
	state
	cfg  Config
	url  string
	file string
	// at is the moment that the clock plays while it moves; 0 when it stands at now.
	at int64
	// cause is the API call under way.
	cause request
	// saved tells whether the file has what the world has.
	saved bool
}

func openWorld(cfg Config, url string) (*world, error) {
	w := &world{cfg: cfg, url: url}
	if cfg.Dir != "" {
		w.file = filepath.Join(cfg.Dir, stateFile)
		if err := w.load(); err != nil {
			return nil, err
		}
	}
	if w.SecretKey == "" {
		w.SecretKey, w.WebhookSecret = "sk_test_sandbox_"+rand.Text(), "whsec_"+rand.Text()
	}
	w.ownEndpoint()
	if err := w.save(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *world) load() error {
	b, err := os.ReadFile(w.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the sandbox's state: %w", err)
	}
	if err := json.Unmarshal(b, &w.state); err != nil {
		return fmt.Errorf("read the sandbox's state in %s: %w", w.file, err)
	}
	return nil
}

// save writes the state in one step: a start after a crash finds the old file or the new one, never half of one.
func (w *world) save() error {
	if w.file == "" || w.saved {
		return nil
	}
	b, err := json.Marshal(w.state)
	if err != nil {
		return fmt.Errorf("write the sandbox's state: %w", err)
	}
	if err := os.MkdirAll(w.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("make the sandbox's folder: %w", err)
	}
	f, err := os.CreateTemp(w.cfg.Dir, stateFile+".*")
	if err != nil {
		return fmt.Errorf("write the sandbox's state: %w", err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the sandbox's state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if err := os.Rename(f.Name(), w.file); err != nil {
		return fmt.Errorf("write the sandbox's state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	w.saved = true
	return nil
}

// now is the sandbox's time in seconds since 1970.
func (w *world) now() int64 {
	if w.at != 0 {
		return w.at
	}
	return w.cfg.Now().Add(w.Offset).Unix()
}

// newHead begins an object.
func (w *world) newHead(prefix, object string) head {
	w.saved = false
	return head{ID: newID(prefix), Object: object, Created: w.now()}
}

// ownEndpoint keeps the endpoint of Config.WebhookURL. One that was made through the API for the same address is taken
// for it, so that no event goes there twice.
func (w *world) ownEndpoint() {
	var own *endpoint
	for _, e := range w.Endpoints.rows {
		e.Private.BuiltIn = e.Private.BuiltIn && w.cfg.WebhookURL != ""
		if e.URL == w.cfg.WebhookURL || e.Private.BuiltIn {
			own = e
		}
	}
	switch {
	case w.cfg.WebhookURL == "":
		return
	case own == nil:
		own = w.Endpoints.add(&endpoint{
			head: w.newHead("we", "webhook_endpoint"), APIVersion: ptr(Version), EnabledEvents: []string{"*"},
			Metadata: map[string]string{},
		})
	}
	own.URL, own.Status, own.Private.Secret, own.Private.BuiltIn = w.cfg.WebhookURL, "enabled", w.WebhookSecret, true
}
