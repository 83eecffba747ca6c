package playground

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Read reads one run of the account. The refusal is not_found.
func (p *Playground) Read(ctx context.Context, account, id uuid.UUID) (Run, error) {
	rows, err := p.DB.Query(ctx, `SELECT `+columns+` FROM `+tables+` WHERE r.id = @id AND r.account_id = @account`,
		pgx.NamedArgs{"id": id, "account": account, "lost": lostAfter})
	if err != nil {
		return Run{}, fmt.Errorf("read run: %w", err)
	}
	run, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return Run{}, noRun()
	}
	if err != nil {
		return Run{}, fmt.Errorf("read run: %w", err)
	}
	return run, nil
}

// List reads the account's newest runs, at most limit.
func (p *Playground) List(ctx context.Context, account uuid.UUID, limit int) ([]Run, error) {
	rows, err := p.DB.Query(ctx, `
		SELECT `+columns+` FROM `+tables+` WHERE r.account_id = @account ORDER BY r.created_at DESC, r.id DESC LIMIT @limit`,
		pgx.NamedArgs{"account": account, "limit": limit, "lost": lostAfter})
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	runs, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return runs, nil
}

// Forget removes the runs that are older than 7 days, and of each account all but its newest 200. It returns how many
// there were.
func (p *Playground) Forget(ctx context.Context) (int64, error) {
	tag, err := p.DB.Exec(ctx, `
		DELETE FROM playground_run WHERE id IN (
			SELECT id FROM (
				SELECT id, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC, id DESC) AS place
				FROM playground_run
			) placed WHERE created_at < now() - @keep::interval OR place > @newest
		)`, pgx.NamedArgs{"keep": keep, "newest": keepNewest})
	if err != nil {
		return 0, fmt.Errorf("forget runs: %w", err)
	}
	return tag.RowsAffected(), nil
}
