package views

// RoleRight is a row of the account guide: acts, the rights of account/access behind them, and the roles that may.
type RoleRight struct {
	Text   string
	Rights []string
	May    map[string]bool
}

// RoleRights tell what each role may do. A test holds them against the rights in force.
func RoleRights() []RoleRight {
	owner := map[string]bool{"owner": true}
	maker := map[string]bool{"owner": true, "developer": true}
	payer := map[string]bool{"owner": true, "billing": true}
	everybody := map[string]bool{"owner": true, "developer": true, "billing": true, "viewer": true}
	return []RoleRight{
		{"see keys, usage, requests, jobs and webhooks", []string{"see"}, everybody},
		{"make and revoke keys", []string{"manage_keys"}, maker},
		{"spend credits in the playground", []string{"spend"}, maker},
		{"send webhooks again", []string{"redeliver"}, maker},
		{"change plan and payment", []string{"manage_plan"}, payer},
		{"invite people, change roles, see the audit trail", []string{"manage_team", "see_trail"}, owner},
		{"rename or close the account", []string{"edit_account", "close_account"}, owner},
	}
}
