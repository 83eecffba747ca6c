package letter

import (
	"context"
	"fmt"
	"time"

	"veracity/account"
	"veracity/platform/mail"
	views "veracity/views/mail"
)

// planPage is where a plan is looked at and changed.
const planPage = "/account/plan"

// paymentFailed is dropped when the payment was mended before the letter went out.
func (p *Post) paymentFailed(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	found, err := p.find(ctx, l.Account)
	if err != nil {
		return "", views.Letter{}, err
	}
	if found.State != account.PaymentFailed {
		return "", views.Letter{}, errNothing
	}
	return l.To, views.PaymentFailed(found.Name, found.Plan, p.BaseURL+planPage), nil
}

func (p *Post) subscriptionCanceled(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	var ends time.Time
	if l.Detail != "" {
		var err error
		if ends, err = time.Parse(time.RFC3339, l.Detail); err != nil {
			return "", views.Letter{}, fmt.Errorf("%q is no end of a plan: %w", l.Detail, mail.ErrPermanent)
		}
	}
	found, err := p.find(ctx, l.Account)
	if err != nil {
		return "", views.Letter{}, err
	}
	return l.To, views.SubscriptionCanceled(found.Name, ends, p.BaseURL+planPage), nil
}

// planChanged is dropped when the account is back on the plan that it came from.
func (p *Post) planChanged(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	found, err := p.find(ctx, l.Account)
	if err != nil {
		return "", views.Letter{}, err
	}
	if found.Plan == l.Detail {
		return "", views.Letter{}, errNothing
	}
	return l.To, views.PlanChanged(found.Name, l.Detail, found.Plan, found.Limits.Credits, p.BaseURL+planPage), nil
}
