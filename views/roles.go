package views

// RoleChoice is a role with what it may do, for a form.
type RoleChoice struct {
	Value, Label, Text string
	Chosen             bool
}

// roleTexts say what each role may do.
var roleTexts = map[string]string{
	"owner":     "May do everything: keys, playground, plan, team, audit trail, and closing the account.",
	"developer": "Creates and revokes keys, uses the playground, sends webhooks again. Cannot change the plan or the team.",
	"billing":   "Changes the plan. Looks at keys, usage and requests without changing them.",
	"viewer":    "Looks at keys, usage, requests, jobs and webhooks. Changes nothing and spends nothing.",
}

// RoleText says what a role may do.
func RoleText(role string) string { return roleTexts[role] }

// RoleName is a role as a person reads it.
func RoleName(role string) string { return Capital(role) }

// Capital gives a word of ASCII a capital letter.
func Capital(word string) string {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return word
	}
	return string(word[0]-'a'+'A') + word[1:]
}
