package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/serve"
	"veracity/engine/supervise"
	"veracity/platform/postgres/pgtest"
)

// asProgram makes a child of this test binary be the program itself.
const asProgram = "VERACITY_TEST_AS_PROGRAM"

// TestMain also is the program: the supervisor starts this very binary as `veracity engine …`.
func TestMain(m *testing.M) {
	if (len(os.Args) > 1 && os.Args[1] == "engine") || os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args[1:]))
	}
	waitTogether()
	code := pgtest.Main(m)
	if child, err := sharedEngine(); err == nil {
		_ = child.Stop(context.Background())
	}
	os.Exit(code)
}

// atOnce is how many tests run beside each other when nobody says otherwise. They wait for workers, leases and browsers
// far more than they compute, so one a core would leave the cores idle.
const atOnce = "5"

func waitTogether() {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if said {
		return
	}
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err) // the testing package has no such flag any more
	}
}

// sharedEngine is the one engine of all tests that do not harm theirs.
var sharedEngine = sync.OnceValues(func() (*supervise.Supervisor, error) {
	return supervise.Start(context.Background(), engineKeeping())
})

func engineKeeping() supervise.Config {
	// The race detector would otherwise wait a second at each exit.
	quick := []string{"GORACE=atexit_sleep_ms=0"}
	cfg := serve.DefaultConfig(2)
	cfg.Env = quick
	keep := supervise.DefaultConfig(cfg, slog.New(slog.DiscardHandler), "engine", "--"+supervisedFlag)
	keep.Env = quick
	return keep
}

// ownEngine starts an engine for one test.
func ownEngine(t *testing.T, changes ...func(*serve.Config)) *supervise.Supervisor {
	t.Helper()
	keep := engineKeeping()
	for _, change := range changes {
		change(&keep.Engine)
	}
	child, err := supervise.Start(t.Context(), keep)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, child.Stop(context.WithoutCancel(t.Context()))) })
	require.NoError(t, child.WaitReady(t.Context()))
	return child
}
