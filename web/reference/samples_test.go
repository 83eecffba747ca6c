package reference_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/toolbox"
)

// programTime bounds a compiler on a busy machine.
const programTime = 5 * time.Minute

// samples are the calls in a language, by the call.
func samples(t *testing.T, language string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, c := range calls(read(t)) {
		for _, s := range c.Samples {
			if s.Title == language {
				found[c.ID] = s.Text
				require.Contains(t, s.Text, base+"/api/v1/", c.ID)
			}
		}
	}
	require.Len(t, found, len(calls(read(t)))-1, "all but the webhook, which we send")
	return found
}

// write puts programs into a folder and returns their paths.
func write(t *testing.T, dir, ending string, programs map[string]string) []string {
	t.Helper()
	var paths []string
	for name, text := range programs {
		paths = append(paths, filepath.Join(dir, name+ending))
		require.NoError(t, os.WriteFile(paths[len(paths)-1], []byte(text+"\n"), 0o600))
	}
	slices.Sort(paths)
	return paths
}

func TestGoSamplesTypeCheck(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	checker := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
	for id, text := range samples(t, "Go") {
		var imports strings.Builder
		for _, path := range []string{"context", "encoding/json", "errors", "fmt", "io", "net/http", "os", "strings"} {
			if name := path[strings.LastIndex(path, "/")+1:]; name == "context" || strings.Contains(text, name+".") {
				fmt.Fprintf(&imports, "import %q\n", path)
			}
		}
		program := "package sample\n" + imports.String() + "func call(ctx context.Context) error {\n" + text + "\n}\n"
		file, err := parser.ParseFile(fset, id+".go", program, parser.AllErrors)
		require.NoError(t, err, program)
		_, err = checker.Check(id, fset, []*ast.File{file}, nil)
		require.NoError(t, err, program)
	}
}

// node declares what the samples take from Node.js.
const node = `
declare const process: { env: Record<string, string | undefined> };
declare class Buffer extends Uint8Array { static from(bytes: ArrayBuffer): Buffer }
declare module "node:fs/promises" { export function writeFile(path: string, data: Uint8Array): Promise<void> }
`

func TestTypeScriptSamplesCompile(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), programTime)
	defer cancel()
	dir := t.TempDir()
	paths := append(write(t, dir, ".d.ts", map[string]string{"node": node}), write(t, dir, ".ts", samples(t, "TypeScript"))...)
	tsc := filepath.Join(toolbox.Module(t, "typescript"), "bin", "tsc")
	args := append([]string{
		tsc, "--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleDetection", "force",
		"--lib", "es2022,dom", "--typeRoots", dir, "--skipLibCheck",
	}, paths...)
	out, err := toolbox.Node(ctx, t, args...).CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestPythonSamplesCompile(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), programTime)
	defer cancel()
	paths := write(t, t.TempDir(), ".py", samples(t, "Python"))
	out, err := exec.CommandContext(ctx, "python3", append([]string{"-m", "py_compile"}, paths...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestShellSamplesAreShellAndTheirBodiesJSON(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), programTime)
	defer cancel()
	for _, path := range write(t, t.TempDir(), ".sh", samples(t, "curl")) {
		out, err := exec.CommandContext(ctx, "sh", "-n", path).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	bodies := 0
	for id, text := range samples(t, "curl") {
		if _, body, ok := strings.Cut(text, "-d '"); ok {
			body, _, _ = strings.Cut(body, "'")
			require.True(t, json.Valid([]byte(body)), id)
			bodies++
		}
	}
	require.Equal(t, 4, bodies, "check, optimize, upload, MCP")
}

func TestSamplesShowTheKeyWhereTheCallNeedsOne(t *testing.T) {
	t.Parallel()
	shell, python := samples(t, "curl"), samples(t, "Python")
	for _, c := range calls(read(t)) {
		if len(c.Samples) > 0 {
			require.Equal(t, !c.Open, strings.Contains(shell[c.ID], "X-API-Key: {{key}}"), c.ID)
			require.Equal(t, !c.Open, strings.Contains(python[c.ID], "VERACITY_KEY"), c.ID)
		}
	}
}
