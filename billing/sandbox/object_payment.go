package sandbox

// method is a card that was given once.
type method struct {
	head
	AllowRedisplay string            `json:"allow_redisplay"`
	BillingDetails billingDetails    `json:"billing_details"`
	Card           cardDetails       `json:"card"`
	Customer       *string           `json:"customer"`
	Metadata       map[string]string `json:"metadata"`
	Type           string            `json:"type"`
	Private        struct {
		// Declines is how many of the next payments are declined; forever when it is below 0.
		Declines int `json:"declines"`
		// Asks tells that the bank wants the customer to confirm, until he did once.
		Asks bool `json:"asks"`
	} `json:"_sandbox"`
}

type billingDetails struct {
	Address nothing `json:"address"`
	Email   *string `json:"email"`
	Name    *string `json:"name"`
	Phone   nothing `json:"phone"`
}

type cardDetails struct {
	Brand         string  `json:"brand"`
	Country       string  `json:"country"`
	DisplayBrand  string  `json:"display_brand"`
	ExpMonth      int     `json:"exp_month"`
	ExpYear       int     `json:"exp_year"`
	Fingerprint   string  `json:"fingerprint"`
	Funding       string  `json:"funding"`
	GeneratedFrom nothing `json:"generated_from"`
	Last4         string  `json:"last4"`
	Wallet        nothing `json:"wallet"`
}

// failure is why a card was not charged.
type failure struct {
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code,omitempty"`
	Message     string `json:"message"`
	Type        string `json:"type"`
}

type intent struct {
	head
	Amount             int64             `json:"amount"`
	AmountReceived     int64             `json:"amount_received"`
	CanceledAt         *int64            `json:"canceled_at"`
	CancellationReason *string           `json:"cancellation_reason"`
	CaptureMethod      string            `json:"capture_method"`
	ClientSecret       string            `json:"client_secret"`
	ConfirmationMethod string            `json:"confirmation_method"`
	Currency           string            `json:"currency"`
	Customer           string            `json:"customer"`
	Description        string            `json:"description"`
	Invoice            string            `json:"invoice"`
	LastPaymentError   *failure          `json:"last_payment_error"`
	LatestCharge       *string           `json:"latest_charge"`
	Metadata           map[string]string `json:"metadata"`
	NextAction         *nextAction       `json:"next_action"`
	PaymentMethod      *string           `json:"payment_method"`
	PaymentMethodTypes []string          `json:"payment_method_types"`
	SetupFutureUsage   string            `json:"setup_future_usage"`
	Status             string            `json:"status"`
}

type nextAction struct {
	Type string `json:"type"`
}

// The states of a payment intent.
const (
	needsMethod = "requires_payment_method"
	needsAction = "requires_action"
	succeeded   = "succeeded"
)

type charge struct {
	head
	Amount               int64             `json:"amount"`
	AmountCaptured       int64             `json:"amount_captured"`
	AmountRefunded       int64             `json:"amount_refunded"`
	BillingDetails       billingDetails    `json:"billing_details"`
	Captured             bool              `json:"captured"`
	Currency             string            `json:"currency"`
	Customer             string            `json:"customer"`
	Description          string            `json:"description"`
	Disputed             bool              `json:"disputed"`
	FailureCode          *string           `json:"failure_code"`
	FailureMessage       *string           `json:"failure_message"`
	Invoice              string            `json:"invoice"`
	Metadata             map[string]string `json:"metadata"`
	Paid                 bool              `json:"paid"`
	PaymentIntent        string            `json:"payment_intent"`
	PaymentMethod        string            `json:"payment_method"`
	PaymentMethodDetails struct {
		Card cardDetails `json:"card"`
		Type string      `json:"type"`
	} `json:"payment_method_details"`
	Refunded bool   `json:"refunded"`
	Status   string `json:"status"`
}

type dispute struct {
	head
	Amount              int64             `json:"amount"`
	BalanceTransactions []string          `json:"balance_transactions"`
	Charge              string            `json:"charge"`
	Currency            string            `json:"currency"`
	Evidence            map[string]string `json:"evidence"`
	EvidenceDetails     struct {
		DueBy           int64 `json:"due_by"`
		HasEvidence     bool  `json:"has_evidence"`
		PastDue         bool  `json:"past_due"`
		SubmissionCount int   `json:"submission_count"`
	} `json:"evidence_details"`
	IsChargeRefundable bool              `json:"is_charge_refundable"`
	Metadata           map[string]string `json:"metadata"`
	PaymentIntent      string            `json:"payment_intent"`
	Reason             string            `json:"reason"`
	Status             string            `json:"status"`
}
