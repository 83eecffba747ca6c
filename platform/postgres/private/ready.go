package private

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// codeStartingUp is SQLSTATE cannot_connect_now: the server is there and not ready yet.
const codeStartingUp = "57P03"

// waitReady waits until the server takes connections and has the application's role and database.
func (s *Server) waitReady(ctx context.Context) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.AdminURL())
		if err == nil {
			err = makeDatabase(ctx, conn)
			return errors.Join(err, conn.Close(ctx))
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code != codeStartingUp {
			return fmt.Errorf("connect: %w", err)
		}
		select {
		case <-s.process.gone:
			return errors.New("the server ended while it started")
		case <-ctx.Done():
			return fmt.Errorf("wait until the server is ready: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}

// makeDatabase makes what is missing of role and database. It runs at every start, so that one that was interrupted
// between initdb and here is completed.
func makeDatabase(ctx context.Context, conn *pgx.Conn) error {
	for _, step := range []struct{ exists, name, make string }{
		{"SELECT count(*) FROM pg_roles WHERE rolname = $1", Role, "CREATE ROLE " + Role + " LOGIN"},
		{"SELECT count(*) FROM pg_database WHERE datname = $1", Database, "CREATE DATABASE " + Database + " OWNER " + Role},
	} {
		var there int
		if err := conn.QueryRow(ctx, step.exists, step.name).Scan(&there); err != nil {
			return fmt.Errorf("look for %s: %w", step.name, err)
		}
		if there > 0 {
			continue
		}
		if _, err := conn.Exec(ctx, step.make); err != nil {
			return fmt.Errorf("%s: %w", step.make, err)
		}
	}
	return nil
}
