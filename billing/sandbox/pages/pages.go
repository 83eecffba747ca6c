// Package pages shows what the sandbox of payments has: its payment page, customer portal, invoices and control page. Its
// structs hold only what is shown; it knows no rule and no request.
package pages

import _ "embed"

// Style is the style sheet of all pages, served at /style.css.
//
//go:embed style.css
var Style string

// The forms that a visit to the portal may be for alone.
const (
	FlowMethod  = "payment_method_update"
	FlowEnd     = "subscription_cancel"
	FlowChange  = "subscription_update"
	FlowConfirm = "subscription_update_confirm"
)

// Card is one that may be chosen.
type Card struct {
	Value, Number, Says string
	Chosen              bool
}

// Payment is what the payment page shows.
type Payment struct {
	Action    string
	Lines     []Line
	Due, Then string
	Email     string
	Fixed     bool // the e-mail address is the customer's and stays
	Name      string
	TaxID     string
	AsksTax   bool
	NoCard    bool // a trial may begin without one
	Cancel    string
	Asks      bool // the bank wants an answer
	Wrong     string
	Cards     []Card
}

// Line is something that costs something.
type Line struct{ Name, Costs string }

// Invoice is what the page of an invoice shows.
type Invoice struct {
	Number, Status, For, At string
	Lines                   []Line
	Balance, Due            string
}

// Portal is what the customer portal shows.
type Portal struct {
	Action, Back, Email string
	// Flow is the one form that is asked for; "" shows all.
	Flow          string
	Card          string
	Cards         []Card
	MayCard       bool
	Subscriptions []Subscription
	Invoices      []Billed
	Wrong, Done   string
}

// Subscription is one in the portal.
type Subscription struct {
	ID, Name, Costs, Status, Until string
	Ends, Scheduled                bool
	MayEnd, MayResume              bool
	Choices                        []Choice
	// Confirm is the change that a flow asks for.
	Confirm *Choice
}

// Choice is a price that a subscription may be changed to.
type Choice struct{ Price, Name, Costs, Now string }

// Billed is an invoice in the portal.
type Billed struct{ Path, Number, At, Total, Status string }

// Control is what the control page shows.
type Control struct {
	Now, Posts                  string
	Lose, Double, Hold, Reverse int
	Customers                   []Customer
	Subscriptions               []Subscribed
	Invoices                    []Drafted
	Events                      []Happened
	Held                        int
}

// Customer is one on the control page.
type Customer struct {
	ID, Email, Card, Balance string
	Delinquent               bool
	// Charge is the last payment, "" when there is none that can be disputed.
	Charge string
}

// Subscribed is a subscription on the control page.
type Subscribed struct{ ID, Email, Plan, Status, Period, Ends string }

// Drafted is an invoice on the control page.
type Drafted struct{ Path, Number, Email, Reason, Total, Status, Next string }

// Happened is an event on the control page.
type Happened struct {
	ID, Type, Subject, At string
	States                []string
}
