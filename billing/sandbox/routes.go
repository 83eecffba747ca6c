package sandbox

// routes is the part of the API that is played.
var routes = map[string]act{
	"POST /v1/customers":                     createCustomer,
	"GET /v1/customers":                      listCustomers,
	"GET /v1/customers/{id}":                 getCustomer,
	"POST /v1/customers/{id}":                updateCustomer,
	"DELETE /v1/customers/{id}":              deleteCustomer,
	"GET /v1/customers/{id}/payment_methods": listMethods,
	"GET /v1/payment_methods/{id}":           getMethod,

	"POST /v1/products":      createProduct,
	"GET /v1/products":       listProducts,
	"GET /v1/products/{id}":  getProduct,
	"POST /v1/products/{id}": updateProduct,
	"POST /v1/prices":        createPrice,
	"GET /v1/prices":         listPrices,
	"GET /v1/prices/{id}":    getPrice,
	"POST /v1/prices/{id}":   updatePrice,

	"POST /v1/checkout/sessions":             createSession,
	"GET /v1/checkout/sessions":              listSessions,
	"GET /v1/checkout/sessions/{id}":         getSession,
	"POST /v1/checkout/sessions/{id}/expire": expireSession,

	"GET /v1/subscriptions":                        listSubscriptions,
	"GET /v1/subscriptions/{id}":                   getSubscription,
	"POST /v1/subscriptions/{id}":                  updateSubscription,
	"DELETE /v1/subscriptions/{id}":                cancelSubscription,
	"POST /v1/subscriptions/{id}/resume":           resumeSubscription,
	"POST /v1/subscription_schedules":              createSchedule,
	"GET /v1/subscription_schedules":               listSchedules,
	"GET /v1/subscription_schedules/{id}":          getSchedule,
	"POST /v1/subscription_schedules/{id}":         updateSchedule,
	"POST /v1/subscription_schedules/{id}/release": releaseSchedule,
	"POST /v1/subscription_schedules/{id}/cancel":  cancelSchedule,

	"GET /v1/invoices":                 listInvoices,
	"GET /v1/invoices/upcoming":        upcomingInvoice,
	"POST /v1/invoices/create_preview": previewInvoice,
	"GET /v1/invoices/{id}":            getInvoice,
	"POST /v1/invoices/{id}/finalize":  finalizeInvoice,
	"POST /v1/invoices/{id}/pay":       payInvoice,
	"POST /v1/invoices/{id}/void":      voidInvoice,
	"GET /v1/invoiceitems":             listPending,
	"GET /v1/invoiceitems/{id}":        getPending,
	"GET /v1/payment_intents/{id}":     getIntent,
	"GET /v1/charges":                  listCharges,
	"GET /v1/charges/{id}":             getCharge,
	"GET /v1/disputes":                 listDisputes,
	"GET /v1/disputes/{id}":            getDispute,

	"POST /v1/billing_portal/configurations":      createConfiguration,
	"GET /v1/billing_portal/configurations":       listConfigurations,
	"GET /v1/billing_portal/configurations/{id}":  getConfiguration,
	"POST /v1/billing_portal/configurations/{id}": updateConfiguration,
	"POST /v1/billing_portal/sessions":            createVisit,

	"POST /v1/webhook_endpoints":        createEndpoint,
	"GET /v1/webhook_endpoints":         listEndpoints,
	"GET /v1/webhook_endpoints/{id}":    getEndpoint,
	"POST /v1/webhook_endpoints/{id}":   updateEndpoint,
	"DELETE /v1/webhook_endpoints/{id}": deleteEndpoint,
	"GET /v1/events":                    listEvents,
	"GET /v1/events/{id}":               getEvent,
}

// get is the act that answers with the object that the path names.
func get[T any, P interface {
	*T
	record
}](kind string, of func(*world) *table[T, P]) act {
	return func(c *call) (any, error) {
		row, ok := of(c.world).find(c.id)
		if !ok {
			return nil, missing(kind, "id", c.id)
		}
		return row, c.done()
	}
}

var (
	getMethod        = get("PaymentMethod", func(w *world) *table[method, *method] { return &w.Methods })
	getProduct       = get("product", func(w *world) *table[product, *product] { return &w.Products })
	getPrice         = get("price", func(w *world) *table[price, *price] { return &w.Prices })
	getSession       = get("checkout.session", func(w *world) *table[session, *session] { return &w.Sessions })
	getSubscription  = get("subscription", func(w *world) *table[subscription, *subscription] { return &w.Subscriptions })
	getSchedule      = get("subscription_schedule", func(w *world) *table[schedule, *schedule] { return &w.Schedules })
	getInvoice       = get("invoice", func(w *world) *table[invoice, *invoice] { return &w.Invoices })
	getPending       = get("invoiceitem", func(w *world) *table[pendingItem, *pendingItem] { return &w.Pending })
	getIntent        = get("payment_intent", func(w *world) *table[intent, *intent] { return &w.Intents })
	getCharge        = get("charge", func(w *world) *table[charge, *charge] { return &w.Charges })
	getDispute       = get("dispute", func(w *world) *table[dispute, *dispute] { return &w.Disputes })
	getConfiguration = get("configuration", func(w *world) *table[configuration, *configuration] { return &w.Configurations })
	getEndpoint      = get("webhook_endpoint", func(w *world) *table[endpoint, *endpoint] { return &w.Endpoints })
	getEvent         = get("event", func(w *world) *table[event, *event] { return &w.Events })
)
