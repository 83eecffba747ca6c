package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Key is an API key as lists show it.
type Key struct {
	ID         uuid.UUID  `json:"id"`
	Name       string     `json:"name"`
	Start      string     `json:"start"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// NewKey is a key at the one moment when it can be read.
type NewKey struct {
	ID            uuid.UUID `json:"id"`
	Key           string    `json:"key"`
	SigningSecret string    `json:"signing_secret"`
}

// maxKeyName is the longest name of a key, in characters.
const maxKeyName = 100

// CreateKey makes a key. Key and signing secret are in the answer and nowhere else. Refusals: unknown_account,
// invalid_name, name_taken, key_limit_reached, plan_required, payment_failed.
func (a *Accounts) CreateKey(ctx context.Context, account uuid.UUID, name string) (NewKey, error) {
	name = strings.TrimSpace(name)
	if !nameOK(name) {
		return NewKey{}, fault.New(fault.InvalidName, "A key's name has 1 to %d characters and no control characters.", maxKeyName)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return NewKey{}, fmt.Errorf("make key id: %w", err)
	}
	token, err := newToken()
	if err != nil {
		return NewKey{}, fmt.Errorf("make key: %w", err)
	}
	made := NewKey{ID: id, Key: token, SigningSecret: newSecret()}
	err = postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		if err := mayCreateKey(ctx, tx, account); err != nil {
			return err
		}
		return a.insertKey(ctx, tx, account, name, made)
	})
	if err != nil {
		return NewKey{}, err
	}
	return made, nil
}

// mayCreateKey locks the account's row, so that two creations at once cannot both take the last place.
func mayCreateKey(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	var (
		plan       string
		state      State
		limit, own int
	)
	err := tx.QueryRow(ctx, `SELECT plan, state, coalesce(keys_override, plan_keys) FROM account WHERE id = @id FOR UPDATE`,
		pgx.NamedArgs{"id": account}).Scan(&plan, &state, &limit)
	if errors.Is(err, pgx.ErrNoRows) {
		return unknown(account)
	}
	if err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	if err := refusal(plan, state); err != nil {
		return err
	}
	err = tx.QueryRow(ctx, `SELECT count(*) FROM api_key WHERE account_id = @id AND revoked_at IS NULL`,
		pgx.NamedArgs{"id": account}).Scan(&own)
	if err != nil {
		return fmt.Errorf("count keys: %w", err)
	}
	if own >= limit {
		return fault.New(fault.KeyLimitReached,
			"The account has %d of the %d keys that it may have: revoke one or move to a larger plan.", own, limit)
	}
	return nil
}

func (a *Accounts) insertKey(ctx context.Context, tx pgx.Tx, account uuid.UUID, name string, made NewKey) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO api_key (id, account_id, name, name_folded, start, hash, sealed_secret)
		VALUES (@id, @account, @name, @folded, @start, @hash, @secret)`,
		pgx.NamedArgs{
			"id": made.ID, "account": account, "name": name, "folded": fold(name), "start": made.Key[:keyShown],
			"hash": hashToken(made.Key), "secret": a.Seal.Seal([]byte(made.SigningSecret), sealContext(made.ID)),
		})
	if postgres.IsUnique(err, "api_key_live_name_key") {
		return fault.New(fault.NameTaken, "The account has a key named %q (letter case and spaces at the ends do not count): choose another name.", name)
	}
	if err != nil {
		return fmt.Errorf("save key: %w", err)
	}
	return nil
}

// ListKeys reads the account's live keys, the oldest first.
func (a *Accounts) ListKeys(ctx context.Context, account uuid.UUID) ([]Key, error) {
	rows, err := a.DB.Query(ctx, `
		SELECT id, name, start, created_at, last_used_at FROM api_key
		WHERE account_id = @account AND revoked_at IS NULL ORDER BY created_at, id`,
		pgx.NamedArgs{"account": account})
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Key])
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return keys, nil
}

// KeyOwner finds the account of a live key, for operators who know the key's id alone. Refusal: unknown_key.
func (a *Accounts) KeyOwner(ctx context.Context, key uuid.UUID) (uuid.UUID, error) {
	var account uuid.UUID
	err := a.DB.QueryRow(ctx, `SELECT account_id FROM api_key WHERE id = @id AND revoked_at IS NULL`,
		pgx.NamedArgs{"id": key}).Scan(&account)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, unknownKey(key)
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("find key: %w", err)
	}
	return account, nil
}

// RevokeKey ends a key at once; its name and its place in the limit become free. Refusal: unknown_key, also for
// another account's key and one revoked before.
func (a *Accounts) RevokeKey(ctx context.Context, account, key uuid.UUID) error {
	tag, err := a.DB.Exec(ctx, `
		UPDATE api_key SET revoked_at = now() WHERE id = @id AND account_id = @account AND revoked_at IS NULL`,
		pgx.NamedArgs{"id": key, "account": account})
	if err != nil {
		return fmt.Errorf("revoke key: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return unknownKey(key)
	}
	return nil
}

// SigningSecret opens the webhook secret of a key, also of one revoked since: jobs that it started are still signed
// with it.
func (a *Accounts) SigningSecret(ctx context.Context, account, key uuid.UUID) (string, error) {
	var sealed string
	err := a.DB.QueryRow(ctx, `SELECT sealed_secret FROM api_key WHERE id = @id AND account_id = @account`,
		pgx.NamedArgs{"id": key, "account": account}).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", unknownKey(key)
	}
	if err != nil {
		return "", fmt.Errorf("read signing secret: %w", err)
	}
	plain, err := a.Seal.Open(sealed, sealContext(key))
	if err != nil {
		return "", fmt.Errorf("open signing secret: %w", err)
	}
	return string(plain), nil
}

func unknownKey(id uuid.UUID) error {
	return fault.New(fault.UnknownKey, "There is no live key with the id %s: `veracity key list` shows the ids.", id)
}

func sealContext(key uuid.UUID) string { return "api_key/" + key.String() }

// fold brings names that differ only in letter case or composition to one form (Unicode default case folding, NFC).
func fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(name))))
}

func nameOK(name string) bool {
	n := utf8.RuneCountInString(name)
	return utf8.ValidString(name) && n >= 1 && n <= maxKeyName && !strings.ContainsFunc(name, unicode.IsControl)
}
