package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// NoteFinding keeps how many things a task found wrong, in place of what it found the last time.
func NoteFinding(ctx context.Context, db *pgxpool.Pool, name string, found int) error {
	_, err := db.Exec(ctx, `
		INSERT INTO task_finding (name, found) VALUES (@name, @found)
		ON CONFLICT (name) DO UPDATE SET found = excluded.found, at = now()`,
		pgx.NamedArgs{"name": name, "found": found})
	if err != nil {
		return fmt.Errorf("note finding of %s: %w", name, err)
	}
	return nil
}

// Findings reads what each task found the last time, whichever process ran it.
func Findings(ctx context.Context, db *pgxpool.Pool) (map[string]int64, error) {
	rows, err := db.Query(ctx, `SELECT name, found FROM task_finding`)
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	found := map[string]int64{}
	var (
		name string
		n    int64
	)
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		found[name] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	return found, nil
}
