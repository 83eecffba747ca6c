// Package access says who does an act and what he may. Every act of the domains that a person can begin takes an
// [Actor] and asks it first, so that no page can forget to.
package access

import (
	"slices"

	"github.com/google/uuid"

	"veracity/platform/fault"
)

// Role is what a user is in an account.
type Role string

// The roles.
const (
	Owner     Role = "owner"
	Developer Role = "developer"
	Billing   Role = "billing"
	Viewer    Role = "viewer"
)

// Roles are all roles, the one with the most rights first.
func Roles() []Role { return []Role{Owner, Developer, Billing, Viewer} }

// Right is a kind of act.
type Right string

// The rights. Whoever belongs to an account may [See] it.
const (
	See         Right = "see"
	ManageKeys  Right = "manage_keys"
	Spend       Right = "spend"
	Redeliver   Right = "redeliver"
	ManagePlan  Right = "manage_plan"
	ManageTeam  Right = "manage_team"
	SeeTrail    Right = "see_trail"
	EditAccount Right = "edit_account"
	Close       Right = "close_account"
	// Operate is the operator's alone: acts on any account, queues and switches.
	Operate Right = "operate"
)

// rights of each role.
var rights = map[Role][]Right{
	Owner:     {See, ManageKeys, Spend, Redeliver, ManagePlan, ManageTeam, SeeTrail, EditAccount, Close},
	Developer: {See, ManageKeys, Spend, Redeliver},
	Billing:   {See, ManagePlan},
	Viewer:    {See},
}

// Actor is who does an act, and on which account.
type Actor struct {
	Account uuid.UUID
	// User is the person; nil at the command line.
	User uuid.UUID
	// Role is the person's in Account.
	Role Role
	// Operator marks a person who runs the service, on the operator pages or at the command line. It is never set on the
	// account's own pages, where an operator is a member like others.
	Operator bool
	// Address is where the request came from, for the audit trail.
	Address string
}

// CLI is the operator at the command line.
func CLI(account uuid.UUID) Actor { return Actor{Account: account, Operator: true} }

// Can tells whether the actor has a right.
func (a Actor) Can(right Right) bool {
	return a.Operator || slices.Contains(rights[a.Role], right)
}

// May is nil when the actor has the right, else the refusal forbidden.
func (a Actor) May(right Right) error {
	if a.Can(right) {
		return nil
	}
	return fault.New(fault.Forbidden, "Your role in this account does not allow this. Ask an owner of the account.")
}

// Kind names the actor in the audit trail: user, operator, cli or system.
func (a Actor) Kind() string {
	switch {
	case a.Operator && a.User == uuid.Nil:
		return "cli"
	case a.Operator:
		return "operator"
	case a.User == uuid.Nil:
		return "system"
	}
	return "user"
}
