package storage

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// UploadPath is where Handler has to be mounted, below the public URL.
const UploadPath = "/storage/"

// ticketUse separates the key of tickets, and this form of them, from all else that is derived from the same secret.
const ticketUse = "veracity upload ticket v1"

// onlyIfAbsent is the If-None-Match value by which a PUT never replaces a blob (RFC 9110, section 13.1.2).
const onlyIfAbsent = "*"

// Parameters of a ticket's address.
const (
	paramType      = "content_type"
	paramSize      = "size"
	paramExpires   = "expires"
	paramSignature = "signature"
)

// ticketSigner signs and reads the tickets of the disk store.
type ticketSigner struct {
	key []byte
	// base is the address that keys are appended to.
	base string
}

func newTicketSigner(secret []byte, publicURL string) (ticketSigner, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, ticketUse, sha256.Size)
	if err != nil {
		return ticketSigner{}, fmt.Errorf("derive ticket key: %w", err)
	}
	return ticketSigner{key: key, base: strings.TrimSuffix(publicURL, "/") + UploadPath}, nil
}

func (s ticketSigner) ticket(req TicketRequest) Ticket {
	expires := wholeSeconds(req.Expires)
	query := url.Values{
		paramType:      {req.ContentType},
		paramSize:      {strconv.FormatInt(req.Size, 10)},
		paramExpires:   {strconv.FormatInt(expires, 10)},
		paramSignature: {hex.EncodeToString(s.sign(req.Key, req.ContentType, req.Size, expires))},
	}
	return Ticket{
		URL:     s.base + req.Key + "?" + query.Encode(),
		Method:  http.MethodPut,
		Headers: ticketHeaders(req.ContentType),
	}
}

// ticketHeaders are the two that the API contract promises.
func ticketHeaders(contentType string) map[string]string {
	return map[string]string{"Content-Type": contentType, "If-None-Match": onlyIfAbsent}
}

// sign covers everything that an upload may be. No field can hold a line break, so no two tickets sign the same text.
func (s ticketSigner) sign(key, contentType string, size, expires int64) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(fmt.Appendf(nil, "%s\n%s\n%s\n%d\n%d", http.MethodPut, key, contentType, size, expires))
	return mac.Sum(nil)
}

// read gives what the ticket behind an upload's key and query was signed for: errSignature when it was not, errExpired
// when it no longer holds.
func (s ticketSigner) read(key, rawQuery string, now time.Time) (TicketRequest, error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil || len(query) != 4 {
		return TicketRequest{}, errSignature
	}
	size, sizeErr := strconv.ParseInt(query.Get(paramSize), 10, 64)
	expires, expiresErr := strconv.ParseInt(query.Get(paramExpires), 10, 64)
	signature, signatureErr := hex.DecodeString(query.Get(paramSignature))
	if errors.Join(sizeErr, expiresErr, signatureErr) != nil {
		return TicketRequest{}, errSignature
	}
	req := TicketRequest{Key: key, ContentType: query.Get(paramType), Size: size, Expires: time.Unix(expires, 0)}
	if !hmac.Equal(signature, s.sign(key, req.ContentType, size, expires)) {
		return TicketRequest{}, errSignature
	}
	if !now.Before(req.Expires) {
		return TicketRequest{}, errExpired
	}
	return req, nil
}

// wholeSeconds is t in seconds of the Unix epoch, rounded up.
func wholeSeconds(t time.Time) int64 {
	return t.Add(time.Second - time.Nanosecond).Unix()
}
