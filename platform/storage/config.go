package storage

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// minSecret is the shortest ticket secret in bytes: as long as the HMAC key derived from it.
const minSecret = 32

// Config says where blobs lie and how to reach them.
type Config struct {
	// URL is the store: disk:DIR or s3://BUCKET. VERACITY_STORAGE_URL.
	URL string
	// AccessKey and SecretKey are the S3 credentials. With both empty the AWS default chain is asked (environment,
	// shared files, instance role). VERACITY_STORAGE_ACCESS_KEY, VERACITY_STORAGE_SECRET_KEY.
	AccessKey string
	SecretKey string
	// PublicURL is the address under which clients reach this service; tickets of the disk store point below it.
	// VERACITY_BASE_URL.
	PublicURL string
	// TicketSecret signs the tickets of the disk store: at least 32 bytes, the same in every process that shares the
	// folder. A key of its own is derived from it, so it may be a master secret.
	TicketSecret []byte
	// ConnectTimeout bounds reaching the S3 server, TLS included.
	ConnectTimeout time.Duration
	// CallTimeout bounds every act that moves no blob (stat, delete, one page of a list, ready, the start of an open),
	// retries included.
	CallTimeout time.Duration
	// StallTimeout ends a transfer in which no byte has moved for so long.
	StallTimeout time.Duration
	// UploadTimeout bounds a whole PUT to the disk store.
	UploadTimeout time.Duration
}

// DefaultConfig is every setting but the store itself, its credentials and its ticket secret.
func DefaultConfig() Config {
	return Config{
		ConnectTimeout: 5 * time.Second,
		CallTimeout:    10 * time.Second,
		StallTimeout:   30 * time.Second,
		UploadTimeout:  time.Hour,
	}
}

// Validate names the first setting that cannot work, its value with secrets masked, and what is allowed.
func (c Config) Validate() error {
	loc, err := parseLocation(c.URL)
	if err != nil {
		return err
	}
	if (c.AccessKey == "") != (c.SecretKey == "") {
		return errors.New("VERACITY_STORAGE_ACCESS_KEY and VERACITY_STORAGE_SECRET_KEY: one of them is empty; " +
			"set both, or neither to use the AWS default chain")
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"ConnectTimeout", c.ConnectTimeout},
		{"CallTimeout", c.CallTimeout},
		{"StallTimeout", c.StallTimeout},
		{"UploadTimeout", c.UploadTimeout},
	} {
		if d.value <= 0 {
			return fmt.Errorf("storage %s is %s: want more than 0", d.name, d.value)
		}
	}
	if loc.s3 != nil {
		return nil
	}
	return c.validateTickets()
}

// validateTickets checks what only the disk store needs to sign addresses of this service.
func (c Config) validateTickets() error {
	u, err := url.Parse(c.PublicURL)
	if err != nil || !isWebAddress(u) {
		return fmt.Errorf("VERACITY_BASE_URL is %q: want http://HOST or https://HOST, "+
			"which upload tickets of the disk store point at", maskURL(c.PublicURL))
	}
	if len(c.TicketSecret) < minSecret {
		return fmt.Errorf("storage TicketSecret has %d bytes: want at least %d", len(c.TicketSecret), minSecret)
	}
	return nil
}
