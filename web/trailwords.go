package web

import (
	"maps"
	"slices"
	"strings"
	"time"

	"veracity/account/trail"
	"veracity/views"
)

// Acts whose words depend on how they were done.
const (
	signedIn     = "sign_in.opened"
	signInFailed = "sign_in.failed"
)

// sentences say what an act was. Words in braces stand for the act's details.
var sentences = map[string]string{
	"account.created":        "Created the account on the plan {plan}",
	"account.renamed":        "Renamed the account from “{from}” to “{to}”",
	"account.plan":           "Moved the account from the plan {from} to {to}",
	"account.suspended":      "Suspended the account",
	"account.resumed":        "Lifted the account's suspension",
	"account.closing":        "Closed the account, to be deleted on {deleted_at}",
	"account.reopened":       "Kept the account that was being closed",
	"account.deleted":        "Deleted the account with all its data",
	"account.payment_failed": "A payment for the plan {plan} failed",
	"account.payment_mended": "The payment for the plan {plan} was mended",
	"account.plan_ends":      "The plan {plan} was cancelled and ends at {at}",
	"account.plan_goes_on":   "The plan {plan} goes on after all",
	"billing.checkout":       "Began to buy the plan {plan}",
	"billing.plan_asked":     "Asked for the plan {to} in place of {from}",
	"billing.cancelled":      "Cancelled the plan {plan}",
	"billing.resumed":        "Kept the plan {plan} that was cancelled",
	"billing.event_again":    "Had an event of the payment service worked again",
	"billing.disputed":       "A payment is disputed: the bank may take it back",
	"key.created":            "Created a key",
	"key.revoked":            "Revoked a key",
	"member.joined":          "Joined the account as {role}",
	"member.left":            "Left the account",
	"member.removed":         "Removed a member, who was {role}",
	"member.role":            "Changed a role from {from} to {to}",
	"invite.created":         "Invited somebody as {role}",
	"invite.resent":          "Sent an invite as {role} again",
	"invite.withdrawn":       "Withdrew an invite",
	"webhook.redelivered":    "Sent a webhook again",
	"operator.granted":       "Made somebody an operator",
	"operator.revoked":       "Took the operator's rights from somebody",
	"queues.changed":         "Acted on the queues: {method} {path}",
	"user.signed_up":         "Signed up",
	"sign_in.ended":          "Ended a sign-in",
	"sign_in.others_ended":   "Ended all other sign-ins",
	"password.changed":       "Changed the password",
	"password.reset":         "Reset the password",
	"password.refused":       "Entered a wrong password to confirm an act",
	"totp.added":             "Set up an authenticator app",
	"totp.removed":           "Removed the authenticator app",
	"passkey.added":          "Added a passkey",
	"passkey.removed":        "Removed a passkey",
	"recovery_codes.made":    "Made new recovery codes",
	"recovery_code.used":     "Used a recovery code",
	"email.change_asked":     "Asked for another address",
	"email.changed":          "Changed the address",
}

// limitNames are the words of a change of limits.
var limitNames = map[string]string{"credits": "credits", "rpm": "requests a minute", "jobs": "jobs at once", "keys": "keys"}

// tell says what an act was, in a sentence without a full stop. Of an act without a sentence it says its name and its
// details.
func tell(e trail.Entry) string {
	switch e.Act {
	case "account.limits":
		return "Set limits: " + details(e.Detail, func(name string) string { return limitNames[name] })
	case "switch.changed":
		verb := "Paused "
		if e.Detail["on"] == "true" {
			verb = "Resumed "
		}
		return verb + e.Subject + ": " + e.Detail["reason"]
	case signedIn:
		return "Signed in by " + strings.ToLower(methodWords(e.Subject))
	case signInFailed:
		return "A sign-in by " + strings.ToLower(methodWords(e.Detail["step"])) + " failed"
	}
	text, ok := sentences[e.Act]
	if !ok {
		text = views.Capital(strings.NewReplacer(".", ": ", "_", " ").Replace(e.Act))
		if more := details(e.Detail, nil); more != "" {
			text += " (" + more + ")"
		}
		return text
	}
	// One pass, so that a detail with braces in it stays as it is.
	pairs := make([]string, 0, 2*len(e.Detail))
	for name, value := range e.Detail {
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			value = at.UTC().Format("2 Jan 2006, 15:04") + " UTC"
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// details lists names and values, in the order of the names.
func details(d map[string]string, named func(string) string) string {
	parts := make([]string, 0, len(d))
	for _, name := range slices.Sorted(maps.Keys(d)) {
		word := name
		if named != nil && named(name) != "" {
			word = named(name)
		}
		parts = append(parts, word+" "+d[name])
	}
	return strings.Join(parts, ", ")
}

// who names the doer of an act.
func who(e trail.Entry) string {
	switch {
	case e.UserEmail != "" && e.Actor == "operator":
		return e.UserEmail + " (operator)"
	case e.UserEmail != "":
		return e.UserEmail
	case e.Actor == "cli":
		return "Operator, at the command line"
	case e.Actor == "operator":
		return "An operator"
	case e.Act == signInFailed:
		return "Somebody unknown"
	case e.Actor == "system":
		return "The service"
	}
	return "A person who is gone"
}
