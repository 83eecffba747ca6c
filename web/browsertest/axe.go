package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"veracity/platform/toolbox"
)

var axe = sync.OnceValues(func() (string, error) {
	dir, err := toolbox.Dir()
	if err != nil {
		return "", err
	}
	script, err := os.ReadFile(filepath.Join(dir, "npm", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		return "", fmt.Errorf("read axe-core: run make tools: %w", err)
	}
	return string(script), nil
})

// violation is what axe says of one rule that a page breaks.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Accessible demands that axe-core finds nothing against WCAG 2.2 AA, nor against its own best practices, on the page.
func (b *Tab) Accessible(page string) {
	b.t.Helper()
	script, err := axe()
	require.NoError(b.t, err)
	get(b, "load axe", chromedp.Evaluate[bool](script+"; true"))
	found := get(b, "run axe", chromedp.Evaluate[[]violation](
		`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => r.violations)`,
		func(p *runtime.EvaluateParams) { wait := true; p.AwaitPromise = &wait },
	))
	var said strings.Builder
	for _, v := range found {
		fmt.Fprintf(&said, "%s: %s\n", v.ID, v.Help)
		for _, n := range v.Nodes {
			fmt.Fprintf(&said, "  %s\n    %s\n", n.HTML, n.Summary)
		}
	}
	require.Empty(b.t, said.String(), "axe on %s", page)
}
