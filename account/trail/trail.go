// Package trail keeps the audit trail: who did what, when and from where. An entry is written in the transaction of its
// act, and outlives the rows that it speaks of. It holds no secret: never a key, a password, a code or a token.
package trail

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/platform/postgres"
)

// Entry is one act.
type Entry struct {
	ID uuid.UUID
	At time.Time
	// Account and User are nil where the act belongs to none.
	Account, User uuid.UUID
	// Actor is user, operator (a person on the operator pages), cli or system.
	Actor string
	// Act is dotted words: key.created, sign_in.failed.
	Act string
	// Subject is what the act was about, in words that people know it by.
	Subject string
	Detail  map[string]string
	// Address is where the request came from; empty for the command line and the system.
	Address string
	// UserEmail is filled by reads; empty once the person is gone.
	UserEmail string
}

// maxText is the longest subject, address or value of a detail, in bytes. What is longer is cut.
const maxText = 500

// Write adds an entry. It belongs in the transaction of the act.
func Write(ctx context.Context, db postgres.DB, by access.Actor, act, subject string, detail map[string]string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make audit entry id: %w", err)
	}
	var words []byte
	if len(detail) > 0 {
		clean := make(map[string]string, len(detail))
		for k, v := range detail {
			clean[storable(k)] = storable(v)
		}
		if words, err = json.Marshal(clean); err != nil {
			return fmt.Errorf("write audit detail: %w", err)
		}
	}
	_, err = db.Exec(ctx, `
		INSERT INTO audit_log (id, at, account_id, user_id, actor, act, subject, detail, address)
		VALUES (@id, clock_timestamp(), @account, @user, @actor, @act, @subject, @detail, @address)`,
		pgx.NamedArgs{
			"id": id, "account": known(by.Account), "user": known(by.User), "actor": by.Kind(), "act": act,
			"subject": storable(subject), "detail": words, "address": storable(by.Address),
		})
	if err != nil {
		return fmt.Errorf("write audit entry %s: %w", act, err)
	}
	return nil
}

// known is nil for the nil id, so that the column is NULL.
func known(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// storable makes any text one that PostgreSQL takes: UTF-8 without U+0000, of bounded length.
func storable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}
