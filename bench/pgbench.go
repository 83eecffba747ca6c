package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres/private"
)

// pgbench is PostgreSQL's own load, on a database of its own in the server that the program uses.
type pgbench struct {
	path string
	to   []string
}

// pgbenchScale is a million rows, all of which fit into the server's default buffers.
const pgbenchScale = 10

func preparePgbench(ctx context.Context, r *rig) (pgbench, error) {
	const name = "pgbench"
	admin, err := pgx.Connect(ctx, r.database.AdminURL())
	if err != nil {
		return pgbench{}, fmt.Errorf("connect as superuser: %w", err)
	}
	defer func() { _ = admin.Close(ctx) }()
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return pgbench{}, fmt.Errorf("make the database: %w", err)
	}
	p := pgbench{to: []string{
		"-h", admin.Config().Host, "-p", strconv.Itoa(int(admin.Config().Port)), "-U", private.Superuser, name,
	}}
	if p.path, err = pgbenchProgram(ctx, r.database.Version()); err != nil {
		return pgbench{}, err
	}
	_, err = p.run(ctx, "-i", "-q", "-s", strconv.Itoa(pgbenchScale))
	return p, err
}

// pgbenchProgram is the one of the server's own version.
func pgbenchProgram(ctx context.Context, version string) (string, error) {
	installs, err := private.Installed(ctx)
	if err != nil {
		return "", err
	}
	for _, install := range installs {
		if install.Version == version {
			return exec.LookPath(filepath.Join(install.Dir, "pgbench"))
		}
	}
	return "", fmt.Errorf("PostgreSQL %s has no pgbench here: install postgresql-contrib", version)
}

func (p pgbench) run(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, p.path, append(args, p.to...)...).CombinedOutput() //nolint:gosec // an installed program
	if err != nil {
		return nil, fmt.Errorf("pgbench: %w: %s", err, bytes.TrimSpace(out))
	}
	return out, nil
}

// selects gives the transactions a second of the built-in select-only script. The protocol is simple, pgbench's own
// default, or prepared, which the program speaks.
func (p pgbench) selects(ctx context.Context, protocol string, length time.Duration) (float64, error) {
	out, err := p.run(ctx, "-S", "-M", protocol, "-n", "-c", strconv.Itoa(clients), "-j", "2",
		"-T", strconv.Itoa(int(length.Seconds())))
	if err != nil {
		return 0, err
	}
	return transactionsASecond(out)
}

var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+) `)

func transactionsASecond(out []byte) (float64, error) {
	found := tps.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("pgbench printed no tps: %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
