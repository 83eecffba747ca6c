package sandbox

// The states of an invoice (https://docs.stripe.com/invoicing/overview#invoice-statuses).
const (
	draft         = "draft"
	open          = "open"
	paid          = "paid"
	void          = "void"
	uncollectible = "uncollectible"
)

// Why an invoice was made.
const (
	reasonCreate = "subscription_create"
	reasonCycle  = "subscription_cycle"
	reasonUpdate = "subscription_update"
)

type invoice struct {
	head
	AccountCountry               string             `json:"account_country"`
	AccountName                  string             `json:"account_name"`
	AccountTaxIDs                nothing            `json:"account_tax_ids"`
	AmountDue                    int64              `json:"amount_due"`
	AmountPaid                   int64              `json:"amount_paid"`
	AmountRemaining              int64              `json:"amount_remaining"`
	AmountShipping               int64              `json:"amount_shipping"`
	Application                  nothing            `json:"application"`
	ApplicationFeeAmount         nothing            `json:"application_fee_amount"`
	AttemptCount                 int64              `json:"attempt_count"`
	Attempted                    bool               `json:"attempted"`
	AutoAdvance                  bool               `json:"auto_advance"`
	AutomaticTax                 automaticTaxStatus `json:"automatic_tax"`
	AutomaticallyFinalizesAt     *int64             `json:"automatically_finalizes_at"`
	BillingReason                string             `json:"billing_reason"`
	Charge                       *string            `json:"charge"`
	CollectionMethod             string             `json:"collection_method"`
	Currency                     string             `json:"currency"`
	CustomFields                 nothing            `json:"custom_fields"`
	Customer                     string             `json:"customer"`
	CustomerAddress              map[string]string  `json:"customer_address"`
	CustomerEmail                *string            `json:"customer_email"`
	CustomerName                 *string            `json:"customer_name"`
	CustomerPhone                *string            `json:"customer_phone"`
	CustomerShipping             nothing            `json:"customer_shipping"`
	CustomerTaxExempt            string             `json:"customer_tax_exempt"`
	CustomerTaxIDs               []taxID            `json:"customer_tax_ids"`
	DefaultPaymentMethod         nothing            `json:"default_payment_method"`
	DefaultSource                nothing            `json:"default_source"`
	DefaultTaxRates              []string           `json:"default_tax_rates"`
	Description                  nothing            `json:"description"`
	Discount                     nothing            `json:"discount"`
	Discounts                    []string           `json:"discounts"`
	DueDate                      nothing            `json:"due_date"`
	EffectiveAt                  *int64             `json:"effective_at"`
	EndingBalance                *int64             `json:"ending_balance"`
	Footer                       nothing            `json:"footer"`
	FromInvoice                  nothing            `json:"from_invoice"`
	HostedInvoiceURL             *string            `json:"hosted_invoice_url"`
	InvoicePDF                   nothing            `json:"invoice_pdf"`
	Issuer                       issuer             `json:"issuer"`
	LastFinalizationError        nothing            `json:"last_finalization_error"`
	LatestRevision               nothing            `json:"latest_revision"`
	Lines                        list[*line]        `json:"lines"`
	Metadata                     map[string]string  `json:"metadata"`
	NextPaymentAttempt           *int64             `json:"next_payment_attempt"`
	Number                       *string            `json:"number"`
	OnBehalfOf                   nothing            `json:"on_behalf_of"`
	Paid                         bool               `json:"paid"`
	PaidOutOfBand                bool               `json:"paid_out_of_band"`
	PaymentIntent                *string            `json:"payment_intent"`
	PaymentSettings              invoicePayment     `json:"payment_settings"`
	PeriodEnd                    int64              `json:"period_end"`
	PeriodStart                  int64              `json:"period_start"`
	PostPaymentCreditNotesAmount int64              `json:"post_payment_credit_notes_amount"`
	PrePaymentCreditNotesAmount  int64              `json:"pre_payment_credit_notes_amount"`
	Quote                        nothing            `json:"quote"`
	ReceiptNumber                nothing            `json:"receipt_number"`
	Rendering                    nothing            `json:"rendering"`
	ShippingCost                 nothing            `json:"shipping_cost"`
	ShippingDetails              nothing            `json:"shipping_details"`
	StartingBalance              int64              `json:"starting_balance"`
	StatementDescriptor          nothing            `json:"statement_descriptor"`
	Status                       string             `json:"status"`
	StatusTransitions            transitions        `json:"status_transitions"`
	Subscription                 *string            `json:"subscription"`
	SubscriptionDetails          struct {
		Metadata map[string]string `json:"metadata"`
	} `json:"subscription_details"`
	Subtotal             int64    `json:"subtotal"`
	SubtotalExcludingTax int64    `json:"subtotal_excluding_tax"`
	Tax                  nothing  `json:"tax"`
	TestClock            nothing  `json:"test_clock"`
	Total                int64    `json:"total"`
	TotalDiscountAmounts []string `json:"total_discount_amounts"`
	TotalExcludingTax    int64    `json:"total_excluding_tax"`
	TotalTaxAmounts      []string `json:"total_tax_amounts"`
	TransferData         nothing  `json:"transfer_data"`
	WebhooksDeliveredAt  *int64   `json:"webhooks_delivered_at"`
	Private              struct {
		// Failures counts the failed attempts to collect without the customer.
		Failures int `json:"failures"`
		// Applies tells that paying it brings a subscription's pending update into force.
		Applies bool `json:"applies"`
	} `json:"_sandbox"`
}

type invoicePayment struct {
	DefaultMandate       nothing `json:"default_mandate"`
	PaymentMethodOptions nothing `json:"payment_method_options"`
	PaymentMethodTypes   nothing `json:"payment_method_types"`
}

type transitions struct {
	FinalizedAt           *int64 `json:"finalized_at"`
	MarkedUncollectibleAt *int64 `json:"marked_uncollectible_at"`
	PaidAt                *int64 `json:"paid_at"`
	VoidedAt              *int64 `json:"voided_at"`
}

type period struct {
	End   int64 `json:"end"`
	Start int64 `json:"start"`
}

// line is one of an invoice; answers have the whole price in place of its id.
type line struct {
	ID                     string            `json:"id"`
	Object                 string            `json:"object"`
	Amount                 int64             `json:"amount"`
	AmountExcludingTax     int64             `json:"amount_excluding_tax"`
	Currency               string            `json:"currency"`
	Description            string            `json:"description"`
	DiscountAmounts        []string          `json:"discount_amounts"`
	Discountable           bool              `json:"discountable"`
	Discounts              []string          `json:"discounts"`
	Invoice                *string           `json:"invoice"`
	InvoiceItem            *string           `json:"invoice_item,omitempty"`
	Livemode               bool              `json:"livemode"`
	Metadata               map[string]string `json:"metadata"`
	Period                 period            `json:"period"`
	Price                  string            `json:"price"`
	Proration              bool              `json:"proration"`
	ProrationDetails       prorationDetails  `json:"proration_details"`
	Quantity               int64             `json:"quantity"`
	Subscription           string            `json:"subscription"`
	SubscriptionItem       string            `json:"subscription_item"`
	TaxAmounts             []string          `json:"tax_amounts"`
	TaxRates               []string          `json:"tax_rates"`
	Type                   string            `json:"type"`
	UnitAmountExcludingTax string            `json:"unit_amount_excluding_tax"`
}

type prorationDetails struct {
	CreditedItems *creditedItems `json:"credited_items"`
}

type creditedItems struct {
	Invoice          string   `json:"invoice"`
	InvoiceLineItems []string `json:"invoice_line_items"`
}

// pendingItem is an amount that waits for the customer's next invoice.
type pendingItem struct {
	head
	Amount            int64             `json:"amount"`
	Currency          string            `json:"currency"`
	Customer          string            `json:"customer"`
	Date              int64             `json:"date"`
	Description       string            `json:"description"`
	Discountable      bool              `json:"discountable"`
	Discounts         []string          `json:"discounts"`
	Invoice           *string           `json:"invoice"`
	Metadata          map[string]string `json:"metadata"`
	Period            period            `json:"period"`
	Price             string            `json:"price"`
	Proration         bool              `json:"proration"`
	Quantity          int64             `json:"quantity"`
	Subscription      string            `json:"subscription"`
	SubscriptionItem  string            `json:"subscription_item"`
	TaxRates          []string          `json:"tax_rates"`
	TestClock         nothing           `json:"test_clock"`
	UnitAmount        int64             `json:"unit_amount"`
	UnitAmountDecimal string            `json:"unit_amount_decimal"`
}
