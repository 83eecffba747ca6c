package web

import (
	"context"
	"net/url"
	"strings"
	"time"

	"veracity/billing"
	"veracity/views"
)

// invoiceWait bounds the question for invoices, so that a payment service that hangs keeps no page waiting.
const invoiceWait = 3 * time.Second

// planInvoices asks the payment service. The rest of the page does without it.
func (p *Portal) planInvoices(ctx context.Context, v *Visitor, paid billing.Billing) views.Invoices {
	if !paid.Customer {
		return views.Invoices{}
	}
	shown := views.Invoices{Shown: true}
	ctx, cancel := context.WithTimeout(ctx, invoiceWait)
	defer cancel()
	written, next, err := p.Billing.Invoices(ctx, v.Account)
	if err != nil {
		p.Log.WarnContext(ctx, "read invoices", "account", v.Account, "error", err)
		shown.Down = "The payment service does not answer just now, so its invoices cannot be shown. Your plan and your calls do not depend on that. Look again in a moment."
		return shown
	}
	if next != nil {
		shown.Next = nextInvoice(*next, paid)
	}
	for _, i := range written {
		shown.Rows = append(shown.Rows, invoiceRow(i))
	}
	return shown
}

func nextInvoice(i billing.Invoice, paid billing.Billing) *views.NextInvoice {
	next := &views.NextInvoice{Amount: money(i.Total, i.Currency), At: i.CreatedAt}
	switch {
	case i.PaysAt != nil:
		next.At = *i.PaysAt
	case paid.PeriodEnd != nil:
		next.At = *paid.PeriodEnd
	}
	return next
}

// invoiceWords are Stripe's words for how an invoice stands (API 2024-06-20, Invoice.status).
var invoiceWords = map[string]struct{ word, kind string }{
	"draft":         {"Being written", ""},
	"open":          {"To be paid", "warn"},
	"paid":          {"Paid", "good"},
	"uncollectible": {"Not collected", "bad"},
	"void":          {"Void", ""},
}

func invoiceRow(i billing.Invoice) views.Invoice {
	row := views.Invoice{
		Number: i.Number, Amount: money(i.Total, i.Currency), At: i.CreatedAt, Status: views.Capital(i.Status),
		Href: elsewhere(i.Page), File: elsewhere(i.PDF), ToPay: i.Status == "open" && i.Due > 0,
	}
	if said, ok := invoiceWords[i.Status]; ok {
		row.Status, row.Kind = said.word, said.kind
	}
	return row
}

// elsewhere is an address outside of the portal that may stand in a page; any other is none.
func elsewhere(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return ""
	}
	return address
}

// money is an amount in the smallest unit of a currency. All prices here are in dollars; another currency, from a price
// that somebody made by hand, is named.
func money(amount int64, currency string) string {
	sign := ""
	if amount < 0 {
		sign, amount = "−", -amount
	}
	if strings.EqualFold(currency, "usd") {
		return sign + views.Dollars(amount)
	}
	return sign + views.Count(amount) + " " + strings.ToUpper(currency) + " (smallest unit)"
}
