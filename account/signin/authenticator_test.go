package signin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// authenticator is a software passkey together with its browser: ES256, no attestation (WebAuthn Level 3, sections 6.1,
// 6.5 and 8.7).
type authenticator struct {
	key    *ecdsa.PrivateKey
	id     []byte
	user   []byte
	count  uint32
	origin string
	// site is the RP id that is signed.
	site string
	// verifies tells that the person is verified, counts that the signature counter runs.
	verifies, counts bool
	// asked is what the last options wanted.
	asked struct{ ResidentKey, UserVerification string }
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &authenticator{key: key, id: id, origin: "https://veracity.test", site: "veracity.test", verifies: true, counts: true}
}

func (a *authenticator) at(origin string) *authenticator { c := *a; c.origin = origin; return &c }

func (a *authenticator) forSite(site string) *authenticator { c := *a; c.site = site; return &c }

func (a *authenticator) named(user uuid.UUID) *authenticator { c := *a; c.user = user[:]; return &c }

func (a *authenticator) withKeyOf(b *authenticator) *authenticator { c := *a; c.key = b.key; return &c }

// create answers navigator.credentials.create.
func (a *authenticator) create(t *testing.T, options json.RawMessage) []byte {
	t.Helper()
	var o struct {
		PublicKey struct {
			Challenge              string
			User                   struct{ ID string }
			AuthenticatorSelection struct{ ResidentKey, UserVerification string }
		}
	}
	require.NoError(t, json.Unmarshal(options, &o))
	a.asked = o.PublicKey.AuthenticatorSelection
	var err error
	a.user, err = base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	require.NoError(t, err)
	point, err := a.key.PublicKey.Bytes()
	require.NoError(t, err)
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	require.NoError(t, err)
	data := a.data(0x40)                     // attested credential data follow
	data = append(data, make([]byte, 16)...) // AAGUID
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.id)))
	data = append(append(data, a.id...), cose...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	require.NoError(t, err)
	return a.answer(t, map[string]any{
		"clientDataJSON":    encode(a.clientData(t, "webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": encode(object),
	})
}

// get answers navigator.credentials.get.
func (a *authenticator) get(t *testing.T, options json.RawMessage) []byte {
	t.Helper()
	var o struct {
		PublicKey struct{ Challenge, UserVerification string }
	}
	require.NoError(t, json.Unmarshal(options, &o))
	a.asked.UserVerification = o.PublicKey.UserVerification
	if a.counts {
		a.count++
	}
	data, client := a.data(0), a.clientData(t, "webauthn.get", o.PublicKey.Challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	require.NoError(t, err)
	return a.answer(t, map[string]any{
		"clientDataJSON": encode(client), "authenticatorData": encode(data), "signature": encode(signature), "userHandle": encode(a.user),
	})
}

// data is the authenticator data without attested credential: RP id hash, flags, counter.
func (a *authenticator) data(flags byte) []byte {
	flags |= 0x01 // present
	if a.verifies {
		flags |= 0x04
	}
	site := sha256.Sum256([]byte(a.site))
	return binary.BigEndian.AppendUint32(append(site[:], flags), a.count)
}

func (a *authenticator) clientData(t *testing.T, kind, challenge string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	require.NoError(t, err)
	return text
}

func (a *authenticator) answer(t *testing.T, response map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"id": encode(a.id), "rawId": encode(a.id), "type": "public-key", "response": response})
	require.NoError(t, err)
	return text
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
