package sandbox

import (
	"crypto/rand"
	"slices"
)

func createCustomer(c *call) (any, error) {
	made := c.newCustomer("", "")
	fill := c.readCustomer(made)
	if err := c.done(); err != nil {
		return nil, err
	}
	fill()
	c.Customers.add(made)
	c.emit("customer.created", made, nil)
	return made, nil
}

func (w *world) newCustomer(email, name string) *customer {
	made := &customer{
		head: w.newHead("cus", "customer"), InvoicePrefix: rand.Text()[:8], Metadata: map[string]string{}, NextInvoiceSequence: 1,
		PreferredLocales: []string{}, TaxExempt: "none",
	}
	if email != "" {
		made.Email = &email
	}
	if name != "" {
		made.Name = &name
	}
	return made
}

// readCustomer reads what a request says of a customer; the answer writes it down.
func (c *call) readCustomer(old *customer) func() {
	next := *old
	for name, field := range map[string]**string{
		"email": &next.Email, "name": &next.Name, "phone": &next.Phone, "description": &next.Description,
	} {
		c.replace(name, field)
	}
	next.Metadata = c.merge("metadata", old.Metadata)
	if c.has("address") {
		next.Address = c.merge("address", old.Address)
	}
	if exempt, ok := c.text("tax_exempt"); ok {
		next.TaxExempt = exempt
	}
	if balance := c.whole("balance"); balance != nil {
		next.Balance = *balance
	}
	if c.has("preferred_locales") {
		next.PreferredLocales = c.strings("preferred_locales")
	}
	settings := c.in("invoice_settings")
	settings.replace("default_payment_method", &next.InvoiceSettings.DefaultPaymentMethod)
	if id := next.InvoiceSettings.DefaultPaymentMethod; id != nil {
		if m, ok := c.Methods.find(*id); !ok || deref(m.Customer) != old.ID {
			c.wrong(missing("PaymentMethod", "invoice_settings[default_payment_method]", *id))
		}
	}
	return func() { *old = withHead(next, old.head) }
}

func withHead(c customer, h head) customer {
	c.head = h
	return c
}

func getCustomer(c *call) (any, error) {
	found, ok := c.Customers.find(c.id)
	if !ok {
		return nil, missing("customer", "id", c.id)
	}
	if found.Private.Deleted {
		return deletedOne{found.ID, found.Object, true}, c.done()
	}
	return found, c.done()
}

// customer finds one that was not deleted.
func (w *world) customer(id, param string) (*customer, error) {
	found, ok := w.Customers.find(id)
	if !ok || found.Private.Deleted {
		return nil, missing("customer", param, id)
	}
	return found, nil
}

func updateCustomer(c *call) (any, error) {
	found, err := c.customer(c.id, "id")
	if err != nil {
		return nil, err
	}
	fill := c.readCustomer(found)
	if err := c.done(); err != nil {
		return nil, err
	}
	c.update("customer.updated", found, fill)
	return found, nil
}

func deleteCustomer(c *call) (any, error) {
	found, err := c.customer(c.id, "id")
	if err != nil {
		return nil, err
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	for _, sub := range c.Subscriptions.rows {
		if sub.Customer == found.ID && sub.live() {
			c.endSubscription(sub, canceled, "cancellation_requested")
		}
	}
	c.emit("customer.deleted", found, nil)
	found.Private.Deleted = true
	return deletedOne{found.ID, found.Object, true}, nil
}

func listCustomers(c *call) (any, error) {
	email, filtered := c.text("email")
	return pageOf(c, &c.Customers, func(one *customer) bool {
		return !one.Private.Deleted && (!filtered || deref(one.Email) == email)
	})
}

func listMethods(c *call) (any, error) {
	found, err := c.customer(c.id, "id")
	if err != nil {
		return nil, err
	}
	_ = c.oneOf("type", "card")
	return pageOf(c, &c.Methods, func(m *method) bool { return deref(m.Customer) == found.ID })
}

// methodOf is the card that pays for a subscription: its own, else the customer's.
func (w *world) methodOf(cus *customer, sub *subscription) *method {
	for _, id := range []*string{subMethod(sub), cus.InvoiceSettings.DefaultPaymentMethod} {
		if m, ok := w.Methods.find(deref(id)); ok && deref(m.Customer) == cus.ID {
			return m
		}
	}
	return nil
}

func subMethod(sub *subscription) *string {
	if sub == nil {
		return nil
	}
	return sub.DefaultPaymentMethod
}

// useMethod makes a card the one that pays for everything of its customer and drops the others.
func (w *world) useMethod(cus *customer, m *method) {
	w.Methods.add(m)
	w.emit("payment_method.attached", m, nil)
	w.update("customer.updated", cus, func() { cus.InvoiceSettings.DefaultPaymentMethod = &m.ID })
	for _, sub := range w.Subscriptions.rows {
		if sub.Customer == cus.ID && sub.live() && sub.DefaultPaymentMethod != nil {
			w.update("customer.subscription.updated", sub, func() { sub.DefaultPaymentMethod = &m.ID })
		}
	}
	for _, old := range slices.Clone(w.Methods.rows) {
		if old != m && deref(old.Customer) == cus.ID {
			w.emit("payment_method.detached", old, nil)
			old.Customer = nil
		}
	}
}
