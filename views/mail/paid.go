package mail

import (
	"fmt"
	"time"
)

const whyPayer = "You get this mail since you are an owner or a billing member of the account. "

// PaymentFailed tells that a renewal was not paid.
func PaymentFailed(account, plan, page string) Letter {
	return Letter{
		Subject: "A payment for Veracity failed",
		Heading: "A payment failed",
		Before: []string{
			whichAccount(account) + " could not be renewed: the payment for the plan " + plan + " failed.",
			"Until it is mended, calls answer payment_failed and no key can be made. Keys, results and settings stay as they are.",
			"Usually the card has expired or was declined. Enter another one, and the calls work again as soon as the payment is through.",
		},
		Links: []Link{{"Mend the payment", page}},
		Why:   whyPayer + "If you mean to stop paying, cancel the plan on the same page.",
	}
}

// SubscriptionCanceled tells that the paid plan ends, or has ended where ends is the zero time.
func SubscriptionCanceled(account string, ends time.Time, page string) Letter {
	l := Letter{
		Subject: "Your Veracity plan is cancelled",
		Heading: "Your plan is cancelled",
		Links:   []Link{{"See the plan", page}},
		Why:     whyPayer + "If nobody of yours cancelled it, choose the plan again, and look at the audit trail for who did.",
	}
	if ends.IsZero() {
		l.Subject, l.Heading = "Your Veracity plan has ended", "Your plan has ended"
		l.Before = []string{
			"The paid plan of " + ofAccount(account) + " has ended. Calls answer plan_required from now on, and nothing more is charged.",
			"Keys stay listed, and results stay readable as long as they are kept. Choose a plan, and the keys work again.",
		}
		return l
	}
	l.Before = []string{
		"The paid plan of " + ofAccount(account) + " is cancelled. It works until " + moment(ends) + ", and nothing more is charged.",
		"After that the account is on the free plan: keys stay listed, and calls answer plan_required. Until then the plan can be kept.",
	}
	return l
}

// PlanChanged tells that an account is on another plan, which grants credits a month.
func PlanChanged(account, from, to string, credits int64, page string) Letter {
	return Letter{
		Subject: "Your Veracity plan is now " + to,
		Heading: "Your plan is now " + to,
		Before: []string{
			whichAccount(account) + fmt.Sprintf(" has moved from the plan %s to %s, which comes with %s credits a month.", from, to, thousands(credits)),
			"The limits of the new plan hold from now on.",
		},
		Links: []Link{{"See the plan and its invoices", page}},
		Why:   whyPayer + "If nobody of yours changed it, look at the audit trail for who did.",
	}
}

// ofAccount is whichAccount in the middle of a sentence.
func ofAccount(name string) string {
	if name = quoted(name); name != "" {
		return "the Veracity account " + name
	}
	return "your Veracity account"
}
