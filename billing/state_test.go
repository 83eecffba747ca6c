package billing

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

func TestEveryStateOfASubscriptionHasItsAnswer(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	for name, row := range map[string]struct {
		status string
		renews bool
		change func(sub object, end time.Time)
		want   string
	}{
		"active":                        {statusActive, false, nil, "pro active"},
		"trialing":                      {statusTrialing, false, nil, "pro active"},
		"past due":                      {statusPastDue, true, nil, "pro payment_failed"},
		"unpaid":                        {statusUnpaid, true, nil, "pro payment_failed"},
		"incomplete on a renewal":       {statusIncomplete, true, nil, "pro payment_failed"},
		"incomplete on a first payment": {statusIncomplete, false, nil, "free plan_required"},
		"incomplete and expired":        {"incomplete_expired", false, nil, "free plan_required"},
		"paused":                        {"paused", false, nil, "free plan_required"},
		"canceled":                      {statusCanceled, true, nil, "free plan_required"},
		"a state that nobody knows":     {"frozen", false, nil, "free plan_required"},
		"active, to be canceled":        {statusActive, false, func(o object, end time.Time) { o["cancel_at_period_end"], o["cancel_at"] = true, end.Unix() }, "pro active"},
		"active, canceled by the clock": {statusActive, false, func(o object, _ time.Time) { o["cancel_at"] = time.Now().Add(-time.Minute).Unix() }, "free plan_required"},
		"unpaid, canceled by the clock": {statusUnpaid, true, func(o object, _ time.Time) { o["cancel_at"] = time.Now().Add(-time.Minute).Unix() }, "free plan_required"},
		"active, found by its product":  {statusActive, false, func(o object, _ time.Time) { itemPrice(o)["lookup_key"] = nil }, "pro active"},
		"active, found by its metadata": {statusActive, false, func(o object, _ time.Time) { named(o, "scale") }, "scale active"},
		"active, at a price that is not ours": {statusActive, false, func(o object, _ time.Time) {
			itemPrice(o)["lookup_key"], itemPrice(o)["product"] = "gold", "prod_gold"
		}, "free plan_required"},
	} {
		id := strings.ReplaceAll(name, " ", "_")
		s.owner, s.customer = s.newAccount(t, "free"), "cus_"+id
		s.addCustomer(t, s.owner.Account, s.customer)
		s.began = time.Now().UTC().Truncate(time.Second)
		sub, start, end := s.bought("sub_"+id, "pro", Month)
		sub["status"] = row.status
		if row.renews {
			s.bill("in_renewal"+id, "sub_"+id, "pro", Month, "open", "subscription_cycle", end, addMonths(start, 2))
			sub["latest_invoice"] = "in_renewal" + id
		}
		if row.change != nil {
			row.change(sub, end)
		}
		require.Equal(t, row.want, s.sync(t), name)
		require.Equal(t, row.want, s.sync(t), "%s: said again it is the same", name)
	}
}

func itemPrice(sub object) object {
	return sub["items"].(object)["data"].([]object)[0]["price"].(object)
}

func named(sub object, plan string) {
	itemPrice(sub)["lookup_key"], itemPrice(sub)["metadata"] = nil, object{"plan": plan}
}

func TestAPriceThatIsNotOursLeavesTheAccountAsItWas(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	sub, _, _ := s.bought("sub_a", "pro", Month)
	require.Equal(t, "pro active", s.sync(t))
	itemPrice(sub)["lookup_key"], itemPrice(sub)["product"] = "gold", "prod_gold"
	sub["status"] = statusUnpaid
	require.Equal(t, "pro active", s.sync(t))
	found, err := s.Findings(t.Context())
	require.NoError(t, err)
	require.Equal(t, []Finding{{s.owner.Account, "unknown_price sub_a"}}, found)
	itemPrice(sub)["lookup_key"] = "pro"
	require.Equal(t, "pro payment_failed", s.sync(t))
	found, err = s.Findings(t.Context())
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestAKeyOfAnotherStripeAccountEndsNobodysPlan(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	s.bought("sub_a", "pro", Month)
	require.Equal(t, "pro active", s.sync(t))
	s.customers = map[string]object{}
	require.Equal(t, "pro active", s.sync(t))
	found, err := s.Findings(t.Context())
	require.NoError(t, err)
	require.Equal(t, "unknown_customer cus_a", found[0].What)
	read, err := s.Read(t.Context(), s.owner.Account)
	require.NoError(t, err)
	require.True(t, read.Live())
}

func TestStripeThatIsDownChangesNothing(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"too many requests": 429, "away": 503, "a wrong key": 401} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, database(t))
			sub, _, _ := s.bought("sub_a", "pro", Month)
			require.Equal(t, "pro active", s.sync(t))
			sub["status"] = statusCanceled
			s.fail = func(string, string) int { return status }
			require.Error(t, s.SyncAccount(t.Context(), s.owner.Account))
			require.Equal(t, "pro active", s.standing(t))
			_, _, err := s.Invoices(t.Context(), s.owner.Account)
			require.Equal(t, fault.PaymentServiceUnavailable, fault.CodeOf(err))
			for act, err := range map[string]error{
				"change": s.ChangePlan(t.Context(), s.owner, "scale"), "cancel": s.Cancel(t.Context(), s.owner), "resume": s.Resume(t.Context(), s.owner),
			} {
				require.Equal(t, fault.PaymentServiceUnavailable, fault.CodeOf(err), act)
			}
			read, err := s.Read(t.Context(), s.owner.Account)
			require.NoError(t, err)
			require.True(t, read.Pays())
			s.fail = nil
			require.Equal(t, "free plan_required", s.sync(t), "nothing was left locked")
		})
	}
}

func TestHalfAnAnswerIsNotWritten(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	s.bought("sub_a", "pro", Month)
	s.fail = func(_, path string) int {
		if path == "/v1/invoices" {
			return http.StatusBadGateway
		}
		return 0
	}
	require.Error(t, s.SyncAccount(t.Context(), s.owner.Account))
	require.Equal(t, "free plan_required", s.standing(t))
	require.Empty(t, s.granted(t, s.owner.Account))
}

func TestOfTwoSubscriptionsTheOneThatPaysCountsThenTheOlder(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	old, start, end := s.bought("sub_a", "pro", Month)
	s.addCustomer(t, s.owner.Account, "cus_b")
	young := s.subscribe("sub_b", "cus_b", "starter", Month, statusActive, start.Add(time.Minute), end.Add(time.Minute))
	s.bill("in_sub_b", "sub_b", "starter", Month, "paid", "subscription_create", start.Add(time.Minute), end.Add(time.Minute))
	require.Equal(t, "pro active", s.sync(t))
	require.Equal(t, map[int64]int64{start.Unix(): 10_000}, s.granted(t, s.owner.Account), "one grant, though two are paid")
	found, err := s.Findings(t.Context())
	require.NoError(t, err)
	require.Contains(t, found[0].What, "plan follows sub_a")

	old["status"] = statusPastDue
	require.Equal(t, "starter active", s.sync(t))
	young["status"] = statusCanceled
	require.Equal(t, "pro payment_failed", s.sync(t))
	found, err = s.Findings(t.Context())
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestARenewalIsCollectedWithoutAnHourBetweenPeriods(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	sub, start, end := s.bought("sub_a", "pro", Month)
	require.Equal(t, "pro active", s.sync(t))
	next := addMonths(start, 2)
	s.bill("in_next", "sub_a", "pro", Month, "draft", "subscription_cycle", end, next)
	sub["latest_invoice"], sub["current_period_start"], sub["current_period_end"] = "in_next", end.Unix(), next.Unix()
	require.Equal(t, "pro active", s.sync(t))
	require.Equal(t, map[int64]int64{start.Unix(): 10_000, end.Unix(): 10_000}, s.granted(t, s.owner.Account))
	require.Equal(t, []int{1, 1}, []int{s.count("POST /v1/invoices/in_next/finalize"), s.count("POST /v1/invoices/in_next/pay")})
	require.Equal(t, "pro active", s.sync(t))
	require.Equal(t, 1, s.count("POST /v1/invoices/in_next/pay"))
}

func TestARenewalThatIsHeldBackIsNotCollected(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	sub, start, end := s.bought("sub_a", "pro", Month)
	s.bill("in_next", "sub_a", "pro", Month, "draft", "subscription_cycle", end, addMonths(start, 2))
	sub["latest_invoice"] = "in_next"
	for name, value := range map[string]any{"collection_method": "send_invoice", "pause_collection": object{"behavior": "keep_as_draft"}} {
		sub[name] = value
		require.Equal(t, "pro active", s.sync(t))
		delete(sub, name)
	}
	require.Zero(t, s.count("POST"))
}

func TestAPaidYearGrantsMonthByMonth(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	_, start, end := s.bought("sub_a", "starter", Year)
	require.Equal(t, "starter active", s.sync(t))
	want := map[int64]int64{start.Unix(): 1_000}
	require.Equal(t, want, s.granted(t, s.owner.Account))

	s.clock = addMonths(start, 2).Add(time.Hour)
	require.NoError(t, s.Enforce(t.Context()))
	want[addMonths(start, 1).Unix()], want[addMonths(start, 2).Unix()] = 1_000, 1_000
	require.Equal(t, want, s.granted(t, s.owner.Account))

	// An upgrade in the third month raises that month and those to come.
	inv := s.bill("in_up", "sub_a", "pro", Year, "paid", "subscription_update", s.clock, end)
	inv["lines"].(object)["data"].([]object)[0]["proration"] = true
	back := s.bill("in_back", "sub_a", "scale", Year, "paid", "subscription_update", s.clock, end)
	line := back["lines"].(object)["data"].([]object)[0]
	line["proration"], line["amount"] = true, -100 // what was given back grants nothing
	named(s.subs[0], "pro")
	require.Equal(t, "pro active", s.sync(t))
	want[addMonths(start, 2).Unix()] = 10_000
	require.Equal(t, want, s.granted(t, s.owner.Account))

	s.clock = end.Add(-time.Hour)
	require.NoError(t, s.Enforce(t.Context()))
	require.NoError(t, s.Enforce(t.Context()))
	granted := s.granted(t, s.owner.Account)
	require.Len(t, granted, 12)
	for month := 3; month < 12; month++ {
		require.Equal(t, int64(10_000), granted[addMonths(start, month).Unix()], month)
	}
	s.clock = end.Add(time.Hour)
	require.NoError(t, s.Enforce(t.Context()))
	require.Len(t, s.granted(t, s.owner.Account), 12, "the next year is another payment")
	s.sound(t)
}

func TestAYearThatEndsIsGrantedNoFurther(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	sub, start, _ := s.bought("sub_a", "starter", Year)
	s.sync(t)
	sub["status"] = statusCanceled
	s.sync(t)
	s.clock = addMonths(start, 3)
	require.NoError(t, s.Enforce(t.Context()))
	require.Len(t, s.granted(t, s.owner.Account), 1)
}

func TestMonthsKeepTheirDay(t *testing.T) {
	t.Parallel()
	p := period{start: time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC), end: time.Date(2025, 1, 31, 12, 0, 0, 0, time.UTC), every: Year}
	var days []int
	for _, m := range p.months() {
		days = append(days, m.start.Day())
	}
	require.Equal(t, []int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}, days)
	leap := period{start: time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), end: time.Date(2025, 2, 28, 0, 0, 0, 0, time.UTC), every: Year}
	require.Len(t, leap.months(), 12)
}

func TestAnOverrideOfCreditsWinsOverThePlan(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	credits := int64(123)
	_, err := s.accounts.SetLimits(t.Context(), access.CLI(s.owner.Account), account.Overrides{Credits: &credits})
	require.NoError(t, err)
	_, start, _ := s.bought("sub_a", "pro", Month)
	s.sync(t)
	require.Equal(t, map[int64]int64{start.Unix(): 123}, s.granted(t, s.owner.Account))
	named(s.subs[0], "scale")
	require.Equal(t, "scale active", s.sync(t))
	require.Equal(t, map[int64]int64{start.Unix(): 123}, s.granted(t, s.owner.Account))
}

func TestTwoWorkersNeverCompareOneAccountAtOnce(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	s.bought("sub_a", "pro", Month)
	run, err := s.claim(t.Context(), s.owner.Account)
	require.NoError(t, err)
	again, err := s.Sync(t.Context(), s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, busyWait, again)
	require.Zero(t, s.count("GET"))

	// Its worker died: the claim ends by itself, and what it had read is not written any more.
	_, err = s.db.Exec(t.Context(), `UPDATE billing_sync SET lease_until = now() - interval '1 second'`)
	require.NoError(t, err)
	require.Equal(t, "pro active", s.sync(t))
	_, err = s.keep(t.Context(), s.owner.Account, run, seen{})
	require.ErrorIs(t, err, errOvertaken)
	require.Equal(t, "pro active", s.standing(t))
}

func TestAPlanThatAnOperatorSetMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	s.bought("sub_a", "pro", Month)
	s.fail = func(_, path string) int {
		if strings.HasSuffix(path, "/invoices") {
			_, err := s.accounts.SetPlan(t.Context(), access.CLI(s.owner.Account), "scale")
			require.NoError(t, err)
		}
		return 0
	}
	again, err := s.Sync(t.Context(), s.owner.Account)
	require.NoError(t, err)
	require.Equal(t, busyWait, again)
	require.Equal(t, "scale active", s.standing(t))
}
