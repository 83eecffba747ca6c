package billing

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"
	"pgregory.net/rapid"

	"veracity/billing/sandbox"
)

// life is one account whose subscription a test leads through its years, and beside it the model: what the account must be.
type life struct {
	*shop
	t  *testing.T
	rt *rapid.T

	// plan is what the subscription is for, paid what the running period was paid for; empty without a subscription.
	plan, paid string
	// owes tells that the renewal has failed.
	owes bool
	// ends tells that it is cancelled at the end of its period.
	ends bool
	// pending is an upgrade that waits for its payment.
	pending string
	// cardOK tells whether the bank pays.
	cardOK bool
	anchor time.Time
	months int
	// credits are what each paid period grants, by its start.
	credits map[int64]int64
	// seen are events that have come.
	seen []string
}

var paidPlans = []string{"starter", "pro", "scale"}

// TestAccountFollowsItsPaymentsWhateverBecomesOfTheEvents leads subscriptions through random lives while their events come
// twice, late, in any order, or never. Whenever all is compared, plan, state and credits are the model's; and at no time has
// a credit been granted that the model does not have.
func TestAccountFollowsItsPaymentsWhateverBecomesOfTheEvents(t *testing.T) {
	t.Parallel()
	db := database(t)
	rapid.Check(t, func(rt *rapid.T) {
		// What one life left, and events on their way, belong to nobody in the next.
		for _, table := range []string{"outbox", "stripe_event", "account"} {
			_, err := db.Exec(t.Context(), `DELETE FROM `+table)
			require.NoError(rt, err)
		}
		l := &life{shop: openShop(t, db), t: t, rt: rt, credits: map[int64]int64{}, cardOK: true}
		for range rapid.IntRange(3, 14).Draw(rt, "steps") {
			l.faults()
			l.step()
			l.mail()
			l.never()
			if rapid.IntRange(0, 2).Draw(rt, "compare") == 0 {
				l.compare()
			}
		}
		l.compare()
		require.NoError(rt, l.box.Close(t.Context()))
	})
}

// faults decides what becomes of the next events.
func (l *life) faults() {
	few := rapid.IntRange(0, 3)
	require.NoError(l.rt, l.box.SetFaults(sandbox.Faults{
		Double: few.Draw(l.rt, "double"), Drop: few.Draw(l.rt, "drop"), Delay: few.Draw(l.rt, "delay"), Reorder: few.Draw(l.rt, "reorder"),
	}))
}

// step does one thing that can happen now.
func (l *life) step() {
	acts := map[string]func(){}
	switch {
	case l.plan == "":
		acts["buy"] = l.buyAny
		acts["time"] = func() { l.advance(time.Duration(rapid.IntRange(1, 40).Draw(l.rt, "days")) * 24 * time.Hour) }
	case l.owes:
		acts["mend"], acts["abandon"], acts["cancel"] = l.mend, l.abandon, l.cancelOwing
	default:
		acts["card"] = l.turnCard
		acts["cancel"], acts["renew"], acts["time"] = l.cancelOrResume, l.renew, func() { l.advance(time.Hour) }
		if !l.ends && l.pending == "" {
			acts["change"] = l.change
		}
	}
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(acts))).Draw(l.rt, "act")
	acts[name]()
}

func (l *life) advance(d time.Duration) { require.NoError(l.rt, l.box.Advance(d)) }

// grant is the model's: a paid period grants the largest plan that was paid for it, once.
func (l *life) grant() {
	plan, _ := l.Plans.find(l.paid)
	start := addMonths(l.anchor, l.months).Unix()
	l.credits[start] = max(l.credits[start], plan.Credits)
}

func (l *life) buyAny() {
	l.advance(time.Minute) // two purchases within a second are one period
	plan := rapid.SampledFrom(paidPlans).Draw(l.rt, "plan")
	customer, first, err := l.buyer(l.t.Context(), l.owner.Account)
	require.NoError(l.rt, err)
	price, err := l.price(l.t.Context(), plan, Month)
	require.NoError(l.rt, err)
	opened, err := l.stripe.checkouts.New(l.checkoutParams(l.t.Context(), l.owner.Account, customer, price, plan, first))
	require.NoError(l.rt, err)
	if rapid.Bool().Draw(l.rt, "declined first") {
		require.ErrorIs(l.rt, l.box.Pay(opened.ID, sandbox.Payer{Email: "a@example.com", Name: "Ada", Card: sandbox.CardDeclined}), sandbox.ErrDeclined)
	}
	require.NoError(l.rt, l.box.Pay(opened.ID, sandbox.Payer{Email: "a@example.com", Name: "Ada", Card: sandbox.CardWorks}))
	l.plan, l.paid, l.anchor, l.months, l.cardOK, l.ends, l.owes, l.pending = plan, plan, l.box.Now(), 0, true, false, false, ""
	l.grant()
}

// live is the subscription as Stripe has it.
func (l *life) live() sub {
	subs, err := l.subscriptions(l.t.Context(), l.customerID(l.t))
	require.NoError(l.rt, err)
	i := slices.IndexFunc(subs, func(s sub) bool { return !s.over() })
	require.GreaterOrEqual(l.rt, i, 0)
	return subs[i]
}

// change is made at Stripe without our rows knowing of it.
func (l *life) change() {
	to := rapid.SampledFrom(paidPlans).Draw(l.rt, "to")
	if to == l.plan {
		return
	}
	if l.Plans.rank(to) <= l.Plans.rank(l.paid) {
		require.NoError(l.rt, l.setPrice(l.t.Context(), l.live(), to))
		l.plan = to
		return
	}
	err := l.upgrade(l.t.Context(), l.live(), l.paid, to)
	if !l.cardOK {
		require.Error(l.rt, err)
		l.plan, l.pending = l.paid, to
		return
	}
	require.NoError(l.rt, err)
	l.plan, l.paid = to, to
	l.grant()
}

func (l *life) turnCard() {
	l.cardOK = !l.cardOK
	if !l.cardOK {
		require.NoError(l.rt, l.box.FailCard(l.customerID(l.t)))
		return
	}
	require.NoError(l.rt, l.box.MendCard(l.customerID(l.t)))
	require.NoError(l.rt, l.box.Collect(l.customerID(l.t)))
	if l.pending != "" {
		l.plan, l.paid, l.pending = l.pending, l.pending, ""
		l.grant()
	}
}

func (l *life) cancelOrResume() {
	if l.pending != "" {
		return
	}
	l.ends = !l.ends
	require.NoError(l.rt, l.cancelAtEnd(l.t.Context(), l.live().id, l.ends))
}

// renew goes to the end of the period and the hour after it, in which the renewal is collected by Stripe or by us.
func (l *life) renew() {
	l.pending = "" // it has expired by then
	end := addMonths(l.anchor, l.months+1)
	require.NoError(l.rt, l.box.AdvanceTo(end))
	if l.ends {
		l.over()
		return
	}
	if rapid.Bool().Draw(l.rt, "events between") {
		l.mail()
	}
	if rapid.Bool().Draw(l.rt, "compared between") {
		_, err := l.SyncAll(l.t.Context())
		require.NoError(l.rt, err)
	}
	l.advance(61 * time.Minute)
	l.months++
	l.paid = l.plan
	if l.owes = !l.cardOK; !l.owes {
		l.grant()
	}
}

func (l *life) mend() {
	require.NoError(l.rt, l.box.MendCard(l.customerID(l.t)))
	require.NoError(l.rt, l.box.Collect(l.customerID(l.t)))
	l.cardOK, l.owes = true, false
	l.grant()
}

// abandon lets Stripe try until it gives up.
func (l *life) abandon() {
	l.advance(20 * 24 * time.Hour)
	l.over()
}

func (l *life) cancelOwing() {
	require.NoError(l.rt, l.cancelNow(l.t.Context(), l.live().id))
	l.over()
}

func (l *life) over() { l.plan, l.paid, l.owes, l.ends, l.pending = "", "", false, false, "" }

// mail lets events come in some order, some of them twice, and works some of what they queue.
func (l *life) mail() {
	pending := l.box.Pending()
	ids := make([]string, 0, len(pending))
	for _, e := range pending {
		if rapid.IntRange(0, 3).Draw(l.rt, "comes") > 0 {
			ids = append(ids, e.ID)
		}
	}
	l.seen = append(l.seen, ids...)
	if len(l.seen) > 0 && rapid.Bool().Draw(l.rt, "an old one again") {
		ids = append(ids, rapid.SampledFrom(l.seen).Draw(l.rt, "which"))
	}
	if len(ids) > 0 {
		require.NoError(l.rt, l.box.Post(l.t.Context(), rapid.Permutation(ids).Draw(l.rt, "order")...))
	}
	if rapid.IntRange(0, 3).Draw(l.rt, "worked") > 0 {
		l.work(l.t)
	}
}

// never holds at all times: no credit that was not paid for, and none twice.
func (l *life) never() {
	for start, credits := range l.granted(l.t, l.owner.Account) {
		require.LessOrEqual(l.rt, credits, l.credits[start], "period of %s", time.Unix(start, 0).UTC())
	}
}

// want is what the account must be.
func (l *life) want() string {
	switch {
	case l.plan == "":
		return "free plan_required"
	case l.owes:
		return l.plan + " payment_failed"
	}
	return l.paid + " active"
}

func (l *life) compare() {
	_, err := l.SyncAll(l.t.Context())
	require.NoError(l.rt, err)
	require.NoError(l.rt, l.Enforce(l.t.Context()))
	require.Equal(l.rt, l.want(), l.standing(l.t))
	l.never()
	if l.plan != "" && !l.owes {
		start := addMonths(l.anchor, l.months).Unix()
		require.Equal(l.rt, l.credits[start], l.granted(l.t, l.owner.Account)[start], "the running period")
	}
	l.sound(l.t)
	list := l.stripe.invoices.List(&stripe.InvoiceListParams{ListParams: page(l.t.Context(), 1, true), Status: stripe.String("draft")})
	require.False(l.rt, list.Next(), "no renewal is left lying: %v", fmt.Sprint(list.Err()))
}
