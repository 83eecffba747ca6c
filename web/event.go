package web

import (
	"strings"

	"veracity/account/trail"
)

// eventTexts are changes to how a person signs in, as the person reads them.
var eventTexts = map[string]string{
	"totp.added":          "Set up an authenticator app",
	"totp.removed":        "Removed the authenticator app",
	"passkey.added":       "Added a passkey",
	"passkey.removed":     "Removed a passkey",
	"recovery_codes.made": "Made new recovery codes",
	"recovery_code.used":  "Used a recovery code",
	"email.change_asked":  "Asked for another address",
	"email.changed":       "Changed the address",
}

// eventWords says what an entry of the trail means, and whether it is a try that failed.
func eventWords(e trail.Entry) (text string, bad bool) {
	switch e.Act {
	case "sign_in.opened":
		return "Signed in by " + strings.ToLower(methodWords(e.Subject)) + ", " + agentWords(e.Detail["agent"]), false
	case "sign_in.failed":
		return "Sign-in by " + strings.ToLower(methodWords(e.Detail["step"])) + ", " + agentWords(e.Detail["agent"]), true
	case "password.refused":
		return "Password asked for a change", true
	}
	if text, ok := eventTexts[e.Act]; ok {
		return text, false
	}
	return tell(e), false
}

// methodTexts are the ways to sign in, in words.
var methodTexts = map[string]string{
	byPassword: "Password",
	byTOTP:     "Password and app",
	byRecovery: "Password and recovery code",
	byPasskey:  "Passkey",
	byMail:     "Mailed link",
}

func methodWords(method string) string {
	if text, ok := methodTexts[method]; ok {
		return text
	}
	return method
}
