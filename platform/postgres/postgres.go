// Package postgres opens the connection pool and holds the few database helpers that every domain needs: transactions,
// constraint errors and the interface that a pool and a transaction share. It knows no table and no business rule;
// queries live beside the functions that use them, the schema lives in package migrations.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is what a pool, a connection and a transaction have in common. A function that takes a DB works inside and
// outside a transaction.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

var (
	_ DB = (*pgxpool.Pool)(nil)
	_ DB = pgx.Tx(nil)
)

// Open connects to the database of cfg and returns once one connection works. Sessions run in UTC and give timestamps
// in UTC. It fails when cfg is invalid, or when no connection can be made within cfg.ConnectTimeout; the error names
// the server, database and user, and never the password.
func Open(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	settings, err := cfg.pool()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("open connection pool: %w", err)
	}
	// ConnectTimeout counts per address; this bounds the whole start when a name resolves to several.
	ctx, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to %s: %w", Redacted(cfg.URL), connectCause(err))
	}
	return pool, nil
}

// Redacted is the address in raw without password and options, fit for logs and errors. An address that cannot be read
// comes back as a fixed text, since nobody can say which part of it is the password.
func Redacted(raw string) string {
	c, err := pgx.ParseConfig(raw)
	if err != nil {
		return "(unreadable database URL)"
	}
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Path: "/" + c.Database}
	if strings.HasPrefix(c.Host, "/") {
		u.RawQuery = Query(url.Values{"host": {c.Host}})
	} else {
		u.Host = net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	}
	return u.String()
}

// Query is the query of a database address. pgx takes a plus as it stands, so a space in a folder's name is written %20.
func Query(values url.Values) string {
	return strings.ReplaceAll(values.Encode(), "+", "%20")
}

// pool turns cfg into pgx's settings. A run-time parameter that the URL itself sets wins over cfg, except the time zone.
func (c Config) pool() (*pgxpool.Config, error) {
	settings, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read database URL: %w", err)
	}
	settings.MaxConns = c.MaxConns
	settings.ConnConfig.ConnectTimeout = c.ConnectTimeout
	params := settings.ConnConfig.RuntimeParams
	for name, value := range map[string]string{
		"application_name":                    c.ApplicationName,
		"statement_timeout":                   milliseconds(c.StatementTimeout),
		"lock_timeout":                        milliseconds(c.LockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(c.IdleInTransactionTimeout),
	} {
		if _, set := params[name]; !set {
			params[name] = value
		}
	}
	params["timezone"] = "UTC"
	settings.AfterConnect = scanInUTC
	return settings, nil
}

// scanInUTC keeps timestamps out of the machine's local zone, in which pgx would give them.
func scanInUTC(_ context.Context, conn *pgx.Conn) error {
	timestamptz := &pgtype.Type{
		Name:  "timestamptz",
		OID:   pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	}
	types := conn.TypeMap()
	types.RegisterType(timestamptz)
	types.RegisterType(&pgtype.Type{
		Name:  "_timestamptz",
		OID:   pgtype.TimestamptzArrayOID,
		Codec: &pgtype.ArrayCodec{ElementType: timestamptz},
	})
	return nil
}

// milliseconds is PostgreSQL's spelling of a time-out; 0 switches it off.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// connectCause drops pgx's own heading, which repeats user and database.
func connectCause(err error) error {
	var refused *pgconn.ConnectError
	if errors.As(err, &refused) && refused.Unwrap() != nil {
		return refused.Unwrap()
	}
	return err
}
