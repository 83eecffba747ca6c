package letter

import (
	"context"
	"fmt"
	"strconv"

	"veracity/account"
	"veracity/platform/mail"
	views "veracity/views/mail"
)

// changes are the subjects and sentences of letters about sign-in, by the word that package signin gives them.
var changes = map[string]struct{ subject, what string }{
	"password": {
		"Your Veracity password was changed",
		"The password of your Veracity account was changed.",
	},
	"totp_added": {
		"An authenticator app was added to your Veracity account",
		"Signing in to your Veracity account now takes a code from an authenticator app.",
	},
	"totp_removed": {
		"The authenticator app was removed from your Veracity account",
		"Signing in to your Veracity account no longer takes a code from an authenticator app.",
	},
	"passkey_added": {
		"A passkey was added to your Veracity account",
		"A passkey was added, with which one can sign in to your Veracity account.",
	},
	"passkey_removed": {
		"A passkey was removed from your Veracity account",
		"A passkey was removed from your Veracity account and no longer signs in to it.",
	},
	"recovery_codes": {
		"New recovery codes for your Veracity account",
		"New recovery codes were made for your Veracity account. The old ones no longer work.",
	},
	"recovery_code_used": {
		"A recovery code of your Veracity account was used",
		"Somebody signed in to your Veracity account with one of its recovery codes. That code is used up.",
	},
}

// change is what a letter about sign-in says; a word of a newer release gets the general sentence.
func change(word string) (subject, what string) {
	if c, ok := changes[word]; ok {
		return c.subject, c.what
	}
	return "Your Veracity sign-in was changed", "The way to sign in to your Veracity account was changed."
}

func (p *Post) credits(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	percent, err := strconv.Atoi(l.Detail)
	if err != nil || percent < 1 {
		return "", views.Letter{}, fmt.Errorf("%q is no percentage of credits: %w", l.Detail, mail.ErrPermanent)
	}
	found, err := p.find(ctx, l.Account)
	if err != nil {
		return "", views.Letter{}, err
	}
	balance, err := p.Balance(ctx, l.Account)
	if err != nil {
		return "", views.Letter{}, err
	}
	// Late letters must not frighten: by then a new period may have begun, or a larger plan.
	if balance.ResetsAt == nil || balance.Granted == 0 || (balance.Granted-balance.Available)*100 < int64(percent)*balance.Granted {
		return "", views.Letter{}, errNothing
	}
	written := views.Credits(percent, found.Plan, balance.Granted-balance.Available, balance.Granted, *balance.ResetsAt, p.BaseURL+"/account/usage")
	return l.To, written, nil
}

func (p *Post) closing(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	found, err := p.find(ctx, l.Account)
	if err != nil {
		return "", views.Letter{}, err
	}
	if found.ClosesAt == nil {
		return "", views.Letter{}, errNothing
	}
	return l.To, views.Closing(found.Name, *found.ClosesAt, p.BaseURL+"/account/settings"), nil
}
