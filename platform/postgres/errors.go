package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATE codes, from PostgreSQL's documentation, appendix A.
const (
	codeUnique        = "23505"
	codeCheck         = "23514"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
)

// IsUnique tells whether err is the refusal of a row by the named unique constraint or unique index.
func IsUnique(err error, constraint string) bool { return violates(err, codeUnique, constraint) }

// IsCheck tells whether err is the refusal of a row by the named check constraint.
func IsCheck(err error, constraint string) bool { return violates(err, codeCheck, constraint) }

func violates(err error, code, constraint string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == code && refused.ConstraintName == constraint
}
