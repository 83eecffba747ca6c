package api

import (
	"os"
	"testing"

	"veracity/migrations/schematest"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }
