package sandbox

import "encoding/json"

// nothing is a field of Stripe's that the sandbox never fills: always null.
type nothing = *struct{}

// private is what the sandbox remembers beside an object; answers leave it out.
const private = "_sandbox"

type customer struct {
	head
	Address             map[string]string `json:"address"`
	Balance             int64             `json:"balance"`
	Currency            *string           `json:"currency"`
	DefaultSource       nothing           `json:"default_source"`
	Delinquent          bool              `json:"delinquent"`
	Description         *string           `json:"description"`
	Discount            nothing           `json:"discount"`
	Email               *string           `json:"email"`
	InvoicePrefix       string            `json:"invoice_prefix"`
	InvoiceSettings     customerInvoices  `json:"invoice_settings"`
	Metadata            map[string]string `json:"metadata"`
	Name                *string           `json:"name"`
	NextInvoiceSequence int64             `json:"next_invoice_sequence"`
	Phone               *string           `json:"phone"`
	PreferredLocales    []string          `json:"preferred_locales"`
	Shipping            nothing           `json:"shipping"`
	TaxExempt           string            `json:"tax_exempt"`
	TestClock           nothing           `json:"test_clock"`
	Private             struct {
		Deleted bool    `json:"deleted"`
		TaxIDs  []taxID `json:"tax_ids"`
	} `json:"_sandbox"`
}

type customerInvoices struct {
	CustomFields         nothing `json:"custom_fields"`
	DefaultPaymentMethod *string `json:"default_payment_method"`
	Footer               nothing `json:"footer"`
	RenderingOptions     nothing `json:"rendering_options"`
}

type taxID struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type product struct {
	head
	Active              bool              `json:"active"`
	DefaultPrice        *string           `json:"default_price"`
	Description         *string           `json:"description"`
	Images              []string          `json:"images"`
	MarketingFeatures   []string          `json:"marketing_features"`
	Metadata            map[string]string `json:"metadata"`
	Name                string            `json:"name"`
	PackageDimensions   nothing           `json:"package_dimensions"`
	Shippable           nothing           `json:"shippable"`
	StatementDescriptor *string           `json:"statement_descriptor"`
	TaxCode             *string           `json:"tax_code"`
	Type                string            `json:"type"`
	UnitLabel           *string           `json:"unit_label"`
	Updated             int64             `json:"updated"`
	URL                 *string           `json:"url"`
}

type price struct {
	head
	Active            bool              `json:"active"`
	BillingScheme     string            `json:"billing_scheme"`
	Currency          string            `json:"currency"`
	CustomUnitAmount  nothing           `json:"custom_unit_amount"`
	LookupKey         *string           `json:"lookup_key"`
	Metadata          map[string]string `json:"metadata"`
	Nickname          *string           `json:"nickname"`
	Product           string            `json:"product"`
	Recurring         *recurring        `json:"recurring"`
	TaxBehavior       string            `json:"tax_behavior"`
	TiersMode         nothing           `json:"tiers_mode"`
	TransformQuantity nothing           `json:"transform_quantity"`
	Type              string            `json:"type"`
	UnitAmount        int64             `json:"unit_amount"`
	UnitAmountDecimal string            `json:"unit_amount_decimal"`
}

type recurring struct {
	AggregateUsage  nothing `json:"aggregate_usage"`
	Interval        string  `json:"interval"`
	IntervalCount   int64   `json:"interval_count"`
	Meter           nothing `json:"meter"`
	TrialPeriodDays nothing `json:"trial_period_days"`
	UsageType       string  `json:"usage_type"`
}

// plan is the older name of a recurring price, which items and lines still carry in this version.
func (p *price) plan() map[string]any {
	return map[string]any{
		"id": p.ID, "object": "plan", "active": p.Active, "aggregate_usage": nil, "amount": p.UnitAmount,
		"amount_decimal": p.UnitAmountDecimal, "billing_scheme": p.BillingScheme, "created": p.Created,
		"currency": p.Currency, "interval": p.Recurring.Interval, "interval_count": p.Recurring.IntervalCount,
		"livemode": false, "metadata": p.Metadata, "meter": nil, "nickname": p.Nickname, "product": p.Product,
		"tiers_mode": nil, "transform_usage": nil, "trial_period_days": nil, "usage_type": p.Recurring.UsageType,
	}
}

type automaticTax struct {
	Enabled   bool    `json:"enabled"`
	Liability nothing `json:"liability"`
}

type automaticTaxStatus struct {
	automaticTax
	Status nothing `json:"status"`
}

type issuer struct {
	Type string `json:"type"`
}

// asMap is an object as the maps that JSON is made of.
func asMap(object any) map[string]any {
	var m map[string]any
	b, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		panic(err) // the objects of this package have nothing in them that JSON has not
	}
	return m
}

func ptr[T any](v T) *T { return &v }

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
