package sandbox

import (
	"crypto/rand"
	"slices"
	"time"

	"veracity/billing/sandbox/pages"
)

// visitFor is how long an address of the portal works, in real time.
const visitFor = time.Hour

func createConfiguration(c *call) (any, error) {
	made := &configuration{Active: true, BusinessProfile: map[string]any{"headline": nil, "privacy_policy_url": nil, "terms_of_service_url": nil}}
	made.Features.CustomerUpdate.AllowedUpdates = []string{}
	made.Features.SubscriptionCancel.CancellationReason.Options = []string{}
	made.Features.SubscriptionCancel.Mode = "at_period_end"
	made.Features.SubscriptionCancel.ProrationBehavior = prorateNever
	made.Features.SubscriptionUpdate.DefaultAllowedUpdates = []string{}
	made.Features.SubscriptionUpdate.ProrationBehavior = prorateNever
	if !c.has("features") {
		return nil, required("features")
	}
	c.readConfiguration(made)
	if err := c.done(); err != nil {
		return nil, err
	}
	made.head = c.newHead("bpc", "billing_portal.configuration")
	made.Updated = made.Created
	return c.Configurations.add(made), nil
}

func updateConfiguration(c *call) (any, error) {
	found, ok := c.Configurations.find(c.id)
	if !ok {
		return nil, missing("configuration", "id", c.id)
	}
	next := *found
	next.BusinessProfile = map[string]any{}
	for key, value := range found.BusinessProfile {
		next.BusinessProfile[key] = value
	}
	if yes := c.flag("active"); yes != nil {
		next.Active = *yes
	}
	c.readConfiguration(&next)
	if err := c.done(); err != nil {
		return nil, err
	}
	c.saved = false
	next.Updated = c.now()
	*found = next
	return found, nil
}

func (c *call) readConfiguration(to *configuration) {
	c.replace("default_return_url", &to.DefaultReturnURL)
	to.Metadata = c.merge("metadata", to.Metadata)
	for _, key := range []string{"headline", "privacy_policy_url", "terms_of_service_url"} {
		if value, ok := c.in("business_profile").text(key); ok {
			to.BusinessProfile[key] = value
		}
	}
	if deref(c.in("login_page").flag("enabled")) {
		c.wrong(refuse("login_page[enabled]", "", "The sandbox has no login page."))
	}
	f, in := &to.Features, c.in("features")
	for name, one := range map[string]*enabled{
		"customer_update": &f.CustomerUpdate.enabled, "invoice_history": &f.InvoiceHistory,
		"payment_method_update": &f.PaymentMethodUpdate, "subscription_cancel": &f.SubscriptionCancel.enabled,
		"subscription_update": &f.SubscriptionUpdate.enabled,
	} {
		if yes := in.in(name).flag("enabled"); yes != nil {
			one.Enabled = *yes
		}
	}
	if p := in.in("customer_update"); p.has("allowed_updates") {
		f.CustomerUpdate.AllowedUpdates = p.strings("allowed_updates")
	}
	end := in.in("subscription_cancel")
	f.SubscriptionCancel.Mode = end.oneOf("mode", f.SubscriptionCancel.Mode, "at_period_end", "immediately")
	f.SubscriptionCancel.ProrationBehavior = end.oneOf("proration_behavior", f.SubscriptionCancel.ProrationBehavior, prorateNever, prorateLater, prorateNow)
	reason := end.in("cancellation_reason")
	if yes := reason.flag("enabled"); yes != nil {
		f.SubscriptionCancel.CancellationReason.Enabled = *yes
	}
	if reason.has("options") {
		f.SubscriptionCancel.CancellationReason.Options = reason.strings("options")
	}
	c.readSwitching(f, in.in("subscription_update"))
}

func (c *call) readSwitching(f *features, in *params) {
	to := &f.SubscriptionUpdate
	to.ProrationBehavior = in.oneOf("proration_behavior", to.ProrationBehavior, prorateNever, prorateLater, prorateNow)
	if in.has("default_allowed_updates") {
		to.DefaultAllowedUpdates = in.strings("default_allowed_updates")
	}
	if !in.has("products") {
		return
	}
	to.Products = nil
	for _, p := range in.list("products") {
		of := &allowedProduct{Product: p.str("product"), Prices: p.strings("prices")}
		if _, ok := c.Products.find(of.Product); !ok {
			c.wrong(missing("product", "features[subscription_update][products][0][product]", of.Product))
		}
		for _, id := range of.Prices {
			if found, ok := c.Prices.find(id); !ok || found.Product != of.Product {
				c.wrong(missing("price", "features[subscription_update][products][0][prices][0]", id))
			}
		}
		to.Products = append(to.Products, of)
	}
}

func listConfigurations(c *call) (any, error) {
	on, main := c.flag("active"), c.flag("is_default")
	return pageOf(c, &c.Configurations, func(one *configuration) bool {
		return (on == nil || one.Active == *on) && (main == nil || one.IsDefault == *main)
	})
}

// The flows that a portal's session may begin with (https://docs.stripe.com/customer-management/portal-deep-links).
const (
	flowMethod  = pages.FlowMethod
	flowEnd     = pages.FlowEnd
	flowChange  = pages.FlowChange
	flowConfirm = pages.FlowConfirm
)

func createVisit(c *call) (any, error) {
	made := &portalSession{}
	cus, err := c.customer(c.str("customer"), "customer")
	if err != nil {
		return nil, err
	}
	c.replace("return_url", &made.ReturnURL)
	conf, err := c.portalConfiguration(c.str("configuration"))
	if err != nil {
		return nil, err
	}
	if c.has("flow_data") {
		if made.Flow, err = c.readFlow(cus, conf); err != nil {
			return nil, err
		}
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if made.ReturnURL == nil {
		made.ReturnURL = conf.DefaultReturnURL
	}
	if made.ReturnURL != nil && !isURL(*made.ReturnURL) {
		return nil, refuse("return_url", "url_invalid", "Not a valid URL")
	}
	made.head = c.newHead("bps", "billing_portal.session")
	made.Configuration, made.Customer = conf.ID, cus.ID
	made.Private.Secret, made.Private.Until = rand.Text(), time.Now().Add(visitFor).Unix()
	made.URL = c.url + portalPath + made.ID + "/" + made.Private.Secret
	c.Visits.keep(func(v *portalSession) bool { return v.Private.Until > time.Now().Unix() })
	return c.Visits.add(made), nil
}

// portalConfiguration is the one that is asked for. Without a default one, as in a new account, it must be named.
func (w *world) portalConfiguration(id string) (*configuration, error) {
	if id != "" {
		if conf, ok := w.Configurations.find(id); ok && conf.Active {
			return conf, nil
		}
		return nil, missing("configuration", "configuration", id)
	}
	for _, conf := range w.Configurations.rows {
		if conf.IsDefault {
			return conf, nil
		}
	}
	return nil, refuse("configuration", "", "No configuration provided and your test mode default configuration has not been created. Provide a configuration.")
}

func (c *call) readFlow(cus *customer, conf *configuration) (*flow, error) {
	in := c.in("flow_data")
	f := &flow{Type: in.oneOf("type", "", flowMethod, flowEnd, flowChange, flowConfirm)}
	after := in.in("after_completion")
	f.AfterCompletion.Type = after.oneOf("type", "portal_homepage", "redirect", "hosted_confirmation")
	if to := after.in("redirect").str("return_url"); to != "" {
		f.AfterCompletion.Redirect = &flowRedirect{to}
	}
	if f.AfterCompletion.Type == "redirect" && (f.AfterCompletion.Redirect == nil || !isURL(f.AfterCompletion.Redirect.ReturnURL)) {
		return nil, required("flow_data[after_completion][redirect][return_url]")
	}
	on := map[string]bool{
		flowMethod: conf.Features.PaymentMethodUpdate.Enabled, flowEnd: conf.Features.SubscriptionCancel.Enabled,
		flowChange: conf.Features.SubscriptionUpdate.Enabled, flowConfirm: conf.Features.SubscriptionUpdate.Enabled,
	}
	if !on[f.Type] {
		return nil, refuse("flow_data[type]", "", "The flow `%s` is not enabled in the portal configuration `%s`.", f.Type, conf.ID)
	}
	if f.Type == flowMethod {
		return f, nil
	}
	of := in.in(f.Type)
	sub, err := c.liveSubscription(of.str("subscription"), "flow_data["+f.Type+"][subscription]")
	if err != nil {
		return nil, err
	}
	if sub.Customer != cus.ID {
		return nil, missing("subscription", "flow_data["+f.Type+"][subscription]", sub.ID)
	}
	switch f.Type {
	case flowEnd:
		if sub.CancelAtPeriodEnd {
			return nil, refuse("flow_data", "", "The subscription `%s` is already set to be canceled at period end.", sub.ID)
		}
		f.SubscriptionCancel = &flowCancel{flowOf: flowOf{sub.ID}}
	case flowChange:
		f.SubscriptionUpdate = &flowOf{sub.ID}
	case flowConfirm:
		items, err := c.readFlowItems(sub, of)
		if err != nil {
			return nil, err
		}
		f.SubscriptionUpdateConfirm = &flowConfirmation{flowOf: flowOf{sub.ID}, Items: items}
	}
	return f, nil
}

func (c *call) readFlowItems(sub *subscription, in *params) ([]flowItem, error) {
	var items []flowItem
	for _, p := range in.list("items") {
		it := flowItem{ID: p.str("id"), Price: p.str("price"), Quantity: 1}
		if n := p.whole("quantity"); n != nil {
			it.Quantity = *n
		}
		if sameItem(sub.Items.Data, it.ID) == nil {
			return nil, missing("subscription item", "flow_data[subscription_update_confirm][items][0][id]", it.ID)
		}
		if _, err := c.recurringPrice(it.Price, "flow_data[subscription_update_confirm][items][0][price]"); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	if len(items) != 1 {
		return nil, required("flow_data[subscription_update_confirm][items]")
	}
	return items, nil
}

// choices are the prices that a subscription may be switched to in the portal.
func (w *world) choices(conf *configuration, sub *subscription) []*price {
	if !conf.Features.SubscriptionUpdate.Enabled || len(sub.Items.Data) != 1 || !slices.Contains(conf.Features.SubscriptionUpdate.DefaultAllowedUpdates, "price") {
		return nil
	}
	var prices []*price
	for _, of := range conf.Features.SubscriptionUpdate.Products {
		for _, id := range of.Prices {
			if p, ok := w.Prices.find(id); ok && p.Active && p.Recurring != nil && id != sub.Items.Data[0].Price {
				prices = append(prices, p)
			}
		}
	}
	return prices
}
