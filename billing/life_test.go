package billing

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/account"
	"veracity/account/access"
	"veracity/billing/sandbox"
	"veracity/platform/fault"
)

// lastCheckout is the id of the checkout that was opened last.
func (s *shop) lastCheckout(t *testing.T) string {
	t.Helper()
	list := s.stripe.checkouts.List(&stripe.CheckoutSessionListParams{ListParams: page(t.Context(), 1, true)})
	require.True(t, list.Next(), "%v", list.Err())
	return list.CheckoutSession().ID
}

func TestASubscriptionLivesFromItsPurchaseToItsEnd(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	require.Equal(t, "free plan_required", s.standing(t))

	s.buy(t, "pro")
	require.Equal(t, "free plan_required", s.standing(t), "nobody has said so yet")
	s.settle(t)
	require.Equal(t, "pro active", s.standing(t))
	bought := s.box.Now().Unix()
	require.Equal(t, map[int64]int64{bought: 10_000}, s.granted(t, s.owner.Account))
	require.Equal(t, []string{"plan_changed free"}, s.letters(t))
	read, err := s.Read(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, []any{"pro", "stripe", "active", Month, true, true, true}, []any{read.Plan, read.BilledBy, read.Status, read.Interval, read.Customer, read.Live(), read.Pays()})
	require.Equal(t, addMonths(time.Unix(bought, 0), 1), *read.PeriodEnd)

	key, err := s.accounts.CreateKey(ctx, s.owner, "production")
	require.NoError(t, err)
	_, err = s.accounts.Authenticate(ctx, key.Key)
	require.NoError(t, err)

	require.NoError(t, s.box.FailCard(s.customerID(t)))
	require.NoError(t, s.box.AdvanceToRenewal())
	s.settle(t)
	require.Equal(t, "pro payment_failed", s.standing(t))
	require.Equal(t, map[int64]int64{bought: 10_000}, s.granted(t, s.owner.Account), "a failed renewal opens no period")
	require.Equal(t, []string{"payment_failed "}, s.letters(t))
	_, err = s.accounts.Authenticate(ctx, key.Key)
	require.Equal(t, fault.PaymentFailed, fault.CodeOf(err))
	_, err = s.accounts.CreateKey(ctx, s.owner, "second")
	require.Equal(t, fault.PaymentFailed, fault.CodeOf(err))

	require.NoError(t, s.box.ChangeCard(s.customerID(t), sandbox.CardWorks))
	s.settle(t)
	require.Equal(t, "pro active", s.standing(t))
	require.Len(t, s.granted(t, s.owner.Account), 2)
	_, err = s.accounts.Authenticate(ctx, key.Key)
	require.NoError(t, err)

	require.NoError(t, s.Cancel(ctx, s.owner))
	read, err = s.Read(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, *read.PeriodEnd, *read.CancelAt)
	require.Equal(t, "pro active", s.standing(t))
	require.Equal(t, []string{"subscription_canceled " + read.CancelAt.Format(time.RFC3339)}, s.letters(t))

	require.NoError(t, s.box.AdvanceTo(*read.CancelAt))
	require.NoError(t, s.Enforce(ctx), "the end comes by the clock, whatever becomes of the event")
	require.Equal(t, "free plan_required", s.standing(t))
	_, err = s.accounts.Authenticate(ctx, key.Key)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	require.ErrorContains(t, err, `"free"`)
	s.settle(t)
	require.Equal(t, "free plan_required", s.standing(t))
	require.Empty(t, s.letters(t), "the end was told of before")
	require.Len(t, s.granted(t, s.owner.Account), 2, "not one credit twice")
	s.sound(t)
	require.Equal(t, []string{
		"cli account.created", "user billing.checkout", "system account.plan", "user key.created",
		"system account.payment_failed", "system account.payment_mended", "system account.plan_ends", "user billing.cancelled",
		"system account.plan",
	}, s.acts(t))
}

func TestUpgradeHoldsAtOnceAndDowngradeFromTheNextPeriod(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	s.buy(t, "starter")
	s.settle(t)
	bought := s.box.Now().Unix()
	require.NoError(t, s.box.Advance(10*24*time.Hour))
	_ = s.letters(t)

	require.NoError(t, s.ChangePlan(ctx, s.owner, "scale"))
	require.Equal(t, "scale active", s.standing(t))
	require.Equal(t, map[int64]int64{bought: 75_000}, s.granted(t, s.owner.Account))
	require.Equal(t, []string{"plan_changed starter"}, s.letters(t))

	require.NoError(t, s.ChangePlan(ctx, s.owner, "starter"))
	require.Equal(t, "scale active", s.standing(t), "what is paid for stays")
	read, err := s.Read(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, "starter", read.PendingPlan)
	invoices, next, err := s.Invoices(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Len(t, invoices, 2)
	require.Equal(t, int64(1_900), next.Total)
	require.Equal(t, "upcoming", next.Status)

	// A middle plan is no upgrade from what was paid for, and there and back again costs and grants nothing.
	for _, plan := range []string{"pro", "scale", "starter"} {
		require.NoError(t, s.ChangePlan(ctx, s.owner, plan), plan)
	}
	s.settle(t)
	invoices, _, err = s.Invoices(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Len(t, invoices, 2)
	require.Equal(t, map[int64]int64{bought: 75_000}, s.granted(t, s.owner.Account))

	require.NoError(t, s.box.AdvanceToRenewal())
	s.settle(t)
	require.Equal(t, "starter active", s.standing(t))
	renewed := addMonths(time.Unix(bought, 0), 1).Unix()
	require.Equal(t, map[int64]int64{bought: 75_000, renewed: 1_000}, s.granted(t, s.owner.Account))
	require.Equal(t, []string{"plan_changed scale"}, s.letters(t))
	s.sound(t)
}

func TestUpgradeAfterAPlannedDowngradePaysBackWhatWasPaid(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	s.buy(t, "pro")
	s.settle(t)
	require.NoError(t, s.ChangePlan(t.Context(), s.owner, "starter"))
	require.NoError(t, s.ChangePlan(t.Context(), s.owner, "scale"))
	invoices, _, err := s.Invoices(t.Context(), s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, int64(49_900-9_900), invoices[0].Total, "the whole of pro is taken off, not the starter that was to follow")
	require.Equal(t, "scale active", s.standing(t))
}

func TestUpgradeThatIsNotPaidChangesNothingUntilItIs(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	s.buy(t, "starter")
	s.settle(t)
	require.NoError(t, s.box.Advance(time.Hour))
	require.NoError(t, s.box.FailCard(s.customerID(t)))
	err := s.ChangePlan(t.Context(), s.owner, "pro")
	require.Equal(t, fault.PaymentDeclined, fault.CodeOf(err))
	s.settle(t)
	require.Equal(t, "starter active", s.standing(t))
	require.Equal(t, fault.PlanUnavailable, fault.CodeOf(s.ChangePlan(t.Context(), s.owner, "scale")), "one change at a time")

	require.NoError(t, s.box.MendCard(s.customerID(t)))
	require.NoError(t, s.box.Collect(s.customerID(t)))
	s.settle(t)
	require.Equal(t, "pro active", s.standing(t))
	for _, credits := range s.granted(t, s.owner.Account) {
		require.Equal(t, int64(10_000), credits)
	}
}

func TestTheFirstSubscriptionAloneIsFreeForAWhile(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	s.cfg.TrialDays = 14
	s.buy(t, "starter")
	s.settle(t)
	require.Equal(t, "starter active", s.standing(t))
	began := s.box.Now()
	read, err := s.Read(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, []any{statusTrialing, began.Add(14 * 24 * time.Hour)}, []any{read.Status, *read.PeriodEnd})
	require.NoError(t, s.ChangePlan(ctx, s.owner, "pro"))
	require.Equal(t, "pro active", s.standing(t))
	require.Equal(t, map[int64]int64{began.Unix(): 10_000}, s.granted(t, s.owner.Account))

	require.NoError(t, s.box.AdvanceToRenewal())
	s.settle(t)
	require.Equal(t, "pro active", s.standing(t))
	require.Equal(t, map[int64]int64{began.Unix(): 10_000, began.Add(14 * 24 * time.Hour).Unix(): 10_000}, s.granted(t, s.owner.Account))

	require.NoError(t, s.Cancel(ctx, s.owner))
	require.NoError(t, s.box.AdvanceToRenewal())
	s.settle(t)
	require.Equal(t, "free plan_required", s.standing(t))
	s.buy(t, "starter")
	s.settle(t)
	read, err = s.Read(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, statusActive, read.Status)
	s.sound(t)
}

func TestNothingIsBoughtTwice(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	_, err := s.Checkout(ctx, s.owner, "pro", Month)
	require.NoError(t, err)
	first := s.lastCheckout(t)
	_, err = s.Checkout(ctx, s.owner, "starter", Month)
	require.NoError(t, err)
	second := s.lastCheckout(t)
	s.pay(t, first, sandbox.CardWorks)

	_, err = s.Checkout(ctx, s.owner, "scale", Month)
	require.Equal(t, fault.SubscriptionExists, fault.CodeOf(err))
	require.Equal(t, "pro active", s.standing(t), "the refusal knew more than our rows did")

	// A second tab was paid all the same: the older one counts, and somebody is told.
	require.NoError(t, s.box.Advance(time.Minute))
	s.pay(t, second, sandbox.CardWorks)
	s.settle(t)
	require.Equal(t, "pro active", s.standing(t))
	require.Len(t, s.granted(t, s.owner.Account), 1)
	report, err := s.SyncAll(ctx)
	require.NoError(t, err)
	require.Len(t, report.Findings, 1)
	require.Contains(t, report.Findings[0].What, "two_subscriptions 2 live")
	require.Empty(t, report.Changed)
}

func TestAnOperatorsAccountIsLeftAloneUntilItsOwnerBuys(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	s.owner = s.newAccount(t, "starter")
	require.NoError(t, s.SyncAccount(ctx, s.owner.Account))
	require.Equal(t, "starter active", s.standing(t))
	s.buy(t, "pro")
	s.settle(t)
	require.Equal(t, "pro active", s.standing(t))
	acc, err := s.accounts.Get(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, "stripe", acc.BilledBy)

	require.NoError(t, s.Cancel(ctx, s.owner))
	_, err = s.db.Exec(ctx, `UPDATE subscription SET created_at = created_at - interval '1 hour'`)
	require.NoError(t, err)
	_, err = s.accounts.SetPlan(ctx, access.CLI(s.owner.Account), "scale")
	require.NoError(t, err)
	_, err = s.db.Exec(ctx, `UPDATE account SET plan_set_at = now() + interval '1 hour' WHERE id = $1`, s.owner.Account)
	require.NoError(t, err)
	_, err = s.SyncAll(ctx)
	require.NoError(t, err)
	require.Equal(t, "scale active", s.standing(t))
	require.NoError(t, s.box.AdvanceToRenewal())
	s.settle(t)
	require.NoError(t, s.Enforce(ctx))
	require.Equal(t, "scale active", s.standing(t))
}

func TestClosingAnAccountEndsItsSubscription(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	s.buy(t, "pro")
	s.settle(t)
	_, err := s.accounts.Close(ctx, s.owner)
	require.NoError(t, err)
	require.NoError(t, s.SyncAccount(ctx, s.owner.Account))
	read, err := s.Read(ctx, s.owner.Account)
	require.NoError(t, err)
	require.NotNil(t, read.CancelAt, "an account that is being closed is not charged again")
	_, err = s.Checkout(ctx, s.owner, "pro", Month)
	require.Equal(t, fault.PlanUnavailable, fault.CodeOf(err))

	require.NoError(t, s.Forget(ctx, s.owner.Account))
	require.NoError(t, s.Forget(ctx, s.owner.Account), "twice is once")
	subs, err := s.subscriptions(ctx, s.customerID(t))
	require.NoError(t, err)
	require.Equal(t, statusCanceled, subs[0].status)
}

func TestADeletedCustomerHasNoPlanAndMayBuyAnew(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	s.buy(t, "pro")
	s.settle(t)
	gone := s.customerID(t)
	_, err := s.stripe.customers.Del(gone, &stripe.CustomerParams{Params: get(ctx)})
	require.NoError(t, err)
	s.settle(t)
	require.Equal(t, "free plan_required", s.standing(t))
	require.NoError(t, s.box.Advance(time.Hour))
	s.buy(t, "starter")
	s.settle(t)
	require.Equal(t, "starter active", s.standing(t))
	require.NotEqual(t, gone, s.customerID(t))
	s.sound(t)
}

func TestADisputeIsWrittenDown(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	s.buy(t, "pro")
	s.settle(t)
	require.NoError(t, s.box.Dispute(s.box.LastCharge(s.customerID(t))))
	s.settle(t)
	require.Contains(t, s.acts(t), "system billing.disputed")
	require.Equal(t, "pro active", s.standing(t), "what it means is for a person to say")
}

func TestSetupTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	ctx := t.Context()
	again, err := s.Setup(ctx)
	require.NoError(t, err)
	require.Empty(t, again.Changes)
	require.Len(t, again.Notes, 1, "no endpoint at an address that Stripe cannot reach")

	s.cfg.BaseURL = "https://veracity.example"
	made, err := s.Setup(ctx)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(made.WebhookSecret, "whsec_"), made.WebhookSecret)
	require.Len(t, made.Changes, 2, "the endpoint, and the portal that leads back: %v", made.Changes)
	again, err = s.Setup(ctx)
	require.NoError(t, err)
	require.Empty(t, again.Changes)
	require.Empty(t, again.WebhookSecret)

	// A new price list: who subscribed before keeps the price, and his plan is still known.
	s.buy(t, "pro")
	_, err = s.SyncAll(ctx)
	require.NoError(t, err)
	s.Plans = Plans()
	s.Plans[2].Cents = 12_900
	dearer, err := s.Setup(ctx)
	require.NoError(t, err)
	require.Len(t, dearer.Changes, 2, "%v", dearer.Changes)
	_, err = s.SyncAll(ctx)
	require.NoError(t, err)
	require.Equal(t, "pro active", s.standing(t))
	_, next, err := s.Invoices(ctx, s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, int64(9_900), next.Total)
}

func TestOnlyWhoManagesThePlanActsOnIt(t *testing.T) {
	t.Parallel()
	s := openShop(t, database(t))
	s.buy(t, "pro")
	s.settle(t)
	for _, role := range []access.Role{access.Developer, access.Viewer, ""} {
		by := s.owner
		by.Role = role
		_, checkout := s.Checkout(t.Context(), by, "pro", Month)
		_, portal := s.Portal(t.Context(), by, "")
		for act, err := range map[string]error{
			"checkout": checkout, "portal": portal, "change": s.ChangePlan(t.Context(), by, "scale"),
			"cancel": s.Cancel(t.Context(), by), "resume": s.Resume(t.Context(), by),
			"work again": s.WorkAgain(t.Context(), s.owner, "evt_1"),
		} {
			require.Equal(t, fault.Forbidden, fault.CodeOf(err), "%s %s", role, act)
		}
	}
	billing := s.owner
	billing.Role = access.Billing
	for _, flow := range []string{"", FlowPaymentMethod, FlowCancel} {
		address, err := s.Portal(t.Context(), billing, flow)
		require.NoError(t, err, flow)
		require.True(t, strings.HasPrefix(address, s.box.URL()), address)
	}
	_, err := s.Portal(t.Context(), billing, "update")
	require.Equal(t, fault.InvalidInput, fault.CodeOf(err))
	require.NoError(t, s.Cancel(t.Context(), billing))
	require.NoError(t, s.Resume(t.Context(), billing))
	read, err := s.Read(t.Context(), s.owner.Account)
	require.NoError(t, err)
	require.Nil(t, read.CancelAt)
	require.Equal(t, account.Active, account.State(strings.Fields(s.standing(t))[1]))
	require.Contains(t, s.acts(t), "system account.plan_goes_on")
}
