package openapi_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/api/openapi"
	"veracity/platform/toolbox"
)

// refereeTime bounds a program of Node.js on a busy machine.
const refereeTime = 3 * time.Minute

// ask runs a program of an npm package in dir and gives what it says. The error is that of its exit.
func ask(t *testing.T, dir, module, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), refereeTime)
	defer cancel()
	cmd := toolbox.Node(ctx, t, append([]string{filepath.Join(toolbox.Module(t, module), program)}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// written puts the document that a service serves into a folder of the test's own.
func written(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "openapi.json"), openapi.At("https://veracity.test"), 0o600))
	return dir
}

func TestDocumentPassesTheLintOfRedocly(t *testing.T) {
	t.Parallel()
	// The recommended rules, of which the strict set lets not even a warning pass.
	lint := func(dir string) (string, error) {
		return ask(t, dir, "@redocly/cli", "bin/cli.js", "lint", "--extends", "recommended-strict", "openapi.json")
	}
	said, err := lint(written(t))
	require.NoError(t, err, said)

	poor := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(poor, "openapi.json"), []byte(`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}`), 0o600))
	said, err = lint(poor)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Contains(t, said, "no-empty-servers", "it was the lint that refused")
}

func TestTypesMadeOfTheDocumentServeACustomer(t *testing.T) {
	t.Parallel()
	dir := written(t)
	said, err := ask(t, dir, "openapi-typescript", "bin/cli.js", "openapi.json", "--output", "types.d.ts")
	require.NoError(t, err, said)
	usage, err := os.ReadFile(filepath.Join("testdata", "usage.ts"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "usage.ts"), usage, 0o600))
	said, err = ask(t, dir, "typescript", "bin/tsc", "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom",
		"--module", "esnext", "--moduleResolution", "bundler", "usage.ts")
	require.NoError(t, err, said)
}
