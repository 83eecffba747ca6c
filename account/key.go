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

	"veracity/account/access"
	"veracity/account/trail"
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

// maxName is the longest name of a key or an account, in characters.
const maxName = 100

// CreateKey makes a key. Key and signing secret are in the answer and nowhere else. Refusals: forbidden,
// unknown_account, invalid_name, name_taken, key_limit_reached, plan_required (also for an account that is being closed),
// payment_failed.
func (a *Accounts) CreateKey(ctx context.Context, by access.Actor, name string) (NewKey, error) {
	if err := by.May(access.ManageKeys); err != nil {
		return NewKey{}, err
	}
	name = strings.TrimSpace(name)
	if !nameOK(name) {
		return NewKey{}, fault.New(fault.InvalidName, "A key's name has 1 to %d characters and no control characters.", maxName)
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
		if err := mayCreateKey(ctx, tx, by.Account); err != nil {
			return err
		}
		if err := a.insertKey(ctx, tx, by.Account, name, made); err != nil {
			return err
		}
		return trail.Write(ctx, tx, by, "key.created", keySubject(name, made.Key[:keyShown]), nil)
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
		closesAt   *time.Time
		limit, own int
	)
	err := tx.QueryRow(ctx, `
		SELECT a.plan, `+accountState+`, a.closes_at, coalesce(a.keys_override, a.plan_keys)
		FROM account a WHERE a.id = @id FOR UPDATE`,
		pgx.NamedArgs{"id": account}).Scan(&plan, &state, &closesAt, &limit)
	if errors.Is(err, pgx.ErrNoRows) {
		return unknown(account)
	}
	if err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	if err := refusal(plan, state, closesAt); err != nil {
		return err
	}
	err = tx.QueryRow(ctx, `SELECT count(*) FROM api_key WHERE account_id = @id AND revoked_at IS NULL`,
		pgx.NamedArgs{"id": account}).Scan(&own)
	if err != nil {
		return fmt.Errorf("count keys: %w", err)
	}
	if own >= limit {
		return fault.New(fault.KeyLimitReached,
			"The account has %d live keys and may have %d: revoke one that nothing uses any more, or move to a larger plan.", own, limit)
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
		return fault.New(fault.NameTaken, "The account has a live key named %q (letter case and spaces at the ends do not count): choose another name, or revoke that key first.", name)
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

// GetKey reads one live key. Refusal: unknown_key, also for another account's key and for one that was revoked.
func (a *Accounts) GetKey(ctx context.Context, account, key uuid.UUID) (Key, error) {
	rows, err := a.DB.Query(ctx, `
		SELECT id, name, start, created_at, last_used_at FROM api_key
		WHERE id = @key AND account_id = @account AND revoked_at IS NULL`,
		pgx.NamedArgs{"key": key, "account": account})
	if err != nil {
		return Key{}, fmt.Errorf("read key: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Key])
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, unknownKey(key)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read key: %w", err)
	}
	return found, nil
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

// RevokeKey ends a key at once; its name and its place in the limit become free. Refusals: forbidden, unknown_key, the
// latter also for another account's key and one revoked before.
func (a *Accounts) RevokeKey(ctx context.Context, by access.Actor, key uuid.UUID) error {
	if err := by.May(access.ManageKeys); err != nil {
		return err
	}
	return postgres.Tx(ctx, a.DB, func(tx pgx.Tx) error {
		var name, start string
		err := tx.QueryRow(ctx, `
			UPDATE api_key SET revoked_at = now() WHERE id = @id AND account_id = @account AND revoked_at IS NULL
			RETURNING name, start`,
			pgx.NamedArgs{"id": key, "account": by.Account}).Scan(&name, &start)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknownKey(key)
		}
		if err != nil {
			return fmt.Errorf("revoke key: %w", err)
		}
		return trail.Write(ctx, tx, by, "key.revoked", keySubject(name, start), nil)
	})
}

// keySubject is a key as the audit trail names it.
func keySubject(name, start string) string { return fmt.Sprintf("%s (%s…)", name, start) }

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
	return fault.New(fault.UnknownKey, "The account has no live key with the id %s: it may have been revoked. The list of keys shows those that are live.", id)
}

func sealContext(key uuid.UUID) string { return "api_key/" + key.String() }

// fold brings names that differ only in letter case or composition to one form (Unicode default case folding, NFC).
func fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(name))))
}

func nameOK(name string) bool {
	n := utf8.RuneCountInString(name)
	return utf8.ValidString(name) && n >= 1 && n <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}
