package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/billing/sandbox"
)

func TestALifeFromCheckoutToTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	require.Equal(t, "account-1", sub.Metadata["account"])
	inOrder(t, r.flush(t), "customer.subscription.created", "invoice.created", "invoice.finalized", "invoice.paid",
		"invoice.payment_succeeded", "customer.subscription.updated", "checkout.session.completed")

	// A year of renewals, each at the day that the first was, or the last of a shorter month.
	for month := time.February; month <= time.December; month++ {
		want := time.Date(2026, month+1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, -1)
		sub = r.subscription(t, sub.ID)
		require.Equal(t, want, time.Unix(sub.CurrentPeriodEnd, 0).UTC())
		require.NoError(t, r.AdvanceToRenewal())
	}
	paid := r.invoices(t, sub.ID)
	require.Len(t, paid, 12, "more than a page")
	require.Equal(t, stripe.InvoiceBillingReasonSubscriptionCreate, paid[11].BillingReason)
	for i, inv := range paid[:11] {
		require.Equal(t, stripe.InvoiceStatusPaid, inv.Status)
		require.Equal(t, int64(9_900), inv.AmountPaid)
		require.Equal(t, stripe.InvoiceBillingReasonSubscriptionCycle, inv.BillingReason)
		require.Equal(t, inv.PeriodEnd, inv.Lines.Data[0].Period.Start, "a renewal charges the period that begins")
		if i > 0 {
			require.Equal(t, paid[i-1].Lines.Data[0].Period.Start, inv.Lines.Data[0].Period.End)
		}
	}
	require.NotContains(t, r.flush(t), "invoice.payment_failed")

	// The card fails: past due, retries, and paid again once it is mended.
	require.NoError(t, r.FailCard(sub.Customer.ID))
	require.NoError(t, r.AdvanceToRenewal())
	sub = r.subscription(t, sub.ID)
	require.Equal(t, stripe.SubscriptionStatusPastDue, sub.Status)
	require.Equal(t, stripe.InvoiceStatusOpen, sub.LatestInvoice.Status)
	require.Equal(t, int64(1), sub.LatestInvoice.AttemptCount)
	inOrder(t, r.flush(t), "invoice.created", "customer.subscription.updated", "invoice.finalized", "invoice.payment_failed", "customer.subscription.updated")
	require.NoError(t, r.MendCard(sub.Customer.ID))
	require.NoError(t, r.Advance(3*day))
	sub = r.subscription(t, sub.ID)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	require.Equal(t, stripe.InvoiceStatusPaid, sub.LatestInvoice.Status)
	require.Equal(t, int64(2), sub.LatestInvoice.AttemptCount)
	inOrder(t, r.flush(t), "invoice.paid", "customer.subscription.updated")

	r.downgrade(t, sub)
	require.NoError(t, r.AdvanceToRenewal())
	sub = r.subscription(t, sub.ID)
	require.Equal(t, r.starter.ID, sub.Items.Data[0].Price.ID)
	require.Equal(t, int64(1_900), sub.LatestInvoice.AmountPaid)
	require.Len(t, sub.LatestInvoice.Lines.Data, 1, "nothing is prorated at the end of a period")

	// Another period, and the schedule lets go; then the subscription ends with its period.
	require.NoError(t, r.AdvanceToRenewal())
	sub = r.subscription(t, sub.ID)
	require.Nil(t, sub.Schedule)
	sub, err := r.stripe.Subscriptions.Update(sub.ID, &stripe.SubscriptionParams{CancelAtPeriodEnd: stripe.Bool(true)})
	require.NoError(t, err)
	require.Equal(t, sub.CurrentPeriodEnd, sub.CancelAt)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	inOrder(t, r.flush(t), "subscription_schedule.released", "customer.subscription.updated")
	before := len(r.Events())
	require.NoError(t, r.AdvanceToRenewal())
	sub = r.subscription(t, sub.ID)
	require.Equal(t, stripe.SubscriptionStatusCanceled, sub.Status)
	require.Equal(t, sub.CurrentPeriodEnd, sub.EndedAt)
	require.Equal(t, "customer.subscription.deleted", r.Events()[before].Type)
	require.Len(t, r.Events(), before+1, "an end makes no invoice")
	require.NoError(t, r.Advance(90*day))
	require.Len(t, r.Events(), before+1)
}

// downgrade has a subscription become starter with its next period.
func (r *rig) downgrade(t *testing.T, sub *stripe.Subscription) {
	t.Helper()
	made, err := r.stripe.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{FromSubscription: stripe.String(sub.ID)})
	require.NoError(t, err)
	require.Equal(t, sub.CurrentPeriodStart, made.CurrentPhase.StartDate)
	require.Equal(t, r.pro.ID, made.Phases[0].Items[0].Price.ID)
	made, err = r.stripe.SubscriptionSchedules.Update(made.ID, &stripe.SubscriptionScheduleParams{
		EndBehavior: stripe.String("release"),
		Phases: []*stripe.SubscriptionSchedulePhaseParams{
			{
				Items:     []*stripe.SubscriptionSchedulePhaseItemParams{{Price: stripe.String(r.pro.ID), Quantity: stripe.Int64(1)}},
				StartDate: stripe.Int64(made.CurrentPhase.StartDate), EndDate: stripe.Int64(made.CurrentPhase.EndDate),
			},
			{
				Items:             []*stripe.SubscriptionSchedulePhaseItemParams{{Price: stripe.String(r.starter.ID), Quantity: stripe.Int64(1)}},
				Iterations:        stripe.Int64(1),
				ProrationBehavior: stripe.String("none"),
			},
		},
	})
	require.NoError(t, err)
	require.Len(t, made.Phases, 2)
	require.Equal(t, made.Phases[0].EndDate, made.Phases[1].StartDate)
	next, err := r.stripe.Invoices.Upcoming(&stripe.InvoiceUpcomingParams{Subscription: stripe.String(sub.ID)})
	require.NoError(t, err)
	require.Equal(t, int64(1_900), next.AmountDue, "what comes next is known")
}

func TestAPaymentThatNeverComesEndsTheSubscription(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]stripe.SubscriptionStatus{
		sandbox.EndCanceled: stripe.SubscriptionStatusCanceled, sandbox.EndUnpaid: stripe.SubscriptionStatusUnpaid,
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(c *sandbox.Config) { c.End = end }).withCatalogue(t)
			sub := r.subscribe(t, r.pro, sandbox.CardFailsLater)
			require.Equal(t, stripe.SubscriptionStatusActive, sub.Status, "the card pays once")
			require.NoError(t, r.AdvanceToRenewal())
			for attempt, wait := range []time.Duration{3 * day, 5 * day, 7 * day} {
				sub = r.subscription(t, sub.ID)
				require.Equal(t, stripe.SubscriptionStatusPastDue, sub.Status)
				require.Equal(t, int64(attempt+1), sub.LatestInvoice.AttemptCount)
				require.Equal(t, r.Now().Add(wait).Unix(), sub.LatestInvoice.NextPaymentAttempt)
				require.NoError(t, r.Advance(wait))
			}
			sub = r.subscription(t, sub.ID)
			require.Equal(t, want, sub.Status)
			require.Zero(t, sub.LatestInvoice.NextPaymentAttempt)
			if end == sandbox.EndUnpaid {
				require.NoError(t, r.ChangeCard(sub.Customer.ID, sandbox.CardWorks))
				require.Equal(t, stripe.SubscriptionStatusActive, r.subscription(t, sub.ID).Status)
				return
			}
			require.Equal(t, stripe.SubscriptionCancellationDetailsReasonPaymentFailed, sub.CancellationDetails.Reason)
		})
	}
}

func TestRenewalIsADraftForAnHour(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.NoError(t, r.AdvanceTo(time.Unix(sub.CurrentPeriodEnd, 0)))
	next := r.subscription(t, sub.ID)
	require.Equal(t, sub.CurrentPeriodEnd, next.CurrentPeriodStart)
	require.Equal(t, stripe.SubscriptionStatusActive, next.Status, "the period is open before it is paid")
	require.Equal(t, stripe.InvoiceStatusDraft, next.LatestInvoice.Status)
	require.NoError(t, r.Advance(time.Hour-time.Second))
	require.Equal(t, stripe.InvoiceStatusDraft, r.subscription(t, sub.ID).LatestInvoice.Status)
	require.NoError(t, r.Advance(time.Second))
	require.Equal(t, stripe.InvoiceStatusPaid, r.subscription(t, sub.ID).LatestInvoice.Status)
}

func TestTrialEndsInTheFirstPayment(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	session := r.checkout(t, r.customer(t), r.pro, func(p *stripe.CheckoutSessionParams) {
		p.SubscriptionData.TrialPeriodDays = stripe.Int64(14)
	})
	require.NoError(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardWorks}))
	session, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.CheckoutSessionPaymentStatusNoPaymentRequired, session.PaymentStatus)
	sub := r.subscription(t, session.Subscription.ID)
	require.Equal(t, stripe.SubscriptionStatusTrialing, sub.Status)
	require.Equal(t, start.Add(14*day).Unix(), sub.TrialEnd)
	require.Equal(t, sub.TrialEnd, sub.CurrentPeriodEnd)
	require.Zero(t, sub.LatestInvoice.AmountPaid)
	require.Equal(t, stripe.InvoiceStatusPaid, sub.LatestInvoice.Status)
	require.NoError(t, r.AdvanceToRenewal())
	sub = r.subscription(t, sub.ID)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	require.Equal(t, int64(9_900), sub.LatestInvoice.AmountPaid)
	require.Equal(t, start.Add(14*day).AddDate(0, 1, 0).Unix(), sub.CurrentPeriodEnd)
	inOrder(t, r.flush(t), "customer.subscription.created", "customer.subscription.trial_will_end", "customer.subscription.updated", "invoice.paid")
}

func TestTrialWithoutACardPausesAndResumes(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	cus := r.customer(t)
	session := r.checkout(t, cus, r.pro, func(p *stripe.CheckoutSessionParams) {
		p.PaymentMethodCollection = stripe.String("if_required")
		p.SubscriptionData.TrialPeriodDays = stripe.Int64(7)
		p.SubscriptionData.TrialSettings = &stripe.CheckoutSessionSubscriptionDataTrialSettingsParams{
			EndBehavior: &stripe.CheckoutSessionSubscriptionDataTrialSettingsEndBehaviorParams{MissingPaymentMethod: stripe.String("pause")},
		}
	})
	require.NoError(t, r.Pay(session.ID, sandbox.Payer{}))
	session, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	require.NoError(t, r.Advance(8*day))
	sub := r.subscription(t, session.Subscription.ID)
	require.Equal(t, stripe.SubscriptionStatusPaused, sub.Status)
	_, err = r.stripe.Subscriptions.Resume(sub.ID, &stripe.SubscriptionResumeParams{})
	require.Equal(t, 402, refusal(t, err).HTTPStatusCode)
	require.NoError(t, r.ChangeCard(cus.ID, sandbox.CardWorks))
	sub, err = r.stripe.Subscriptions.Resume(sub.ID, &stripe.SubscriptionResumeParams{})
	require.NoError(t, err)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	inOrder(t, r.flush(t), "customer.subscription.paused", "customer.subscription.resumed", "invoice.paid")
}

func TestFirstPaymentThatIsNotConfirmedExpires(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	session := r.checkout(t, r.customer(t), r.pro)
	require.ErrorIs(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardDeclined}), sandbox.ErrDeclined)
	require.ErrorIs(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardNeedsAction}), sandbox.ErrNeedsAction)
	session, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.CheckoutSessionStatusOpen, session.Status)
	sub := r.subscription(t, session.Subscription.ID)
	require.Equal(t, stripe.SubscriptionStatusIncomplete, sub.Status)
	require.Equal(t, stripe.PaymentIntentStatusRequiresAction, sub.LatestInvoice.PaymentIntent.Status)
	inOrder(t, r.flush(t), "customer.subscription.created", "invoice.finalized", "invoice.payment_action_required")
	require.NoError(t, r.Advance(23*time.Hour))
	sub = r.subscription(t, sub.ID)
	require.Equal(t, stripe.SubscriptionStatusIncompleteExpired, sub.Status)
	require.Equal(t, stripe.InvoiceStatusVoid, sub.LatestInvoice.Status)
	inOrder(t, r.flush(t), "invoice.voided", "customer.subscription.updated")
	require.NoError(t, r.Advance(time.Hour))
	require.Contains(t, r.flush(t), "checkout.session.expired")
}

func TestConfirmedPaymentBeginsTheSubscription(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	session := r.checkout(t, r.customer(t), r.pro)
	require.ErrorIs(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardNeedsAction}), sandbox.ErrNeedsAction)
	require.ErrorIs(t, r.Confirm(session.ID, false), sandbox.ErrNotConfirmed)
	require.ErrorIs(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardNeedsAction}), sandbox.ErrNeedsAction)
	require.NoError(t, r.Confirm(session.ID, true))
	session, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.CheckoutSessionStatusComplete, session.Status)
	require.Equal(t, stripe.CheckoutSessionPaymentStatusPaid, session.PaymentStatus)
	sub := r.subscription(t, session.Subscription.ID)
	require.Equal(t, stripe.SubscriptionStatusActive, sub.Status)
	require.Len(t, r.invoices(t, sub.ID), 1, "three tries are one purchase")
	require.NoError(t, r.AdvanceToRenewal())
	require.Equal(t, stripe.SubscriptionStatusActive, r.subscription(t, sub.ID).Status, "the bank asks once")
	require.ErrorIs(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardWorks}), sandbox.ErrNotOpen)
}
