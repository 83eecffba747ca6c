package private

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Install is one installed version of PostgreSQL's server programs.
type Install struct {
	// Dir holds the programs postgres and initdb.
	Dir string
	// Version is what the server says of itself, such as 17.2; Major is its first number.
	Version string
	Major   int
}

// installPatterns are where packages put the programs: Debian and Ubuntu, Fedora and RHEL, Homebrew on ARM and on
// Intel, Postgres.app.
var installPatterns = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// Installed lists the versions found in PATH and where the usual packages put them, each once. When there is none the
// error is ErrNotInstalled and says what to install.
func Installed(ctx context.Context) ([]Install, error) {
	var folders []string
	if program, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(program))
	}
	return installed(ctx, folders, installPatterns)
}

func installed(ctx context.Context, folders, patterns []string) ([]Install, error) {
	for _, pattern := range patterns {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("look for PostgreSQL: %w", err)
		}
		folders = append(folders, matches...)
	}
	var found []Install
	seen := map[string]bool{}
	for _, folder := range folders {
		// A link in PATH leads to the folder where the programs find their own parts.
		program, err := filepath.EvalSymlinks(filepath.Join(folder, "initdb"))
		if err != nil || seen[filepath.Dir(program)] {
			continue
		}
		seen[filepath.Dir(program)] = true
		if install, err := inspect(ctx, filepath.Dir(program)); err == nil {
			found = append(found, install)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w (looked in PATH and %s): run \"make setup\", or install them with "+
			"\"apt-get install postgresql\" or \"brew install postgresql@17\"", ErrNotInstalled, strings.Join(patterns, ", "))
	}
	return found, nil
}

// inspect asks the server program in folder for its version.
func inspect(ctx context.Context, folder string) (Install, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(folder, "postgres"), "--version") //nolint:gosec // a folder of installed programs
	cmd.Env = environment()
	said, err := cmd.Output()
	if err != nil {
		return Install{}, fmt.Errorf("ask %s for its version: %w", cmd.Path, err)
	}
	// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "postgres (PostgreSQL) 18beta1"
	_, rest, _ := strings.Cut(string(bytes.TrimSpace(said)), "(PostgreSQL) ")
	version, _, _ := strings.Cut(rest, " ")
	digits := strings.IndexFunc(version+".", func(r rune) bool { return r < '0' || r > '9' })
	major, err := strconv.Atoi(version[:digits])
	if err != nil {
		return Install{}, fmt.Errorf("read version of %s from %q: %w", cmd.Path, said, err)
	}
	return Install{Dir: folder, Version: version, Major: major}, nil
}

// fitting picks the version that made the data, since another cannot read them, or the newest when there are none yet.
func fitting(installs []Install, data string) (Install, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil && !os.IsNotExist(err) {
		return Install{}, fmt.Errorf("read version of the data: %w", err)
	}
	if err != nil {
		return newest(installs), absent(data)
	}
	made := strings.TrimSpace(string(text))
	var have []string
	for _, install := range installs {
		if strconv.Itoa(install.Major) == made {
			return install, nil
		}
		have = append(have, install.Version)
	}
	return Install{}, fmt.Errorf("the data in %s were made by PostgreSQL %s, and only %s is installed: "+
		"install PostgreSQL %s (\"apt-get install postgresql-%s\", \"brew install postgresql@%s\")",
		data, made, strings.Join(have, ", "), made, made, made)
}

func newest(installs []Install) Install {
	best := installs[0]
	for _, install := range installs[1:] {
		if install.Major > best.Major {
			best = install
		}
	}
	return best
}

// absent refuses a data folder that is there and is no database: ours appear complete or not at all.
func absent(data string) error {
	_, err := os.Lstat(data)
	switch {
	case err == nil:
		return fmt.Errorf("%s holds no PostgreSQL database: move it away to begin anew", data)
	case os.IsNotExist(err):
		return nil
	default:
		return fmt.Errorf("look at the data: %w", err)
	}
}
