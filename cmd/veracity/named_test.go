package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// variables finds names of settings in text.
var variables = regexp.MustCompile(`VERACITY_[A-Z][A-Z0-9_]*[A-Z0-9]`)

// ownVariables are no settings of the product: where tests and scripts find and leave things, and how long they take.
var ownVariables = []string{"VERACITY_TOOLS", "VERACITY_LOOKS", "VERACITY_CHROMIUM"}

func TestDocumentsNameOnlySettingsThatAre(t *testing.T) {
	t.Parallel()
	known := slices.Clone(ownVariables)
	newRoot(func(string) string { return "" }).PersistentFlags().VisitAll(func(f *pflag.Flag) { known = append(known, envName(f.Name)) })
	root := filepath.Join("..", "..")
	var looked int
	for _, place := range []string{"README.md", "CONTRIBUTING.md", "docs", "deploy"} {
		err := filepath.WalkDir(filepath.Join(root, place), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			looked++
			for _, name := range variables.FindAllString(string(text), -1) {
				require.Contains(t, known, name, "%s names what is no setting", path)
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, looked, 20)
}
