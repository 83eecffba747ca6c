package billing

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// object is one of Stripe's, of version 2024-06-20.
type object map[string]any

// script is a Stripe that answers with what the test wrote down, for states that no sandbox gets into.
type script struct {
	mu        sync.Mutex
	customers map[string]object
	subs      []object
	invoices  []object
	// fail answers a request with a status before anything else is looked at; 0 lets it pass.
	fail  func(method, path string) int
	calls []string
}

func (s *script) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	_ = r.ParseForm()
	if s.fail != nil {
		if status := s.fail(r.Method, r.URL.Path); status != 0 {
			answer(w, status, refusal("api_error", ""))
			return
		}
	}
	name := strings.TrimPrefix(r.URL.Path, "/v1/")
	switch {
	case r.Method == http.MethodGet && name == "subscriptions":
		s.list(w, s.subs, "customer", r.Form.Get("customer"))
	case r.Method == http.MethodGet && name == "invoices":
		s.list(w, s.invoices, "subscription", r.Form.Get("subscription"))
	case r.Method == http.MethodGet && strings.HasPrefix(name, "customers/"):
		found, ok := s.customers[strings.TrimPrefix(name, "customers/")]
		if !ok {
			answer(w, http.StatusNotFound, refusal("invalid_request_error", "resource_missing"))
			return
		}
		answer(w, http.StatusOK, found)
	case r.Method == http.MethodGet && strings.HasPrefix(name, "products/"):
		id := strings.TrimPrefix(name, "products/")
		answer(w, http.StatusOK, object{"id": id, "object": "product", "active": true, "metadata": object{"plan": strings.TrimPrefix(id, "prod_")}})
	case r.Method == http.MethodPost && strings.HasPrefix(name, "invoices/"):
		for _, inv := range s.invoices {
			if strings.HasPrefix(name, "invoices/"+inv["id"].(string)+"/") {
				inv["status"] = map[bool]string{true: "paid", false: "open"}[strings.HasSuffix(name, "/pay")]
			}
		}
		answer(w, http.StatusOK, object{"id": "in", "object": "invoice"})
	default:
		answer(w, http.StatusNotFound, refusal("invalid_request_error", "resource_missing"))
	}
}

func refusal(kind, code string) object {
	return object{"error": object{"type": kind, "code": code, "message": "as the script says"}}
}

func answer(w http.ResponseWriter, status int, o object) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Stripe-Should-Retry", "false") // the test does not wait
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(o)
}

// list answers with the objects of an owner. A customer that is not there has none of his own.
func (s *script) list(w http.ResponseWriter, of []object, owner, id string) {
	if _, ok := s.customers[id]; owner == "customer" && !ok {
		answer(w, http.StatusBadRequest, refusal("invalid_request_error", "resource_missing"))
		return
	}
	data := []object{}
	for _, o := range of {
		if o[owner] != id || (owner == "subscription" && o["status"] != "paid") {
			continue
		}
		shown := maps.Clone(o)
		if latest, ok := o["latest_invoice"].(string); ok {
			for _, inv := range s.invoices {
				if inv["id"] == latest {
					shown["latest_invoice"] = inv
				}
			}
		}
		data = append(data, shown)
	}
	answer(w, http.StatusOK, object{"object": "list", "data": data, "has_more": false, "url": "/v1"})
}

// scripted is a rig whose Stripe is a script with one customer of the account. Its clock stands at the start of the test.
type scripted struct {
	*rig
	*script
	customer string
	began    time.Time
	clock    time.Time
}

func newScripted(t *testing.T, db *pgxpool.Pool) *scripted {
	t.Helper()
	s := &scripted{script: &script{customers: map[string]object{}}, customer: "cus_a"}
	srv := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(srv.Close)
	cfg := DefaultConfig()
	cfg.SecretKey, cfg.WebhookSecret, cfg.APIURL, cfg.BaseURL = "sk_test_script", "whsec_script", srv.URL, "http://localhost:8080"
	s.rig = newRig(t, db, cfg, func() time.Time { return s.clock })
	s.addCustomer(t, s.owner.Account, s.customer)
	s.began = time.Now().UTC().Truncate(time.Second)
	s.clock = s.began
	return s
}

func (s *scripted) addCustomer(t *testing.T, acc uuid.UUID, id string) {
	t.Helper()
	s.customers[id] = object{"id": id, "object": "customer", "metadata": object{"account_id": acc.String()}}
	linked, err := s.link(t.Context(), acc, id)
	require.NoError(t, err)
	require.True(t, linked)
}

// price is a price of a plan, found by its lookup_key.
func priceOf(plan, interval string) object {
	return object{
		"id": "price_" + plan, "object": "price", "lookup_key": lookupKey(plan, interval), "metadata": object{}, "product": "prod_" + plan,
		"recurring": object{"interval": interval, "interval_count": 1},
	}
}

// subscribe adds a subscription of a customer, in a state, for a period from a time.
func (s *scripted) subscribe(id, customer, plan, interval, status string, start, end time.Time) object {
	o := object{
		"id": id, "object": "subscription", "customer": customer, "status": status, "created": start.Unix(),
		"current_period_start": start.Unix(), "current_period_end": end.Unix(), "cancel_at_period_end": false,
		"cancel_at": nil, "ended_at": nil, "latest_invoice": "in_" + id, "pending_update": nil,
		"items": object{"object": "list", "data": []object{{"id": "si_" + id, "object": "subscription_item", "price": priceOf(plan, interval)}}},
	}
	s.subs = append(s.subs, o)
	return o
}

// bill adds an invoice of a subscription for a period at a plan.
func (s *scripted) bill(id, sub, plan, interval, status, reason string, start, end time.Time) object {
	o := object{
		"id": id, "object": "invoice", "subscription": sub, "status": status, "billing_reason": reason,
		"lines": object{"object": "list", "data": []object{{
			"id": "il_" + id, "object": "line_item", "type": "subscription", "proration": false, "amount": 1900, "subscription": sub,
			"price": priceOf(plan, interval), "period": object{"start": start.Unix(), "end": end.Unix()},
		}}},
	}
	s.invoices = append([]object{o}, s.invoices...)
	return o
}

// bought is a subscription with its first period paid.
func (s *scripted) bought(id, plan, interval string) (sub object, start, end time.Time) {
	start, end = s.began, addMonths(s.began, map[string]int{Month: 1, Year: 12}[interval])
	s.bill("in_"+id, id, plan, interval, "paid", "subscription_create", start, end)
	return s.subscribe(id, s.customer, plan, interval, statusActive, start, end), start, end
}

func (s *scripted) sync(t *testing.T) string {
	t.Helper()
	require.NoError(t, s.SyncAccount(t.Context(), s.owner.Account))
	s.sound(t)
	return s.standing(t)
}

func (s *scripted) count(call string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, made := range s.calls {
		if strings.HasPrefix(made, call) {
			n++
		}
	}
	return n
}

// event is an event as Stripe posts it.
func event(id, kind string, of object) []byte {
	raw, err := json.Marshal(object{
		"id": id, "object": "event", "api_version": "2024-06-20", "created": time.Now().Unix(), "type": kind, "livemode": false,
		"pending_webhooks": 1, "request": object{"id": nil, "idempotency_key": nil}, "data": object{"object": of},
	})
	if err != nil {
		panic(fmt.Sprintf("write event: %v", err))
	}
	return raw
}
