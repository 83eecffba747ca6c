package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/billing/sandbox"
)

// change moves a subscription to another price.
func (r *rig) change(sub *stripe.Subscription, to *stripe.Price, proration, payment string) (*stripe.Subscription, error) {
	params := &stripe.SubscriptionParams{
		Items:             []*stripe.SubscriptionItemsParams{{ID: stripe.String(sub.Items.Data[0].ID), Price: stripe.String(to.ID)}},
		ProrationBehavior: stripe.String(proration),
	}
	if payment != "" {
		params.PaymentBehavior = stripe.String(payment)
	}
	params.AddExpand("latest_invoice")
	return r.stripe.Subscriptions.Update(sub.ID, params)
}

func TestUpgradeIsProratedByTheSecond(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.starter, sandbox.CardWorks)
	length := sub.CurrentPeriodEnd - sub.CurrentPeriodStart
	require.NoError(t, r.Advance(10*day+7*time.Second))
	left := sub.CurrentPeriodEnd - r.Now().Unix()
	r.flush(t)

	preview, err := r.stripe.Invoices.Upcoming(&stripe.InvoiceUpcomingParams{
		Subscription: stripe.String(sub.ID),
		SubscriptionItems: []*stripe.SubscriptionItemsParams{
			{ID: stripe.String(sub.Items.Data[0].ID), Price: stripe.String(r.pro.ID)},
		},
		SubscriptionProrationBehavior: stripe.String("always_invoice"),
	})
	require.NoError(t, err)
	changed, err := r.change(sub, r.pro, "always_invoice", "pending_if_incomplete")
	require.NoError(t, err)
	require.Equal(t, r.pro.ID, changed.Items.Data[0].Price.ID)
	require.Equal(t, sub.CurrentPeriodEnd, changed.CurrentPeriodEnd, "the cycle stays")
	inv := changed.LatestInvoice
	require.Equal(t, stripe.InvoiceStatusPaid, inv.Status)
	require.Equal(t, stripe.InvoiceBillingReasonSubscriptionUpdate, inv.BillingReason)
	round := func(cents int64) int64 { return (2*cents*left + length) / (2 * length) }
	require.Len(t, inv.Lines.Data, 2)
	require.Equal(t, -round(1_900), inv.Lines.Data[0].Amount)
	require.Equal(t, round(9_900), inv.Lines.Data[1].Amount)
	require.Equal(t, preview.AmountDue, inv.AmountPaid, "what was foretold is what was paid")
	for _, line := range inv.Lines.Data {
		require.True(t, line.Proration)
		require.Equal(t, r.Now().Unix(), line.Period.Start)
		require.Equal(t, sub.CurrentPeriodEnd, line.Period.End)
	}
	require.NotNil(t, inv.Lines.Data[0].ProrationDetails.CreditedItems)
	inOrder(t, r.flush(t), "customer.subscription.updated", "invoice.created", "invoice.finalized", "invoice.paid")
	require.NoError(t, r.AdvanceToRenewal())
	require.Equal(t, int64(9_900), r.subscription(t, sub.ID).LatestInvoice.AmountPaid)
}

func TestUpgradeThatIsNotPaid(t *testing.T) {
	t.Parallel()
	failing := func(t *testing.T) (*rig, *stripe.Subscription) {
		t.Helper()
		r := newRig(t).withCatalogue(t)
		sub := r.subscribe(t, r.starter, sandbox.CardWorks)
		require.NoError(t, r.FailCard(sub.Customer.ID))
		require.NoError(t, r.Advance(day))
		r.flush(t)
		return r, sub
	}
	t.Run("is refused", func(t *testing.T) {
		t.Parallel()
		r, sub := failing(t)
		_, err := r.change(sub, r.pro, "always_invoice", "error_if_incomplete")
		e := refusal(t, err)
		require.Equal(t, 402, e.HTTPStatusCode)
		require.Equal(t, stripe.ErrorTypeCard, e.Type)
		require.Equal(t, stripe.ErrorCodeCardDeclined, e.Code)
		require.Equal(t, r.starter.ID, r.subscription(t, sub.ID).Items.Data[0].Price.ID)
		require.Empty(t, r.flush(t), "nothing happened")
	})
	t.Run("waits and is dropped after 23 hours", func(t *testing.T) {
		t.Parallel()
		r, sub := failing(t)
		changed, err := r.change(sub, r.pro, "always_invoice", "pending_if_incomplete")
		require.NoError(t, err)
		require.Equal(t, r.starter.ID, changed.Items.Data[0].Price.ID)
		require.Equal(t, stripe.SubscriptionStatusActive, changed.Status)
		require.NotNil(t, changed.PendingUpdate)
		require.Equal(t, r.pro.ID, changed.PendingUpdate.SubscriptionItems[0].Price.ID)
		require.Equal(t, stripe.InvoiceStatusOpen, changed.LatestInvoice.Status)
		require.NoError(t, r.Advance(23*time.Hour))
		changed = r.subscription(t, sub.ID)
		require.Nil(t, changed.PendingUpdate)
		require.Equal(t, r.starter.ID, changed.Items.Data[0].Price.ID)
		require.Equal(t, stripe.InvoiceStatusVoid, changed.LatestInvoice.Status)
		inOrder(t, r.flush(t), "invoice.payment_failed", "invoice.voided", "customer.subscription.pending_update_expired")
	})
	t.Run("waits and holds once it is paid", func(t *testing.T) {
		t.Parallel()
		r, sub := failing(t)
		changed, err := r.change(sub, r.pro, "always_invoice", "pending_if_incomplete")
		require.NoError(t, err)
		_, err = r.stripe.Invoices.Pay(changed.LatestInvoice.ID, &stripe.InvoicePayParams{})
		require.Equal(t, 402, refusal(t, err).HTTPStatusCode)
		require.NoError(t, r.MendCard(sub.Customer.ID))
		_, err = r.stripe.Invoices.Pay(changed.LatestInvoice.ID, &stripe.InvoicePayParams{})
		require.NoError(t, err)
		changed = r.subscription(t, sub.ID)
		require.Nil(t, changed.PendingUpdate)
		require.Equal(t, r.pro.ID, changed.Items.Data[0].Price.ID)
		inOrder(t, r.flush(t), "invoice.paid", "customer.subscription.pending_update_applied")
	})
	t.Run("is past due", func(t *testing.T) {
		t.Parallel()
		r, sub := failing(t)
		changed, err := r.change(sub, r.pro, "always_invoice", "")
		require.NoError(t, err)
		require.Equal(t, stripe.SubscriptionStatusPastDue, changed.Status)
		require.Equal(t, r.pro.ID, changed.Items.Data[0].Price.ID)
	})
	t.Run("takes no other change along", func(t *testing.T) {
		t.Parallel()
		r, sub := failing(t)
		params := &stripe.SubscriptionParams{
			Items:           []*stripe.SubscriptionItemsParams{{ID: stripe.String(sub.Items.Data[0].ID), Price: stripe.String(r.pro.ID)}},
			PaymentBehavior: stripe.String("pending_if_incomplete"), Metadata: map[string]string{"a": "b"},
		}
		_, err := r.stripe.Subscriptions.Update(sub.ID, params)
		require.Equal(t, "metadata", refusal(t, err).Param)
	})
}

func TestDowngradeAtOnceIsCreditedLater(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.NoError(t, r.Advance(10*day))
	_, err := r.change(sub, r.starter, "create_prorations", "")
	require.NoError(t, err)
	inOrder(t, r.flush(t), "invoiceitem.created", "invoiceitem.created", "customer.subscription.updated")
	require.Len(t, r.invoices(t, sub.ID), 1, "nothing is charged now")
	var waiting int64
	items := r.stripe.InvoiceItems.List(&stripe.InvoiceItemListParams{Customer: stripe.String(sub.Customer.ID), Pending: stripe.Bool(true)})
	for items.Next() {
		waiting += items.InvoiceItem().Amount
	}
	require.NoError(t, items.Err())
	require.Negative(t, waiting)
	next, err := r.stripe.Invoices.Upcoming(&stripe.InvoiceUpcomingParams{Customer: stripe.String(sub.Customer.ID)})
	require.NoError(t, err)
	require.Equal(t, max(1_900+waiting, 0), next.AmountDue)
	require.NoError(t, r.AdvanceToRenewal())
	inv := r.subscription(t, sub.ID).LatestInvoice
	require.Equal(t, 1_900+waiting, inv.Total)
	require.Zero(t, inv.AmountDue)
	require.Equal(t, stripe.InvoiceStatusPaid, inv.Status)
	cus, err := r.stripe.Customers.Get(sub.Customer.ID, nil)
	require.NoError(t, err)
	require.Equal(t, 1_900+waiting, cus.Balance, "what is left is the customer's")
	require.NoError(t, r.AdvanceToRenewal())
	inv = r.subscription(t, sub.ID).LatestInvoice
	require.Equal(t, max(1_900+cus.Balance, 0), inv.AmountPaid, "and pays the next invoice")
}

func TestChangeWithoutProrationCostsNothingNow(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.NoError(t, r.Advance(10*day))
	changed, err := r.change(sub, r.starter, "none", "")
	require.NoError(t, err)
	require.Equal(t, r.starter.ID, changed.Items.Data[0].Price.ID)
	require.Equal(t, sub.LatestInvoice.ID, changed.LatestInvoice.ID)
	require.NoError(t, r.AdvanceToRenewal())
	require.Equal(t, int64(1_900), r.subscription(t, sub.ID).LatestInvoice.AmountPaid)
}

func TestAnotherIntervalBeginsANewCycle(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.NoError(t, r.Advance(14*day)) // half of February and its day before
	changed, err := r.change(sub, r.proYear, "always_invoice", "error_if_incomplete")
	require.NoError(t, err)
	require.Equal(t, r.Now().Unix(), changed.CurrentPeriodStart)
	require.Equal(t, r.Now().AddDate(1, 0, 0).Unix(), changed.CurrentPeriodEnd)
	require.Equal(t, int64(99_000-4_950), changed.LatestInvoice.AmountPaid)
	require.NoError(t, r.AdvanceToRenewal())
	require.Equal(t, int64(99_000), r.subscription(t, sub.ID).LatestInvoice.AmountPaid)
}

func TestCancellationIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	r.flush(t)
	ending, err := r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{CancelAtPeriodEnd: stripe.Bool(true)})
	require.NoError(t, err)
	require.True(t, ending.CancelAtPeriodEnd)
	_, err = r.stripe.Invoices.Upcoming(&stripe.InvoiceUpcomingParams{Subscription: stripe.String(sub.ID)})
	require.Equal(t, stripe.ErrorCodeInvoiceUpcomingNone, refusal(t, err).Code)
	staying, err := r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{CancelAtPeriodEnd: stripe.Bool(false)})
	require.NoError(t, err)
	require.Zero(t, staying.CancelAt)
	require.NoError(t, r.AdvanceToRenewal())
	require.Equal(t, stripe.SubscriptionStatusActive, r.subscription(t, sub.ID).Status)
}

func TestEndAtAMomentHoldsToTheSecond(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	at := start.Add(5*day + 3*time.Second)
	_, err := r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{CancelAt: stripe.Int64(at.Unix())})
	require.NoError(t, err)
	require.NoError(t, r.AdvanceTo(at.Add(-time.Second)))
	require.Equal(t, stripe.SubscriptionStatusActive, r.subscription(t, sub.ID).Status)
	require.NoError(t, r.Advance(time.Second))
	require.Equal(t, stripe.SubscriptionStatusCanceled, r.subscription(t, sub.ID).Status)
}

func TestEndAtOnceCannotBeRepeated(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	params := &stripe.SubscriptionCancelParams{CancellationDetails: &stripe.SubscriptionCancelCancellationDetailsParams{Comment: stripe.String("too dear")}}
	ended, err := r.stripe.Subscriptions.Cancel(sub.ID, params)
	require.NoError(t, err)
	require.Equal(t, stripe.SubscriptionStatusCanceled, ended.Status)
	require.Equal(t, "too dear", ended.CancellationDetails.Comment)
	_, err = r.stripe.Subscriptions.Cancel(sub.ID, nil)
	require.Equal(t, stripe.ErrorCodeResourceMissing, refusal(t, err).Code)
	_, err = r.change(sub, r.starter, "none", "")
	require.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	_, err = r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{Metadata: map[string]string{"seen": "yes"}})
	require.NoError(t, err, "it can still be marked")
}

func TestTrialIsEndedByHand(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	until := start.Add(20 * day).Unix()
	trial, err := r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{TrialEnd: stripe.Int64(until), ProrationBehavior: stripe.String("none")})
	require.NoError(t, err)
	require.Equal(t, stripe.SubscriptionStatusTrialing, trial.Status)
	require.Equal(t, until, trial.CurrentPeriodEnd)
	require.NoError(t, r.Advance(day))
	_, err = r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{TrialEndNow: stripe.Bool(true)})
	require.NoError(t, err)
	sub = r.subscription(t, sub.ID)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	require.Equal(t, int64(9_900), sub.LatestInvoice.AmountPaid)
	require.Equal(t, r.Now().Unix(), sub.CurrentPeriodStart)
}

func TestScheduleIsReleasedOrEndsTheSubscription(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	made, err := r.stripe.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{FromSubscription: stripe.String(sub.ID)})
	require.NoError(t, err)
	_, err = r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{CancelAtPeriodEnd: stripe.Bool(true)})
	require.Contains(t, refusal(t, err).Msg, made.ID)
	released, err := r.stripe.SubscriptionSchedules.Release(made.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.SubscriptionScheduleStatusReleased, released.Status)
	require.Nil(t, r.subscription(t, sub.ID).Schedule)
	_, err = r.stripe.SubscriptionSchedules.Release(made.ID, nil)
	require.Equal(t, 400, refusal(t, err).HTTPStatusCode)

	made, err = r.stripe.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{FromSubscription: stripe.String(sub.ID)})
	require.NoError(t, err)
	_, err = r.stripe.SubscriptionSchedules.Update(made.ID, &stripe.SubscriptionScheduleParams{EndBehavior: stripe.String("cancel")})
	require.NoError(t, err)
	require.NoError(t, r.AdvanceToRenewal())
	require.Equal(t, stripe.SubscriptionStatusCanceled, r.subscription(t, sub.ID).Status)
	got, err := r.stripe.SubscriptionSchedules.Get(made.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.SubscriptionScheduleStatusCompleted, got.Status)

	other := r.subscribe(t, r.pro, sandbox.CardWorks)
	made, err = r.stripe.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{FromSubscription: stripe.String(other.ID)})
	require.NoError(t, err)
	_, err = r.stripe.SubscriptionSchedules.Cancel(made.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.SubscriptionStatusCanceled, r.subscription(t, other.ID).Status)
}
