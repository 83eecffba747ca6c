package sandbox

import (
	"net/url"
	"strings"
)

const (
	sessionFor = 24 * hour
	// payPath and the others are where the pages are.
	payPath     = "/pay/"
	portalPath  = "/portal/"
	invoicePath = "/invoice/"
	sessionMark = "{CHECKOUT_SESSION_ID}"
)

func createSession(c *call) (any, error) {
	made := &session{
		Mode: c.str("mode"), CustomFields: []string{}, CustomText: noTexts(), PaymentMethodOptions: map[string]string{},
		ShippingOptions: []string{}, Status: open, UIMode: c.oneOf("ui_mode", "hosted"), PaymentStatus: "unpaid",
		SavedMethodOptions: savedMethodOptions{AllowRedisplayFilters: []string{"always"}},
	}
	made.Metadata = c.merge("metadata", nil)
	made.PaymentMethodCollection = c.oneOf("payment_method_collection", "always", "if_required")
	for name, field := range map[string]**string{
		"client_reference_id": &made.ClientReferenceID, "customer": &made.Customer, "customer_email": &made.CustomerEmail,
		"success_url": &made.SuccessURL, "cancel_url": &made.CancelURL, "locale": &made.Locale,
		"billing_address_collection": &made.BillingAddress,
	} {
		c.replace(name, field)
	}
	made.AllowPromotionCodes = c.flag("allow_promotion_codes")
	made.TaxIDCollection.Enabled = deref(c.in("tax_id_collection").flag("enabled"))
	made.PaymentMethodTypes = []string{"card"}
	for _, kind := range c.strings("payment_method_types") {
		if kind != "card" {
			return nil, refuse("payment_method_types", "", "The sandbox takes cards alone.")
		}
	}
	expires := c.whole("expires_at")
	if err := c.readSubscriptionData(made); err != nil {
		return nil, err
	}
	if err := c.checkSession(made, expires); err != nil {
		return nil, err
	}
	made.head = c.newHead("cs_test", "checkout.session")
	made.ExpiresAt = c.now() + sessionFor
	if expires != nil {
		made.ExpiresAt = *expires
	}
	c.Sessions.add(made)
	return made, nil
}

// noTexts are the texts that a page may have in addition, none of which is shown.
func noTexts() map[string]nothing {
	return map[string]nothing{"after_submit": nil, "shipping_address": nil, "submit": nil, "terms_of_service_acceptance": nil}
}

func (c *call) checkSession(made *session, expires *int64) error {
	update := c.in("customer_update")
	name := update.oneOf("name", "never", "auto")
	_ = update.oneOf("address", "never", "auto")
	if deref(c.in("automatic_tax").flag("enabled")) {
		return refuse("automatic_tax[enabled]", "", "The sandbox computes no taxes.")
	}
	if err := c.done(); err != nil {
		return err
	}
	switch {
	case made.Mode != "subscription":
		return refuse("mode", "", "The sandbox plays mode=subscription alone.")
	case made.SuccessURL == nil:
		return required("success_url")
	case !isURL(*made.SuccessURL):
		return refuse("success_url", "url_invalid", "Not a valid URL")
	case made.CancelURL != nil && !isURL(*made.CancelURL):
		return refuse("cancel_url", "url_invalid", "Not a valid URL")
	case made.Customer != nil && made.CustomerEmail != nil:
		return refuse("customer", "parameters_exclusive", "You may only specify one of these parameters: customer, customer_email.")
	case len(deref(made.ClientReferenceID)) > 200:
		return refuse("client_reference_id", "", "Invalid string: must be at most 200 characters")
	case made.Customer == nil && c.has("customer_update"):
		return refuse("customer_update", "", "`customer_update` can only be used with `customer`.")
	case made.Customer != nil && made.TaxIDCollection.Enabled && name != "auto":
		return refuse("tax_id_collection", "", "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.")
	case expires != nil && (*expires < c.now()+hour/2 || *expires > c.now()+sessionFor):
		return refuse("expires_at", "", "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.")
	case made.Customer == nil:
		return nil
	}
	_, err := c.customer(*made.Customer, "customer")
	return err
}

func isURL(text string) bool {
	u, err := url.Parse(strings.ReplaceAll(text, sessionMark, "x"))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (c *call) readSubscriptionData(made *session) error {
	for _, p := range c.list("line_items") {
		id := p.str("price")
		of, err := c.recurringPrice(id, "line_items[0][price]")
		if err != nil {
			return err
		}
		quantity := int64(1)
		if n := p.whole("quantity"); n != nil {
			quantity = *n
		}
		made.Private.Items = append(made.Private.Items, newPhaseItem(id, quantity))
		made.AmountTotal += of.UnitAmount * quantity
		made.Currency = of.Currency
	}
	if len(made.Private.Items) == 0 {
		return required("line_items")
	}
	data := c.in("subscription_data")
	want := &made.Private
	want.Metadata = data.merge("metadata", nil)
	data.replace("description", &want.Description)
	want.TrialEnd = data.whole("trial_end")
	days := data.whole("trial_period_days")
	want.TrialDays = deref(days)
	want.Missing = data.in("trial_settings").in("end_behavior").oneOf("missing_payment_method", "create_invoice", "cancel", "pause")
	switch {
	case days != nil && *days < 1:
		return refuse("subscription_data[trial_period_days]", "", "The minimum number of trial period days is 1.")
	case days != nil && want.TrialEnd != nil:
		return refuse("subscription_data[trial_end]", "parameters_exclusive", "Give one of trial_end and trial_period_days.")
	case want.TrialEnd != nil && *want.TrialEnd < c.now()+2*day:
		return refuse("subscription_data[trial_end]", "", "The `trial_end` date has to be at least 2 days in the future.")
	}
	if days != nil || want.TrialEnd != nil {
		made.AmountTotal = 0
	}
	made.AmountSubtotal = made.AmountTotal
	return nil
}

func expireSession(c *call) (any, error) {
	found, ok := c.Sessions.find(c.id)
	if !ok {
		return nil, missing("checkout.session", "id", c.id)
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if found.Status != open {
		return nil, refuse("", "", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of `%s`.", found.Status)
	}
	c.expire(found)
	return found, nil
}

func (w *world) expire(s *session) {
	w.saved = false
	s.Status = "expired"
	w.emit("checkout.session.expired", s, nil)
}

func listSessions(c *call) (any, error) {
	of, sub := c.str("customer"), c.str("subscription")
	status := c.oneOf("status", "", open, "complete", "expired")
	return pageOf(c, &c.Sessions, func(s *session) bool {
		return (of == "" || deref(s.Customer) == of) && (sub == "" || deref(s.Subscription) == sub) && (status == "" || s.Status == status)
	})
}
