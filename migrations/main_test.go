package migrations_test

import (
	"os"
	"testing"

	"veracity/platform/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
