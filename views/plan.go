package views

import "time"

// Plan is /account/plan.
type Plan struct {
	Shell
	// Confirming is a purchase that the payment service has not confirmed yet; Confirmed one that it has.
	Confirming, Confirmed bool
	// Said is what came of a way back from the payment service where nothing was bought, or empty.
	Said string
	// Refused says why a form was not taken.
	Refused string
	// MayManage shows what changes the plan or its payment.
	MayManage bool
	Now       PlanNow
	Gives     PlanGives
	// Others are the plans that the account can move to, the one that was asked for first marked as such.
	Others   []PlanOffer
	Invoices Invoices
}

// PlanNow is the account's plan as it stands.
type PlanNow struct {
	// Status is a word for how it stands, Kind that of its badge.
	Status, Kind string
	// Text says the same in a sentence or two.
	Text string
	// Price is that of a month, or empty where nothing is charged.
	Price string
	// Date is when the plan renews, ends or changes, with a word for which; nil where none is known.
	DateLabel string
	Date      *time.Time
	// Next is the plan that a downgrade leads to on Date, or empty.
	Next string
	// Mend asks for another card, Cards leads to the payment service's pages, Cancel and Resume to their questions.
	Mend, Cards, Cancel, Resume bool
}

// PlanGives is what a plan gives, with what is used of it.
type PlanGives struct {
	Credits        Meter
	ResetsAt       *time.Time
	KeysUsed, Keys int64
	RPM, Jobs      int64
}

// PlanOffer is a plan to move to.
type PlanOffer struct {
	PlanCard
	// Wanted marks the plan that the visitor came for.
	Wanted bool
	// Effect says what happens, and when.
	Effect string
	// On is the end of the sentence, where it is a time.
	On *time.Time
}

// Invoices are what was paid and what comes next.
type Invoices struct {
	// Shown tells that the account has any dealings with the payment service.
	Shown bool
	// Down says that the payment service could not be asked.
	Down string
	Next *NextInvoice
	Rows []Invoice
}

// NextInvoice is the one that comes if nothing changes.
type NextInvoice struct {
	Amount string
	At     time.Time
}

// Invoice is one that was written. Href and File lead to the payment service, and may be empty.
type Invoice struct {
	Number, Amount, Status, Kind string
	At                           time.Time
	Href, File                   string
	// ToPay tells that it can be paid at Href.
	ToPay bool
}

// PlanChange asks before a plan is changed, cancelled or kept.
type PlanChange struct {
	Shell
	Refused string
	// Effects say what happens, one each.
	Effects []PlanEffect
	// Plan is sent with the form, or empty.
	Plan string
	// Act is what the button says and Post where it leads; Bad marks one that takes something away. Stay is the way back.
	Act, Post, Stay string
	Bad             bool
}

// PlanEffect is one thing that happens. On is the end of the sentence, where it is a time, and Then what follows it.
type PlanEffect struct {
	Text string
	On   *time.Time
	Then string
}
