package mail

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// SignUp proves a new address. It does not tell the name that was entered with it: anybody may enter any address, and
// the name would be a stranger's words in our mail.
func SignUp(link string, holds time.Duration) Letter {
	return Letter{
		Subject: "Confirm your address for Veracity",
		Heading: "Confirm your e-mail address",
		Before:  []string{"Somebody, we hope you, signed up for Veracity with this address. Confirm it, and your account is ready."},
		Links:   []Link{{"Confirm the address", link}},
		After:   []string{works(holds)},
		Why: "You get this mail since your address was entered at sign-up. If it was not you, ignore it: without the confirmation " +
			"no account is made.",
	}
}

// Known answers a sign-up with an address that has an account.
func Known(login, forgot string) Letter {
	return Letter{
		Subject: "You already have a Veracity account",
		Heading: "You already have an account",
		Before:  []string{"Somebody, we hope you, signed up for Veracity with this address. It has an account already, so no new one was made."},
		Links:   []Link{{"Sign in", login}, {"Set a new password", forgot}},
		Why:     "You get this mail since your address was entered at sign-up. If it was not you, ignore it: nothing was changed.",
	}
}

// Reset lets a person set a new password.
func Reset(link string, holds time.Duration) Letter {
	return Letter{
		Subject: "Set a new Veracity password",
		Heading: "Set a new password",
		Before:  []string{"A new password was asked for the Veracity account with this address."},
		Links:   []Link{{"Set a new password", link}},
		After:   []string{works(holds), "The new password signs you out everywhere else. A second factor, if you have one, stays as it is."},
		Why:     "You get this mail since your address was entered at “Forgot password”. If it was not you, ignore it: your password stays as it is.",
	}
}

// Invite asks somebody into an account. Inviter may be empty.
func Invite(account, inviter, role, link string, holds time.Duration) Letter {
	account, inviter = quoted(account), named(inviter)
	into, who := "a Veracity account", "You are invited"
	if account != "" {
		into = "the Veracity account " + account
	}
	if inviter != "" {
		who = inviter + " invites you"
	}
	return Letter{
		Subject: "Join " + into,
		Heading: "You are invited to " + into,
		Before:  []string{who + " to join " + into + " as " + role + "."},
		Links:   []Link{{"See the invitation", link}},
		After:   []string{works(holds) + " It is for this address alone: pass it on to nobody."},
		Why:     "You get this mail since a member of the account entered your address. If you know nothing of it, ignore it: you join nothing unless you accept.",
	}
}

// EmailChange proves the new address of a person.
func EmailChange(link string, holds time.Duration) Letter {
	return Letter{
		Subject: "Confirm your new address for Veracity",
		Heading: "Confirm your new address",
		Before:  []string{"This address was entered as the new one of a Veracity account. Once it is confirmed, you sign in with it, and mails come here."},
		Links:   []Link{{"Confirm the new address", link}},
		After:   []string{works(holds)},
		Why:     "You get this mail since your address was entered on the profile page of an account. If it was not you, ignore it: nothing changes.",
	}
}

// EmailChanged tells the old address. Now may be empty.
func EmailChanged(now string, at time.Time, security string) Letter {
	what := "The address of your Veracity account was changed on " + moment(at) + "."
	if now != "" {
		what = "The address of your Veracity account was changed to " + now + " on " + moment(at) + "."
	}
	return Letter{
		Subject: "The address of your Veracity account was changed",
		Heading: "Your address was changed",
		Before:  []string{what, "From now on you sign in with the new address, and mails go there. If that was you, there is nothing to do."},
		Links:   []Link{{"Look at your security page", security}},
		Why:     "You get this mail since your address belonged to the account until now. If it was not you, tell us at once: somebody else may be in your account.",
	}
}

// Security tells of a change to how a person signs in; what is a sentence.
func Security(subject, what string, at time.Time, security, forgot string) Letter {
	return Letter{
		Subject: subject,
		Heading: subject,
		Before:  []string{what + " It happened on " + moment(at) + ".", "If that was you, there is nothing to do."},
		Links:   []Link{{"Look at your security page", security}, {"It was not me: set a new password", forgot}},
		Why: "You get this mail whenever your way to sign in changes. If it was not you, set a new password at once, and then end " +
			"the sign-ins on the security page that are not yours.",
	}
}

// Credits tells that percent of the period's credits are used; 100 and more is all.
func Credits(percent int, plan string, used, granted int64, resets time.Time, account string) Letter {
	subject := fmt.Sprintf("%d%% of your Veracity credits are used", percent)
	then := "When they are used up, calls that cost credits are refused with quota_exceeded until then."
	if percent >= 100 {
		subject = "Your Veracity credits are used up"
		then = "Until then, calls that cost credits are refused with quota_exceeded. A larger plan grants more at once."
	}
	return Letter{
		Subject: subject,
		Heading: subject,
		Before: []string{
			fmt.Sprintf("Your account is on the plan %s and has used %s of the %s credits of this period.", plan, thousands(used), thousands(granted)),
			"New credits come on " + moment(resets) + ". " + then,
		},
		Links: []Link{{"See your usage", account}},
		Why: "You get this mail since you are an owner or a billing member of the account: once a period at 80 percent, and once at " +
			"100. If you did not expect so much use, look at the usage of each key, and revoke a key that others may have.",
	}
}

// Closing tells that an account will be deleted.
func Closing(account string, closes time.Time, settings string) Letter {
	which := whichAccount(account)
	return Letter{
		Subject: "Your Veracity account will be deleted on " + closes.UTC().Format(dayForm),
		Heading: "Your account will be deleted",
		Before: []string{
			which + " was closed. Its keys have stopped working. On " + moment(closes) + " it is deleted, with its keys, jobs, results and usage.",
			"Until then an owner can keep it: sign in, open the account and choose to keep it.",
		},
		Links: []Link{{"Keep the account", settings}},
		Why:   "You get this mail since you are an owner of the account. If nobody of yours closed it, keep it, and set a new password.",
	}
}

// Closed tells that an account has been deleted.
func Closed(account, home string) Letter {
	return Letter{
		Subject: "Your Veracity account has been deleted",
		Heading: "Your account has been deleted",
		Before:  []string{whichAccount(account) + " has been deleted, with its keys, jobs, results and usage. This cannot be undone."},
		Links:   []Link{{"Open Veracity", home}},
		Why:     "You get this last mail since you were an owner of the account, which was closed some time ago. There is nothing to do.",
	}
}

func whichAccount(name string) string {
	if name = quoted(name); name != "" {
		return "The Veracity account " + name
	}
	return "Your Veracity account"
}

func works(holds time.Duration) string {
	return "The link works once, for " + span(holds) + "."
}

// span is a time in the largest unit that it is a whole number of.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"day", day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		n := d / unit.long
		switch {
		case n == 1 && d == unit.long && unit.long == day:
			return "24 hours"
		case n == 1 && d == unit.long:
			return "1 " + unit.name
		case n > 1 && d%unit.long == 0:
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}

const (
	dayForm    = "2 January 2006"
	momentForm = "2 January 2006 at 15:04 UTC"
)

func moment(t time.Time) string { return t.UTC().Format(momentForm) }

// thousands writes a number with separators.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// maxName is how much of a name a mail shows, in characters.
const maxName = 60

// named is a name that somebody else chose, made fit for a mail to a stranger: one line without controls or marks that
// turn the writing round, short, and nothing at all when it holds an address to lure the reader to.
func named(name string) string {
	name = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)), " ")
	lower := strings.ToLower(name)
	if strings.Contains(lower, "://") || strings.Contains(lower, "www.") {
		return ""
	}
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}

// quoted is named in quotation marks, or nothing.
func quoted(name string) string {
	if name = named(name); name == "" {
		return ""
	}
	return "“" + name + "”"
}
