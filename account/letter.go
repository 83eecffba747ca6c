package account

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Letter asks for a mail. It carries no secret: a link's token is made by whoever sends the mail, when it is sent.
type Letter struct {
	Name LetterName `json:"name"`
	// To is the address; the sender looks up what else the mail says.
	To string `json:"to"`
	// Subject is what the mail is about: a sign-up, an invite, an e-mail change or a user, by Name.
	Subject uuid.UUID `json:"subject,omitzero"`
	Account uuid.UUID `json:"account,omitzero"`
	// Detail is a word or number that the mail mentions, such as the percentage of credits used.
	Detail string `json:"detail,omitempty"`
}

// Kind names the job in the queue's tables.
func (Letter) Kind() string { return "letter" }

// LetterName says which mail it is.
type LetterName string

// The mails.
const (
	// LetterSignUp goes to a new address with a link that proves it, and to a known one with the advice to sign in.
	LetterSignUp LetterName = "sign_up"
	// LetterReset goes to a known address with a link to set a new password; to an unknown one nothing goes.
	LetterReset LetterName = "reset"
	// LetterInvite asks somebody into an account.
	LetterInvite LetterName = "invite"
	// LetterEmailChange proves a new address; LetterEmailChanged tells the old one.
	LetterEmailChange  LetterName = "email_change"
	LetterEmailChanged LetterName = "email_changed"
	// LetterSecurity tells of a changed password or second factor; Detail says what in a word.
	LetterSecurity LetterName = "security"
	// LetterCredits tells that Detail percent of the period's credits are used.
	LetterCredits LetterName = "credits"
	// LetterClosing tells that the account will be deleted, LetterClosed that it has been; Detail is the account's name.
	LetterClosing LetterName = "closing"
	LetterClosed  LetterName = "closed"
	// LetterPaymentFailed tells that the account's calls are refused until its payment is mended.
	LetterPaymentFailed LetterName = "payment_failed"
	// LetterSubscriptionCanceled tells that the paid plan ends at Detail, a time as of RFC 3339, or has ended where Detail
	// is empty.
	LetterSubscriptionCanceled LetterName = "subscription_canceled"
	// LetterPlanChanged tells that the account has moved from the plan Detail to the one that it is on.
	LetterPlanChanged LetterName = "plan_changed"
)

// Inserter puts a job on its queue in the transaction that writes what it is about.
type Inserter interface {
	Insert(ctx context.Context, tx pgx.Tx, job interface{ Kind() string }) error
}
