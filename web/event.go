package web

import (
	"strings"

	"veracity/account/trail"
)

// eventWords says what an entry of the trail means, and whether it is a try that failed.
func eventWords(e trail.Entry) (text string, bad bool) {
	switch e.Act {
	case signedIn:
		return tell(e) + ", " + agentWords(e.Detail["agent"]), false
	case signInFailed:
		return "Sign-in by " + strings.ToLower(methodWords(e.Detail["step"])) + ", " + agentWords(e.Detail["agent"]), true
	case "password.refused":
		return "Password asked for a change", true
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
