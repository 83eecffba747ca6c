package signin

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/google/uuid"
)

// Device cookies (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"): a browser that has signed in holds a
// value that tells it apart from strangers, and tries are counted by browser. So somebody who guesses at an account
// locks out other strangers, and never the browsers of the person who owns it.
const (
	deviceContext  = "device"
	deviceRandom   = 16
	maxDeviceValue = 256
)

// newDevice makes a browser's value for one user.
func (p *People) newDevice(user uuid.UUID) string {
	random := make([]byte, deviceRandom)
	_, _ = rand.Read(random) // crypto/rand.Read never fails: https://pkg.go.dev/crypto/rand#Read
	return p.seal.Seal(append(user[:], random...), deviceContext)
}

// device is the name of the client's browser, or "" for one that never signed in as the user. A value that is another
// user's, altered, or sealed under a key given up since is a stranger's.
func (p *People) device(user uuid.UUID, c Client) string {
	if user == uuid.Nil || c.Device == "" || len(c.Device) > maxDeviceValue {
		return ""
	}
	plain, err := p.seal.Open(c.Device, deviceContext)
	if err != nil || len(plain) != len(user)+deviceRandom || uuid.UUID(plain[:len(user)]) != user {
		return ""
	}
	return hex.EncodeToString(plain[len(user):])
}

// tries are the limits on one account: by the browser when it is known there, else by the client, and with all other
// strangers. At sign-in the address is the account's name, so that one without an account is throttled as any other.
func (p *People) tries(purpose, account string, strangers Rate, user uuid.UUID, c Client) []limit {
	familiar := p.cfg.Throttles.Familiar
	if device := p.device(user, c); device != "" {
		return []limit{{bucket(purpose+", device", account, device), familiar}}
	}
	return []limit{
		{bucket(purpose+", account and client", account, c.network()), familiar},
		{bucket(purpose+", strangers", account), strangers},
	}
}
