package usage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// MaxRequests is how many requests one read gives at most.
const MaxRequests = 1_000

// scanned is how many of an account's newest requests a filter looks through, so that a rare code costs a bounded search.
const scanned = 20_000

// RequestFilter narrows the list of requests. Its zero value asks for the newest [MaxRequests].
type RequestFilter struct {
	// Key is a key's id, or the nil UUID for the playground; a nil pointer asks for all.
	Key *uuid.UUID
	// Code is an error code or [OK]; "" asks for all.
	Code string
	// ID is a whole Request-Id; "" asks for all. What is no Request-Id finds nothing.
	ID string
	// Limit is 1 to [MaxRequests]; 0 stands for the most.
	Limit int
}

// Request is one line of the log.
type Request struct {
	ID uuid.UUID
	At time.Time
	// Key is nil for the playground; KeyName and KeyStart are empty then.
	Key      uuid.UUID
	KeyName  string
	KeyStart string
	Method   string
	Route    string
	Status   int
	Code     string
	// Verdict is "" where the request made no image check.
	Verdict string
	Credits int64
	Took    time.Duration
}

// Call names what was called as the docs do: POST /audit.
func (r Request) Call() string { return r.Method + " " + r.Route }

const requestColumns = `r.id, r.at, coalesce(r.key_id, '00000000-0000-0000-0000-000000000000'), coalesce(k.name, ''),
	coalesce(k.start, ''), r.method, r.route, r.status, r.code, coalesce(r.verdict, ''), r.credits,
	r.duration_us * interval '1 microsecond'`

// Requests reads the account's requests, the newest first. Filters by key and code look through the newest 20,000; an id
// is found among all that are kept.
func Requests(ctx context.Context, db postgres.DB, account uuid.UUID, f RequestFilter) ([]Request, error) {
	if f.ID != "" {
		return byID(ctx, db, account, f)
	}
	if !utf8.ValidString(f.Code) || strings.Contains(f.Code, "\x00") {
		return []Request{}, nil // no code: PostgreSQL would take it for no text at all
	}
	limit := MaxRequests
	if f.Limit > 0 {
		limit = min(f.Limit, MaxRequests)
	}
	window := limit
	if f.Key != nil || f.Code != "" {
		window = scanned
	}
	rows, err := db.Query(ctx, `
		SELECT `+requestColumns+`
		FROM (
			SELECT id, at, key_id, method, route, status, code, verdict, credits, duration_us
			FROM request_log WHERE account_id = @account ORDER BY at DESC, id DESC LIMIT @window
		) r
		LEFT JOIN api_key k ON k.id = r.key_id AND k.account_id = @account
		WHERE (@any_key OR r.key_id IS NOT DISTINCT FROM nullif(@key::uuid, '00000000-0000-0000-0000-000000000000'))
		  AND (@code = '' OR r.code = @code)
		ORDER BY r.at DESC, r.id DESC LIMIT @limit`,
		pgx.NamedArgs{
			"account": account, "window": window, "any_key": f.Key == nil, "key": f.Key, "code": f.Code, "limit": limit,
		})
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Request])
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	return found, nil
}

// byID gives the one request of the filter's id, if the rest of the filter lets it through.
func byID(ctx context.Context, db postgres.DB, account uuid.UUID, f RequestFilter) ([]Request, error) {
	id, err := uuid.Parse(strings.TrimSpace(f.ID))
	if err != nil {
		return []Request{}, nil //nolint:nilerr // what is no Request-Id names no request
	}
	r, err := ReadRequest(ctx, db, account, id)
	switch {
	case fault.CodeOf(err) == fault.NotFound, err == nil && !f.lets(r):
		return []Request{}, nil
	case err != nil:
		return nil, err
	}
	return []Request{r}, nil
}

func (f RequestFilter) lets(r Request) bool {
	return (f.Key == nil || *f.Key == r.Key) && (f.Code == "" || f.Code == r.Code)
}

// ReadRequest reads one request of the account by its Request-Id. Refusal: not_found, also for another account's.
func ReadRequest(ctx context.Context, db postgres.DB, account, id uuid.UUID) (Request, error) {
	rows, err := db.Query(ctx, `
		SELECT `+requestColumns+`
		FROM request_log r LEFT JOIN api_key k ON k.id = r.key_id AND k.account_id = @account
		WHERE r.id = @id AND r.account_id = @account LIMIT 1`,
		pgx.NamedArgs{"account": account, "id": id})
	if err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Request])
	if errors.Is(err, pgx.ErrNoRows) {
		return Request{}, fault.New(fault.NotFound, "There is no request %s in the log of this account.", id)
	}
	if err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	return r, nil
}

// Key is a key by which requests can be told apart, also one that has been revoked.
type Key struct {
	ID      uuid.UUID
	Name    string
	Start   string
	Revoked bool
}

// maxKeys bounds the keys to choose from: all that can be live, and the ones revoked last.
const maxKeys = 200

// Keys reads the account's keys, the live ones first and then those revoked last.
func Keys(ctx context.Context, db postgres.DB, account uuid.UUID) ([]Key, error) {
	rows, err := db.Query(ctx, `
		SELECT id, name, start, revoked_at IS NOT NULL FROM api_key WHERE account_id = @account
		ORDER BY revoked_at DESC NULLS FIRST, name_folded, id LIMIT @limit`,
		pgx.NamedArgs{"account": account, "limit": maxKeys})
	if err != nil {
		return nil, fmt.Errorf("read keys of requests: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Key])
	if err != nil {
		return nil, fmt.Errorf("read keys of requests: %w", err)
	}
	return keys, nil
}

// Codes reads which codes occur among the account's newest 20,000 requests, in alphabetical order.
func Codes(ctx context.Context, db postgres.DB, account uuid.UUID) ([]string, error) {
	rows, err := db.Query(ctx, `
		SELECT DISTINCT code FROM (
			SELECT code FROM request_log WHERE account_id = @account ORDER BY at DESC, id DESC LIMIT @window
		) r ORDER BY code`,
		pgx.NamedArgs{"account": account, "window": scanned})
	if err != nil {
		return nil, fmt.Errorf("read codes of requests: %w", err)
	}
	codes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read codes of requests: %w", err)
	}
	return codes, nil
}

// Called tells whether the account has ever made a call that is still counted.
func Called(ctx context.Context, db postgres.DB, account uuid.UUID) (called bool, err error) {
	err = db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM usage_day WHERE account_id = @account AND requests > 0)`,
		pgx.NamedArgs{"account": account}).Scan(&called)
	if err != nil {
		return false, fmt.Errorf("look for a first call: %w", err)
	}
	return called, nil
}
