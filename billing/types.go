package billing

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// The intervals at which a subscription is paid.
const (
	Month = "month"
	Year  = "year"
)

// Billing is how an account pays, as it was last heard of.
type Billing struct {
	// Plan is the one in force.
	Plan string
	// BilledBy is stripe, operator or none.
	BilledBy string
	// Status is Stripe's word for the subscription that the plan follows (active, trialing, past_due, unpaid, …); empty
	// where there is none.
	Status string
	// Interval is Month or Year; empty without a subscription.
	Interval string
	// PeriodEnd is when the running period ends: the next payment is due then unless CancelAt is set.
	PeriodEnd *time.Time
	// CancelAt is when the subscription ends; nil while it goes on.
	CancelAt *time.Time
	// PendingPlan is the smaller plan that holds from PeriodEnd on; empty where none is pending.
	PendingPlan string
	// Customer tells whether the payment service knows the account: only then there are invoices, and a page for them.
	Customer bool
}

// Live tells whether the plan follows a subscription, so that it is changed and not bought.
func (b Billing) Live() bool { return b.Status != "" }

// Pays tells whether that subscription is paid for, or on trial.
func (b Billing) Pays() bool { return b.Status == statusActive || b.Status == statusTrialing }

// Invoice is one invoice as the account's page lists it. Amounts are in the smallest unit of the currency.
type Invoice struct {
	ID string
	// Number is what is printed on it; empty on one that is not final.
	Number string
	// Status is draft, open, paid, uncollectible or void; of an upcoming one it is upcoming.
	Status   string
	Currency string
	Total    int64
	// Due is what is still to be paid.
	Due       int64
	CreatedAt time.Time
	// PaysAt is when the next attempt to collect it is due; nil where none is.
	PaysAt *time.Time
	// Page is Stripe's page of the invoice, where it can be paid; PDF its file. Empty where there is none.
	Page, PDF string
}

// EventState is what became of an event.
type EventState string

// The states of an event.
const (
	EventPending EventState = "pending"
	EventWorked  EventState = "worked"
	// EventIgnored is of a type that nothing here follows from.
	EventIgnored EventState = "ignored"
	// EventNotOurs speaks of a customer that belongs to no account here.
	EventNotOurs EventState = "not_ours"
	// EventGivenUp could not be worked in a day of tries.
	EventGivenUp EventState = "given_up"
)

// Event is an event of the payment service, as an operator sees it.
type Event struct {
	ID   string
	Type string
	// Object is the id of what it speaks of, Customer whose that is, where the event says so.
	Object, Customer string
	State            EventState
	Attempts         int
	// Error is why the last attempt failed.
	Error string
	// Account is nil where none was found.
	Account    *uuid.UUID
	ReceivedAt time.Time
	EndedAt    *time.Time
	// Payload is what came, byte for byte; [Service.Events] leaves it out.
	Payload json.RawMessage
}

// EventFilter chooses events. The zero EventFilter is the newest.
type EventFilter struct {
	// State narrows to one state; Account to one account.
	State   EventState
	Account uuid.UUID
	// Before pages: events received before this time.
	Before *time.Time
	// Limit is how many at most, 1 to 1,000; 0 means 100.
	Limit int
}

// EventJob works an event.
type EventJob struct {
	Event string `json:"event"`
}

// Kind names the job in the queue's tables.
func (EventJob) Kind() string { return "stripe_event" }

// SyncJob compares an account with the payment service and mends what differs.
type SyncJob struct {
	Account uuid.UUID `json:"account"`
}

// Kind names the job in the queue's tables.
func (SyncJob) Kind() string { return "stripe_sync" }

// Finding is something that a person must look at.
type Finding struct {
	Account uuid.UUID `json:"account"`
	What    string    `json:"what"`
}

// SyncReport is what a comparison of accounts found.
type SyncReport struct {
	// Accounts were compared, Changed were mended.
	Accounts int         `json:"accounts"`
	Changed  []uuid.UUID `json:"changed"`
	Findings []Finding   `json:"findings"`
	// Failed could not be compared.
	Failed int `json:"failed"`
}
