package billing

import (
	"flag"
	"os"
	"testing"

	"veracity/migrations/schematest"
)

func TestMain(m *testing.M) {
	// Lives are long, so that fewer than rapid's 100 do; -rapid.checks on the command line asks for more.
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	os.Exit(schematest.Main(m))
}
