package media

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ForgetAccount removes every blob of an account: uploads, sources and outputs. Its rows go with the account's own. It
// may be killed and run again; what arrives behind it is found by the sweeps, which know no row for it.
func (s *Service) ForgetAccount(ctx context.Context, account uuid.UUID) error {
	rows, err := s.db.Query(ctx, `
		SELECT @uploads || id FROM upload WHERE account_id = @account
		UNION SELECT source_key FROM job WHERE account_id = @account AND source_key IS NOT NULL
		UNION SELECT output_key FROM job WHERE account_id = @account AND output_key IS NOT NULL`,
		pgx.NamedArgs{"account": account, "uploads": uploadPrefix})
	if err != nil {
		return fmt.Errorf("find blobs of account: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find blobs of account: %w", err)
	}
	var failed error
	for _, key := range keys {
		if err := s.store.Delete(ctx, key); err != nil {
			failed = errors.Join(failed, fmt.Errorf("remove blob of account: %w", err))
		}
	}
	return failed
}
