package sandbox_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"
	"github.com/stripe/stripe-go/v79/client"

	"veracity/billing/sandbox"
)

// omitted are the fields that Stripe's description and stripe-go have and the sandbox leaves out, since nothing of what
// it plays fills them. A field that is neither answered nor listed fails the test, and so does one that is listed and
// answered.
var omitted = map[string][]string{
	// A line of a whole period comes from no item of its own.
	"invoice":        {"lines.data[].invoice_item"},
	"payment method": strings.Fields("card.checks card.networks card.three_d_secure_usage"),
	"payment intent": strings.Fields(`amount_capturable amount_details application application_fee_amount
		automatic_payment_methods on_behalf_of payment_method_configuration_details payment_method_options processing
		receipt_email review shipping statement_descriptor statement_descriptor_suffix transfer_data transfer_group`),
	"charge": strings.Fields(`application application_fee application_fee_amount balance_transaction
		calculated_statement_descriptor failure_balance_transaction fraud_details on_behalf_of outcome
		payment_method_details.card.amount_authorized payment_method_details.card.authorization_code
		payment_method_details.card.checks payment_method_details.card.extended_authorization
		payment_method_details.card.incremental_authorization payment_method_details.card.installments
		payment_method_details.card.mandate payment_method_details.card.multicapture payment_method_details.card.network
		payment_method_details.card.network_token payment_method_details.card.overcapture
		payment_method_details.card.three_d_secure receipt_email receipt_number receipt_url refunds review shipping
		source_transfer statement_descriptor statement_descriptor_suffix transfer_data transfer_group`),
	"dispute": strings.Fields(`evidence.access_activity_log evidence.billing_address evidence.cancellation_policy
		evidence.cancellation_policy_disclosure evidence.cancellation_rebuttal evidence.customer_communication
		evidence.customer_email_address evidence.customer_name evidence.customer_purchase_ip evidence.customer_signature
		evidence.duplicate_charge_documentation evidence.duplicate_charge_explanation evidence.duplicate_charge_id
		evidence.product_description evidence.receipt evidence.refund_policy evidence.refund_policy_disclosure
		evidence.refund_refusal_explanation evidence.service_date evidence.service_documentation evidence.shipping_address
		evidence.shipping_carrier evidence.shipping_date evidence.shipping_documentation evidence.shipping_tracking_number
		evidence.uncategorized_file evidence.uncategorized_text payment_method_details`),
}

// ids are what the calls name. The mock takes any.
type ids struct {
	customer, product, price, subscription, invoice, session, schedule string
	endpoint, event, configuration, method, intent, charge, dispute    string
}

// objects asks for one of each kind; the requests are made alike to the sandbox and to the mock.
var objects = map[string]func(*client.API, ids) (any, *stripe.APIResponse, error){
	"customer": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Customers.Get(of.customer, nil)
		return o, last(&o.APIResource, err), err
	},
	"product": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Products.Get(of.product, nil)
		return o, last(&o.APIResource, err), err
	},
	"price": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Prices.Get(of.price, nil)
		return o, last(&o.APIResource, err), err
	},
	"subscription": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Subscriptions.Get(of.subscription, nil)
		return o, last(&o.APIResource, err), err
	},
	"invoice": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Invoices.Get(of.invoice, nil)
		return o, last(&o.APIResource, err), err
	},
	"checkout session": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.CheckoutSessions.Get(of.session, nil)
		return o, last(&o.APIResource, err), err
	},
	"schedule": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.SubscriptionSchedules.Get(of.schedule, nil)
		return o, last(&o.APIResource, err), err
	},
	"webhook endpoint": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.WebhookEndpoints.Get(of.endpoint, nil)
		return o, last(&o.APIResource, err), err
	},
	"event": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Events.Get(of.event, nil)
		return o, last(&o.APIResource, err), err
	},
	"portal configuration": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.BillingPortalConfigurations.Get(of.configuration, nil)
		return o, last(&o.APIResource, err), err
	},
	"portal session": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{
			Customer: stripe.String(of.customer), Configuration: stripe.String(of.configuration),
		})
		return o, last(&o.APIResource, err), err
	},
	"payment method": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.PaymentMethods.Get(of.method, nil)
		return o, last(&o.APIResource, err), err
	},
	"payment intent": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.PaymentIntents.Get(of.intent, nil)
		return o, last(&o.APIResource, err), err
	},
	"charge": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Charges.Get(of.charge, nil)
		return o, last(&o.APIResource, err), err
	},
	"dispute": func(api *client.API, of ids) (any, *stripe.APIResponse, error) {
		o, err := api.Disputes.Get(of.dispute, nil)
		return o, last(&o.APIResource, err), err
	},
}

func last(r *stripe.APIResource, err error) *stripe.APIResponse {
	if err != nil {
		return nil
	}
	return r.LastResponse
}

func TestAnswersHaveTheFieldsOfStripes(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	of := r.oneOfEach(t)
	mock := stripeMock(t)
	for name, ask := range objects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object, theirs, err := ask(mock, of)
			require.NoError(t, err)
			_, ours, err := ask(r.stripe, of)
			require.NoError(t, err)
			require.ElementsMatch(t, omitted[name], lacking(t, reflect.TypeOf(object), theirs.RawJSON, ours.RawJSON))
		})
	}
}

// oneOfEach lives a life that makes one object of every kind.
func (r *rig) oneOfEach(t *testing.T) ids {
	t.Helper()
	session := r.checkout(t, r.customer(t), r.pro)
	require.NoError(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardWorks}))
	session, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	sub := r.subscription(t, session.Subscription.ID)
	schedule, err := r.stripe.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{FromSubscription: stripe.String(sub.ID)})
	require.NoError(t, err)
	charge := r.LastCharge(sub.Customer.ID)
	require.NoError(t, r.Dispute(charge))
	disputes := r.stripe.Disputes.List(nil)
	require.True(t, disputes.Next())
	endpoints := r.stripe.WebhookEndpoints.List(nil)
	require.True(t, endpoints.Next())
	return ids{
		customer: sub.Customer.ID, product: r.pro.Product.ID, price: r.pro.ID, subscription: sub.ID, invoice: sub.LatestInvoice.ID,
		session: session.ID, schedule: schedule.ID, endpoint: endpoints.WebhookEndpoint().ID, event: r.Events()[0].ID,
		configuration: r.portalConfig(t).ID, method: sub.DefaultPaymentMethod.ID, intent: sub.LatestInvoice.PaymentIntent.ID,
		charge: charge, dispute: disputes.Dispute().ID,
	}
}

// lacking are the paths of fields that theirs and the type have and ours has not.
func lacking(t *testing.T, of reflect.Type, theirs, ours []byte) []string {
	t.Helper()
	var a, b map[string]any
	require.NoError(t, json.Unmarshal(theirs, &a))
	require.NoError(t, json.Unmarshal(ours, &b))
	found := []string{}
	compare(of, a, b, "", &found)
	slices.Sort(found)
	return found
}

func compare(of reflect.Type, theirs, ours any, at string, found *[]string) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch theirs := theirs.(type) {
	case map[string]any:
		ours, ok := ours.(map[string]any)
		if !ok || of.Kind() != reflect.Struct {
			return // an id in place of an object, or nothing, or a map of anybody's keys
		}
		fields := fieldsOf(of)
		for key, value := range theirs {
			field, known := fields[key]
			if !known {
				continue
			}
			path := strings.TrimPrefix(at+"."+key, ".")
			if own, ok := ours[key]; !ok {
				*found = append(*found, path)
			} else {
				compare(field, value, own, path, found)
			}
		}
	case []any:
		ours, ok := ours.([]any)
		if ok && len(theirs) > 0 && len(ours) > 0 && of.Kind() == reflect.Slice {
			compare(of.Elem(), theirs[0], ours[0], at+"[]", found)
		}
	}
}

// fieldsOf are a struct's fields by their names in JSON.
func fieldsOf(of reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			for inner, kind := range fieldsOf(field.Type) {
				fields[inner] = kind
			}
		case name != "" && name != "-":
			fields[name] = field.Type
		}
	}
	return fields
}
