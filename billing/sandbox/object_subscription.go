package sandbox

// The states of a subscription (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).
const (
	active            = "active"
	canceled          = "canceled"
	incomplete        = "incomplete"
	incompleteExpired = "incomplete_expired"
	pastDue           = "past_due"
	paused            = "paused"
	trialing          = "trialing"
	unpaid            = "unpaid"
)

type subscription struct {
	head
	Application                   nothing             `json:"application"`
	ApplicationFeePercent         nothing             `json:"application_fee_percent"`
	AutomaticTax                  automaticTax        `json:"automatic_tax"`
	BillingCycleAnchor            int64               `json:"billing_cycle_anchor"`
	BillingCycleAnchorConfig      nothing             `json:"billing_cycle_anchor_config"`
	BillingThresholds             nothing             `json:"billing_thresholds"`
	CancelAt                      *int64              `json:"cancel_at"`
	CancelAtPeriodEnd             bool                `json:"cancel_at_period_end"`
	CanceledAt                    *int64              `json:"canceled_at"`
	CancellationDetails           cancellation        `json:"cancellation_details"`
	CollectionMethod              string              `json:"collection_method"`
	Currency                      string              `json:"currency"`
	CurrentPeriodEnd              int64               `json:"current_period_end"`
	CurrentPeriodStart            int64               `json:"current_period_start"`
	Customer                      string              `json:"customer"`
	DaysUntilDue                  nothing             `json:"days_until_due"`
	DefaultPaymentMethod          *string             `json:"default_payment_method"`
	DefaultSource                 nothing             `json:"default_source"`
	DefaultTaxRates               []string            `json:"default_tax_rates"`
	Description                   *string             `json:"description"`
	Discount                      nothing             `json:"discount"`
	Discounts                     []string            `json:"discounts"`
	EndedAt                       *int64              `json:"ended_at"`
	InvoiceSettings               invoiceSettings     `json:"invoice_settings"`
	Items                         list[*item]         `json:"items"`
	LatestInvoice                 *string             `json:"latest_invoice"`
	Metadata                      map[string]string   `json:"metadata"`
	NextPendingInvoiceItemInvoice nothing             `json:"next_pending_invoice_item_invoice"`
	OnBehalfOf                    nothing             `json:"on_behalf_of"`
	PauseCollection               nothing             `json:"pause_collection"`
	PaymentSettings               subscriptionPayment `json:"payment_settings"`
	PendingInvoiceItemInterval    nothing             `json:"pending_invoice_item_interval"`
	PendingSetupIntent            nothing             `json:"pending_setup_intent"`
	PendingUpdate                 *pendingUpdate      `json:"pending_update"`
	Schedule                      *string             `json:"schedule"`
	StartDate                     int64               `json:"start_date"`
	Status                        string              `json:"status"`
	TestClock                     nothing             `json:"test_clock"`
	TransferData                  nothing             `json:"transfer_data"`
	TrialEnd                      *int64              `json:"trial_end"`
	TrialSettings                 trialSettings       `json:"trial_settings"`
	TrialStart                    *int64              `json:"trial_start"`
	Private                       struct {
		TrialNoticed bool `json:"trial_noticed"`
	} `json:"_sandbox"`
}

// live tells whether the subscription has not ended.
func (s *subscription) live() bool { return s.Status != canceled && s.Status != incompleteExpired }

// recurs tells whether the clock opens further periods.
func (s *subscription) recurs() bool {
	return s.Status == active || s.Status == pastDue || s.Status == trialing || s.Status == unpaid
}

type cancellation struct {
	Comment  *string `json:"comment"`
	Feedback *string `json:"feedback"`
	Reason   *string `json:"reason"`
}

type invoiceSettings struct {
	AccountTaxIDs nothing `json:"account_tax_ids"`
	Issuer        issuer  `json:"issuer"`
}

type subscriptionPayment struct {
	PaymentMethodOptions     nothing `json:"payment_method_options"`
	PaymentMethodTypes       nothing `json:"payment_method_types"`
	SaveDefaultPaymentMethod string  `json:"save_default_payment_method"`
}

type trialSettings struct {
	EndBehavior struct {
		MissingPaymentMethod string `json:"missing_payment_method"`
	} `json:"end_behavior"`
}

// item is a subscription's price; answers have the whole price in place of its id.
type item struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	BillingThresholds nothing           `json:"billing_thresholds"`
	Created           int64             `json:"created"`
	Discounts         []string          `json:"discounts"`
	Metadata          map[string]string `json:"metadata"`
	Price             string            `json:"price"`
	Quantity          int64             `json:"quantity"`
	Subscription      string            `json:"subscription"`
	TaxRates          []string          `json:"tax_rates"`
}

// pendingUpdate is a change that waits for its payment.
type pendingUpdate struct {
	BillingCycleAnchor *int64  `json:"billing_cycle_anchor"`
	ExpiresAt          int64   `json:"expires_at"`
	SubscriptionItems  []*item `json:"subscription_items"`
	TrialEnd           *int64  `json:"trial_end"`
	TrialFromPlan      *bool   `json:"trial_from_plan"`
}

type schedule struct {
	head
	Application          nothing           `json:"application"`
	CanceledAt           *int64            `json:"canceled_at"`
	CompletedAt          *int64            `json:"completed_at"`
	CurrentPhase         *span             `json:"current_phase"`
	Customer             string            `json:"customer"`
	DefaultSettings      scheduleDefaults  `json:"default_settings"`
	EndBehavior          string            `json:"end_behavior"`
	Metadata             map[string]string `json:"metadata"`
	Phases               []*phase          `json:"phases"`
	ReleasedAt           *int64            `json:"released_at"`
	ReleasedSubscription *string           `json:"released_subscription"`
	Status               string            `json:"status"`
	Subscription         *string           `json:"subscription"`
	TestClock            nothing           `json:"test_clock"`
}

type span struct {
	EndDate   int64 `json:"end_date"`
	StartDate int64 `json:"start_date"`
}

type scheduleDefaults struct {
	ApplicationFeePercent nothing      `json:"application_fee_percent"`
	AutomaticTax          automaticTax `json:"automatic_tax"`
	BillingCycleAnchor    string       `json:"billing_cycle_anchor"`
	BillingThresholds     nothing      `json:"billing_thresholds"`
	CollectionMethod      string       `json:"collection_method"`
	DefaultPaymentMethod  nothing      `json:"default_payment_method"`
	Description           nothing      `json:"description"`
	InvoiceSettings       struct {
		invoiceSettings
		DaysUntilDue nothing `json:"days_until_due"`
	} `json:"invoice_settings"`
	OnBehalfOf   nothing `json:"on_behalf_of"`
	TransferData nothing `json:"transfer_data"`
}

type phase struct {
	AddInvoiceItems       []string          `json:"add_invoice_items"`
	ApplicationFeePercent nothing           `json:"application_fee_percent"`
	BillingCycleAnchor    nothing           `json:"billing_cycle_anchor"`
	BillingThresholds     nothing           `json:"billing_thresholds"`
	CollectionMethod      nothing           `json:"collection_method"`
	Coupon                nothing           `json:"coupon"`
	Currency              string            `json:"currency"`
	DefaultPaymentMethod  nothing           `json:"default_payment_method"`
	DefaultTaxRates       []string          `json:"default_tax_rates"`
	Description           nothing           `json:"description"`
	Discounts             []string          `json:"discounts"`
	EndDate               int64             `json:"end_date"`
	InvoiceSettings       nothing           `json:"invoice_settings"`
	Items                 []phaseItem       `json:"items"`
	Metadata              map[string]string `json:"metadata"`
	OnBehalfOf            nothing           `json:"on_behalf_of"`
	ProrationBehavior     string            `json:"proration_behavior"`
	StartDate             int64             `json:"start_date"`
	TransferData          nothing           `json:"transfer_data"`
	TrialEnd              nothing           `json:"trial_end"`
}

// phaseItem names its price by the id, unlike a subscription's item.
type phaseItem struct {
	BillingThresholds nothing           `json:"billing_thresholds"`
	Discounts         []string          `json:"discounts"`
	Metadata          map[string]string `json:"metadata"`
	Price             string            `json:"price"`
	Plan              string            `json:"plan"`
	Quantity          int64             `json:"quantity"`
	TaxRates          []string          `json:"tax_rates"`
}
