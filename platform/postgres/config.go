package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Bounds of the settings.
const (
	maxConnsLimit = 1000
	minTimeout    = time.Millisecond
	maxTimeout    = 24 * time.Hour
)

// Config says which database to use and how patiently. Make one with [DefaultConfig].
type Config struct {
	// URL is postgres://user:password@host:port/database?options, or with ?host=/folder a unix socket.
	URL string
	// MaxConns is the most connections that this process holds at once, 1 to 1000.
	MaxConns int32
	// ConnectTimeout bounds one attempt to connect.
	ConnectTimeout time.Duration
	// StatementTimeout ends a statement that runs longer; 0 is no limit.
	StatementTimeout time.Duration
	// LockTimeout ends a statement that waits longer for a lock; 0 is no limit.
	LockTimeout time.Duration
	// IdleInTransactionTimeout ends a session that leaves a transaction open and says nothing; 0 is no limit.
	IdleInTransactionTimeout time.Duration
	// ApplicationName is how the sessions show up in pg_stat_activity.
	ApplicationName string
}

// DefaultConfig is every setting but the URL.
func DefaultConfig() Config {
	return Config{
		MaxConns:                 20,
		ConnectTimeout:           5 * time.Second,
		StatementTimeout:         30 * time.Second,
		LockTimeout:              10 * time.Second,
		IdleInTransactionTimeout: 30 * time.Second,
		ApplicationName:          "veracity",
	}
}

// Validate reports every setting that is out of its range: its name, its value (the URL without password) and what is
// allowed.
func (c Config) Validate() error {
	errs := []error{validURL(c.URL)}
	if c.MaxConns < 1 || c.MaxConns > maxConnsLimit {
		errs = append(errs, fmt.Errorf("VERACITY_DATABASE_MAX_CONNS is %d: want 1 to %d", c.MaxConns, maxConnsLimit))
	}
	if c.ConnectTimeout < minTimeout || c.ConnectTimeout > maxTimeout {
		errs = append(errs, fmt.Errorf("ConnectTimeout is %s: want %s to %s", c.ConnectTimeout, minTimeout, maxTimeout))
	}
	for _, limit := range []struct {
		name  string
		value time.Duration
	}{
		{"StatementTimeout", c.StatementTimeout},
		{"LockTimeout", c.LockTimeout},
		{"IdleInTransactionTimeout", c.IdleInTransactionTimeout},
	} {
		// A time-out below PostgreSQL's unit would round to 0, which switches it off.
		if limit.value != 0 && (limit.value < minTimeout || limit.value > maxTimeout) {
			errs = append(errs, fmt.Errorf("%s is %s: want 0 (no limit) or %s to %s",
				limit.name, limit.value, minTimeout, maxTimeout))
		}
	}
	return errors.Join(errs...)
}

// validURL never quotes an address whose parts cannot be told apart, because any part may then be the password.
func validURL(raw string) error {
	const want = "want postgres://user:password@host:port/database, special characters in the password percent-encoded"
	if raw == "" {
		return errors.New("VERACITY_DATABASE_URL is empty: " + want)
	}
	if !strings.HasPrefix(raw, "postgres://") && !strings.HasPrefix(raw, "postgresql://") {
		return errors.New("VERACITY_DATABASE_URL is not a PostgreSQL address: " + want)
	}
	_, err := pgxpool.ParseConfig(raw)
	if err == nil {
		return nil
	}
	if _, unclear := url.Parse(raw); unclear != nil {
		return errors.New("URL cannot be read: " + want)
	}
	return fmt.Errorf("URL cannot be used: %w", err)
}
