package sandbox

import "encoding/json"

// session is a payment that a customer is asked for on a page.
type session struct {
	head
	AfterExpiration         nothing              `json:"after_expiration"`
	AllowPromotionCodes     *bool                `json:"allow_promotion_codes"`
	AmountSubtotal          int64                `json:"amount_subtotal"`
	AmountTotal             int64                `json:"amount_total"`
	AutomaticTax            automaticTaxStatus   `json:"automatic_tax"`
	BillingAddress          *string              `json:"billing_address_collection"`
	CancelURL               *string              `json:"cancel_url"`
	ClientReferenceID       *string              `json:"client_reference_id"`
	ClientSecret            nothing              `json:"client_secret"`
	Consent                 nothing              `json:"consent"`
	ConsentCollection       nothing              `json:"consent_collection"`
	Currency                string               `json:"currency"`
	CurrencyConversion      nothing              `json:"currency_conversion"`
	CustomFields            []string             `json:"custom_fields"`
	CustomText              map[string]nothing   `json:"custom_text"`
	Customer                *string              `json:"customer"`
	CustomerCreation        *string              `json:"customer_creation"`
	CustomerDetails         *payer               `json:"customer_details"`
	CustomerEmail           *string              `json:"customer_email"`
	ExpiresAt               int64                `json:"expires_at"`
	Invoice                 *string              `json:"invoice"`
	InvoiceCreation         nothing              `json:"invoice_creation"`
	Locale                  *string              `json:"locale"`
	Metadata                map[string]string    `json:"metadata"`
	Mode                    string               `json:"mode"`
	PaymentIntent           nothing              `json:"payment_intent"`
	PaymentLink             nothing              `json:"payment_link"`
	PaymentMethodCollection string               `json:"payment_method_collection"`
	PaymentMethodConfig     nothing              `json:"payment_method_configuration_details"`
	PaymentMethodOptions    map[string]string    `json:"payment_method_options"`
	PaymentMethodTypes      []string             `json:"payment_method_types"`
	PaymentStatus           string               `json:"payment_status"`
	PhoneNumberCollection   enabled              `json:"phone_number_collection"`
	RecoveredFrom           nothing              `json:"recovered_from"`
	SavedMethodOptions      savedMethodOptions   `json:"saved_payment_method_options"`
	SetupIntent             nothing              `json:"setup_intent"`
	ShippingAddress         nothing              `json:"shipping_address_collection"`
	ShippingCost            nothing              `json:"shipping_cost"`
	ShippingDetails         nothing              `json:"shipping_details"`
	ShippingOptions         []string             `json:"shipping_options"`
	Status                  string               `json:"status"`
	SubmitType              nothing              `json:"submit_type"`
	Subscription            *string              `json:"subscription"`
	SuccessURL              *string              `json:"success_url"`
	TaxIDCollection         enabled              `json:"tax_id_collection"`
	TotalDetails            totals               `json:"total_details"`
	UIMode                  string               `json:"ui_mode"`
	URL                     *string              `json:"url"`
	Private                 subscriptionToBeMade `json:"_sandbox"`
}

type enabled struct {
	Enabled bool `json:"enabled"`
}

type savedMethodOptions struct {
	AllowRedisplayFilters []string `json:"allow_redisplay_filters"`
	PaymentMethodRemove   nothing  `json:"payment_method_remove"`
	PaymentMethodSave     nothing  `json:"payment_method_save"`
}

type totals struct {
	AmountDiscount int64 `json:"amount_discount"`
	AmountShipping int64 `json:"amount_shipping"`
	AmountTax      int64 `json:"amount_tax"`
}

type payer struct {
	Address   nothing `json:"address"`
	Email     *string `json:"email"`
	Name      *string `json:"name"`
	Phone     nothing `json:"phone"`
	TaxExempt string  `json:"tax_exempt"`
	TaxIDs    []taxID `json:"tax_ids"`
}

// subscriptionToBeMade is what a session says of the subscription that it is to begin.
type subscriptionToBeMade struct {
	Items       []phaseItem       `json:"items"`
	TrialEnd    *int64            `json:"trial_end"`
	TrialDays   int64             `json:"trial_days"`
	Missing     string            `json:"missing"`
	Metadata    map[string]string `json:"metadata"`
	Description *string           `json:"description"`
}

// configuration is what a customer may do in the portal. Features are kept as they were given.
type configuration struct {
	head
	Active           bool              `json:"active"`
	Application      nothing           `json:"application"`
	BusinessProfile  map[string]any    `json:"business_profile"`
	DefaultReturnURL *string           `json:"default_return_url"`
	Features         features          `json:"features"`
	IsDefault        bool              `json:"is_default"`
	LoginPage        loginPage         `json:"login_page"`
	Metadata         map[string]string `json:"metadata"`
	Updated          int64             `json:"updated"`
}

type loginPage struct {
	Enabled bool    `json:"enabled"`
	URL     nothing `json:"url"`
}

type features struct {
	CustomerUpdate struct {
		enabled
		AllowedUpdates []string `json:"allowed_updates"`
	} `json:"customer_update"`
	InvoiceHistory      enabled `json:"invoice_history"`
	PaymentMethodUpdate enabled `json:"payment_method_update"`
	SubscriptionCancel  struct {
		enabled
		CancellationReason struct {
			enabled
			Options []string `json:"options"`
		} `json:"cancellation_reason"`
		Mode              string `json:"mode"`
		ProrationBehavior string `json:"proration_behavior"`
	} `json:"subscription_cancel"`
	SubscriptionUpdate struct {
		enabled
		DefaultAllowedUpdates []string          `json:"default_allowed_updates"`
		ProrationBehavior     string            `json:"proration_behavior"`
		Products              []*allowedProduct `json:"products"`
	} `json:"subscription_update"`
}

type allowedProduct struct {
	Prices  []string `json:"prices"`
	Product string   `json:"product"`
}

// portalSession is a visit to the portal; its address is its secret.
type portalSession struct {
	head
	Configuration string  `json:"configuration"`
	Customer      string  `json:"customer"`
	Flow          *flow   `json:"flow"`
	Locale        nothing `json:"locale"`
	OnBehalfOf    nothing `json:"on_behalf_of"`
	ReturnURL     *string `json:"return_url"`
	URL           string  `json:"url"`
	Private       struct {
		Secret string `json:"secret"`
		// Until is in real time: moving the sandbox's clock ends no visit.
		Until int64 `json:"until"`
	} `json:"_sandbox"`
}

type flow struct {
	AfterCompletion           afterCompletion   `json:"after_completion"`
	SubscriptionCancel        *flowCancel       `json:"subscription_cancel"`
	SubscriptionUpdate        *flowOf           `json:"subscription_update"`
	SubscriptionUpdateConfirm *flowConfirmation `json:"subscription_update_confirm"`
	Type                      string            `json:"type"`
}

type afterCompletion struct {
	HostedConfirmation nothing       `json:"hosted_confirmation"`
	Redirect           *flowRedirect `json:"redirect"`
	Type               string        `json:"type"`
}

type flowRedirect struct {
	ReturnURL string `json:"return_url"`
}

type flowOf struct {
	Subscription string `json:"subscription"`
}

type flowCancel struct {
	flowOf
	Retention nothing `json:"retention"`
}

type flowConfirmation struct {
	flowOf
	Discounts nothing    `json:"discounts"`
	Items     []flowItem `json:"items"`
}

type flowItem struct {
	ID       string `json:"id"`
	Price    string `json:"price"`
	Quantity int64  `json:"quantity"`
}

// endpoint is an address that events are posted to.
type endpoint struct {
	head
	APIVersion    *string           `json:"api_version"`
	Application   nothing           `json:"application"`
	Description   *string           `json:"description"`
	EnabledEvents []string          `json:"enabled_events"`
	Metadata      map[string]string `json:"metadata"`
	Status        string            `json:"status"`
	URL           string            `json:"url"`
	Private       struct {
		Secret string `json:"secret"`
		// BuiltIn marks the endpoint of Config.WebhookURL.
		BuiltIn bool `json:"built_in"`
	} `json:"_sandbox"`
}

// event is something that happened, with the object as it then was.
type event struct {
	head
	APIVersion string `json:"api_version"`
	Data       struct {
		Object             json.RawMessage `json:"object"`
		PreviousAttributes json.RawMessage `json:"previous_attributes,omitempty"`
	} `json:"data"`
	PendingWebhooks int     `json:"pending_webhooks"`
	Request         request `json:"request"`
	Type            string  `json:"type"`
	Private         struct {
		Subject    string      `json:"subject"`
		Deliveries []*delivery `json:"deliveries"`
	} `json:"_sandbox"`
}

// request is the API call that caused an event, empty where the clock did.
type request struct {
	ID             *string `json:"id"`
	IdempotencyKey *string `json:"idempotency_key"`
}
