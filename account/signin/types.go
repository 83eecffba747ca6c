package signin

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"veracity/account/access"
)

// NewPerson is what a person enters to sign up.
type NewPerson struct {
	Email string
	// Name may be empty.
	Name     string
	Password string
}

// Pending is a sign-up whose address is being proved.
type Pending struct {
	ID    uuid.UUID
	Email string
}

// Proof shows that whoever opens the link is who signed up: the sign-up's id from this browser's session, or the
// password that was chosen.
type Proof struct {
	SignUp   uuid.UUID
	Password string
}

// Factor is a second step of signing in.
type Factor string

// The second steps.
const (
	FactorTOTP     Factor = "totp"
	FactorPasskey  Factor = "passkey"
	FactorRecovery Factor = "recovery"
)

// Started is a sign-in whose password was right. Without Factors it is complete; else one of them must follow.
type Started struct {
	User    uuid.UUID
	Factors []Factor
	// Stamp tells the password that was shown from any later one, for [People.OpenStarted].
	Stamp string
}

// Opened is a browser that is signed in. Device goes into the device cookie, which outlives the sign-in.
type Opened struct {
	SignIn uuid.UUID
	Device string
}

// User is a person.
type User struct {
	ID    uuid.UUID
	Email string
	Name  string
	// Operator marks who runs the service.
	Operator    bool
	HasPassword bool
	// SecondFactor tells that TOTP or a passkey is set up.
	SecondFactor bool
	CreatedAt    time.Time
}

// Belonging is an account that a person belongs to.
type Belonging struct {
	ID   uuid.UUID
	Name string
	Role access.Role
}

// Visit is one request of a browser that is signed in.
type Visit struct {
	SignIn uuid.UUID
	User   User
	// Account is nil, and Role empty, for a person who belongs to none.
	Account uuid.UUID
	Role    access.Role
	// Accounts are all that the person belongs to, the longest membership first.
	Accounts []Belonging
}

// SignIn is a browser in the list of those signed in.
type SignIn struct {
	ID        uuid.UUID
	Method    string
	Address   string
	Agent     string
	CreatedAt time.Time
	SeenAt    time.Time
}

// Challenge is a WebAuthn ceremony that has begun. Options is the JSON that the browser's call takes. State belongs in
// the session, and is dropped with its first use.
type Challenge struct {
	Options json.RawMessage
	State   []byte
}

// TOTP is a secret to be entered in an authenticator app.
type TOTP struct {
	// Secret is base32, for typing.
	Secret string
	// URL is the otpauth:// form.
	URL string
	// QR is URL as a PNG of 240 by 240 pixels.
	QR []byte
}

// Passkey is one in the list of a person's.
type Passkey struct {
	ID         []byte
	Name       string
	CreatedAt  time.Time
	LastUsedAt *time.Time
}

// Factors tells which second steps a person has set up.
type Factors struct {
	TOTP         bool
	Passkeys     int
	RecoveryLeft int
}

// Invitation is an invite as its receiver sees it.
type Invitation struct {
	ID          uuid.UUID
	AccountName string
	// InvitedBy is the name or the address of who invites; empty where that person is gone.
	InvitedBy string
	Email     string
	Role      access.Role
	// Known tells that the address has a password, so that its person signs in instead of signing up.
	Known bool
}

// SignUpLetter is what the mail to a new address says. A Known address gets no Token, but the advice to sign in.
type SignUpLetter struct {
	Email string
	Name  string
	Token string
	Known bool
}

// ResetLetter is what the mail with a link to a new password says.
type ResetLetter struct {
	Email string
	Name  string
	Token string
}

// InviteLetter is what the mail that asks somebody into an account says.
type InviteLetter struct {
	Email       string
	AccountName string
	// InvitedBy is the name or address of a person, or "".
	InvitedBy string
	Role      access.Role
	Token     string
}

// EmailChangeLetter is what the mail to a person's new address says.
type EmailChangeLetter struct {
	Email string
	Name  string
	Token string
}
