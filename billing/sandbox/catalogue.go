package sandbox

import (
	"slices"
	"strconv"
)

func createProduct(c *call) (any, error) {
	made := &product{Active: true, Type: "service", Images: []string{}, MarketingFeatures: []string{}}
	id, given := c.text("id")
	fill := c.readProduct(made)
	if _, taken := c.Products.find(id); taken {
		return nil, refuse("id", "resource_already_exists", "Product already exists.")
	}
	if made.Name == "" && c.str("name") == "" {
		return nil, required("name")
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	made.head = c.newHead("prod", "product")
	if given {
		made.ID = id
	}
	fill()
	c.Products.add(made)
	c.emit("product.created", made, nil)
	return made, nil
}

func (c *call) readProduct(old *product) func() {
	next := *old
	if name, ok := c.text("name"); ok {
		next.Name = name
	}
	if yes := c.flag("active"); yes != nil {
		next.Active = *yes
	}
	for name, field := range map[string]**string{
		"description": &next.Description, "statement_descriptor": &next.StatementDescriptor, "unit_label": &next.UnitLabel,
		"url": &next.URL, "tax_code": &next.TaxCode, "default_price": &next.DefaultPrice,
	} {
		c.replace(name, field)
	}
	if id := deref(next.DefaultPrice); id != "" {
		if p, ok := c.Prices.find(id); !ok || p.Product != old.ID {
			c.wrong(missing("price", "default_price", id))
		}
	}
	if c.has("images") {
		next.Images = c.strings("images")
	}
	next.Metadata = c.merge("metadata", old.Metadata)
	return func() {
		next.head, next.Updated = old.head, c.now()
		*old = next
	}
}

func updateProduct(c *call) (any, error) {
	found, ok := c.Products.find(c.id)
	if !ok {
		return nil, missing("product", "id", c.id)
	}
	fill := c.readProduct(found)
	if err := c.done(); err != nil {
		return nil, err
	}
	c.update("product.updated", found, fill)
	return found, nil
}

func listProducts(c *call) (any, error) {
	activeOnly, ids := c.flag("active"), c.strings("ids")
	return pageOf(c, &c.Products, func(p *product) bool {
		return (activeOnly == nil || p.Active == *activeOnly) && (len(ids) == 0 || slices.Contains(ids, p.ID))
	})
}

func createPrice(c *call) (any, error) {
	made := &price{Active: true, BillingScheme: "per_unit", Type: "one_time", TaxBehavior: "unspecified"}
	made.Product, made.Currency = c.str("product"), c.str("currency")
	amount := c.whole("unit_amount")
	if c.has("recurring") {
		in := c.in("recurring")
		count := int64(1)
		if given := in.whole("interval_count"); given != nil {
			count = *given
		}
		made.Type = "recurring"
		made.Recurring = &recurring{
			Interval: in.oneOf("interval", "", "day", "week", "month", "year"), IntervalCount: count,
			UsageType: in.oneOf("usage_type", "licensed"),
		}
		if count < 1 || made.Recurring.Interval == "" {
			return nil, refuse("recurring[interval]", "parameter_missing", "Give recurring[interval], and an interval_count of 1 or more.")
		}
	}
	fill := c.readPrice(made)
	if _, ok := c.Products.find(made.Product); !ok {
		return nil, missing("product", "product", made.Product)
	}
	switch err := c.done(); {
	case err != nil:
		return nil, err
	case amount == nil || *amount < 0:
		return nil, refuse("unit_amount", "parameter_missing", "Give unit_amount, in cents and not below 0.")
	case len(made.Currency) != 3:
		return nil, required("currency")
	}
	made.UnitAmount, made.UnitAmountDecimal = *amount, strconv.FormatInt(*amount, 10)
	made.head = c.newHead("price", "price")
	fill()
	c.Prices.add(made)
	c.emit("price.created", made, nil)
	return made, nil
}

// readPrice reads what may change of a price. A lookup_key belongs to one price: transfer_lookup_key takes it away from
// the one that has it.
func (c *call) readPrice(old *price) func() {
	next := *old
	if yes := c.flag("active"); yes != nil {
		next.Active = *yes
	}
	next.Metadata = c.merge("metadata", old.Metadata)
	c.replace("nickname", &next.Nickname)
	c.replace("lookup_key", &next.LookupKey)
	next.TaxBehavior = c.oneOf("tax_behavior", old.TaxBehavior, "inclusive", "exclusive", "unspecified")
	transfer := deref(c.flag("transfer_lookup_key"))
	var holder *price
	for _, p := range c.Prices.rows {
		if p.ID != old.ID && next.LookupKey != nil && deref(p.LookupKey) == *next.LookupKey {
			holder = p
		}
	}
	if holder != nil && !transfer {
		c.wrong(refuse("lookup_key", "resource_already_exists", "A price (`%s`) already uses that lookup key.", holder.ID))
	}
	return func() {
		if holder != nil {
			c.update("price.updated", holder, func() { holder.LookupKey = nil })
		}
		next.head = old.head
		next.UnitAmount, next.UnitAmountDecimal = old.UnitAmount, old.UnitAmountDecimal
		*old = next
	}
}

func updatePrice(c *call) (any, error) {
	found, ok := c.Prices.find(c.id)
	if !ok {
		return nil, missing("price", "id", c.id)
	}
	fill := c.readPrice(found)
	if err := c.done(); err != nil {
		return nil, err
	}
	c.update("price.updated", found, fill)
	return found, nil
}

func listPrices(c *call) (any, error) {
	activeOnly, keys, of := c.flag("active"), c.strings("lookup_keys"), c.str("product")
	if len(keys) > 10 {
		return nil, refuse("lookup_keys", "", "lookup_keys takes up to 10 keys.")
	}
	currency, kind := c.str("currency"), c.oneOf("type", "", "one_time", "recurring")
	interval := c.in("recurring").str("interval")
	return pageOf(c, &c.Prices, func(p *price) bool {
		return (activeOnly == nil || p.Active == *activeOnly) && (of == "" || p.Product == of) &&
			(len(keys) == 0 || p.LookupKey != nil && slices.Contains(keys, *p.LookupKey)) &&
			(currency == "" || p.Currency == currency) && (kind == "" || p.Type == kind) &&
			(interval == "" || p.Recurring != nil && p.Recurring.Interval == interval)
	})
}

// recurringPrice finds an active price that a subscription can have.
func (w *world) recurringPrice(id, param string) (*price, error) {
	p, ok := w.Prices.find(id)
	switch {
	case !ok:
		return nil, missing("price", param, id)
	case p.Recurring == nil:
		return nil, refuse(param, "", "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.")
	case !p.Active:
		return nil, refuse(param, "", "The price specified is inactive. This field only accepts active prices.")
	}
	return p, nil
}
