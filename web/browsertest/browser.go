// Package browsertest drives a headless Chromium through the portal as a person would. For tests only.
package browsertest

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// stepTime bounds one step of a tab. Chromium on a busy machine takes seconds to draw a page.
const stepTime = 60 * time.Second

// shared is the one browser of a test binary. It ends with the process.
var shared = sync.OnceValues(func() (context.Context, error) {
	ctx, _ := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)...)
	ctx, _ = chromedp.NewContext(ctx)
	// The first call starts the browser, whose life is that of the call's context.
	return ctx, chromedp.Do(ctx, chromedp.Navigate("about:blank"))
})

// Tab is a browser of its own, with its own cookies and cache.
type Tab struct {
	t    *testing.T
	ctx  context.Context //nolint:containedctx // a chromedp context is the tab itself
	base string
}

// Open makes a tab for the portal at base. It closes with the test.
func Open(t *testing.T, base string) *Tab {
	t.Helper()
	browser, err := shared()
	require.NoError(t, err, "start Chromium: run `make test`, which installs it")
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	go leave(ctx, chromedp.Events(ctx, page.JavascriptDialogOpening))
	tab := &Tab{t: t, ctx: ctx, base: base}
	tab.Wide()
	return tab
}

// leave says yes to pages that ask whether they may be left.
func leave(ctx context.Context, dialogs iter.Seq2[page.EventJavascriptDialogOpening, error]) {
	for _, err := range dialogs {
		if err != nil {
			return // the tab has closed
		}
		if _, err := chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}); err != nil {
			return
		}
	}
}

// do runs steps within the time that a step may take.
func (b *Tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s at %s: %v\n%s", what, b.at(), err, b.body())
	}
}

// get runs a step that has a value.
func get[T any](b *Tab, what string, step chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	value, err := chromedp.Run(ctx, step)
	if err != nil {
		b.t.Fatalf("%s at %s: %v\n%s", what, b.at(), err, b.body())
	}
	return value
}

// command sends a command of the DevTools protocol.
func command[P, R any](b *Tab, cmd cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	result, err := chromedp.Call(ctx, cmd, params)
	require.NoError(b.t, err)
	return result
}

// at and body describe the page where a step failed, as far as it still answers.
func (b *Tab) at() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	location, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		return "a page that does not answer"
	}
	return location
}

func (b *Tab) body() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return ""
	}
	return text
}

// Wide shows pages as on a desk, Phone as on a small phone (WCAG 2.2, 1.4.10 asks for 320 px at least).
func (b *Tab) Wide() { b.do("widen", chromedp.EmulateViewport(1200, 900)) }

// Phone shows pages as on a phone.
func (b *Tab) Phone() { b.do("narrow", chromedp.EmulateViewport(390, 844)) }

// Scheme asks pages for their light or dark colours.
func (b *Tab) Scheme(name string) {
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// WithoutScript turns the scripts of pages off.
func (b *Tab) WithoutScript() {
	command(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Screenshot keeps a picture of the whole page in the folder of looks: $VERACITY_LOOKS, or a folder beside the tests
// that git ignores.
func (b *Tab) Screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("VERACITY_LOOKS") //nolint:forbidigo // where tests leave their pictures is no setting of the product
	if dir == "" {
		dir = "looks"
	}
	require.NoError(b.t, os.MkdirAll(dir, 0o750)) //nolint:gosec // who runs the tests says where
	picture := get(b, "take a picture", chromedp.FullScreenshot(100))
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)) //nolint:gosec // as above
}

// Evaluate runs an expression in the page.
func Evaluate[T any](b *Tab, expression string) T {
	b.t.Helper()
	return get(b, "evaluate", chromedp.Evaluate[T](expression))
}
