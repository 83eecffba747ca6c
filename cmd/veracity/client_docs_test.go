package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/client"
	"veracity/platform/toolbox"
)

// snippets are the programs of docs/clients.md by their language.
func snippets(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "clients.md"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)\n```([a-z]+)\n(.*?\n)```\n").FindAllStringSubmatch(string(page), -1) {
		require.NotContains(t, found, m[1], "one program a language")
		found[m[1]] = m[2]
	}
	return found
}

// snippetTime bounds one program on a busy machine.
const snippetTime = 5 * time.Minute

// desk is a folder with what the programs check, before a service that loses answers.
type desk struct {
	customer
	front *flaky
	dir   string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	front, before := newFlaky(t)
	d := &desk{customer: working(t, before).customer(account.Overrides{}), front: front, dir: t.TempDir()}
	d.write("picture.png", string(labelledPNG(t)))
	d.write("film.mp4", string(film(t, 1)))
	return d
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	require.NoError(d.t, os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600))
}

// run runs a program in the folder, with the settings that the page names.
func (d *desk) run(cmd *exec.Cmd) (said, complaint string, err error) {
	d.t.Helper()
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = d.dir, &errs
	cmd.Env = append(os.Environ(), "VERACITY_API_URL="+d.url, "VERACITY_API_KEY="+d.key, "NO_COLOR=1", "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	return string(out), errs.String(), err
}

// proves runs the program of a snippet on a line that drops answers and refuses, and again with a wrong key.
func (d *desk) proves(program func(context.Context) *exec.Cmd) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), snippetTime)
	defer cancel()
	d.front.spoil("POST audit", losesTheAnswer, refusesFor(503, client.CodeEngineUnavailable), nil, breaksTheAnswer)
	d.front.spoil("POST uploads", refusesFor(429, client.CodeRateLimited), breaksTheAnswer)
	d.front.spoil("PUT", losesTheAnswer)
	d.front.spoil("GET job", losesTheRequest)
	said, complaint, err := d.run(program(ctx))
	require.NoError(d.t, err, complaint)
	require.Equal(d.t, "picture.png ai provenance\nfilm.mp4 uncertain weighed\n", said)
	d.settled(2)
	require.Len(d.t, d.front.times("POST audit"), 5)
	require.Len(d.t, d.front.times("POST uploads"), 3)
	require.Len(d.t, d.front.times("PUT"), 2)

	key := d.key
	d.key = "svc_live_nobody"
	said, complaint, err = d.run(program(ctx))
	require.Error(d.t, err)
	require.Empty(d.t, said)
	require.Contains(d.t, complaint, "invalid_key")
	require.Len(d.t, d.front.times("POST audit"), 6, "it is not asked again")
	d.key = key
	d.settled(2)
}

func TestGoProgramOfTheDocsRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	// As a customer does who copies the folder: a module of his own, with nothing else in it.
	require.NoError(t, os.CopyFS(filepath.Join(d.dir, "client"), os.DirFS(filepath.Join("..", "..", "client"))))
	d.write("go.mod", "module veracity\n\ngo 1.22\n")
	d.write("main.go", snippets(t)["go"])
	said, complaint, err := d.run(exec.CommandContext(t.Context(), "go", "build", "-o", "program", "."))
	require.NoError(t, err, said+complaint)
	d.proves(func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "./program") })
}

func TestShellProgramOfTheDocsRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("check.sh", snippets(t)["bash"])
	d.proves(func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "bash", "check.sh") })
}

func TestPythonProgramOfTheDocsRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("check.py", snippets(t)["python"])
	d.proves(func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "python3", "check.py") })
}

// The commands that the page gives are run as well, with the packages that `make tools` has fetched.
func TestTypeScriptProgramOfTheDocsRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("check.mts", snippets(t)["ts"])
	modules := filepath.Dir(toolbox.Module(t, "typescript"))
	require.NoError(t, os.Symlink(modules, filepath.Join(d.dir, "node_modules")))
	programs := map[string]string{"openapi-typescript": "openapi-typescript/bin/cli.js", "tsc": "typescript/bin/tsc"}
	var ends bool
	for line := range strings.Lines(snippets(t)["sh"]) {
		words := strings.Fields(strings.ReplaceAll(line, `"$VERACITY_API_URL`, d.url))
		switch words[0] {
		case "npm":
			for _, name := range words[3:] {
				toolbox.Module(t, name)
			}
		case "npx":
			args := []string{filepath.Join(modules, programs[words[1]])}
			for _, word := range words[2:] {
				args = append(args, strings.Trim(word, `"`))
			}
			said, complaint, err := d.run(toolbox.Node(t.Context(), t, args...))
			require.NoError(t, err, said+complaint)
		case "node":
			ends = true
			d.proves(func(ctx context.Context) *exec.Cmd { return toolbox.Node(ctx, t, words[1]) })
		}
	}
	require.True(t, ends)
}
