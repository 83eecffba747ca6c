package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"

	"veracity/views"
	"veracity/web/browsertest"
)

// sitePage serves a body in the frame of every page, with the assets that it loads.
func sitePage(t *testing.T, body func() string) *browsertest.Tab {
	t.Helper()
	assets, err := views.Assets()
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle(views.AssetPrefix, assets)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		content := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, body())
			return err
		})
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = views.Layout("A page").Render(templ.WithChildren(r.Context(), content), w)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return browsertest.Open(t, server.URL)
}

func fixed(body string) func() string { return func() string { return body } }

func TestTimesAreTheReadersAndTheButtonsAppearWithScriptsAlone(t *testing.T) {
	t.Parallel()
	const body = `<main id="main"><time datetime="2027-03-08T09:30:00Z" title="2027-03-08 09:30:00 UTC">8 Mar 2027, 09:30 UTC</time>
		<time datetime="2027-03-08">8 Mar 2027</time><code id="c">text</code><button type="button" data-copy="c" hidden>Copy</button></main>`
	tab := sitePage(t, fixed(body))
	tab.Go("/")
	require.Equal(t, "8 Mar 2027, ", browsertest.Evaluate[string](tab, `document.querySelector("time").textContent.slice(0, 12)`))
	require.False(t, browsertest.Evaluate[bool](tab, `document.querySelector("time").textContent.includes("UTC")`))
	require.Equal(t, "2027-03-08 09:30:00 UTC", browsertest.Evaluate[string](tab, `document.querySelector("time").title`))
	require.Equal(t, "8 Mar 2027", browsertest.Evaluate[string](tab, `document.querySelectorAll("time")[1].textContent`), "a day has no zone")
	require.False(t, browsertest.Evaluate[bool](tab, `document.querySelector("[data-copy]").hidden`))

	tab = sitePage(t, fixed(body))
	tab.WithoutScript()
	tab.Go("/")
	require.True(t, browsertest.Evaluate[bool](tab, `document.querySelector("[data-copy]").hidden`))
}

func TestAnErrorHasTheFocusAndAFormIsSentOnce(t *testing.T) {
	t.Parallel()
	tab := sitePage(t, fixed(`<main id="main"><div id="wrong" tabindex="-1" data-focus>Wrong</div>
		<input id="value" value="svc_live_x" readonly data-select>
		<form method="post" action="/slow" target="elsewhere" data-once><button id="send">Send</button></form></main>`))
	tab.Go("/")
	require.Equal(t, "wrong", browsertest.Evaluate[string](tab, `document.activeElement.id`))
	require.Equal(t, 10, browsertest.Evaluate[int](tab, `(document.getElementById("value").focus(), document.getElementById("value").selectionEnd)`))
	// A listener of the test's own keeps the page where it is.
	browsertest.Evaluate[bool](tab, `(HTMLFormElement.prototype.submit = () => {}, document.getElementById("send").click(), true)`)
	require.Eventually(t, func() bool {
		return browsertest.Evaluate[bool](tab, `document.getElementById("send").disabled && document.getElementById("send").ariaBusy === "true"`)
	}, 10*time.Second, 20*time.Millisecond)
}

func TestAPageThatShowsSomethingOnceAsksBeforeItIsLeft(t *testing.T) {
	t.Parallel()
	tab := sitePage(t, fixed(`<main id="main"><section data-leave>Secret <a href="#done" data-left>I have saved it</a></section></main>`))
	tab.Go("/")
	const asks = `(() => { const e = new Event("beforeunload", {cancelable: true}); dispatchEvent(e); return e.defaultPrevented })()`
	require.True(t, browsertest.Evaluate[bool](tab, asks))
	browsertest.Evaluate[bool](tab, `(document.querySelector("[data-left]").click(), true)`)
	require.False(t, browsertest.Evaluate[bool](tab, asks))
}

func TestAPageOfWorkUnderWayFollowsItToTheEnd(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	tab := sitePage(t, func() string {
		n := asked.Add(1)
		if n < 3 {
			return fmt.Sprintf(`<main id="main"><div data-live><p data-refresh>Reading %d</p></div></main>`, n)
		}
		return `<main id="main"><div data-live><p>Ended</p><button type="button" data-copy="x" hidden>Copy</button></div></main>`
	})
	tab.Go("/")
	require.Eventually(t, func() bool { return browsertest.Evaluate[bool](tab, `document.body.innerText.includes("Ended")`) }, 30*time.Second, 100*time.Millisecond)
	require.False(t, browsertest.Evaluate[bool](tab, `document.querySelector("[data-copy]").hidden`))
	ended := asked.Load()
	require.Never(t, func() bool { return asked.Load() > ended }, 3*time.Second, 200*time.Millisecond, "it goes on asking")
}

func TestTheNavigationOpensOnAPhoneWithoutScripts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tab := browsertest.Open(t, r.origin)
	tab.WithoutScript()
	tab.Phone()
	tab.Go("/docs")
	const shown = `document.getElementById("side").checkVisibility()`
	require.False(t, browsertest.Evaluate[bool](tab, shown))
	browsertest.Evaluate[bool](tab, `(document.querySelector("[popovertarget=side]").click(), true)`)
	require.True(t, browsertest.Evaluate[bool](tab, shown))
	tab.Wide()
	tab.Go("/docs")
	require.True(t, browsertest.Evaluate[bool](tab, shown), "it stands beside the page")
	require.False(t, browsertest.Evaluate[bool](tab, `document.querySelector("[popovertarget=side]").checkVisibility()`))
}
